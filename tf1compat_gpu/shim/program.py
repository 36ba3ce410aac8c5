"""The runner from within: `tf1compat_gpu.install("p.yaml")` as a program's first line, `%load_ext tf1compat_gpu` in a notebook."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.runtime import active
from tf1compat_gpu.shim import settings, starting


def install(
    profile: Any = None,
    variant: Optional[str] = None,
    *,
    overrides: Any = None,
    strict: bool = False,
    packages: Sequence[str] = (),
    python_compat: bool = False,
    record: Optional[str] = None,
) -> Profile:
    """Do what `tf1compat run` does, for whatever is imported after this line: make it a program's first.

    Sets the profile's environment now, so that TensorFlow finds it when it is imported. `import tensorflow` gives
    TensorFlow 1's names in the program's own files from here on, and sessions get this profile where they are given no
    config; they take a path, a dict or a Profile as their config too. Child processes are not covered: start the program
    with `tf1compat run` for those.

    Args:
        profile: A path, dict, Profile, or a list of these; without one, what TF1COMPAT_PROFILE names, or none.
        variant: The variant to lay over it.
        overrides: Field path to value, laid over everything else.
        strict: Whether warnings are errors.
        packages: Installed packages that are to see TensorFlow 1's names too.
        python_compat: Whether names that left Python, NumPy, Pillow and protobuf are put back.
        record: A file to append a line to for each session.

    Returns:
        The profile; an empty one where there is none.

    Raises:
        ProfileError: Something is wrong in it, or a variable of its environment comes too late; nothing is done then.
    """
    chosen = active.active_profile() if profile is None else profile
    if chosen is None and overrides is None:
        loaded = load_profile({})
    else:
        loaded = active.install({} if chosen is None else chosen, variant, overrides=overrides, strict=strict)
    if not active.disabled():
        starting.use(settings.RunSettings(tuple(packages), python_compat, os.path.abspath(record) if record else None))
    return loaded


def load_extension(shell: Any) -> None:
    """`%load_ext tf1compat_gpu`: install() with what TF1COMPAT_PROFILE names, and `%tf1compat PROFILE` for another."""
    install()

    def tf1compat(line: str) -> None:
        """%tf1compat PROFILE: sessions made from now on without a config get this profile."""
        install(line.strip() or None)

    shell.register_magic_function(tf1compat, "line", "tf1compat")
