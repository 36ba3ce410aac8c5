"""Where in the user's program a call came from."""
from __future__ import annotations

import os
import sys
from typing import Tuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def caller() -> Tuple[str, int]:
    """File and line of the nearest frame that is neither this package's nor TensorFlow's."""
    frame = sys._getframe(1)
    found = (frame.f_code.co_filename, frame.f_lineno)
    while frame is not None:
        name = frame.f_code.co_filename
        module = str(frame.f_globals.get("__name__", ""))
        found = (name, frame.f_lineno)
        if not os.path.abspath(name).startswith(_PACKAGE + os.sep) and module.split(".")[0] not in ("tensorflow", "tensorflow_core"):
            break
        frame = frame.f_back  # type: ignore[assignment]
    return found


def stack_level() -> int:
    """The stacklevel at which warnings.warn, called by the caller of this function, names the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE + os.sep):
        level, frame = level + 1, frame.f_back
    return level
