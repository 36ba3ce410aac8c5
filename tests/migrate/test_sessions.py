"""Sources taken to make_session and configure: the sessions get what they got before, from the profiles."""

from __future__ import annotations

import ast
import json
import pathlib
import random
import subprocess
import sys
import textwrap
from typing import Any, Dict, List, Sequence

import pytest

from tests.interpreters import interpreter
from tests.programs import environment, reports, tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="rewriting needs Python 3.9")

HEAD = '"""A program."""\nimport tensorflow as tf\n'
#: Body of `def make(value)`, which returns a session, and the same after the rewrite (PROFILE is the constant's name).
BODIES: Dict[str, str] = {
    "return tf.Session(config=tf.ConfigProto(allow_soft_placement=True))": "return make_session(PROFILE)",
    "return tf.Session('', tf.Graph(), tf.ConfigProto(log_device_placement=False))": "return make_session(PROFILE, target='', graph=tf.Graph())",
    "return tf.InteractiveSession(graph=tf.Graph(), config=tf.ConfigProto(device_count={'CPU': 2}))": (
        "return make_interactive_session(PROFILE, graph=tf.Graph())"
    ),
    "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True  # grow\nreturn tf.Session(config=config)": "return make_session(PROFILE)",
    "config = tf.ConfigProto(allow_soft_placement=value)\nreturn tf.Session(config=config)": (
        'config = make_config(PROFILE, overrides={"allow_soft_placement": value})\nreturn tf.Session(config=config)'
    ),
    "return tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=value, visible_device_list='0')))": (
        'return make_session(PROFILE, overrides={"gpu_options.allow_growth": value})'
    ),
    "config = tf.ConfigProto(intra_op_parallelism_threads=2)\nif value:\n    config.log_device_placement = False\n    config.inter_op_parallelism_threads = 3\n"
    "return tf.Session(config=config)": (
        "config = make_config(PROFILE)\nif value:\n    config.log_device_placement = False\n    config.inter_op_parallelism_threads = 3\n"
        "return tf.Session(config=config)"
    ),
    # What a condition may change keeps its order.
    "c = tf.ConfigProto(allow_soft_placement=True)\nif value:\n    c.allow_soft_placement = False\nc.isolate_session_state = True\nreturn tf.Session(config=c)": (
        'c = make_config(PROFILE, overrides={"allow_soft_placement": True})\nif value:\n    c.allow_soft_placement = False\nreturn tf.Session(config=c)'
    ),
    "c = tf.ConfigProto()\nc.allow_soft_placement = value\nc.allow_soft_placement = True\nreturn tf.Session(config=c)": (
        "c = make_config(PROFILE)\nc.allow_soft_placement = value\nc.allow_soft_placement = True\nreturn tf.Session(config=c)"
    ),
    # Parts that are built by themselves.
    "gpu = tf.GPUOptions(per_process_gpu_memory_fraction=.85/4)\nconfig = tf.ConfigProto(gpu_options=gpu)\nreturn tf.Session(config=config)": (
        "return make_session(PROFILE)"
    ),
    "gpu = tf.GPUOptions(allow_growth=value, visible_device_list='0')\nreturn tf.Session(config=tf.ConfigProto(gpu_options=gpu))": (
        "gpu = tf.GPUOptions(allow_growth=value, visible_device_list='0')\n"
        'return make_session(PROFILE, overrides={"gpu_options.allow_growth": gpu.allow_growth})'
    ),
    "o = tf.GPUOptions(allow_growth=True)\nc = tf.ConfigProto(allow_soft_placement=True)\nc.gpu_options.CopyFrom(o)\nreturn tf.Session(config=c)": (
        "return make_session(PROFILE)"
    ),
    "c = tf.ConfigProto()\nc.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1\nc.device_filters.append('/job:ps')\n"
    "c.device_count['CPU'] = 2; c.device_count['GPU'] = 0\nreturn tf.Session(config=c)": "pass; pass\nreturn make_session(PROFILE)",
    "c = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.ON_1 if False else "
    "tf.OptimizerOptions.L0)))\nreturn tf.Session(config=c)": (
        'c = make_config(PROFILE, overrides={"graph_options.optimizer_options.opt_level": tf.OptimizerOptions.ON_1 if False else '
        "tf.OptimizerOptions.L0})\nreturn tf.Session(config=c)"
    ),
    "with tf.Graph().as_default():\n    config = tf.ConfigProto(log_device_placement=False)\nreturn tf.Session(config=config)": (
        "with tf.Graph().as_default():\n    pass\nreturn make_session(PROFILE)"
    ),
    "def options():\n    c = tf.ConfigProto(inter_op_parallelism_threads=2)\n    return c\nreturn tf.Session(config=options())": (
        "def options():\n    c = make_config(PROFILE)\n    return c\nreturn tf.Session(config=options())"
    ),
    # Branches make one each, and what follows is for both.
    "if value:\n    c = tf.ConfigProto(allow_soft_placement=True)\nelse:\n    c = tf.ConfigProto()\nc.gpu_options.allow_growth = True\nreturn tf.Session(config=c)": (
        "if value:\n    c = make_config(M_PROFILE)\nelse:\n    c = make_config(M_2_PROFILE)\nreturn tf.Session(config=c)"
    ),
    "c = tf.ConfigProto(log_device_placement=False)\nif value:\n    c = tf.ConfigProto(device_count={'CPU': 2})\nc.isolate_session_state = value\n"
    "c.inter_op_parallelism_threads = 2\nreturn tf.Session(config=c)": (
        "c = make_config(M_PROFILE)\nif value:\n    c = make_config(M_2_PROFILE)\nc.isolate_session_state = value\nreturn tf.Session(config=c)"
    ),
    "c = tf.ConfigProto(allow_soft_placement=True) if value else tf.ConfigProto(device_count={'CPU': 2})\nc.inter_op_parallelism_threads = 2\n"
    "return tf.Session(config=c)": "c = make_config(M_PROFILE) if value else make_config(M_2_PROFILE)\nreturn tf.Session(config=c)",
    "return tf.train.MonitoredTrainingSession(config=tf.ConfigProto(inter_op_parallelism_threads=2))": (
        "return tf.train.MonitoredTrainingSession(config=make_config(PROFILE))"
    ),
}
_CONFIG = "config_of = lambda s: (s._config if hasattr(s, '_config') else s._tf_sess()._config).SerializeToString(deterministic=True).hex()\n"


def _program(body: str) -> str:
    return HEAD + "def make(value):\n" + textwrap.indent(body, "    ") + "\n"


def _rewrite(folder: pathlib.Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return tf1compat(folder, ["rewrite", *arguments])


@pytest.mark.parametrize("body", BODIES)
def test_text(tmp_path: pathlib.Path, body: str) -> None:
    (tmp_path / "m.py").write_text(_program(body))
    done = _rewrite(tmp_path, ["m.py", "--to", "session"])
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "m.py").read_text()
    names = sorted(name for name in ("make_config", "make_interactive_session", "make_session") if name + "(" in BODIES[body])
    head = HEAD.replace("tensorflow", "tf1compat_gpu.tf1") + "from tf1compat_gpu import %s, profile_beside\n\n" % ", ".join(names)
    constants = {"PROFILE": "m"} if "M_2_PROFILE" not in BODIES[body] else {"M_PROFILE": "m", "M_2_PROFILE": "m-2"}
    lines = "".join('%s = profile_beside(__file__, "configs/%s.yaml")\n' % item for item in constants.items())
    assert text == head + lines + "def make(value):\n" + textwrap.indent(BODIES[body], "    ") + "\n"
    assert _rewrite(tmp_path, ["m.py", "--to", "session"]).stderr == "" and (tmp_path / "m.py").read_text() == text


def test_a_rank_stays_in_the_code(tmp_path: pathlib.Path) -> None:
    """hvd.local_rank() is 0 in a process that no launcher started: a profile would be an error there."""
    source = (
        "import horovod.tensorflow as hvd\nimport tensorflow as tf\nc = tf.ConfigProto(allow_soft_placement=True)\n"
        "c.gpu_options.visible_device_list = str(hvd.local_rank())\n"
    )
    (tmp_path / "m.py").write_text(source)
    assert _rewrite(tmp_path, ["m.py", "--to", "session"]).returncode == 0
    text = (tmp_path / "m.py").read_text()
    assert "c = make_config(PROFILE)\nc.gpu_options.visible_device_list = str(hvd.local_rank())\n" in text
    assert "gpu_per_process" not in (tmp_path / "configs" / "m.yaml").read_text()


@pytest.mark.tensorflow
@pytest.mark.parametrize("release", ["2.21", "1.15"])
def test_sessions_get_what_they_got(tmp_path: pathlib.Path, release: str) -> None:
    """Each program's config before and after, for both values of what it is called with."""
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        for at, body in enumerate(BODIES):
            (tmp_path / folder / ("m%d.py" % at)).write_text(_program(body))
    assert _rewrite(tmp_path / "before", [".", "--to", "import"]).returncode == 0
    assert _rewrite(tmp_path / "after", [".", "--to", "session"]).returncode == 0
    code = _CONFIG + (
        "import importlib\nimport tf1compat_gpu.tf1 as tf\ntf.train.get_or_create_global_step()\nfound = {}\n"
        "for at in range(%d):\n"
        "    for value in (True, False):\n"
        "        session = importlib.import_module('m%%d' %% at).make(value)\n"
        "        found['%%d %%s' %% (at, value)] = config_of(session)\n"
        "        session.close()\n"
        "report(found=found)\n" % len(BODIES)
    )
    python = interpreter(release)
    before, after = (reports(code, python=python, cwd=str(tmp_path / folder))["found"] for folder in ("before", "after"))
    assert len(before) == 2 * len(BODIES) and len(set(before.values())) > 12
    assert after == before


#: Sources whose config stays, and the reason that is given.
STAY = {
    "import other\nc = tf.ConfigProto(allow_soft_placement=True)\nother.change(c)\ns = tf.Session(config=c)": "what other.change(c) does to it",
    "c = tf.ConfigProto(**options)\ns = tf.Session(config=c)": "**options",
    "c = tf.ConfigProto(gpu_options=options())\ns = tf.Session(config=c)": "gpu_options is given a message that only the program knows",
    "o = tf.GPUOptions()\nif x:\n    o.allow_growth = True\ns = tf.Session(config=tf.ConfigProto(gpu_options=o))": "gpu_options.allow_growth is written under",
    "s = tf.Session(config=tf.ConfigProto(allow_growht=True))": "no profile could be made of it",
}


@pytest.mark.parametrize("source", STAY)
def test_what_can_not_be_right_stays(tmp_path: pathlib.Path, source: str) -> None:
    (tmp_path / "m.py").write_text(HEAD + source + "\n")
    done = _rewrite(tmp_path, ["m.py", "--to", "session"])
    assert (tmp_path / "m.py").read_text() == HEAD.replace("tensorflow", "tf1compat_gpu.tf1") + source + "\n"
    assert "[not-moved]" in done.stderr and STAY[source] in done.stderr and not (tmp_path / "configs").exists()


KERAS = "import tensorflow as tf\nfrom tensorflow.keras import backend as K\n"
#: Source -> what --to tf2 makes of it.
CONFIGURED = {
    "K.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))": "configure(PROFILE)",
    "c = tf.ConfigProto()\nc.gpu_options.allow_growth = True\nK.set_session(tf.Session(config=c))": "configure(PROFILE)",
    "c = tf.ConfigProto()\nc.gpu_options.allow_growth = True\nsess = tf.compat.v1.Session(config=c)\ntf.compat.v1.keras.backend.set_session(sess)": "configure(PROFILE)",
    "K.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=x)))": 'configure(PROFILE, overrides={"allow_soft_placement": x})',
    "c = tf.ConfigProto()\nif x:\n    c.allow_soft_placement = True\nK.set_session(tf.Session(config=c))": (
        "c = make_config(PROFILE)\nif x:\n    c.allow_soft_placement = True\nconfigure(profile_from_config(c))"
    ),
    "tf.enable_eager_execution(config=tf.ConfigProto(intra_op_parallelism_threads=2))": "configure(PROFILE)",
    "c = tf.ConfigProto()\nc.intra_op_parallelism_threads = 2\ntf.enable_eager_execution(c)": "configure(PROFILE)",
}


@pytest.mark.parametrize("source", CONFIGURED)
def test_tf2(tmp_path: pathlib.Path, source: str) -> None:
    (tmp_path / "m.py").write_text(KERAS + source + "\n")
    done = _rewrite(tmp_path, ["m.py", "--to", "tf2"])
    assert done.returncode == 0, done.stderr
    names = [
        name for name in ("configure", "make_config", "profile_beside", "profile_from_config") if name + "(" in CONFIGURED[source] or name == "profile_beside"
    ]
    head = KERAS + "from tf1compat_gpu import %s\n\n" % ", ".join(names)
    expected = head + 'PROFILE = profile_beside(__file__, "configs/m.yaml")\n' + CONFIGURED[source] + "\n"
    assert (tmp_path / "m.py").read_text() == expected
    assert _rewrite(tmp_path, ["m.py", "--to", "tf2"]).stderr == "" and (tmp_path / "m.py").read_text() == expected


@pytest.mark.tensorflow2
def test_tf2_does_what_the_session_did(tmp_path: pathlib.Path) -> None:
    source = "c = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=3)\nc.allow_soft_placement = False\n"
    (tmp_path / "m.py").write_text(KERAS + source + "tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=c))\n")
    assert _rewrite(tmp_path, ["m.py", "--to", "tf2"]).returncode == 0
    found = reports(
        "import m\nimport tensorflow as tf\nreport(threads=tf.config.threading.get_inter_op_parallelism_threads(), soft=tf.config.get_soft_device_placement())",
        cwd=str(tmp_path),
    )
    assert found == {"threads": 3, "soft": False}


@pytest.mark.parametrize("rest", ["x = tf.placeholder(tf.float32)", "K.get_session().run(y)\ns = tf.Session()", "sess2 = tf.Session(config=tf.ConfigProto())"])
def test_tf2_refuses_what_needs_its_session(tmp_path: pathlib.Path, rest: str) -> None:
    source = KERAS + "K.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))\n" + rest + "\n"
    (tmp_path / "m.py").write_text(source)
    done = _rewrite(tmp_path, ["m.py", "--to", "tf2"])
    assert "[needs-session]" in done.stderr and "m.py:4:" in done.stderr and (tmp_path / "m.py").read_text() == source


def test_two_configs_and_clashing_names(tmp_path: pathlib.Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    source = "import tensorflow as tf\ndef make_session():\n    return tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\nPROFILE = 1\n"
    (tmp_path / "pack" / "train.py").write_text(source)
    (tmp_path / "two.py").write_text(
        "import tensorflow as tf\r\na = tf.ConfigProto(log_device_placement=True)\r\nb = tf.ConfigProto(allow_soft_placement=True)\r\n"
    )
    done = _rewrite(tmp_path, [".", "--to", "session"])
    assert done.returncode == 0 and "lies outside the package: an installed pack won't have it" in done.stderr
    assert (tmp_path / "pack" / "train.py").read_text() == (
        "import tf1compat_gpu.tf1 as tf\nfrom tf1compat_gpu import make_session as make_session_, profile_beside\n\n"
        'PROFILE_ = profile_beside(__file__, "../configs/two-2.yaml")\n'
        "def make_session():\n    return make_session_(PROFILE_)\nPROFILE = 1\n"
    )
    assert (tmp_path / "two.py").read_bytes() == (
        b"import tf1compat_gpu.tf1 as tf\r\nfrom tf1compat_gpu import make_config, profile_beside\r\n\r\n"
        b'TWO_PROFILE = profile_beside(__file__, "configs/two.yaml")\r\nTWO_2_PROFILE = profile_beside(__file__, "configs/two-2.yaml")\r\n'
        b"a = make_config(TWO_PROFILE)\r\nb = make_config(TWO_2_PROFILE)\r\n"
    )


def test_notebooks(tmp_path: pathlib.Path) -> None:
    cells = ["%matplotlib inline\nimport tensorflow as tf", "c = tf.ConfigProto()", "c.gpu_options.allow_growth = True", "s = tf.Session(config=c)"]
    cells.append("t = tf.Session(config=tf.ConfigProto(log_device_placement=x))")
    document = {"cells": [{"cell_type": "code", "source": cell.splitlines(True), "outputs": []} for cell in cells], "nbformat": 4}
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.ipynb").write_text(json.dumps(document))
    done = _rewrite(tmp_path, [".", "--to", "session"])
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "books" / "a.ipynb").read_text()
    sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    assert sources == [
        "%matplotlib inline\nimport tf1compat_gpu.tf1 as tf\nfrom tf1compat_gpu import make_session\n\n"
        'A_PROFILE = "../configs/a.yaml"\nA_2_PROFILE = "../configs/a-2.yaml"',
        "", "", "s = make_session(A_PROFILE)", 't = make_session(A_2_PROFILE, overrides={"log_device_placement": x})',
    ]  # fmt: skip
    assert "a.ipynb:cell 2:1:5" in (tmp_path / "configs" / "a.yaml").read_text()
    assert _rewrite(tmp_path, [".", "--to", "session"]).stderr == "" and (tmp_path / "books" / "a.ipynb").read_text() == text


def test_profiles_are_never_written_over(tmp_path: pathlib.Path) -> None:
    source = "import tensorflow as tf\ns = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\n"
    (tmp_path / "train.py").write_text(source)
    extract = [sys.executable, "-m", "tf1compat_gpu", "extract", "train.py"]
    subprocess.run(extract, cwd=str(tmp_path), env=environment(), check=True, capture_output=True)
    profile = tmp_path / "configs" / "train.yaml"
    mine = profile.read_text() + "intra_op_parallelism_threads: 2\n"
    profile.write_text(mine)
    # A person's edits of an extracted profile count; another config gets another name.
    assert _rewrite(tmp_path, ["train.py", "--to", "session"]).returncode == 0
    assert profile.read_text() == mine and '"configs/train.yaml"' in (tmp_path / "train.py").read_text()
    (tmp_path / "train.py").write_text(source.replace("True", "False") + (tmp_path / "train.py").read_text())
    assert _rewrite(tmp_path, ["train.py", "--to", "session"]).returncode == 0
    assert profile.read_text() == mine and "allow_soft_placement: false" in (tmp_path / "configs" / "train-2.yaml").read_text()
    again = subprocess.run(extract, cwd=str(tmp_path), env=environment(), check=True, capture_output=True, text=True)
    assert again.stdout == "" and profile.read_text() == mine


def test_check_and_diff_write_nothing(tmp_path: pathlib.Path) -> None:
    source = "import tensorflow as tf\ns = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\n"
    (tmp_path / "train.py").write_text(source)
    assert _rewrite(tmp_path, [".", "--to", "session", "--check"]).returncode == 1
    done = _rewrite(tmp_path, [".", "--to", "session", "--diff"])
    assert done.returncode == 0 and "+s = make_session(PROFILE)\n" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"] and (tmp_path / "train.py").read_text() == source


def test_every_source_still_parses(tmp_path: pathlib.Path) -> None:
    """All bodies in one module: their fixes don't touch one another, and what no fix names stays."""
    source = HEAD + "".join("def make%d(value):\n%s\n\n" % (at, textwrap.indent(body, "    ")) for at, body in enumerate(BODIES))
    (tmp_path / "m.py").write_text(source)
    assert _rewrite(tmp_path, ["m.py", "--to", "session"]).returncode == 0
    text = (tmp_path / "m.py").read_text()
    functions: List[Any] = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == len(BODIES) and "ConfigProto" not in text


def test_random_sources_are_never_broken() -> None:
    """Statements about configs in any order, cut and doubled: what is written parses, a second run changes nothing, the rest stays."""
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.rewrite import rewrite_text
    from tf1compat_gpu.migrate.scan import scan_text

    pieces = sorted({line for body in [*BODIES, *STAY, *CONFIGURED] for line in body.splitlines() if not line.startswith("return")})
    pieces += [
        "def f(c):",
        "class A:",
        "if c:",
        "for x in y:",
        "try:",
        "except E: pass",
        "finally:",
        "c = 1; o = c",
        "with tf.Session(config=c) as s:",
        "é = '日'",
    ]
    pieces += ["K.set_session(tf.Session(config=config))", "c = config", "del c", "global c", "self.c = c", "lambda: tf.ConfigProto(**o)", "# c", ""]
    draw = random.Random(11)
    changed = dict.fromkeys(("import", "session", "tf2"), 0)
    for _ in range(3000):
        lines, depth = ["import tensorflow as tf", "from keras import backend as K"], 0
        for _ in range(draw.randrange(1, 14)):
            piece = draw.choice(pieces)
            lines.append("    " * depth + (piece if draw.random() < 0.93 else piece[: draw.randrange(len(piece) + 1)]))
            depth = depth + 1 if piece.endswith(":") else draw.randrange(depth + 1)
            if piece.endswith(":"):
                lines.append("    " * depth + draw.choice(pieces[:-18]).split("\n")[0])
        text = files.decode("fuzz.py", draw.choice(["\n", "\r\n"]).join(lines).encode("utf-8"))
        assert isinstance(text, files.Text)
        places = {(each.span.line, each.span.column): "configs/%d.yaml" % at for at, each in enumerate(scan_text(text).findings) if each.code == "config"}
        for to in changed:
            done = rewrite_text(text, to, places)
            assert "second run" not in done.refused and "would not parse" not in done.refused, (done.refused, text.text)
            if done.after is not None:
                changed[to] += 1
                ast.parse(done.after)
    assert min(changed.values()) > 20, changed


def test_a_variable_that_another_file_imports_stays(tmp_path: pathlib.Path) -> None:
    source = "import tensorflow as tf\nconfig = tf.ConfigProto(allow_soft_placement=True)\nsess = tf.Session(config=config)\n"
    users = {
        "named.py": "from named import config\n",
        "dotted.py": "import dotted\nprint(dotted.config)\n",
        "package/__init__.py": "from package import *\nrun(config)\n",
    }
    (tmp_path / "package").mkdir()
    (tmp_path / "alone.py").write_text(source)
    for number, (name, user) in enumerate(users.items()):
        (tmp_path / name).write_text(source)
        (tmp_path / ("user%d.py" % number)).write_text(user)
    (tmp_path / "other.py").write_text("from alone import sess\n")
    done = tf1compat(tmp_path, ["rewrite", "--to", "session", "."])
    assert done.returncode == 0, done.stderr
    assert "sess = make_session(PROFILE)\n" in (tmp_path / "alone.py").read_text() and "config" not in (tmp_path / "alone.py").read_text().replace(
        "configs/", ""
    )
    for name in users:
        assert "config = make_config(PROFILE)\nsess = tf.Session(config=config)\n" in (tmp_path / name).read_text()
