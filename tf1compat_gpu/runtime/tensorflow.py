"""The one place that imports TensorFlow, and says what is missing where it can't."""

from __future__ import annotations

import sys
from typing import Any, List

from tf1compat_gpu.errors import TensorFlowError, TensorFlowMissingError
from tf1compat_gpu.profiles import fields

#: The module whose release was found fit, once it was.
_CHECKED: List[Any] = []


def loaded() -> bool:
    """Whether TensorFlow is imported in this process already."""
    return sys.modules.get("tensorflow") is not None


def _install_line() -> str:
    if sys.version_info < (3, 8):
        return "pip install 'tensorflow==1.15.5' 'protobuf<3.21'"
    return "pip install tensorflow-cpu (or tensorflow, or your vendor's build)"


def tensorflow() -> Any:
    """The tensorflow module.

    Raises:
        TensorFlowMissingError: It is not installed.
        TensorFlowError: Its release is not one that profiles can be run on.
    """
    if _CHECKED and sys.modules.get("tensorflow") is _CHECKED[0]:
        return _CHECKED[0]
    try:
        import tensorflow as module
    except ImportError as problem:
        if getattr(problem, "name", None) not in ("tensorflow", None) or loaded():
            raise  # installed and broken: its own traceback says more
        message = "TensorFlow is not installed in %s. Install it: %s" % (sys.executable, _install_line())
        raise TensorFlowMissingError(message) from None
    release = fields.parse_release(getattr(module, "__version__", "0.0"))
    if release < (1, 15) or release == (2, 0):
        raise TensorFlowError(
            "TensorFlow %s is not supported: profiles run on 1.15 and on 2.1 and later. "
            "`tf1compat convert PROFILE --to python --tensorflow %s` prints plain tf.ConfigProto code for it"
            % (module.__version__, fields.format_release(release))
        )
    _CHECKED[:] = [module]
    return module


def v1() -> Any:
    """tensorflow.compat.v1."""
    return tensorflow().compat.v1


def release() -> fields.Release:
    """The release of the installed TensorFlow, as (2, 21); imports it."""
    return fields.parse_release(tensorflow().__version__)


def session_module() -> Any:
    """tensorflow.python.client.session: the classes behind tf.Session, and the count of sessions made."""
    tensorflow()
    from tensorflow.python.client import session

    return session


def sessions_made() -> int:
    """How many sessions this process has made (session.py, _python_session_create_counter; in 1.15 and 2.1 to 2.21)."""
    if "tensorflow.python.client.session" not in sys.modules:
        return 0
    return int(session_module()._python_session_create_counter.get_cell().value())


def gpus_present() -> bool:
    """Whether TensorFlow sees a GPU (a plug-in device of type GPU counts); makes no device."""
    return gpu_count() > 0


def gpu_count() -> int:
    """How many GPUs TensorFlow sees."""
    return len(tensorflow().config.experimental.list_physical_devices("GPU"))
