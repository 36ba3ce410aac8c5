"""Where in the user's program a call came from."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Iterator, Tuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_TENSORFLOW = ("tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_slim")


def _is_users(frame: FrameType) -> bool:
    """Whether a frame is neither this package's nor TensorFlow's nor the standard library's glue (contextlib)."""
    module = str(frame.f_globals.get("__name__", "")).split(".")[0]
    return not os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE) and module not in _TENSORFLOW and module != "contextlib"


def _frames() -> Iterator[Tuple[int, FrameType]]:
    frame = sys._getframe(2)
    level = 0
    while frame is not None:
        level += 1
        yield level, frame
        frame = frame.f_back  # type: ignore[assignment]


def caller() -> Tuple[str, int]:
    """File and line of the nearest frame of the user's program."""
    found = ("<unknown>", 0)
    for _, frame in _frames():
        found = (frame.f_code.co_filename, frame.f_lineno)
        if _is_users(frame):
            break
    return found


def stack_level() -> int:
    """The stacklevel at which warnings.warn, called where this function is called, names the user's line."""
    level = 1
    for level, frame in _frames():  # noqa: B007
        if _is_users(frame):
            break
    return level
