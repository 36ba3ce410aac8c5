"""The private touch on TensorFlow's eager context: has it started, what is its config, and the base ConfigProto under it.

A Context keeps the ConfigProto it was made with as `_config` and lays what tf.config's setters say over it; what no
setter sets stays as it is in `_config`. Putting a ConfigProto there before the context starts is therefore the whole of
carrying. The attributes named here exist in 1.15 and in 2.1 to 2.21 (tensorflow/python/eager/context.py), where they
were tried; on a later release everything is proved by reading the context's own config back.
"""

from __future__ import annotations

import copy
import sys
from typing import Any, Dict, Optional

#: What configuring changes in a context: everything that `Context.config` is made from, and no more.
_STATE = (
    "_config", "_intra_op_parallelism_threads", "_inter_op_parallelism_threads", "_soft_device_placement", "_log_device_placement", "_optimizer_jit",
    "_optimizer_experimental_options", "_visible_device_list", "_memory_growth_map", "_virtual_device_map",
)  # fmt: skip


def module() -> Any:
    """tensorflow.python.eager.context; imports TensorFlow."""
    from tensorflow.python.eager import context

    return context


def _context() -> Optional[Any]:
    """The context if there is one; makes none."""
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


def current_config() -> Any:
    """The ConfigProto that the context has, or would start with; makes the context, and looks for GPUs."""
    return module().context().config


def base() -> Optional[Any]:
    """The ConfigProto under the context, or None. It is the context's own: copy it before changing it."""
    return getattr(module().context(), "_config", None)


def set_base(config: Any) -> None:
    """Put a ConfigProto under a context that has not started. It is kept, not copied.

    Its device_count of CPU and GPU and its visible_device_list are read when devices are listed for the first time
    (Context._import_config) and not afterwards: leave those to tf.config's own calls.
    """
    module().context()._config = config
    _forget_function_options()


def _forget_function_options() -> None:
    """Let this thread's tf.functions ask for the config again (Context.function_call_options keeps a copy)."""
    module().context().function_call_options = None


class Snapshot:
    """What a context was configured with, to be put back if configuring fails."""

    def __init__(self) -> None:
        context = module().context()
        context.config  # noqa: B018 - lists the devices: what the attributes hold before that is no state
        self._state: Dict[str, Any] = {name: copy.copy(getattr(context, name)) for name in _STATE if hasattr(context, name)}

    def restore(self) -> None:
        """Put everything back as it was."""
        context = module().context()
        for name, value in self._state.items():
            setattr(context, name, copy.copy(value))
        _forget_function_options()
