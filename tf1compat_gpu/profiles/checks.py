"""Ranges and conflicts that TensorFlow does not check on a host without GPUs, or answers by aborting the process.

Each check is a function over the entries of a profile; `CHECKS` lists them. What TensorFlow does with the refused
values was seen by running 1.15.5 and 2.21 where a comment does not name a source file.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator, Mapping, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Span, error, note, warning
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping, Settings

Entries = Mapping[str, Entry]
_GPU_GROUPS = ("gpu_options", "pluggable_device_options")
#: Device types that a factory of TensorFlow reads from device_count; plug-in devices add names of their own.
_DEVICE_TYPES = ("CPU", "GPU", "TPU", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU")
_READ_TYPES = ("CPU", "GPU")


def _any(entry: Entry) -> Any:
    """The value, whose type the reader has seen to."""
    return entry.value


def _fraction(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    for group in _GPU_GROUPS:
        path = group + ".per_process_gpu_memory_fraction"
        entry = entries.get(path)
        if entry is None:
            continue
        value = float(_any(entry))
        if value < 0 or value != value:
            # Negative limits are cast to size_t: gpu_device.cc, SingleVirtualDeviceMemoryLimit.
            yield error(
                "range",
                "%s can't be %s" % (path, "negative" if value < 0 else "NaN"),
                entry.span,
                "write a fraction of a card's total memory, as 0.4; leave it out for nearly all of it",
            )
        elif value > 1 and not path.startswith("pluggable"):
            whole = value == int(value) and value > 2
            percent = " (did you mean %g?)" % (value / 100) if whole and value <= 100 else ""
            yield note(
                "unified-memory",
                "a fraction of %g asks for more than the card has: unified memory, on cards of compute capability 6.0 and later%s" % (value, percent),
                entry.span,
            )
        elif value == 1:
            yield note(
                "whole-card",
                "a fraction of 1.0 asks for the whole card, and leaves nothing for the driver and libraries; TensorFlow's default leaves a reserve",
                entry.span,
                "leave the field out for nearly all of the card",
            )


def _threads(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    intra = entries.get("intra_op_parallelism_threads")
    if intra is not None and int(_any(intra)) < 0:
        yield error(
            "range",
            "intra_op_parallelism_threads can't be negative: TensorFlow aborts the process",
            intra.span,
            "write 0 for the default, or 1 for a single thread",
        )
    pools = entries.get("session_inter_op_thread_pool")
    if pools is not None:
        for index, pool in enumerate(_any(pools)):
            if pool.get("num_threads", 0) < 0:
                yield error(
                    "range",
                    "session_inter_op_thread_pool[%d].num_threads can't be negative: TensorFlow aborts the process" % index,
                    pools.span,
                    "write 0 for the default",
                )
    inter = entries.get("inter_op_parallelism_threads")
    if inter is not None and int(_any(inter)) < 0 and "session_inter_op_thread_pool" not in entries:
        yield note(
            "callers-thread",
            "negative inter_op_parallelism_threads run operations in the caller's thread, from 1.14 on; before that TensorFlow aborts",
            inter.span,
        )


def _visible_ids(path: str, entry: Entry, span: Span) -> Iterator[Diagnostic]:
    text = str(_any(entry))
    plug_in = path.startswith("pluggable")
    seen = []
    for part in text.split(",") if text.strip() else []:
        name = part.strip()
        if plug_in:
            name = name.split(":")[-1]
        if re.match(r"-[0-9]+\Z", name):
            yield error(
                "device-id",
                "%s: '%s' is no id; in ConfigProto nothing hides a GPU by a negative id" % (path, name),
                span,
                'write device_count: {GPU: 0} to use no GPU, or profile: {environment: {CUDA_VISIBLE_DEVICES: "-1"}} to hide them from the process',
            )
        elif re.match(r"(GPU|MIG|CUDA)-|.*[0-9a-f]{8}-", name, re.I):
            yield error(
                "device-id",
                "%s takes positions in the list of visible GPUs, not a UUID: '%s'" % (path, name),
                span,
                "write profile: {environment: {CUDA_VISIBLE_DEVICES: %s}}, and no visible_device_list" % name,
            )
        elif re.match(r"(/?device:|/)?[A-Za-z_]+:[0-9]+\Z", name):
            yield error("device-id", "%s takes numbers: '%s'" % (path, name), span, "write %s" % name.split(":")[-1])
        elif not re.match(r"[0-9]+\Z", name) or int(name) > 2**31 - 1:
            yield error("device-id", "%s takes numbers separated by commas, found '%s'" % (path, name), span, 'write "0,1", or [0, 1]')
        elif int(name) in seen:
            yield error("device-id", "%s names GPU %s twice" % (path, name), span, "name each GPU once")
        else:
            seen.append(int(name))


def _visible(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    for group in _GPU_GROUPS:
        entry = entries.get(group + ".visible_device_list")
        if entry is not None:
            yield from _visible_ids(group + ".visible_device_list", entry, entry.span)
            if any(re.search(r"(^|_)(WORLD_)?RANK\Z|rank\.global|PROCID", name) and "LOCAL" not in name for name in entry.variables):
                yield warning(
                    "global-rank",
                    "%s is made from a rank in the whole job; on a second host it goes past the last GPU" % (group + ".visible_device_list"),
                    entry.span,
                    "write ${rank.local}, or profile: {gpu_per_process: local_rank}",
                )


def _device_count(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    entry = entries.get("device_count")
    if entry is None:
        return
    counts: Mapping[str, int] = _any(entry)
    for name, count in counts.items():
        span = entry.items.get(name, entry.span)
        if name not in _DEVICE_TYPES:
            if name.upper() in _DEVICE_TYPES:
                yield error("device-type", "device_count: '%s' is ignored by TensorFlow, which reads names as they are" % name, span, "write %s" % name.upper())
            elif "pluggable_device_options" not in entries and not any(p.startswith("pluggable_device_options.") for p in entries):
                yield error(
                    "device-type",
                    "device_count: no device type is called '%s'" % name,
                    span,
                    "write CPU or GPU (a plug-in device's type is known where pluggable_device_options is set)",
                )
        elif name not in _READ_TYPES:
            yield warning("device-type", "device_count: %s controls nothing; TensorFlow reads CPU and GPU" % name, span)
        if count < 0:
            # GPU: a negative int cast to size_t is "all"; CPU: NotFoundError, "No CPU devices are available".
            yield error("range", "device_count: %s can't be negative" % name, span, "write 0 for none, or leave it out for all")
        elif name == "CPU" and count == 0:
            yield error("range", 'device_count: a session needs a CPU device; CPU: 0 fails with "No CPU devices are available"', span, "leave CPU out for one")
        elif name == "CPU" and count > 1:
            yield note(
                "cpu-devices",
                "device_count CPU: %d makes %d CPU devices, /cpu:0 to /cpu:%d; it does not limit cores" % (count, count, count - 1),
                span,
                "the number of threads is intra_op_parallelism_threads",
            )


def _virtual_devices(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    for group in _GPU_GROUPS:
        devices = entries.get(group + ".experimental.virtual_devices")
        if devices is None:
            continue
        fraction = entries.get(group + ".per_process_gpu_memory_fraction")
        if fraction is not None and float(_any(fraction)) > 0 and len(_any(devices)):
            # gpu_device.cc, CreateDevices: InvalidArgument, but only where there is a GPU.
            yield error(
                "conflict",
                "per_process_gpu_memory_fraction and virtual_devices exclude each other",
                fraction.span,
                "keep the memory_limit_mb of the virtual devices",
                ((devices.span, "virtual_devices stands here"),),
            )
        for index, device in enumerate(_any(devices)):
            limits = device.get("memory_limit_mb", ())
            for name in ("priority", "device_ordinal"):
                if name in device and len(device[name]) != len(limits):
                    yield error(
                        "conflict",
                        "virtual_devices[%d]: %s has %d entries and memory_limit_mb %d" % (index, name, len(device[name]), len(limits)),
                        devices.span,
                        "give each virtual device one of each",
                    )
            if any(limit <= 0 or limit != limit for limit in limits):
                yield error("range", "virtual_devices[%d]: a memory_limit_mb must be more than 0 MiB" % index, devices.span)
        visible = entries.get(group + ".visible_device_list")
        if visible is not None and str(_any(visible)).strip() and len(str(_any(visible)).split(",")) != len(_any(devices)):
            yield error(
                "conflict",
                "virtual_devices has %d entries and visible_device_list %d: one entry for each visible GPU"
                % (len(_any(devices)), len(str(_any(visible)).split(","))),
                devices.span,
                None,
                ((visible.span, "visible_device_list stands here"),),
            )


def _memory_limit(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    if settings.gpu_memory_limit is None:
        return
    for name in ("per_process_gpu_memory_fraction", "experimental.virtual_devices"):
        entry = entries.get("gpu_options." + name)
        if entry is not None and _any(entry):
            yield error("conflict", "profile.gpu_memory_limit and gpu_options.%s both limit the memory" % name, entry.span, "keep one of them")


def _gpu_per_process(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    entry = entries.get("gpu_options.visible_device_list")
    if settings.gpu_per_process and entry is not None and _any(entry):
        yield error("conflict", "profile.gpu_per_process chooses the GPU; visible_device_list does too", entry.span, "keep one of them")


def _others(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    allocator = entries.get("gpu_options.allocator_type")
    name = "" if allocator is None else str(_any(allocator))
    if allocator is not None and name not in ("", "BFC"):
        message = "gpu_options.allocator_type: '%s' is no allocator; the device is not made with it (Internal error)" % name
        yield error("range", message, allocator.span, "write BFC, or leave it out")
    version = entries.get("experimental.session_metadata.version")
    if version is not None and int(_any(version)) < 0:
        yield error("range", "experimental.session_metadata.version can't be negative", version.span)


Check = Callable[[Entries, Settings], Iterator[Diagnostic]]
CHECKS: Tuple[Check, ...] = (_fraction, _threads, _visible, _device_count, _virtual_devices, _memory_limit, _gpu_per_process, _others)


def check(entries: Entries, settings: Settings) -> Iterator[Diagnostic]:
    """Everything that is out of range or in conflict."""
    for one in CHECKS:
        yield from one(entries, settings)


def check_release(entries: Entries, release: fields.Release) -> Iterator[Diagnostic]:
    """Fields and enum members that a release lacks: errors that name the releases that have them."""
    name = fields.format_release(release)
    for path, entry in entries.items():
        known = fields.paths()[path]
        if not known.first <= release <= known.last:
            message = "TensorFlow %s has no %s (%s has it)" % (name, path, fields.had(known.first, known.last))
            help = "write %s" % known.field.renamed_to if known.field.renamed_to and release > known.last else None
            older = [p for p, other in fields.paths().items() if other.field.renamed_to == path and other.first <= release <= other.last]
            if older:
                help = "there it is called %s" % older[0]
            yield error("release", message, entry.span, help)
        else:
            yield from _release_of_value(path, _any(entry), known.field, entry.span, release)


def _release_of_value(path: str, value: Any, field: fields.Field, span: Span, release: fields.Release) -> Iterator[Diagnostic]:
    name = fields.format_release(release)
    if isinstance(value, tuple) or field.is_map:
        items = value if isinstance(value, tuple) else value.values()
        for item in items:
            for diagnostic in _release_of_value(path, item, field._replace(key_type="", repeated=False), span, release):
                yield diagnostic
    elif isinstance(value, FrozenMapping):
        for key, item in value.items():
            inner = fields.messages()[field.type][key]
            known = fields.paths().get("%s[].%s" % (path, key))
            first, last = (known.first, known.last) if known else (inner.first, inner.last)
            if not first <= release <= last:
                yield error("release", "TensorFlow %s has no %s.%s (%s has it)" % (name, path, key, fields.had(first, last)), span)
            else:
                for diagnostic in _release_of_value("%s[].%s" % (path, key), item, inner, span, release):
                    yield diagnostic
    elif field.is_enum:
        members = [m for m in fields.enums()[field.type] if m.name == value]
        if not any(m.first <= release <= m.last for m in members):
            first, last = min(m.first for m in members), max(m.last for m in members)
            others = [m.name for m in fields.enums()[field.type] if m.first <= release <= m.last]
            yield error(
                "release",
                "TensorFlow %s has no %s for %s (%s has it)" % (name, value, path, fields.had(first, last)),
                span,
                "it has " + ", ".join(others) if others else None,
            )
