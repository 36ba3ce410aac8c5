"""Which config a session or server gets: its own, the active profile's, or both laid over each other.

An own config wins unless TF1COMPAT_CONFIG (`tf1compat run --config`) says otherwise: the profile fills in
where a program gives none.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, List, Optional, Tuple

from tf1compat_gpu.diagnostics import WARNING, Diagnostic, Source, Span, warning
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
_ESTIMATOR = "tensorflow_estimator.python.estimator."


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


def is_estimator_default(config: Any) -> bool:
    """Whether a config is what Estimator takes where its RunConfig was given none.

    Known by its value, because RunConfig is copied: that of run_config.py's get_default_session_config, and in a cluster with
    the filters of _get_default_session_config_distributed (tensorflow_estimator 1.15 to 2.15).
    """
    module = sys.modules.get(_ESTIMATOR + "run_config")
    if module is None or not hasattr(config, "device_filters"):
        return False
    rest = type(config)()
    rest.CopyFrom(config)
    rest.ClearField("device_filters")
    return bool(rest == module.get_default_session_config()) and (not config.device_filters or config.device_filters[0] == "/job:ps")


def is_estimators_server(frame: FrameType) -> bool:
    """Whether a server is made by train_and_evaluate, which hands on a RunConfig's gpu_options and nothing else of its
    session_config (tensorflow_estimator 1.15 to 2.15, training.py, _start_std_server)."""
    return frame.f_code.co_name == "_start_std_server" and frame.f_globals.get("__name__") == _ESTIMATOR + "training"


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
    how = "merge" if mode() == "program" and is_estimator_default(config) else mode()
    counts = None if not target else (clusters.SESSION, clusters.BOTH)
    decided = _decided(profile, config if given else None, "session", how, counts)
    return (None, config) if decided is None else (decided, None)


def chosen_for_server(config: Any, job: Optional[str], estimators: bool = False) -> Tuple[Optional[Profile], Any]:
    """As `chosen`: the profile that a tf.train.Server of a job is made under, or None where it keeps its config; and the
    config whose fields are to stay in it, or None.

    Args:
        config: What the program passed: a ConfigProto, or None.
        job: The server's job.
        estimators: Whether Estimator makes it: the profile then says what no RunConfig can.
    """
    profile = active.active_profile()
    if profile is None:
        return None, None
    from tf1compat_gpu.runtime import server

    how = "fill" if mode() == "program" and estimators else mode()
    decided = _decided(server.loaded_as(profile, job), config, "server", how, (clusters.SERVER, clusters.BOTH))
    return decided, config if how in ("merge", "fill") else None


def _decided(profile: Profile, own: Any, what: str, how: str, owners: Optional[Tuple[str, ...]]) -> Optional[Profile]:
    """The profile, or the one that both make, or None where the own config wins.

    Args:
        profile: The profile.
        own: The own config, or None.
        what: Whose it is, in words.
        how: One of MODES, or "fill": the profile's fields below it.
        owners: Whose fields count there (`clusters.owner`); None for all.
    """
    if own is None or how == "profile":
        return profile
    if how in ("merge", "fill"):
        from tf1compat_gpu.profiles.protos import profile_from_config

        both = [profile_from_config(own, "<the %s's own config>" % what), profile]
        return load_profile(both if how == "merge" else both[::-1])
    _say_differences(own, profile, what, owners)
    return None


def differences(config: Any, profile: Profile, owners: Optional[Tuple[str, ...]]) -> List[str]:
    """The profile's fields that count and that a config has otherwise, in words."""
    from tf1compat_gpu.profiles import fields
    from tf1compat_gpu.profiles.protos import profile_from_config

    own = profile_from_config(config).values()
    found = []
    for path, value in profile.values().items():
        if owners is not None and clusters.owner(path) not in owners:
            continue
        have = own.get(path, fields.default(path))
        if have != value:
            found.append("%s is %r there, %r in the profile" % (path, have, value))
    return found


def _say_differences(config: Any, profile: Profile, what: str, owners: Optional[Tuple[str, ...]]) -> None:
    """Once a process: that the profile does not reach a session, or a server, where, and in what."""
    topic = "own config of a " + what
    if active.told(topic):
        return
    different = differences(config, profile, owners)
    if not different:
        return
    active.tell(topic)
    file, line = callers.caller()
    message = "this %s's own config wins over the profile %s: %s" % (what, profile.name, "; ".join(different))
    help = "with `tf1compat run --config merge`, or %s=merge, the profile's fields are laid over it" % VARIABLE
    found: List[Diagnostic] = [warning("own-config", message, Span(Source(file), line, 1), help)]
    report(found)


def say_what_is_settled(config: Any) -> None:
    """Once a process: what a session's own config asks for, and the process has otherwise already; TensorFlow says nothing of it."""
    # Anything that is no ConfigProto is for TensorFlow to refuse.
    if not hasattr(config, "ListFields") or active.told("settled"):
        return
    from tf1compat_gpu.profiles.protos import profile_from_config
    from tf1compat_gpu.runtime.ledger import LEDGER

    found = LEDGER.conflict_diagnostics(profile_from_config(config, "<the session's own config>"))
    if found:
        active.tell("settled")
        file, line = callers.caller()
        # Never an error here: where TensorFlow itself refuses, it does so in its own words.
        report([each._replace(severity=WARNING, span=Span(Source(file), line, 1)) for each in found])
