"""The last line of a failed program: what happened, and the next step. And the names that --python-compat puts back."""

from __future__ import annotations

import pathlib
import sys
from typing import Dict, Tuple

import pytest

from tests.programs import reports
from tests.shim.running import runner, write
from tf1compat_gpu.shim import hints, python_compat

#: Program -> the start of its last line, for failures that need no TensorFlow.
FAILURES: Dict[str, Tuple[str, str, Tuple[int, int]]] = {
    "from": ("from collections import Mapping", "collections.Mapping left Python in 3.10: add --python-compat, or use Python 3.9", (3, 10)),
    "attribute": ("import collections; collections.Iterable", "collections.Iterable left Python in 3.10", (3, 10)),
    "inspect": ("import inspect; inspect.getargspec(len)", "inspect.getargspec left Python in 3.11: add --python-compat, or use Python 3.10", (3, 11)),
    "clock": ("import time; time.clock()", "time.clock left Python in 3.8: add --python-compat, or use Python 3.7", (3, 8)),
    "method": ("import threading; threading.current_thread().isAlive()", "threading.Thread.isAlive left Python in 3.9", (3, 9)),
    "imp": ("import imp", "imp left Python in 3.12", (3, 12)),
    "cause": (
        "try:\n    from collections import Mapping\nexcept ImportError as e:\n    raise RuntimeError('wrapped') from e",
        "collections.Mapping left Python",
        (3, 10),
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_the_last_line(name: str, tmp_path: pathlib.Path) -> None:
    source, line, since = FAILURES[name]
    (tmp_path / "p.py").write_text(source)
    done = runner(["p.py"], tmp_path)
    last = done.err.splitlines()[-1] if done.err else ""
    if sys.version_info >= since:
        assert done.status == 1 and last.startswith("tf1compat: " + line)
        assert runner(["--python-compat", "p.py"], tmp_path).status in ((0, 1) if name == "inspect" else (0,))
    else:
        assert not last.startswith("tf1compat:")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="collections.Mapping is there")
def test_test_runners_end_with_it_too(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path,
        {
            "test_a.py": "def test():\n    from collections import Mapping\n",
            "case.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        from collections import Mapping\nunittest.main()\n",
            "broken/conftest.py": "from collections import Mapping\n",
            "broken/test_b.py": "def test(): pass\n",
        },
    )
    expected = "tf1compat: collections.Mapping left Python in 3.10: add --python-compat, or use Python 3.9"
    for arguments in (["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_a.py"], ["case.py"], ["-m", "pytest", "-q", "broken"]):
        done = runner(arguments, tmp_path)
        assert done.status != 0 and done.err.splitlines()[-1] == expected, arguments


def test_every_name_is_put_back() -> None:
    found = reports(
        """
        import importlib
        from tf1compat_gpu.shim import python_compat
        python_compat.install()
        lost, absent = [], []
        for row in python_compat.ROWS:
            module, _, kind = row.module.partition(":")
            try:
                owner = importlib.import_module(module)
            except ImportError:
                absent.append(module)
                continue
            owner = getattr(owner, kind, None) if kind else owner
            if owner is not None and not hasattr(owner, row.name):
                lost.append(row.module + "." + row.name)
        import collections, collections.abc, inspect, base64, threading, unittest, configparser
        report(lost=lost, absent=sorted(set(absent)), same=collections.Mapping is collections.abc.Mapping, spec=list(inspect.getargspec(lambda a, b=1, *c, **d: 0)),
               text=inspect.formatargspec(["a", "b"], "c", "d", (1,)), encoded=base64.encodestring(b"x").decode(), alive=threading.current_thread().isAlive(),
               old=hasattr(unittest.TestCase, "assertEquals"), parser=configparser.SafeConfigParser.__name__)
        import imp, pipes, cgi
        report(quoted=pipes.quote("a b"), escaped=cgi.escape("<a>"), made=type(imp.new_module("x")).__name__)
        """
    )
    assert found["lost"] == []
    assert set(found["absent"]) <= {
        "numpy",
        "PIL",
        "PIL.Image",
        "PIL.ImageFont",
        "PIL.ImageDraw",
        "google.protobuf.internal.api_implementation",
        "google.protobuf.message_factory",
        "google.protobuf.symbol_database",
    }
    assert found["same"] and found["alive"] and found["old"] and found["parser"].endswith("ConfigParser")
    assert found["spec"] == [["a", "b"], "c", "d", [1]] and found["text"] == "(a, b=1, *c, **d)"
    assert (found["encoded"], found["quoted"], found["escaped"], found["made"]) == ("eA==\n", "'a b'", "&lt;a&gt;", "module")


@pytest.mark.tensorflow
def test_numpys_names_mean_what_they_did() -> None:
    found = reports(
        """
        from tf1compat_gpu.shim import python_compat
        python_compat.install()
        import numpy as np
        ragged = np.array([[1, 2], [3]])
        report(kinds=[np.zeros(1, dtype=kind).dtype.kind for kind in (np.bool, np.int, np.float, np.complex, np.object)], inf=np.Inf == np.inf, nan=bool(np.isnan(np.NaN)),
               product=int(np.product([2, 3])), scalar=np.asscalar(np.array([4])), farray=str(np.asfarray([1]).dtype), common=str(np.find_common_type([np.float32], [np.float64])),
               shape=list(ragged.shape), ragged=str(ragged.dtype), plain=str(np.array([[1, 2], [3, 4]]).dtype.kind), cast=float(np.cast["float32"](3)), trapz=float(np.trapz([1, 1])))
        """,
        {"PYTHONWARNINGS": "ignore"},
    )
    assert found["kinds"] == ["b", "i", "f", "c", "O"] and found["inf"] and found["nan"]
    assert (found["product"], found["scalar"], found["farray"], found["common"]) == (6, 4, "float64", "float32")
    assert (found["shape"], found["ragged"], found["plain"], found["cast"], found["trapz"]) == ([2], "object", "i", 3.0, 1.0)


def test_hints_know_what_came_along_with_tensorflow_1() -> None:
    line = hints.hint(ModuleNotFoundError("No module named 'keras_applications'", name="keras_applications"))
    assert line == "keras_applications came along with TensorFlow 1.15 and does not any more: pip install --no-deps keras_applications"
    assert "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python" in (hints.hint(TypeError("Descriptors cannot be created directly.")) or "")
    assert "numpy<2.4" in (hints.hint(TypeError("only 0-dimensional arrays can be converted to Python scalars")) or "")
    assert hints.hint(ValueError("anything else")) is None and hints.hint(KeyboardInterrupt()) is None


def test_every_release_that_took_a_name_has_a_pin() -> None:
    for row in python_compat.ROWS:
        assert row.gone.startswith("Python 3.") or row.gone in hints._BEFORE, row
    assert len(python_compat.ROWS) == len({(row.module, row.name) for row in python_compat.ROWS})
