"""The one way in which the migration writes files: a temporary file takes the old one's place, in one step."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Optional


def replace(path: str, data: bytes, mode: int = 0o644, before: Optional[bytes] = None) -> bool:
    """Write a file: whole, or not at all; whatever happens, Ctrl-C too, no other file is left lying about.

    Args:
        path: The file.
        data: What it is to hold.
        mode: Its permissions.
        before: What it must still hold, or None where that does not matter.

    Returns:
        False where it holds something else, and is left alone.

    Raises:
        OSError: It can't be written.
    """
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".tf1compat-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        if before is not None:
            with open(path, "rb") as current:
                if current.read() != before:
                    return False
        os.replace(temporary, path)
        return True
    finally:
        with contextlib.suppress(FileNotFoundError):  # it has taken the place
            os.unlink(temporary)
