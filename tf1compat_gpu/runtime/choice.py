"""Which config a session or server gets: its own, the active profile's, or both laid over each other.

An own config wins unless TF1COMPAT_CONFIG (`tf1compat run --config`) says otherwise: the profile fills in
where a program gives none.
"""

from __future__ import annotations

import os
from types import FrameType
from typing import Any, Callable, List, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, warning
from tf1compat_gpu.profiles import clusters
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.runtime import active, callers
from tf1compat_gpu.runtime.reporting import report

#: "program" (the session's own config wins), "merge" (the profile's fields over it) or "profile".
VARIABLE = "TF1COMPAT_CONFIG"
MODES = ("program", "merge", "profile")
#: Modules of installed Keras whose `get_session` hands Session a config that nobody wrote: `get_default_session_config`
#: (tensorflow/python/keras/backend.py, 1.15 and later; keras/backend/tensorflow_backend.py of Keras 2.0 to 2.3).
_KERAS = (
    "tensorflow.python.keras.backend", "tensorflow_core.python.keras.backend", "tf_keras.src.backend", "keras.src.backend", "keras.backend",
    "keras.backend.tensorflow_backend",
)  # fmt: skip


def mode() -> str:
    found = os.environ.get(VARIABLE, "program")
    return found if found in MODES else "program"


def is_keras_default(frame: Optional[FrameType]) -> bool:
    """Whether a session is made by Keras' own get_session, with a config that is not the program's.

    Args:
        frame: The frame that calls Session, or a `__init__` of a subclass below it.
    """
    while frame is not None and frame.f_code.co_name == "__init__":
        frame = frame.f_back
    if frame is None or frame.f_code.co_name not in ("_get_session", "get_session") or frame.f_globals.get("__name__") not in _KERAS:
        return False
    return any(part in frame.f_code.co_filename for part in ("site-packages", "dist-packages"))


def chosen(config: Any, given: bool, target: str = "") -> Tuple[Optional[Profile], Any]:
    """The profile a session is made under, or the config that it keeps.

    Args:
        config: What the program passed: a ConfigProto, or None.
        given: Whether that is the program's own wish.
        target: What the session connects to; what belongs to a server is no difference then.

    Returns:
        A profile and None, or None and the config.

    Raises:
        ProfileError: The active profile can't be used.
    """
    profile = active.active_profile()
    if profile is None:
        return None, config
    if target:
        from tf1compat_gpu.runtime import targets

        profile = load_profile(profile, environ=targets.environ_of(target))
    chosen = _decided(profile, config if given else None, "session", lambda path: not target or clusters.owner(path) in (clusters.SESSION, clusters.BOTH))
    return (None, config) if chosen is None else (chosen, None)


def chosen_for_server(config: Any, job: Optional[str]) -> Tuple[Optional[Profile], Any]:
    """As `chosen`: the profile that a tf.train.Server of a job is made under, or None where it keeps its config; and the
    config whose fields are to stay in it, or None."""
    profile = active.active_profile()
    if profile is None:
        return None, None
    from tf1compat_gpu.runtime import server

    chosen = _decided(server.loaded_as(profile, job), config, "server", lambda path: clusters.owner(path) in (clusters.SERVER, clusters.BOTH))
    return chosen, config if mode() == "merge" else None


def _decided(profile: Profile, own: Any, what: str, counts: Callable[[str], bool]) -> Optional[Profile]:
    """The profile, or the one that both make, or None where the own config wins; `counts` says which fields count there."""
    how = mode()
    if own is None or how == "profile":
        return profile
    if how == "merge":
        from tf1compat_gpu.profiles.protos import profile_from_config

        return load_profile([profile_from_config(own, "<the %s's own config>" % what), profile])
    _say_differences(own, profile, what, counts)
    return None


def differences(config: Any, profile: Profile, counts: Callable[[str], bool]) -> List[str]:
    """The profile's fields that count and that a config has otherwise, in words."""
    from tf1compat_gpu.profiles import fields
    from tf1compat_gpu.profiles.protos import profile_from_config

    own = profile_from_config(config).values()
    found = []
    for path, value in profile.values().items():
        if not counts(path):
            continue
        have = own.get(path, fields.default(path))
        if have != value:
            found.append("%s is %r there, %r in the profile" % (path, have, value))
    return found


def _say_differences(config: Any, profile: Profile, what: str, counts: Callable[[str], bool]) -> None:
    """Once a process: that the profile does not reach a session, or a server, where, and in what."""
    topic = "own config of a " + what
    if active.told(topic):
        return
    different = differences(config, profile, counts)
    if not different:
        return
    active.tell(topic)
    file, line = callers.caller()
    message = "this %s's own config wins over the profile %s: %s" % (what, profile.name, "; ".join(different))
    help = "with `tf1compat run --config merge`, or %s=merge, the profile's fields are laid over it" % VARIABLE
    found: List[Diagnostic] = [warning("own-config", message, Span(Source(file), line, 1), help)]
    report(found)
