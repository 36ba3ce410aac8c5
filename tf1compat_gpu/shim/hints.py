"""One more line for failures that are understood: what happened, and the next step.

A rule is a function from an exception to that line, or None; the first that knows one wins. To add one, write it and
put it into RULES.
"""

from __future__ import annotations

import os
import re
import traceback
from typing import Callable, List, Optional, Tuple

from tf1compat_gpu.shim import python_compat

#: Packages that came along with TensorFlow 1.15 and don't with 2.21, and how each is had.
CAME_ALONG = {
    "astor": "pip install astor",
    "keras_applications": "pip install --no-deps keras_applications",
    "keras_preprocessing": "pip install keras_preprocessing",
    "tensorboard": "pip install tensorboard",
    "tensorflow_estimator": "it is in TensorFlow 1.0 to 2.15: pip install 'tensorflow==2.15.*'",
}
_BEFORE = {
    "NumPy 1.18": "numpy<1.18", "NumPy 1.23": "numpy<1.23", "NumPy 1.24": "numpy<1.24", "NumPy 2.0": "numpy<2", "NumPy 2.4": "numpy<2.4",
    "Pillow 9": "pillow<9", "Pillow 10": "pillow<10", "protobuf 4.21": "protobuf<3.21", "protobuf 5.26": "protobuf<5.26",
}  # fmt: skip


def _gone_line(row: python_compat.Row) -> str:
    what = "%s.%s" % (row.module.replace(":", "."), row.name)
    project, _, release = row.gone.partition(" ")
    if project == "Python":
        older = "3.%d" % (int(release.split(".")[1]) - 1)
        return "%s left Python in %s: add --python-compat, or use Python %s" % (what, release, older)
    return "%s left %s in %s: add --python-compat, or pip install '%s'" % (what, project, release, _BEFORE[row.gone])


def _own(problem: BaseException) -> Optional[str]:
    """This package's own errors have it all in their text."""
    return str(problem) if getattr(problem, "says_next_step", False) else None


def _python(problem: BaseException) -> Optional[str]:
    text = str(problem)
    for pattern in (
        r"module '([\w.]+)' has no attribute '(\w+)'",
        r"type object '([\w.]+)' has no attribute '(\w+)'",
        r"'([\w.]+)' object has no attribute '(\w+)'",
    ):
        match = re.search(pattern, text)
        if match and isinstance(problem, AttributeError):
            row = python_compat.row(match.group(1), match.group(2)) or _inherited(match.group(2), problem)
            return _gone_line(row) if row else None
    match = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", text)
    if match and isinstance(problem, ImportError):
        row = python_compat.row(match.group(2), match.group(1))
        return _gone_line(row) if row else None
    if isinstance(problem, ModuleNotFoundError) and problem.name in python_compat.MODULES:
        return "%s left Python in %s: add --python-compat, or use an older Python" % (problem.name, python_compat.MODULES[problem.name][7:])
    if isinstance(problem, AttributeError) and text.startswith("`np.") and "was removed" in text:
        match = re.match(r"`np\.(\w+)`", text)
        row = python_compat.row("numpy", match.group(1)) if match else None
        return _gone_line(row) if row else None
    return None


def _inherited(name: str, problem: BaseException) -> Optional[python_compat.Row]:
    """A method that an instance misses: the row of a class it comes from; before 3.10 the error does not tell which."""
    kind = type(getattr(problem, "obj", None))
    for base in kind.__mro__:
        row = python_compat.row(base.__name__, name)
        if row is not None:
            return row
    if hasattr(problem, "obj"):
        return None
    return next((row for row in python_compat.ROWS if ":" in row.module and row.name == name), None)


def _numpy(problem: BaseException) -> Optional[str]:
    text = str(problem)
    if isinstance(problem, ValueError) and "inhomogeneous" in text:
        return "NumPy makes no array of lists of different lengths any more (from 1.24 on): add --python-compat, or pip install 'numpy<1.24'"
    if isinstance(problem, TypeError) and "only 0-dimensional arrays can be converted" in text:
        return "NumPy makes no number of an array of one element any more (from 2.4 on): pip install 'numpy<2.4'"
    if isinstance(problem, AssertionError) and any("numpy" + os.sep + "testing" in name for name in _files(problem)):
        import numpy

        if int(numpy.__version__.split(".")[0]) >= 2 and "float32" in text:
            return "results differ in their last bits: NumPy 2 keeps float32 where NumPy 1 computed with Python's floats (NEP 50): pip install 'numpy<2'"
    return None


def _protobuf(problem: BaseException) -> Optional[str]:
    if isinstance(problem, TypeError) and "Descriptors cannot be created directly" in str(problem):
        return "its _pb2.py files are of an old protoc: set PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python, or generate them anew"
    return None


def _came_along(problem: BaseException) -> Optional[str]:
    name = (problem.name or "").partition(".")[0] if isinstance(problem, ModuleNotFoundError) else ""
    return "%s came along with TensorFlow 1.15 and does not any more: %s" % (name, CAME_ALONG[name]) if name in CAME_ALONG else None


def _files(problem: BaseException) -> List[str]:
    return [frame.filename for frame in traceback.extract_tb(problem.__traceback__)]


def _installed_package(problem: BaseException) -> Optional[str]:
    """The installed package that the exception comes from, or None."""
    for name in reversed(_files(problem)):
        parts = name.replace("\\", "/").split("/")
        for folder in ("site-packages", "dist-packages"):
            if folder in parts[:-1]:
                package = parts[parts.index(folder) + 1]
                return os.path.splitext(package)[0] if package.endswith(".py") else package
        if not name.startswith("<"):
            return None
    return None


_TENSORFLOWS = ("tensorflow", "keras", "tf_keras", "numpy", "tf1compat_gpu")


def _library(problem: BaseException) -> Optional[str]:
    """An installed package that is written for TensorFlow 1, or needs eager execution."""
    package = _installed_package(problem)
    text = str(problem)
    if package is None or package in _TENSORFLOWS:
        package = _above_tensorflow(problem)
    if package is None:
        return None
    if re.search(r"module '(tensorflow(\._api\.v2\.\w+)?)' has no attribute|from 'tensorflow|No module named 'tensorflow\.", text):
        return "the installed package %s is written for TensorFlow 1: add --package %s, or packages=['%s'] to install()" % (package, package, package)
    eager = r"eager (mode|execution)|has no attribute 'numpy'|SymbolicTensor|\.numpy\(\) is not supported"
    if re.search(eager, text) and not isinstance(problem, ImportError):
        return (
            "the installed package %s needs eager execution, which is off in a program of TensorFlow 1's: "
            "use a release of it from TensorFlow 1's time, or run this part apart"
        ) % package
    return None


def _above_tensorflow(problem: BaseException) -> Optional[str]:
    for name in reversed(_files(problem)):
        parts = name.replace("\\", "/").split("/")
        for folder in ("site-packages", "dist-packages"):
            if folder in parts[:-1]:
                package = os.path.splitext(parts[parts.index(folder) + 1])[0]
                if package not in _TENSORFLOWS:
                    return package
                break
        else:
            return None
    return None


def _keras(problem: BaseException) -> Optional[str]:
    if "is not available with Keras 3" in str(problem) or "tf.data.Dataset` only supports Python-style iteration" in str(problem):
        from tf1compat_gpu.tf1 import _keras as names

        return "this needs Keras 2, and TensorFlow 2.16 and later have Keras 3: %s" % names.pip_line()
    return None


def _contrib(problem: BaseException) -> Optional[str]:
    """tf.compat.v1 never had contrib (seen on 1.15.5 and 2.21), so that a file which was half migrated fails everywhere."""
    if isinstance(problem, AttributeError) and re.search(r"module 'tensorflow[\w.]*\.v1' has no attribute 'contrib'", str(problem)):
        return "tf.compat.v1 has no contrib, on any TensorFlow: write `import tensorflow as tf` here, where contrib's names are found"
    return None


def _name(problem: BaseException) -> Optional[str]:
    match = re.match(r"tf\.(\w+) is not in tf\.compat\.v1", str(problem)) if isinstance(problem, AttributeError) else None
    return "TensorFlow 2 has nothing under the name tf.%s: replace it, or run this part under TensorFlow 1.15" % match.group(1) if match else None


RULES: Tuple[Callable[[BaseException], Optional[str]], ...] = (_own, _python, _numpy, _protobuf, _came_along, _keras, _library, _contrib, _name)


def hint(problem: BaseException) -> Optional[str]:
    """The line for an exception that ends a program or fails a test, or None where nothing is known about it."""
    at: Optional[BaseException] = problem
    for _ in range(10):
        if at is None:
            return None
        for rule in RULES:
            try:
                line = rule(at)
            except Exception:  # a hint must never take the place of the program's own error
                line = None
            if line:
                return " ".join(line.split())
        at = at.__cause__ or at.__context__
    return None
