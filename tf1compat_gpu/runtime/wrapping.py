"""Session and InteractiveSession that take a path, a dict or a Profile as config: their __init__, wrapped once.

The classes stay what they are: isinstance, subclassing and a program's own patch of __init__ work as before.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable, List, Mapping, Optional

from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.runtime import active
from tf1compat_gpu.runtime.after_import import when_loaded

_SESSION_MODULE = "tensorflow.python.client.session"
_DEVICE_MODULE = "tensorflow.python.client.device_lib"
_SERVER_MODULE = "tensorflow.python.training.server_lib"
_MARK = "_tf1compat_gpu_wrapped"
#: Called with each session that a wrapped class has made, its target and its profile (or None).
OBSERVERS: List[Callable[[Any, str, Optional[Profile]], None]] = []


def wrap_sessions() -> None:
    """Wrap the session classes, and the server's, now, or as soon as TensorFlow has loaded them; again is no harm."""
    active.note_wrapped()
    for module, wrap in ((_SESSION_MODULE, _wrap_classes), (_DEVICE_MODULE, _wrap_listing), (_SERVER_MODULE, _wrap_server)):
        when_loaded(module, wrap)


def _wrap_classes(module: Any) -> None:
    for name in ("Session", "InteractiveSession"):
        kind = getattr(module, name)
        if not getattr(kind.__init__, _MARK, False):
            kind.__init__ = _taking_profiles(kind.__init__)


def _wrap_listing(module: Any) -> None:
    """`device_lib.list_local_devices` makes devices that fix threads and GPU memory: the ledger should know."""
    original = module.list_local_devices
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def list_local_devices(session_config: Any = None) -> Any:
        from tf1compat_gpu.runtime import callers, ledger, tensorflow

        if not tensorflow.sessions_made() and session_config is None:
            file, line = callers.caller()
            ledger.LEDGER.note_listing("device_lib.list_local_devices() at %s:%d made its devices with default options" % (file, line))
        return original(session_config)

    setattr(list_local_devices, _MARK, True)
    module.list_local_devices = list_local_devices


def _wrap_server(module: Any) -> None:
    """`tf.train.Server` takes profiles as its config too, and the active one as sessions do: its own sessions can't have it any more."""
    original = module.Server.__init__
    if getattr(original, _MARK, False):
        return
    from tf1compat_gpu.runtime import choice

    @functools.wraps(original)
    def __init__(
        self: Any, server_or_cluster_def: Any, job_name: Any = None, task_index: Any = None, protocol: Any = None, config: Any = None, start: bool = True
    ) -> None:
        if active.bypassing() or active.disabled():
            original(self, server_or_cluster_def, job_name, task_index, protocol, config, start)
            return
        from tf1compat_gpu.runtime import server, targets

        job = job_name or getattr(server_or_cluster_def, "job_name", None)
        profile: Optional[Profile] = None
        kept: Any = None
        if _is_profile(config):
            profile = server.loaded_as(config, job)
        else:
            given = config is None and _has_config(server_or_cluster_def)
            own = server_or_cluster_def.default_session_config if given else config
            profile, kept = choice.chosen_for_server(own, job, choice.is_estimators_server(sys._getframe(1)))
        if profile is None:
            original(self, server_or_cluster_def, job_name, task_index, protocol, config, start)
            targets.note_server(self)
            return
        with server.Prepared(profile, kept=kept) as prepared:
            original(self, server_or_cluster_def, job_name, task_index, protocol, prepared.config, start)
        prepared.finish(self)

    setattr(__init__, _MARK, True)
    module.Server.__init__ = __init__


def _has_config(server_or_cluster_def: Any) -> bool:
    """Whether what a server is made of has a config in it: of the kinds that it can be, only a ServerDef can."""
    return hasattr(server_or_cluster_def, "default_session_config") and bool(server_or_cluster_def.HasField("default_session_config"))


def _is_profile(config: Any) -> bool:
    return isinstance(config, (str, os.PathLike, Profile, Mapping))


def _taking_profiles(original: Callable[..., None]) -> Callable[..., None]:
    from tf1compat_gpu.runtime import callers, choice, ledger, session

    @functools.wraps(original)
    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        if active.bypassing() or active.disabled():
            original(self, target, graph, config)
            return
        if isinstance(target, str) and target.lower().endswith((".yaml", ".yml")):
            raise TypeError(
                "target must be the address of a server, but got %r. Did you do Session(%r) instead of Session(config=%r)?" % (target, target, target)
            )
        profile: Optional[Profile] = None
        if _is_profile(config):
            from tf1compat_gpu.profiles.reader import load_profile

            profile = load_profile(config)
        elif type(self).__name__ != "ErrorLoggingSession":  # tf.test.TestCase's, whose config is the test's own affair
            profile, config = choice.chosen(config, not choice.is_keras_default(sys._getframe(1)), target or "")
            if profile is None and not target:
                choice.say_what_is_settled(config)
        if profile is None:
            original(self, target, graph, _own_copy(config))
            if not target:
                ledger.LEDGER.record_config(getattr(self, "_config", None), "the session made at %s:%d" % callers.caller())
        else:
            made = session.prepare(profile, target or "", graph)
            with active.BYPASS:
                original(self, target, graph, made)
            session.finish(profile, self, target or "")
        for observe in OBSERVERS:
            observe(self, target or "", profile)

    setattr(__init__, _MARK, True)
    return __init__


def _own_copy(config: Any) -> Any:
    """A copy of a program's ConfigProto: TensorFlow writes into the one it is given (InteractiveSession does)."""
    if config is None or not hasattr(config, "CopyFrom"):
        return config
    copy = type(config)()
    copy.CopyFrom(config)
    return copy
