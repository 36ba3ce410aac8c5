"""`--record FILE`: one line of JSON for each session: where it was made, under which config, on which devices."""

from __future__ import annotations

import atexit
import collections
import json
import os
import re
import sys
from typing import Any, Dict, List, Mapping, Optional
from weakref import ref

from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.runtime import callers, tensorflow, wrapping

#: What a line's `version` says; a reader refuses others.
VERSION = 1


def _threads(config: Any) -> Dict[str, int]:
    """The sizes of pools that the config asks for, 0 and the environment resolved (local_device.cc, direct_session.cc)."""
    found = {}
    for name, value, variable in (
        ("intra", config.intra_op_parallelism_threads, "TF_NUM_INTRAOP_THREADS"),
        ("inter", config.inter_op_parallelism_threads, "TF_NUM_INTEROP_THREADS"),
    ):
        text = os.environ.get(variable, "")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        found[name] = value or (int(text) if re.match(r"^-?\d+$", text) and int(text) else cores)
    return found


def _plain(value: Any) -> Any:
    """A field's value as JSON has it: bytes as hex."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.hex() if isinstance(value, bytes) else value


def _config_of(session: Any) -> Any:
    config = getattr(session, "_config", None)
    return config if config is not None else tensorflow.v1().ConfigProto()


def describe(session: Any, target: str, profile: Optional[Profile]) -> Dict[str, Any]:
    """What is recorded of a session."""
    from tf1compat_gpu.profiles.protos import profile_from_config

    file, line = callers.caller()
    config = _config_of(session)
    devices: List[str] = []
    if not target:
        devices = sorted(device.name for device in session.list_devices())
    return {
        "version": VERSION,
        "tensorflow": tensorflow.tensorflow().__version__,
        "class": type(session).__name__,
        "file": os.path.abspath(file),
        "line": line,
        "target": target,
        "profile": None if profile is None else profile.name,
        "config": _plain(profile_from_config(config).values()),
        "bytes": config.SerializeToString(deterministic=True).hex(),
        "devices": devices,
        "threads": _threads(config),
        "pid": os.getpid(),
        "program": sys.argv[:1],
    }


class Recorder:
    """Appends a line for each session to a file; with `ops`, once the session closes or the program ends."""

    def __init__(self, path: str, ops: bool) -> None:
        self.path, self.ops = path, ops
        self._open: List[Any] = []
        if ops:
            atexit.register(self._finish)

    def __call__(self, session: Any, target: str, profile: Optional[Profile]) -> None:
        found = describe(session, target, profile)
        if self.ops:
            self._open.append((ref(session), ref(session.graph), found))
            self._wrap_close(session)
        else:
            self._write(found)

    def _write(self, found: Dict[str, Any]) -> None:
        with open(self.path, "a", encoding="utf-8") as file:  # one write of less than a page: lines of children don't mix
            file.write(json.dumps(found, sort_keys=True) + "\n")

    def _wrap_close(self, session: Any) -> None:
        close, graph = session.close, session.graph

        def closing() -> None:
            self._finish(session, graph)
            close()

        session.close = closing

    def _finish(self, session: Any = None, graph: Any = None) -> None:
        for entry in list(self._open):
            made, its_graph, found = entry
            if session is not None and made() is not session:
                continue
            self._open.remove(entry)
            graph_now = graph or its_graph()
            if graph_now is not None:
                counted = collections.Counter(operation.device for operation in graph_now.get_operations())
                found["ops"] = dict(sorted(counted.items()))
            self._write(found)


def install(path: str, ops: bool) -> None:
    """Record sessions of this process from now on, once."""
    if not any(isinstance(observer, Recorder) for observer in wrapping.OBSERVERS):
        wrapping.OBSERVERS.append(Recorder(path, ops))
