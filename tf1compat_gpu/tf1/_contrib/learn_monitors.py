"""tf.contrib.learn.monitors went the way of its estimators: session run hooks took their place."""

from __future__ import annotations

from typing import Any, List

from tf1compat_gpu.tf1._contrib import gone

__all__: List[str] = []


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise gone.GoneError(gone.message("learn.monitors", name))
