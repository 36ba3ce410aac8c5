"""TensorFlow 1 by one import line: `import tf1compat_gpu.tf1 as tf` instead of `import tensorflow as tf`.

The whole tf.compat.v1 namespace with v2 behaviour off: graphs and sessions, control flow v1, reference variables, as
a TensorFlow 1 program expects. Session and InteractiveSession take a path, a dict or a Profile as their config beside
a ConfigProto, and the active profile (tf1compat_gpu.install, or TF1COMPAT_PROFILE) where they are given none.
Submodules import as they did: `import tf1compat_gpu.tf1.contrib.slim as slim`, `from tf1compat_gpu.tf1.keras import layers`.

On TensorFlow 1.15 it is TensorFlow itself, contrib included.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, List

from tf1compat_gpu.tf1 import _start

if TYPE_CHECKING:
    from tensorflow.compat.v1 import *  # noqa: F403
else:
    _namespace = _start.start(sys.modules[__name__])
    globals().update({name: value for name, value in vars(_namespace).items() if not name.startswith("__")})
    globals().update(_start.own_names())
    for _name in _start.LOOKED_UP:
        globals().pop(_name, None)
    __version__ = _namespace.__version__


def __getattr__(name: str) -> Any:
    return _start.attribute(name)


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(dir(_start.namespace())))
