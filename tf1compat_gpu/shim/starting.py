"""What happens when an interpreter starts under `tf1compat run`: as little as can be; TensorFlow is not touched."""

from __future__ import annotations

import os
from typing import Optional

from tf1compat_gpu.shim import settings

#: The settings of this process, once it has begun.
_CURRENT: Optional[settings.RunSettings] = None


def current() -> Optional[settings.RunSettings]:
    """The settings that this process runs under, or None."""
    return _CURRENT


def begin() -> None:
    """Switch the shim on in this process, if it belongs to a run and nothing switches it off."""
    found = settings.from_environment(os.environ)
    if found is not None and os.environ.get("TF1COMPAT_DISABLE") != "1":
        use(found)


def use(found: settings.RunSettings) -> None:
    """Switch the shim on with these settings."""
    global _CURRENT
    first = _CURRENT is None
    _CURRENT = found
    if found.python_compat:
        from tf1compat_gpu.shim import python_compat

        python_compat.install()
    if first:
        from tf1compat_gpu.shim import importing, testing

        importing.install(found.packages)
        testing.install()
