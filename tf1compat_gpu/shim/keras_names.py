"""`import keras` in a program's own files: the Keras of TensorFlow 1's time, under its old module paths."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Callable, Optional, Tuple


def _is_programs_own(is_own_file: Callable[[str], bool]) -> bool:
    """Whether `keras` is a package of the program itself, a copy of Keras in its tree for instance."""
    loaded = sys.modules.get("keras")
    spec = getattr(loaded, "__spec__", None) if loaded is not None else None
    if spec is None:
        try:
            spec = importlib.util.find_spec("keras")
        except (ImportError, ValueError):
            return False
    return spec is not None and spec.origin is not None and is_own_file(spec.origin)


def imported(name: str, fromlist: Tuple[str, ...], is_own_file: Callable[[str], bool]) -> Optional[ModuleType]:
    """What an import of keras or of a module of it gives; None where Python's own way is right.

    Raises:
        KerasError: The installed TensorFlow has Keras 3, and tf_keras is not installed.
    """
    from tf1compat_gpu.runtime import tensorflow
    from tf1compat_gpu.tf1 import _keras

    if _is_programs_own(is_own_file) or tensorflow.release() < (2, 0):
        return None
    path = name.partition(".")[2]
    module = _keras.module(path)
    if not fromlist:
        return _keras.module("")
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            below = "%s.%s" % (path, wanted) if path else wanted
            if _keras.is_module(below):
                _keras.module(below)
    return module
