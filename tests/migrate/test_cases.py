"""Situations from the field: what the migration makes of each, by its number."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any, Dict, List

import pytest

from tests.programs import environment, reports, tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="the migration needs Python 3.9")


def _scan(folder: pathlib.Path, source: str) -> List[Dict[str, Any]]:
    (folder / "m.py").write_text(source, encoding="utf-8")
    found: List[Dict[str, Any]] = json.loads(tf1compat(folder, ["scan", "m.py", "--format", "json"]).stdout)["findings"]
    return found


@pytest.mark.parametrize("call", ["tf.Session(tf.ConfigProto())", "tf.InteractiveSession(c)", "tf.compat.v1.Session(c)"])
def test_r18_a_config_in_the_place_of_the_target(tmp_path: pathlib.Path, call: str) -> None:
    source = "import tensorflow as tf\nc = tf.ConfigProto()\ns = %s\n" % call
    (found,) = [each for each in _scan(tmp_path, source) if each["code"] == "session"]
    assert found["line"] == 3 and "in the place of" in found["message"] and found["help"] == "write config=..."
    assert [each["message"] for each in _scan(tmp_path, "import tensorflow as tf\ns = tf.Session(server.target)\n")] == ["Session without a config"]


def test_r39_arithmetic_is_worked_out(tmp_path: pathlib.Path) -> None:
    found = _scan(tmp_path, "import tensorflow as tf\nc = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=.85/4))\n")
    assert [each["fields"] for each in found] == [{"gpu_options.per_process_gpu_memory_fraction": 0.2125}]


LISTING = "import tensorflow as tf\nfrom tensorflow.python.client import device_lib\nd = device_lib.list_local_devices()\n"


def test_r46_a_listing_before_the_session(tmp_path: pathlib.Path) -> None:
    source = LISTING + "s = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2))\n"
    assert [each["code"] for each in _scan(tmp_path, source)] == ["device-listing", "config"]
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "session"]).returncode == 0
    text = (tmp_path / "m.py").read_text()
    assert "\nd = device_lib.list_local_devices(session_config=make_config(PROFILE))\ns = make_session(PROFILE)\n" in text
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "session"]).stderr == "" and (tmp_path / "m.py").read_text() == text


def test_r76_estimator_is_gone_and_its_config_is_not(tmp_path: pathlib.Path) -> None:
    source = "import tensorflow as tf\nr = tf.estimator.RunConfig(session_config=tf.ConfigProto(allow_soft_placement=True))\n"
    found = _scan(tmp_path, source)
    assert [(each["code"], each["fields"]) for each in found] == [("estimator", {}), ("config", {"allow_soft_placement": True})]
    assert "in TensorFlow to 2.15" in found[0]["message"]
    assert "none of Estimator's device filters: make_run_config(PROFILE)" in found[0]["help"]  # R75
    assert "filters" not in _scan(tmp_path, "import tensorflow as tf\nr = tf.estimator.RunConfig()\n")[0]["help"]
    _scan(tmp_path, source)
    assert tf1compat(tmp_path, ["extract", "m.py"]).returncode == 0 and "allow_soft_placement: true" in (tmp_path / "configs" / "m.yaml").read_text()


SINKS = (
    "tf.Session(config=c)", "tf.InteractiveSession(config=c)", "tf.train.MonitoredTrainingSession(config=c)", "sv.managed_session(master, config=c)",
    "sv.prepare_or_wait_for_session(config=c)", "tf.train.Server(cluster, config=c)", "tf.enable_eager_execution(config=c)",
    "tf.estimator.RunConfig(session_config=c)", "slim.learning.train(op, d, session_config=c)", "device_lib.list_local_devices(session_config=c)",
)  # fmt: skip


@pytest.mark.parametrize("sink", SINKS)
def test_r79_pieces_and_sinks(tmp_path: pathlib.Path, sink: str) -> None:
    head = (
        "import tensorflow as tf\nfrom tensorflow.python.client import device_lib\ntf.app.flags.DEFINE_bool('g', False, '')\nFLAGS = tf.app.flags.FLAGS\n"
        "c = tf.ConfigProto()\nc.allow_soft_placement = True\nc.gpu_options.allow_growth = FLAGS.g\n"
    )
    (found,) = [each for each in _scan(tmp_path, head + sink + "\n") if each["code"] == "config"]
    assert found["fields"] == {"allow_soft_placement": True}
    assert found["dynamic"] == {"gpu_options.allow_growth": "flag FLAGS.g, default False"}
    assert "a config for a session" not in found["message"]  # its sink is named
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "session"]).returncode == 0
    assert "c = make_config(PROFILE)\nc.gpu_options.allow_growth = FLAGS.g\n" + sink in (tmp_path / "m.py").read_text()


def test_r81_standalone_keras(tmp_path: pathlib.Path) -> None:
    source = (
        "import tensorflow as tf\nfrom keras.backend.tensorflow_backend import set_session\n"
        "c = tf.ConfigProto()\nc.gpu_options.allow_growth = True\nset_session(tf.Session(config=c))\nmodel = build()\n"
    )
    assert "keras-session" in [each["code"] for each in _scan(tmp_path, source)]
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "tf2"]).returncode == 0
    text = (tmp_path / "m.py").read_text()
    assert "\nconfigure(PROFILE)\nmodel = build()\n" in text and "keras" not in text


#: An import that brings set_session -> what is left of it. Keras 3 has neither the module nor the name.
KERAS_IMPORTS = {
    "from keras.backend.tensorflow_backend import set_session": "",
    "from keras.backend.tensorflow_backend import set_session as install": "",
    "from tensorflow.keras.backend import set_session": "",
    "from keras.backend import set_session, clear_session": "from keras.backend import clear_session\n",
    "import keras.backend.tensorflow_backend as KTF": "",
    "from keras.backend import tensorflow_backend as KTF": "",
    "from keras import backend as K": "from keras import backend as K\n",
    "import keras.backend.tensorflow_backend as KTF\nprint(KTF)": "import keras.backend.tensorflow_backend as KTF\nprint(KTF)\n",
    "try:\n    from keras.backend.tensorflow_backend import set_session\nexcept ImportError:\n    pass": "try:\n    pass\nexcept ImportError:\n    pass\n",
}


@pytest.mark.parametrize("line", KERAS_IMPORTS)
def test_r81_the_import_of_set_session_goes_with_it(tmp_path: pathlib.Path, line: str) -> None:
    call = next((name for name in ("KTF.set_session", "K.set_session", "install") if name.partition(".")[0] in line.split()), "set_session")
    source = "import tensorflow as tf\n%s\nimport numpy\n%s(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))\nmodel = build()\n" % (line, call)
    (tmp_path / "m.py").write_text(source)
    done = tf1compat(tmp_path, ["rewrite", "m.py", "--to", "tf2"])
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "m.py").read_text()
    rest = "".join(row for row in text.splitlines(True) if "tf1compat_gpu" not in row and not row.startswith("PROFILE") and row.strip())
    assert rest == "import tensorflow as tf\n%simport numpy\nconfigure(PROFILE)\nmodel = build()\n" % KERAS_IMPORTS[line]
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "tf2"]).stderr == "" and (tmp_path / "m.py").read_text() == text


def test_r05_contrib_of_a_file_that_was_half_migrated(tmp_path: pathlib.Path) -> None:
    (found,) = _scan(tmp_path, "import tensorflow.compat.v1 as tf\nopt = tf.contrib.opt.ScipyOptimizerInterface\n")
    assert (found["code"], found["line"]) == ("contrib", 2) and found["help"].startswith(
        "nor has tf.compat.v1, in any release: write `import tensorflow as tf`"
    )
    (found,) = _scan(tmp_path, "import tensorflow as tf\nopt = tf.contrib.opt.ScipyOptimizerInterface\n")
    assert found["help"].startswith("the runner and tf1compat_gpu.tf1 know")


def test_r86_contrib_imports_are_told(tmp_path: pathlib.Path) -> None:
    found = _scan(tmp_path, "import tensorflow.contrib.slim as slim\nfrom tensorflow.contrib import layers as L\n")
    assert [(each["code"], each["line"]) for each in found] == [("contrib", 1), ("contrib", 2)]
    assert tf1compat(tmp_path, ["scan", "m.py"]).returncode == 1


SPELLINGS = {
    "from tensorflow import ConfigProto, Session as S\nS(config=ConfigProto())\n": "from tf1compat_gpu.tf1 import ConfigProto, Session as S\n",
    "import tensorflow\ntensorflow.Session(config=tensorflow.ConfigProto())\n": "import tf1compat_gpu.tf1 as tensorflow\n",
    "import tensorflow as tf0\ntf0.Session(config=tf0.ConfigProto())\n": "import tf1compat_gpu.tf1 as tf0\n",
    "from tensorflow import *\nSession(config=ConfigProto())\n": "from tf1compat_gpu.tf1 import *\n",
}


@pytest.mark.parametrize("source", SPELLINGS)
def test_r87_every_spelling_is_converted(tmp_path: pathlib.Path, source: str) -> None:
    assert [each["code"] for each in _scan(tmp_path, source)] == ["config"]
    assert tf1compat(tmp_path, ["rewrite", "m.py", "--to", "session"]).returncode == 0
    text = (tmp_path / "m.py").read_text()
    assert text.startswith(SPELLINGS[source]) and text.endswith("\nmake_session(PROFILE)\n")


def test_r87_what_is_no_name_is_told_and_a_parameter_is_none(tmp_path: pathlib.Path) -> None:
    assert [each["code"] for each in _scan(tmp_path, "import tensorflow as tf\ngetattr(tf, 'ConfigProto')\n")] == ["hidden"]
    source = "import numpy\ndef f(tf):\n    return tf.x\n"
    (tmp_path / "m.py").write_text(source)
    assert tf1compat(tmp_path, ["rewrite", "m.py"]).returncode == 0 and (tmp_path / "m.py").read_text() == source


def test_r89_encodings_in_any_locale(tmp_path: pathlib.Path) -> None:
    body = "import tensorflow as tf\r\nx = 'é'; s = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\r\n"
    head = "# -*- coding: latin-1 -*-\r\n"
    sources = {"utf.py": body.encode(), "bom.py": body.encode("utf-8-sig"), "latin.py": (head + body).encode("latin-1")}
    for name, data in sources.items():
        (tmp_path / name).write_bytes(data)
    done = tf1compat(tmp_path, ["rewrite", ".", "--to", "session"], {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert done.returncode == 0, done.stderr
    for name, data in sources.items():
        after = (tmp_path / name).read_bytes()
        encoding = "latin-1" if name == "latin.py" else "utf-8"
        assert after.startswith(data[:3]) and after.count(b"\n") == after.count(b"\r\n")
        assert "x = 'é'; s = make_session(PROFILE)\r\n".encode(encoding) in after


#: What starts the eager context of 2.21, and what does not (F5).
STARTS = (
    "tf.constant(1)", "tf.config.list_logical_devices()", "tf.data.Dataset.range(3)", "with tf.device('/CPU:0'): pass", "tf.distribute.MirroredStrategy()",
    "tf.summary.create_file_writer(folder)", "tf.zeros([1])", "tf.ones([1])", "tf.range(3)", "tf.add(1, 2)", "tf.matmul([[1.]], [[1.]])", "tf.Variable(1)",
    "tf.random.uniform([1])", "tf.random.normal([1])", "tf.convert_to_tensor(1)", "tf.data.Dataset.from_tensor_slices([1])",
    "tf.config.experimental.list_logical_devices()",
)  # fmt: skip
DO_NOT = (
    "tf.config.list_physical_devices()", "tf.config.get_visible_devices()", "tf.compat.v1.ConfigProto()", "tf.compat.v1.Session()",
    "tf.random.set_seed(1)", "tf.keras.layers.Dense(1)",
    "from tensorflow.python.client import device_lib; device_lib.list_local_devices()",
    "tf.compat.v1.disable_eager_execution()",  # the last: it is for good
)  # fmt: skip


@pytest.mark.tensorflow2
def test_f5_what_starts_the_devices(tmp_path: pathlib.Path) -> None:
    """The table of migrate.early is what TensorFlow does: each call in a context of its own."""
    from tf1compat_gpu.migrate.early import STARTING

    code = (
        "import tensorflow as tf\nfrom tensorflow.python.eager import context\nfolder = %r\nfound = {}\n"
        "for call in %r:\n    context._reset_context()\n    exec(call)\n    found[call] = context.context()._initialized\n"
        "report(found=found)\n" % (str(tmp_path), STARTS + DO_NOT)
    )
    found = reports(code)["found"]
    assert [call for call, started in found.items() if started] == list(STARTS)
    called = {call.replace("with ", "").partition("(")[0].replace("tf.", "tensorflow.", 1) for call in STARTS}
    assert called == STARTING


def test_f5_what_comes_too_late_is_told(tmp_path: pathlib.Path) -> None:
    source = (
        "import tensorflow as tf\nfrom tensorflow.keras import backend as K\nx = tf.constant(1)\n"
        "K.set_session(tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(allow_soft_placement=True)))\ny = tf.constant(2)\n"
    )
    (tmp_path / "m.py").write_text(source)
    done = tf1compat(tmp_path, ["rewrite", "m.py", "--to", "tf2"])
    assert done.stderr.count("[late-configure]") == 1 and "m.py:3:5" in done.stderr and "tf.constant starts TensorFlow 2's devices" in done.stderr
    assert "\nconfigure(PROFILE)\n" in (tmp_path / "m.py").read_text()


LOST = {
    "old.py": b"import tensorflow as tf\nprint 'x'\ns = tf.Session()\n",
    "tabs.py": b"import tensorflow as tf\nif tf:\n\tx = 1\n        y = 2\n",
    "bom.py": b"\xef\xbb\xbfimport tensorflow as tf\ns = tf.Session()\n",
}


@pytest.mark.tensorflow2
def test_f15_no_file_is_emptied(tmp_path: pathlib.Path) -> None:
    """tf_upgrade_v2 of 2.21 empties all three with status 0; here what can't be read is reported, and stays."""
    for name, data in LOST.items():
        (tmp_path / name).write_bytes(data)
    tool = "from tensorflow.tools.compatibility.tf_upgrade_v2_main import main; main()"
    for name in LOST:
        line = [sys.executable, "-c", tool, "--infile", name, "--outfile", "out_" + name, "--reportfile", "report.txt"]
        assert subprocess.run(line, cwd=str(tmp_path), env=environment(), capture_output=True).returncode == 0
        assert (tmp_path / ("out_" + name)).read_bytes() == b""
        (tmp_path / ("out_" + name)).unlink()
    done = tf1compat(tmp_path, ["rewrite", ".", "--to", "session"])
    assert done.returncode == 1 and "old.py: left alone: line 2" in done.stderr and "tabs.py: left alone: line 4" in done.stderr
    assert (tmp_path / "old.py").read_bytes() == LOST["old.py"] and (tmp_path / "tabs.py").read_bytes() == LOST["tabs.py"]
    assert (tmp_path / "bom.py").read_bytes() == LOST["bom.py"].replace(b"import tensorflow", b"import tf1compat_gpu.tf1")
