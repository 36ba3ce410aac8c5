"""Sessions of a program under `tf1compat run`: prepared once, as soon as anything imports TensorFlow."""

from __future__ import annotations

from typing import List

_prepared: List[bool] = []


def prepare() -> None:
    """Let session classes take the profile once TensorFlow has loaded them."""
    if _prepared:
        return
    _prepared.append(True)
    from tf1compat_gpu.runtime import active, wrapping
    from tf1compat_gpu.shim import starting

    settings = starting.current()
    if settings is not None and settings.record:
        from tf1compat_gpu.shim import recording

        recording.install(settings.record, settings.record_ops)

    profile = active.active_profile()
    if profile is not None and not active.STATE.wrapped:
        active.install(profile)
    wrapping.wrap_sessions()
