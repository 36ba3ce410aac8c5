"""A profile as TensorFlow's own ConfigProto."""

from __future__ import annotations

from typing import Any

from tf1compat_gpu.diagnostics import error
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.checks import check_release
from tf1compat_gpu.profiles.messages import MissingFieldError, fill
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.runtime.tensorflow import release, v1


def to_config(profile: Profile) -> Any:
    """A new tf.compat.v1.ConfigProto with the profile's fields.

    Raises:
        ProfileError: The installed TensorFlow lacks a field or an enum member that the profile sets.
    """
    running = release()
    if running in fields.releases():
        problems = list(check_release(profile.entries, running))
        if problems:
            raise ProfileError(problems)
    config = v1().ConfigProto()
    try:
        fill(config, profile.entries)
    except MissingFieldError as problem:
        entry = profile.entries.get(problem.path)
        message = "TensorFlow %s: %s" % (fields.format_release(running), problem)
        raise ProfileError([error("release", message, entry.span if entry else None)])
    return config
