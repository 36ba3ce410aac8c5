"""What this process has settled on: threads, GPU memory and GPU ids belong to whoever made the first device.

TensorFlow takes those options once a process and says nothing when a later session asks for others (seen running
1.15.5 and 2.21 for the thread pools; local_device.cc, gpu_process_state.cc and gpu_id_manager.cc for the rest).
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error, warning
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.messages import unpack
from tf1compat_gpu.profiles.profile import Profile, Value
from tf1compat_gpu.runtime import eager_context, tensorflow

VISIBLE = "gpu_options.visible_device_list"
_INTRA, _INTER = "intra_op_parallelism_threads", "inter_op_parallelism_threads"
_OWN_POOLS = ("use_per_session_threads", "session_inter_op_thread_pool")
_FIRST_OR_ELSEWHERE = "write it in the profile of the first session, or make the session in another process"
#: What would have worked, by field; GPU options share one answer.
_CURES = {
    _INTRA: "write it in the profile of the first session, before anything else makes a device",
    _INTER: "write use_per_session_threads: true for a pool of its own, or write it in the profile of the first session",
    VISIBLE: "one list serves a whole process: start one process for each, with CUDA_VISIBLE_DEVICES",
}


class Conflict(NamedTuple):
    """A field that a later profile wants otherwise than the process has it.

    Attributes:
        path: The field path.
        wanted: What the profile says.
        settled: What the process has; None where it isn't known.
        by: Who settled it, in words.
        cure: What would have worked.
    """

    path: str
    wanted: Value
    settled: Optional[Value]
    by: str
    cure: str

    def __str__(self) -> str:
        have = "an unknown value" if self.settled is None else _in_words(self.settled)
        return "%s: %s has no effect, this process has %s since %s; %s" % (self.path, _in_words(self.wanted), have, self.by, self.cure)


def _in_words(value: Any) -> str:
    """A value; a bare 0 would read as if there were no threads."""
    return "%r (the default)" % value if value == 0 and not isinstance(value, bool) else repr(value)


class _Settled(NamedTuple):
    values: Mapping[str, Value]
    by: str
    known: bool


def process_wide(path: str) -> bool:
    """Whether the field belongs to the process, not to the session."""
    return path in (_INTRA, _INTER, "experimental.disable_thread_spinning", "experimental.use_numa_affinity") or (
        path.startswith(("gpu_options.", "pluggable_device_options.")) and not fields.paths()[path].field.is_group
    )


def _pool_wide(values: Mapping[str, Value]) -> bool:
    """Whether a session uses the process's inter-op pool rather than its own."""
    return not any(values.get(name) for name in _OWN_POOLS)


def _uses_gpus(values: Mapping[str, Value]) -> bool:
    counts: Any = values.get("device_count", {})
    return bool(counts.get("GPU", 1))


def _agree(one: str, other: str) -> bool:
    """Whether two lists number GPUs alike as far as both go; an empty one numbers them as they are.

    gpu_id_manager.cc, GpuIdManager::InsertTfPlatformGpuIdPair: only a number that means another card is refused.
    """
    lists = [[int(part) for part in text.split(",")] if text.strip() else None for text in (one, other)]
    return all(a == b for a, b in zip(*(range(1 << 16) if ids is None else ids for ids in lists)))


def _values(config: Any) -> Dict[str, Value]:
    return {path: entry.value for path, entry in unpack(config, Source("<config>")).entries.items()}


class Ledger:
    """The record of one process. There is one, `LEDGER`; tests make their own."""

    def __init__(self) -> None:
        self._settled: Dict[str, _Settled] = {}
        #: What the eager context is configured with; until it makes its devices it may be configured anew.
        self._configured: Optional[_Settled] = None
        self._listed_devices: Optional[str] = None
        #: How much is settled: a number that changes with every new record.
        self.settled = 0
        self.reordered = False

    def note_listing(self, by: str) -> None:
        """Remember that `device_lib.list_local_devices` made devices with default options."""
        self._listed_devices = self._listed_devices or by

    def _observe(self) -> None:
        """Take in what happened in this process without this package's doing."""
        if "cpu" in self._settled:
            return
        context = eager_context.config()
        if self._listed_devices is not None:
            self._settle({}, self._listed_devices, True, inter=False)
        elif tensorflow.sessions_made() and self._configured is not None:  # most likely without a config: it inherits then
            self._settle(self._configured.values, self._configured.by, True, inter=True)
        elif tensorflow.sessions_made():
            self._settle({}, "a session that was made without a profile", False, inter=True)
        elif context is not None:
            self._settle(_values(context), "TensorFlow's eager context started (an op ran, or a dataset was built)", True, inter=False)

    def _settle(self, values: Mapping[str, Value], by: str, known: bool, inter: bool) -> None:
        record = _Settled(dict(values), by, known)
        before = len(self._settled)
        self._settled.setdefault("cpu", record)
        if inter and _pool_wide(values):
            self._settled.setdefault("inter", record)
        if _uses_gpus(values):
            self._settled.setdefault("gpu", record)
        self.settled += len(self._settled) - before

    def _record_for(self, path: str) -> Optional[_Settled]:
        kind = "inter" if path == _INTER else "gpu" if path.startswith(("gpu_options.", "pluggable")) else "cpu"
        configured = self._configured if kind == "cpu" or (kind == "gpu" and self._configured and _uses_gpus(self._configured.values)) else None
        return self._settled.get(kind) or configured

    def conflicts(self, profile: Profile) -> List[Conflict]:
        """The process-wide fields that the profile wants otherwise than the process has them."""
        self._observe()
        values = profile.values()
        wanted = [path for path in values if process_wide(path)]
        if self._record_for(VISIBLE) is not None and VISIBLE not in wanted and _uses_gpus(values):
            wanted.append(VISIBLE)  # a missing list asks for all GPUs, in order
        found = []
        for path in wanted:
            record = self._record_for(path)
            ignored = (path == _INTER and not _pool_wide(values)) or (path.startswith("gpu_options.") and not _uses_gpus(values))
            if record is None or ignored:
                continue
            value: Any = values.get(path, fields.default(path))
            settled: Any = record.values.get(path, fields.default(path)) if record.known else None
            same = _agree(value, settled) if path == VISIBLE and record.known else value == settled
            if not same and not (settled is None and value == fields.default(path)):
                found.append(Conflict(path, value, settled, record.by, _CURES.get(path, _FIRST_OR_ELSEWHERE)))
        return found

    def context_diagnostics(self, profile: Profile) -> List[Diagnostic]:
        """What sessions have settled otherwise than the eager context is to be configured with.

        The context's inter-op pool is its own, and what it was configured with before gives way.
        """
        configured, self._configured = self._configured, None
        try:
            found = [conflict for conflict in self.conflicts(profile) if conflict.path != _INTER]
        finally:
            self._configured = configured
        return self._diagnostics(profile, found)

    def conflict_diagnostics(self, profile: Profile) -> List[Diagnostic]:
        """The conflicts as one warning; a differing list of GPUs is an error where there is a GPU."""
        return self._diagnostics(profile, self.conflicts(profile))

    def _diagnostics(self, profile: Profile, found: List[Conflict]) -> List[Diagnostic]:
        if any(conflict.path.startswith("gpu_options") for conflict in found) and not tensorflow.gpus_present():
            # Without a GPU they have no effect anyway, which is said elsewhere; a second list is wrong on every host.
            found = [conflict for conflict in found if conflict.path == VISIBLE or not conflict.path.startswith("gpu_options")]
        if not found:
            return []
        entry = profile.entries.get(found[0].path)
        span = entry.span if entry else Span(Source(profile.name))
        text = "too late for this process:\n    " + "\n    ".join(str(conflict) for conflict in found)
        if any(conflict.path == VISIBLE for conflict in found) and tensorflow.gpus_present():
            return [error("process-wide", text, span)]
        return [warning("process-wide", text, span)]

    def record_context(self, values: Mapping[str, Value], by: str, reordered: bool = False) -> None:
        """Remember what the eager context was configured with, before or after it made its devices.

        Args:
            values: Its fields.
            by: Who did it, in words.
            reordered: Whether CUDA numbers this process's GPUs in the order of visible_device_list already.
        """
        self._configured = _Settled(dict(values), by, True)
        self.settled += 1
        self.reordered = reordered

    def record(self, values: Mapping[str, Value], by: str) -> None:
        """Remember a session that was made, with the fields of its config."""
        self._settle(values, by, True, inter=True)

    def record_config(self, config: Any, by: str) -> None:
        """Remember a session that was made with a ConfigProto, or with None."""
        self.record({} if config is None else _values(config), by)


LEDGER = Ledger()
