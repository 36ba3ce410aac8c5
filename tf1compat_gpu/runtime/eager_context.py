"""The private touch on TensorFlow's eager context, read only: is it there, has it started, what is its config?

context.context_safe and Context._initialized exist in 1.15 and 2.1 to 2.21 (tensorflow/python/eager/context.py).
Nothing here makes a context where there is none.
"""

from __future__ import annotations

import sys
from typing import Any, Optional


def _context() -> Optional[Any]:
    module = sys.modules.get("tensorflow.python.eager.context")
    return module.context_safe() if module is not None and hasattr(module, "context_safe") else None


def started() -> bool:
    """Whether the eager context has made its devices: an op ran, a tf.data pipeline was built, or the like."""
    return bool(getattr(_context(), "_initialized", False))


def devices_listed() -> bool:
    """Whether TensorFlow has looked for GPUs: CUDA is initialised then."""
    return started() or getattr(_context(), "_physical_devices", None) is not None


def config() -> Optional[Any]:
    """The started context's ConfigProto, or None where it has not started."""
    context = _context()
    return context.config if context is not None and started() else None
