"""The active profile: what a session made without a config gets."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, List, Mapping, Optional, Set, Tuple

from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import load_profile

PROFILE_VARIABLE = "TF1COMPAT_PROFILE"
#: Field path to text, as JSON: what `--set` lays over that profile.
OVERRIDES_VARIABLE = "TF1COMPAT_SET"
DISABLE_VARIABLE = "TF1COMPAT_DISABLE"


class _State:
    """What `install` has set, and what was said once."""

    def __init__(self) -> None:
        self.profile: Optional[Profile] = None
        self.from_variable: Optional[Tuple[str, str]] = None
        self.said: Set[str] = set()
        #: Whether the session classes take profiles themselves in this process.
        self.wrapped = False


class _Thread(threading.local):
    """How deep this thread is inside `BYPASS`."""

    bypass = 0


STATE = _State()
_THREAD = _Thread()


def told(topic: str) -> bool:
    """Whether a thing that is said once a process has been said."""
    return topic in STATE.said


def tell(topic: str) -> None:
    STATE.said.add(topic)


def note_wrapped() -> None:
    STATE.wrapped = True


def disabled() -> bool:
    """Whether TF1COMPAT_DISABLE=1 switches everything off."""
    return os.environ.get(DISABLE_VARIABLE) == "1"


def active_profile() -> Optional[Profile]:
    """The profile that `install` was given, or the one that TF1COMPAT_PROFILE names (several paths are separated as
    in PATH, later ones winning); None where there is neither.

    Raises:
        ProfileError: The profile that TF1COMPAT_PROFILE names can't be used.
    """
    if disabled():
        return None
    if STATE.profile is not None and STATE.from_variable is None:
        return STATE.profile
    named = (os.environ.get(PROFILE_VARIABLE, ""), os.environ.get(OVERRIDES_VARIABLE, ""))
    if not any(named):
        return None
    if STATE.profile is None or STATE.from_variable != named:
        paths: List[Any] = [path for path in named[0].split(os.pathsep) if path]
        sources: Any = paths or {}
        STATE.profile, STATE.from_variable = load_profile(sources, overrides=_overrides(named[1])), named
    return STATE.profile


def _overrides(text: str) -> Optional[Mapping[str, str]]:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) and found else None


class _Bypass:
    def __enter__(self) -> None:
        _THREAD.bypass += 1

    def __exit__(self, *problem: object) -> None:
        _THREAD.bypass -= 1


#: `with BYPASS:` sessions that this thread makes inside get exactly the config that they are given.
BYPASS = _Bypass()


def bypassing() -> bool:
    return _THREAD.bypass > 0


class Kept:
    """`with Kept():` whatever becomes the active profile inside is not the active one afterwards."""

    def __enter__(self) -> None:
        self._before = (STATE.profile, STATE.from_variable)

    def __exit__(self, *problem: object) -> None:
        STATE.profile, STATE.from_variable = self._before


def activate(profile: Profile) -> None:
    """Make a profile the active one."""
    STATE.profile, STATE.from_variable = profile, None


def install(profile: Any, variant: Optional[str] = None, *, overrides: Any = None, strict: bool = False) -> Profile:
    """Make a profile the active one, as the first line of a program: before TensorFlow is imported.

    Sets the profile's environment now, so that TensorFlow finds it when it is imported; from then on
    tf.compat.v1.Session and InteractiveSession take a path, a dict or a Profile as their config, and get this profile
    where they are given none.

    Args:
        profile: A path, dict, Profile, or a list of these.
        variant: The variant to lay over it.
        overrides: Field path to value, laid over everything else.
        strict: Whether warnings are errors.

    Returns:
        The profile.

    Raises:
        ProfileError: Something is wrong in it, or a variable of its environment comes too late; nothing is set then.
    """
    loaded = load_profile(profile, variant, overrides)
    if disabled():
        return loaded
    from tf1compat_gpu.runtime import environment, reporting, wrapping

    plan = environment.plan(loaded)
    reporting.report(list(loaded.diagnostics) + list(plan.diagnostics), strict)
    environment.Applied(plan.changes)
    activate(loaded)
    wrapping.wrap_sessions()
    return loaded
