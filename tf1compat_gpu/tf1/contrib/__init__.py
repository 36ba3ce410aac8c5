"""tf.contrib where it went: what has a home today, or a small stand-in, under its old name; the rest is an error that says so.

On TensorFlow 1.15 this package is never loaded: `tf1compat_gpu.tf1.contrib` is tensorflow.contrib there.
"""

from __future__ import annotations

import importlib
from typing import Any, List

from tf1compat_gpu.tf1._contrib import gone, modules

modules.install()


def __getattr__(name: str) -> Any:
    if name in modules.MODULES:
        return importlib.import_module(modules.PREFIX + name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise gone.GoneError(gone.message(name))


def __dir__() -> List[str]:
    return sorted(modules.MODULES)
