"""Where a module finds its own profile, wherever the program is started from."""

from __future__ import annotations

import os


def profile_beside(file: str, path: str) -> str:
    """The absolute path of a profile that is named from a module's own folder.

    Args:
        file: The module's `__file__`.
        path: The profile's path from the module's folder, with forward slashes; `#variant` may follow.
    """
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), *path.split("/")))
