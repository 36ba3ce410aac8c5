"""The GPU group: growth, memory, visible GPUs, virtual devices and device_count, lowered together because each changes the others.

What the eager context makes of them: context.py, Context._import_config and _compute_gpu_options (2.1 to 2.21). Three
of its ways shape what is done here: any split device, of the CPU too, makes it leave growth out and adds an empty
virtual_devices entry for each GPU, beside which the runtime refuses a fraction; it numbers GPUs in ascending order,
carried or not; and without a GPU it looks at none of this.
"""

from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.plans.lowering import Outcome, Wanted, carry, carry_or_gap, nothing
from tf1compat_gpu.plans.rules import Fidelity
from tf1compat_gpu.plans.steps import Gap, Kind, LogicalGpu, Step

GROWTH = "gpu_options.allow_growth"
FRACTION = "gpu_options.per_process_gpu_memory_fraction"
VISIBLE = "gpu_options.visible_device_list"
VIRTUAL = "gpu_options.experimental.virtual_devices"
COUNT = "device_count"
LIMIT = "profile.gpu_memory_limit"
PATHS = (COUNT, GROWTH, FRACTION, VISIBLE, VIRTUAL)

_NO_GPU = "there is no GPU here, and TensorFlow looks at none of the GPU options then"
_HIDDEN = "no GPU is used"
_GROWTH_VARIABLE = ("TF_FORCE_GPU_ALLOW_GROWTH", "true")
_ORDER_LOST = (
    'TF2 numbers GPUs in ascending order, so that "%s" becomes "%s". Set CUDA_VISIBLE_DEVICES to that order before TensorFlow starts: '
    "configure() does where it is called first."
)
_GPU = "GPU"
_SINCE = {"priority": (2, 4), "device_ordinal": (2, 10)}


class _Group(NamedTuple):
    """The group's values: None where the profile does not say.

    Attributes:
        ids: The GPUs that are used, in the profile's order, as far as the list and the count say.
        gpu_count: At most so many of them.
        limit: gpu_memory_limit, in bytes.
    """

    wanted: Wanted
    growth: Optional[bool]
    fraction: float
    ids: Optional[Tuple[int, ...]]
    gpu_count: Optional[int]
    virtual: Tuple[Any, ...]
    cpus: int
    limit: Optional[int]

    @property
    def splits(self) -> bool:
        """Whether the eager context will hold a split device, a CPU included."""
        return self.cpus > 1 or self.limits_cards or any(device.get("memory_limit_mb") for device in self.virtual)

    @property
    def limits_cards(self) -> bool:
        """Whether memory is limited by a logical device on each card, rather than by a fraction."""
        return self.limit is not None or (self.fraction > 0 and (not self.wanted.carry or self.cpus > 1))


def _read(wanted: Wanted) -> _Group:
    profile = wanted.profile
    counts = profile.get(COUNT, {})
    text = str(profile.get(VISIBLE, ""))
    ids = tuple(int(part) for part in text.split(",")) if text.strip() else None
    count = counts.get("GPU")
    if ids is not None and count is not None:
        ids = ids[:count]
    virtual = profile.get(VIRTUAL, ())
    return _Group(
        wanted, profile.get(GROWTH), profile.get(FRACTION, 0.0), ids, count, virtual, counts.get("CPU", 1), profile.settings.gpu_memory_limit
    )  # fmt: skip


def lower_gpus(wanted: Wanted) -> Tuple[List[Outcome], List[Diagnostic]]:
    """What is done about the group, and what makes it impossible."""
    group = _read(wanted)
    found = list(_cpus(group))
    if wanted.machine.gpus == 0:
        return found + list(_without_gpu(group)), []
    problems = list(_problems(group))
    if group.gpu_count == 0:
        found.append(Step(Kind.VISIBLE, (COUNT + "[GPU]",), Fidelity.EXACT, ((), None, _GPU)))
        return found + [nothing(path, _HIDDEN) for path in _present(group) if path != COUNT], problems
    found += _visible(group)
    found += _virtual(group)
    found += _memory(group)
    found += _growth(group)
    return found, problems


def _present(group: _Group) -> List[str]:
    settings = [LIMIT] if group.limit is not None else []
    return [path for path in PATHS if path in group.wanted.profile] + settings


def _cpus(group: _Group) -> Iterator[Outcome]:
    """The CPU's part of device_count, and keys that control nothing."""
    counts = group.wanted.profile.get(COUNT, {})
    for key in sorted(counts):
        path = "%s[%s]" % (COUNT, key)
        if key == "CPU" and counts[key] > 1:
            yield Step(Kind.LOGICAL_CPUS, (path,), Fidelity.EXACT, (counts[key],))
        elif key == "CPU":
            yield nothing(path, "one CPU device is what there is where nothing is said")
        elif key != "GPU":
            yield carry(path) if group.wanted.carry else nothing(path, "TensorFlow reads CPU and GPU alone", Fidelity.NO_EFFECT)


def _without_gpu(group: _Group) -> Iterator[Outcome]:
    """Everything about GPUs where there is none: carried where that changes nothing, so that the config says what the profile says."""
    for path in _present(group):
        if path == COUNT:
            if group.gpu_count is not None:
                yield nothing("%s[GPU]" % COUNT, _NO_GPU)
        elif path in (GROWTH, FRACTION, VISIBLE) and group.wanted.carry and group.wanted.profile[path]:
            yield carry(path, reason=_NO_GPU)
        else:
            yield nothing(path, _NO_GPU)


def _problems(group: _Group) -> Iterator[Diagnostic]:
    """What TensorFlow refuses in a session as well, as far as the number of GPUs is known."""
    profile, gpus = group.wanted.profile, group.wanted.machine.gpus

    def place(path: str) -> Span:
        entry = profile.entries.get(path)
        return entry.span if entry else Span(Source(profile.name))

    if group.limit is not None and group.limit >> 20 == 0:
        yield error("gpu-memory", "gpu_memory_limit: less than 1 MiB", profile.setting_spans.get("gpu_memory_limit"), "write it in MiB or GiB, as 8GiB")
    if group.gpu_count == 0:
        return
    reordered = group.ids is not None and group.wanted.machine.can_order and list(group.ids) != sorted(group.ids)
    for number in group.ids or ():
        if gpus is not None and number >= gpus and not reordered:
            text = "visible_device_list names GPU %d, and TensorFlow sees %d: %s" % (number, gpus, "0" if gpus == 1 else "0 to %d" % (gpus - 1))
            help = "ids count in what CUDA_VISIBLE_DEVICES leaves"
            variables = list(profile.entries[VISIBLE].variables)
            if variables:
                help = "it was made from %s; of several hosts, write the rank on this host: ${rank.local}" % ", ".join(variables)
            yield error("device-id", text, place(VISIBLE), help)
    used = len(group.ids) if group.ids is not None else gpus
    if group.ids is None and group.gpu_count is not None and used is not None:
        used = min(used, group.gpu_count)
    if group.virtual and used is not None and len(group.virtual) != used:
        text = "virtual_devices has %d entries, and %d GPU%s used" % (len(group.virtual), used, " is" if used == 1 else "s are")
        yield error("conflict", text, place(VIRTUAL), "write one entry for each GPU that is used, in their order")


def _visible(group: _Group) -> Iterator[Outcome]:
    profile, machine = group.wanted.profile, group.wanted.machine
    paths = ((VISIBLE,) if group.ids is not None else ()) + (("%s[GPU]" % COUNT,) if group.gpu_count is not None else ())
    if VISIBLE in profile and group.ids is None:
        yield nothing(VISIBLE, "an empty list means all GPUs")
    if group.ids is not None and list(group.ids) != sorted(group.ids):
        if machine.can_order:
            reason = "the order holds only if CUDA starts with it; TF2 by itself numbers GPUs in ascending order"
            yield Step(Kind.ORDER, paths, Fidelity.ENVIRONMENT, (group.ids,), reason)
            return
        written, kept = (",".join(str(number) for number in ids) for ids in (group.ids, sorted(group.ids)))
        yield Gap(VISIBLE, Fidelity.APPROXIMATE, _ORDER_LOST % (written, kept))
    if paths:
        # The list alone says which; the count says how many only where there is no list.
        ids = None if group.ids is None else tuple(sorted(group.ids))
        yield Step(Kind.VISIBLE, paths, Fidelity.EXACT, (ids, group.gpu_count if ids is None else None, _GPU))


def lower_plug_in_visible(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    """pluggable_device_options.visible_device_list: a call where its entries say whose devices they count."""
    entries = [part.strip().rpartition(":") for part in str(value).split(",") if part.strip()]
    types = {type.split(":")[-1].strip("/") for type, _, _ in entries}
    ids = tuple(int(number) for _, _, number in entries)
    if not entries:
        yield nothing(path, "an empty list means all devices")
    elif len(types) > 1 or "" in types:
        yield Gap(path, Fidelity.APPROXIMATE, "TF2 needs the type of the plug-in's devices. Write it before each index, and one type alone, as GPU:0.")
    else:
        if list(ids) != sorted(ids):
            yield Gap(path, Fidelity.APPROXIMATE, "TF2 numbers the devices in ascending order.")
        yield Step(Kind.VISIBLE, (path,), Fidelity.EXACT, (tuple(sorted(ids)), None, types.pop()))


def _virtual(group: _Group) -> Iterator[Outcome]:
    if VIRTUAL not in group.wanted.profile:
        return
    if not any(device.get("memory_limit_mb") for device in group.virtual):
        yield nothing(VIRTUAL, "entries without a memory_limit_mb split nothing")
        return
    for name, since in _SINCE.items():
        if group.wanted.release < since and any(device.get(name) for device in group.virtual):
            yield carry_or_gap(group.wanted, VIRTUAL, "LogicalDeviceConfiguration takes a %s from %d.%d on." % ((name,) + since))
            return
    cards = []
    for position, device in enumerate(group.virtual):
        limits = device.get("memory_limit_mb", ())
        rows = [device.get(name, ()) or (None,) * len(limits) for name in _SINCE]
        if limits:
            cards.append((_card(group, position), tuple(LogicalGpu(*values) for values in zip(limits, *rows))))
    yield Step(Kind.LOGICAL_GPUS, (VIRTUAL,), Fidelity.EXACT, (tuple(cards),))


def _card(group: _Group, position: int) -> int:
    """The id, as TF2 counts then, of the card that the entry at a position of virtual_devices is about."""
    if group.ids is None or (group.wanted.machine.can_order and list(group.ids) != sorted(group.ids)):
        return position
    return group.ids[position] if position < len(group.ids) else position


def _memory(group: _Group) -> Iterator[Outcome]:
    if group.limit is not None:
        whole = group.limit >> 20
        exactly = group.limit == whole << 20
        yield Step(
            Kind.LOGICAL_GPUS, (LIMIT,), Fidelity.EXACT, (((None, (LogicalGpu(whole),)),),), "" if exactly else "memory_limit takes whole MiB: %d" % whole
        )
    if FRACTION not in group.wanted.profile:
        return
    if group.fraction == 0:
        yield nothing(FRACTION, "0 means the default: all that is available, less a reserve")
    elif not group.limits_cards:
        yield carry(FRACTION)
    elif group.fraction > 1:
        yield Gap(FRACTION, Fidelity.UNAVAILABLE, "memory_limit can't ask for more than a card has. Let configure() carry it, with one CPU device.")
    else:
        reason = "of each card's total memory, which NVML tells, in whole MiB"
        if group.wanted.carry:
            reason += "; several CPU devices make TensorFlow refuse a fraction on GPUs"
        yield Step(Kind.MEMORY_FRACTION, (FRACTION,), Fidelity.APPROXIMATE, (group.fraction,), reason)
        yield Gap(FRACTION, Fidelity.APPROXIMATE, "memory_limit takes whole MiB, of a total that NVML puts some MiB higher than CUDA does.")


def _growth(group: _Group) -> Iterator[Outcome]:
    if GROWTH not in group.wanted.profile:
        return
    if not group.growth:
        yield nothing(GROWTH, "TF2 takes all of the memory at once where nothing is said")
    elif not group.splits:
        yield Step(Kind.GROWTH, (GROWTH,), Fidelity.EXACT)
    elif group.wanted.carry:
        yield carry(GROWTH, reason="set_memory_growth has no effect beside a split device, the CPU's included")
    else:
        reason = "set_memory_growth has no effect beside a split device, the CPU's included"
        yield Step(Kind.ENVIRONMENT, (GROWTH,), Fidelity.ENVIRONMENT, _GROWTH_VARIABLE, reason)


__all__ = ["COUNT", "FRACTION", "GROWTH", "LIMIT", "PATHS", "VIRTUAL", "VISIBLE", "lower_gpus", "lower_plug_in_visible"]
