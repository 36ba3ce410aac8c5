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
    # What every module has of its own stays this module's; what tells TensorFlow's build is TensorFlow's.
    _BUILD = ("__version__", "__git_version__", "__compiler_version__", "__cxx_version__", "__cxx11_abi_flag__", "__monolithic_build__")
    globals().update({name: value for name, value in vars(_namespace).items() if not name.startswith("__") or name in _BUILD})
    globals().update(_start.own_names())
    for _name in _start.LOOKED_UP:
        globals().pop(_name, None)


def __getattr__(name: str) -> Any:
    return _start.attribute(name)


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(dir(_start.namespace())))
