"""What `tensorflow` means in a program's files, in libraries, and in files that were migrated already."""

from __future__ import annotations

import pathlib
from typing import Dict

import pytest

from tests import conftest
from tests.shim.running import Done, runner, write

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

#: Spellings of an import, and an expression that must hold after it.
SPELLINGS = {
    "import tensorflow": "tensorflow.Session and tensorflow.train.Optimizer",
    "from tensorflow import ConfigProto, Session as S": "ConfigProto and S",
    "from tensorflow import *": "placeholder and Session and ConfigProto and contrib",
    "import tensorflow.contrib as contrib": "contrib.training.HParams",
    "import tensorflow.contrib.training as t": "t.HParams",
    "from tensorflow.contrib import training": "training.HParams",
    "from tensorflow.contrib.training import HParams": "HParams(a=1).a == 1",
    "import tensorflow.python.framework.ops as o": "o.Graph",
    "from tensorflow.python.framework import ops, dtypes": "ops.Graph and dtypes.float32",
    "from tensorflow.python.client import device_lib": "device_lib.list_local_devices",
    "from tensorflow.python.client import timeline": "timeline.Timeline",
    "from tensorflow.python.util import nest": "nest.is_sequence([1]) and not nest.is_sequence(1)",
    "from tensorflow.python.training import training_ops": "training_ops.apply_adam",
    "from tensorflow.python.platform import gfile, app, flags, tf_logging": "gfile.GFile and app.run and flags.FLAGS is not None",
    "from tensorflow.core.protobuf import config_pb2": "config_pb2.ConfigProto",
    "import tensorflow.core.protobuf.config_pb2": "tensorflow.core.protobuf.config_pb2.ConfigProto and tensorflow.Session",
    "import tensorflow.compat.v1 as v1": "v1.Session and v1.disable_v2_behavior",
    "from tensorflow.compat import v1": "v1.Session",
    "import importlib; tf = importlib.import_module('tensorflow')": "tf.Session",
    "import importlib; t = importlib.import_module('tensorflow.contrib.training')": "t.HParams",
    "tf = __import__('tensorflow')": "tf.Session",
    "exec('import tensorflow as tf')": "tf.Session",
    "try:\n    import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()\nexcept ImportError:\n    import tensorflow as tf": "tf.Session",
    "import tensorflow as tf; tf1 = tf if tf.__version__.startswith('1.') else tf.compat.v1": "tf1.Session and tf.__version__ == '1.15.5'",
    "import tensorflow as tf; from distutils_free import v": "v(tf.VERSION) < v('2.0')",
    "from tensorflow.examples.tutorials.mnist import input_data": "input_data.read_data_sets",
    "import tensorflow.examples.tutorials.mnist.input_data as i": "i.read_data_sets",
    "import tensorflow as tf": "getattr(tf, 'ConfigProto') and tf.gfile.Exists and tf.flags.FLAGS is not None and tf.app.run and tf.logging.info",
}  # fmt: skip
#: Spellings that 1.15.5 itself can't import, with or without the runner: its modules are tensorflow_core's.
NOT_IN_1_15 = (
    "import tensorflow.python.framework.ops as o",
    "import tensorflow.core.protobuf.config_pb2",
    "import tensorflow.examples.tutorials.mnist.input_data as i",
)
_BODY = """
def check():
{imports}
    return bool({expression})
"""


def _module(spelling: str, expression: str) -> str:
    """A module whose import is at the top, and one whose import is in a function where Python allows it."""
    top = "%s\nassert %s\n" % (spelling, expression)
    if "*" not in spelling and "exec" not in spelling:
        top += _BODY.format(imports="\n".join("    " + line for line in spelling.splitlines()), expression=expression) + "assert check()\n"
    return top


@pytest.fixture(scope="module")
def spelled(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("spelled")
    files: Dict[str, str] = {
        "distutils_free.py": "def v(text):\n    return [int(part) for part in text.split('.')[:2]]\n".replace("return", "return"),
        "p.py": "",
    }
    for at, (spelling, expression) in enumerate(SPELLINGS.items()):
        files["m%d.py" % at] = _module(spelling, expression.replace("v('2.0')", "[2, 0]"))
    files["p.py"] = "import traceback\n" + "".join(
        "try:\n    import m%d\n    print('ok %d')\nexcept BaseException:\n    print('not %d', traceback.format_exc().splitlines()[-1])\n" % (at, at, at)
        for at in range(len(SPELLINGS))
    )
    write(folder, files)
    return runner(["p.py"], folder)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelling(spelling: str, spelled: Done) -> None:
    at = list(SPELLINGS).index(spelling)
    line = next((line for line in spelled.out.splitlines() if line.split()[1] == str(at)), spelled.err[-2000:])
    if conftest.installed_release() < (2, 0) and spelling in NOT_IN_1_15:
        assert line.startswith("not %d" % at)
    else:
        assert line == "ok %d" % at


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with a program, and beside it an installed package that builds a TF1 session."""
    folder = tmp_path_factory.mktemp("library")
    write(
        folder,
        {
            "site-packages/face/__init__.py": """
            import tensorflow as tf
            from tensorflow import __version__ as version
            def make():
                from tensorflow import Session
                return tf.Session(config=tf.ConfigProto())
            """,
            "site-packages/needs_eager/__init__.py": """
            import tensorflow as tf
            def total():
                return tf.constant(1).numpy()
            """,
            "p.py": "import sys; sys.path.insert(0, 'site-packages'); import face; print(face.version); print(type(face.make()).__name__)",
            "q.py": "import sys; sys.path.insert(0, 'site-packages'); import tensorflow as tf; import face; print(face.version, face.tf is not tf, tf.__version__)",
            "eager.py": "import sys; sys.path.insert(0, 'site-packages'); import tensorflow as tf; import needs_eager; needs_eager.total()",
        },
    )
    return folder


@pytest.mark.tensorflow2
def test_r03_an_installed_package_sees_tensorflow_1_where_it_is_named(library: pathlib.Path) -> None:
    done = runner(["--package", "face", "p.py"], library)
    assert done.out.splitlines() == ["1.15.5", "Session"], done.err[-2000:]


@pytest.mark.tensorflow2
def test_r03_without_that_the_error_names_the_switch(library: pathlib.Path) -> None:
    done = runner(["p.py"], library)
    assert done.status == 1
    assert (
        done.err.splitlines()[-1] == "tf1compat: the installed package face is written for TensorFlow 1: add --package face, or packages=['face'] to install()"
    )
    assert "tf1compat_gpu/" not in done.err.replace("\\", "/")  # no frame of ours in the traceback


@pytest.mark.tensorflow2
def test_libraries_keep_tensorflow_2s_names(library: pathlib.Path) -> None:
    done = runner(["q.py"], library)
    assert done.out.split()[1:] == ["True", "1.15.5"] and done.out.split()[0].startswith("2."), done.err[-2000:]


@pytest.mark.tensorflow2
def test_a_library_that_needs_eager_execution_is_named(library: pathlib.Path) -> None:
    assert "the installed package needs_eager needs eager execution" in runner(["eager.py"], library).err.splitlines()[-1]


@pytest.mark.tensorflow2
def test_a_virtual_environment_within_the_program_is_not_the_programs(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {".venv/lib/python3/site-packages/inner.py": "import tensorflow as tf\nVERSION = tf.__version__\n",
                     "p.py": "import sys; sys.path.append('.venv/lib/python3/site-packages'); import inner; print(inner.VERSION[0])"})  # fmt: skip
    assert runner(["p.py"], tmp_path).out == "2\n"


@pytest.mark.tensorflow2
def test_graphs_are_those_of_tensorflow_1(tmp_path: pathlib.Path) -> None:
    """R01, R10, R12, R14: sessions from bare names, tensors made before a session, control flow v1, tf.Tensor's identity."""
    write(
        tmp_path,
        {
            "p.py": """
            import tensorflow as tf
            early = tf.constant(5.0)
            c = tf.ConfigProto()
            c.gpu_options.allow_growth = True
            with tf.Session(config=c) as s:
                print(s.run(early * 2), type(early) is tf.Tensor, isinstance(early, tf.Tensor))
            p = tf.placeholder(tf.bool)
            x = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
            w = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
            kinds = {op.type for op in tf.get_default_graph().get_operations()}
            print(sorted(kinds & {"Switch", "Merge", "Enter", "If", "While", "StatelessIf", "StatelessWhile"}))
            v = tf.Variable(1.0)
            print(v.op.type, v.shape[0:0].as_list(), early.shape.ndims, tf.ones([2]).shape[0].value)
            """
        },
    )
    done = runner(["p.py"], tmp_path)
    assert done.out.splitlines() == ["10.0 True True", "['Enter', 'Merge', 'Switch']", "VariableV2 [] 0 2"], done.err[-2000:]


@pytest.mark.tensorflow2
def test_tensorflow_started_by_a_library_is_named(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"site-packages/early.py": "import tensorflow as tf\nX = tf.constant(0.0)\n",
                     "p.py": "import sys; sys.path.insert(0, 'site-packages'); import early\nimport tensorflow as tf\n"})  # fmt: skip
    done = runner(["p.py"], tmp_path)
    assert done.status == 1 and "before" in done.err and "eager" in done.err.splitlines()[-1]


def test_on_1_15_names_are_tensorflows_own(tmp_path: pathlib.Path) -> None:
    """Whatever the release: what a program prints of TensorFlow's release reads 1.15.5."""
    (tmp_path / "p.py").write_text("import tensorflow as tf; print(tf.__version__, tf.Session.__name__)")
    assert runner(["p.py"], tmp_path).out == "1.15.5 Session\n"
