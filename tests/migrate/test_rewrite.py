"""Sources taken to `import tf1compat_gpu.tf1 as tf`: only what it must, and no file ever lost."""

from __future__ import annotations

import ast
import os
import pathlib
import random
import signal
import subprocess
import sys
from typing import Dict, Sequence

import pytest

from tests.programs import environment, reports, tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="rewriting needs Python 3.9")

UNCHANGED = [
    "import os\n",
    "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n",
    "from tensorflow.compat import v1\n",
    "from tensorflow import compat\n",
    "import tensorflow_probability as tfp\nfrom tensorflow_addons import x\n",
    "from . import tensorflow\nfrom .tensorflow import x\n",
    "import mytensorflow\nx = 'import tensorflow as tf'\n# import tensorflow as tf\n",
    "import tf1compat_gpu.tf1 as tf\n",
]
CHANGED: Dict[str, str] = {
    "import tensorflow as tf\n": "import tf1compat_gpu.tf1 as tf\n",
    "import tensorflow\n": "import tf1compat_gpu.tf1 as tensorflow\n",
    "import os, tensorflow as tf, sys\n": "import os, tf1compat_gpu.tf1 as tf, sys\n",
    "import tensorflow , os\n": "import tf1compat_gpu.tf1 as tensorflow , os\n",
    "from tensorflow import Session, ConfigProto as C  # names\n": "from tf1compat_gpu.tf1 import Session, ConfigProto as C  # names\n",
    "from tensorflow import *\n": "from tf1compat_gpu.tf1 import *\n",
    "from tensorflow import (\n    Session,  # one\n    flags,\n)\n": "from tf1compat_gpu.tf1 import (\n    Session,  # one\n    flags,\n)\n",
    "import tensorflow.contrib.slim as slim\n": "import tf1compat_gpu.tf1.contrib.slim as slim\n",
    "import tensorflow.contrib.slim\n": "import tf1compat_gpu.tf1 as tensorflow, tf1compat_gpu.tf1.contrib.slim\n",
    "from tensorflow.python.ops import math_ops\n": "from tf1compat_gpu.tf1.python.ops import math_ops\n",
    "from  tensorflow.contrib \\\n    import slim\n": "from  tf1compat_gpu.tf1.contrib \\\n    import slim\n",
    "def f():\n\timport tensorflow as tf; return tf\n": "def f():\n\timport tf1compat_gpu.tf1 as tf; return tf\n",
    "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n": "try:\n    import tf1compat_gpu.tf1 as tf\nexcept ImportError:\n    tf = None\n",
    "x = 'ä'; import tensorflow as tf\n": "x = 'ä'; import tf1compat_gpu.tf1 as tf\n",
    "import tensorflow as tf": "import tf1compat_gpu.tf1 as tf",
    "\n\x0c\nimport tensorflow as tf\n\x0c\n": "\n\x0c\nimport tf1compat_gpu.tf1 as tf\n\x0c\n",
}


def rewritten(data: bytes) -> bytes:
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.rewrite import rewrite_text

    text = files.decode("m.py", data)
    assert isinstance(text, files.Text)
    done = rewrite_text(text, "import")
    assert not done.refused, done.refused
    return data if done.after is None else done.after


@pytest.mark.parametrize("source", UNCHANGED)
def test_unchanged(source: str) -> None:
    assert rewritten(source.encode("utf-8")) == source.encode("utf-8")


@pytest.mark.parametrize("source", CHANGED)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_changed(source: str, newline: str, encoding: str) -> None:
    def spelled(text: str) -> bytes:
        head = "# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else ""
        return (head + text).replace("\n", newline).encode(encoding)

    assert rewritten(spelled(source)) == spelled(CHANGED[source])
    assert rewritten(spelled(CHANGED[source])) == spelled(CHANGED[source])


@pytest.mark.tensorflow
def test_what_was_rewritten_means_the_same(tmp_path: pathlib.Path) -> None:
    source = "import tensorflow\nimport tensorflow.python.framework.ops\nimport tensorflow.contrib.training as t\nfrom tensorflow import Session, constant\n"
    (tmp_path / "m.py").write_bytes(
        rewritten(source.encode()) + b"print(Session().run(constant(1)) + t.HParams(a=1).a, tensorflow.python.framework.ops.Graph.__name__)\n"
    )
    found = reports("import m, sys; report(bound=m.tensorflow.__name__)", cwd=str(tmp_path))
    assert found["bound"] == "tf1compat_gpu.tf1" or found["bound"].startswith("tensorflow")


def _rewrite(folder: pathlib.Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return tf1compat(folder, ["rewrite", *arguments])


OLD = b"import tensorflow as tf\nprint(tf.Session)\n"
NEW = OLD.replace(b"tensorflow", b"tf1compat_gpu.tf1")


def test_command_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(OLD)
    (tmp_path / "old2.py").write_bytes(b"import tensorflow\nprint 'x'\n")
    check = _rewrite(tmp_path, [".", "--check", "--exclude", "old2.py"])
    assert check.returncode == 1 and check.stderr == "would rewrite ./a.py\n" and (tmp_path / "a.py").read_bytes() == OLD
    diff = _rewrite(tmp_path, ["a.py", "--diff"])
    assert diff.returncode == 0 and "-import tensorflow as tf\n+import tf1compat_gpu.tf1 as tf\n" in diff.stdout and (tmp_path / "a.py").read_bytes() == OLD
    done = _rewrite(tmp_path, ["."])
    assert done.returncode == 1 and (tmp_path / "a.py").read_bytes() == NEW  # the Python 2 file is reported
    assert "rewrote ./a.py" in done.stderr and "./old2.py: left alone: line 2" in done.stderr
    assert (tmp_path / "old2.py").read_bytes() == b"import tensorflow\nprint 'x'\n"
    again = _rewrite(tmp_path, ["a.py"])
    assert again.returncode == 0 and again.stderr == "" and (tmp_path / "a.py").read_bytes() == NEW
    assert _rewrite(tmp_path, ["none.py"]).returncode == 2


def test_modes_links_and_read_only_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "script.py").write_bytes(OLD)
    (tmp_path / "script.py").chmod(0o750)
    (tmp_path / "kept.py").write_bytes(OLD)
    (tmp_path / "kept.py").chmod(0o444)
    (tmp_path / "link.py").symlink_to("script.py")
    done = _rewrite(tmp_path, ["link.py", "kept.py"])
    assert done.returncode == 1 and "kept.py: left alone: it is read-only" in done.stderr
    assert (tmp_path / "link.py").is_symlink() and (tmp_path / "script.py").read_bytes() == NEW
    assert (tmp_path / "script.py").stat().st_mode & 0o777 == 0o750 and (tmp_path / "kept.py").read_bytes() == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.py", "link.py", "script.py"]


def test_changes_that_are_not_committed_are_refused(tmp_path: pathlib.Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(git + ["init", "-q"], check=True)
    for name in ("clean.py", "dirty.py"):
        (tmp_path / name).write_bytes(OLD)
    subprocess.run(git + ["add", "."], check=True)
    subprocess.run(git + ["commit", "-qm", "x"], check=True)
    (tmp_path / "dirty.py").write_bytes(OLD + b"x = 1\n")
    done = _rewrite(tmp_path, ["."])
    assert done.returncode == 1 and "not committed" in done.stderr
    assert (tmp_path / "clean.py").read_bytes() == NEW and (tmp_path / "dirty.py").read_bytes() == OLD + b"x = 1\n"
    assert _rewrite(tmp_path, ["dirty.py", "--allow-dirty"]).returncode == 0 and (tmp_path / "dirty.py").read_bytes() == NEW + b"x = 1\n"


def test_a_file_that_changes_meanwhile_is_left_alone(tmp_path: pathlib.Path) -> None:
    from tf1compat_gpu.migrate.rewrite import rewrite_file, write

    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    done = rewrite_file(str(path), "import")
    assert done is not None
    path.write_bytes(OLD + b"# more\n")
    assert write(done) == "it has changed meanwhile"
    assert path.read_bytes() == OLD + b"# more\n" and [each.name for each in tmp_path.iterdir()] == ["a.py"]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_at_any_moment_every_file_is_old_or_new(tmp_path: pathlib.Path) -> None:
    """D5, in small: the command is stopped by SIGKILL when it has said that it rewrote the Nth file."""
    draw = random.Random(1)
    for _ in range(5):
        for number in range(60):
            (tmp_path / ("m%02d.py" % number)).write_bytes(OLD)
        stop = draw.randrange(1, 55)
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "tf1compat_gpu", "rewrite", "."], cwd=str(tmp_path), env=environment(), stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        for _ in range(stop):
            process.stderr.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
        contents = [path.read_bytes() for path in sorted(tmp_path.glob("m*.py"))]
        assert len(contents) == 60 and set(contents) <= {OLD, NEW} and contents.count(NEW) >= stop
        for left in tmp_path.glob(".tf1compat-*"):
            left.unlink()


def test_random_sources_are_never_broken() -> None:
    """D6: what comes out parses, and differs only where it must; the rest is refused."""
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.rewrite import rewrite_text

    draw = random.Random(7)
    whole = list(CHANGED) + UNCHANGED
    for _ in range(2000):
        text = list("".join(draw.sample(whole, 3)))
        for _ in range(draw.randint(0, 6)):
            at = draw.randrange(len(text))
            if draw.random() < 0.5:
                del text[at]
            else:
                text.insert(at, draw.choice("()\\\n \t;,.#'é"))
        decoded = files.decode("fuzz.py", "".join(text).encode("utf-8"))
        if isinstance(decoded, files.Text):
            done = rewrite_text(decoded, "import")
            assert "second run" not in done.refused and "would not parse" not in done.refused, ("".join(text), done.refused)
            if done.after is not None:
                ast.parse(done.after)
