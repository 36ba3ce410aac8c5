"""tf.contrib where it went: what has a home today, under its old name; the rest is an error that says so.

On TensorFlow 1.15 this package is never loaded: `tf1compat_gpu.tf1.contrib` is tensorflow.contrib there.
"""

from __future__ import annotations

import importlib
from typing import Any

#: Module of tf.contrib -> module that has it today. tf_slim 1.1 is contrib.slim, layers, metrics and losses of 1.15
#: as a package of its own (its README, section "Migration").
HOMES = {"layers": "tf_slim.layers", "losses": "tf_slim.losses", "metrics": "tf_slim.metrics", "slim": "tf_slim"}


def home(name: str) -> Any:
    """The module that a module of tf.contrib has become.

    Raises:
        AttributeError: It has no home.
        ImportError: Its home is not installed.
    """
    target = HOMES.get(name)
    if target is None:
        raise AttributeError("tf.contrib.%s is gone: TensorFlow 2 has no contrib, and no package has taken it over under its old names" % name)
    try:
        return importlib.import_module(target)
    except ImportError as problem:
        if problem.name != "tf_slim":
            raise
        raise ImportError("tf.contrib.%s lives in tf_slim today: pip install 'tf1compat_gpu[contrib]'" % name, name="tf_slim") from None


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return home(name)
