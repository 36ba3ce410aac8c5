"""enable_eager_execution(config=): TensorFlow 2 drops the config silently, or leaves the thread in graph mode; here it counts.

`enable_eager_execution` of 2.x ignores its config where eager execution is the default (ops.py, guarded by
`default_execution_mode`), and after disable_eager_execution raises halfway where a context exists.
"""

from __future__ import annotations

import os
from typing import Any, Optional

from tf1compat_gpu.runtime import active, tensorflow


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Run operations eagerly from now on, under this config; without one, under the active profile.

    Args:
        config: A ConfigProto, or a path, dict or Profile.
        device_policy: As TensorFlow's.
        execution_mode: As TensorFlow's.

    Raises:
        ValueError: TensorFlow has started with other settings already.
    """
    from tf1compat_gpu.profiles.profile import Profile
    from tf1compat_gpu.profiles.protos import profile_from_config
    from tf1compat_gpu.runtime import choice
    from tf1compat_gpu.runtime.configure import configure

    if isinstance(config, (str, os.PathLike, Profile, dict)):
        wanted: Optional[Any] = config
    else:
        profile, own = choice.chosen(config, True)
        wanted = profile if profile is not None else None if own is None else profile_from_config(own, "<the config of enable_eager_execution>")
    tensorflow.v1().enable_eager_execution(device_policy=device_policy, execution_mode=execution_mode)
    if wanted is not None and not active.disabled():
        with active.Kept():
            configure(wanted)
