"""Carrying out the steps of a plan on the running TensorFlow."""

from __future__ import annotations

from functools import reduce
from typing import Any, Callable, Dict, List, Tuple

from tf1compat_gpu.diagnostics import Source
from tf1compat_gpu.plans import gpus
from tf1compat_gpu.plans.code import spelled
from tf1compat_gpu.plans.expected import expected, used_gpus
from tf1compat_gpu.plans.steps import Kind, LogicalGpu, Plan
from tf1compat_gpu.profiles.messages import fill, unpack
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping, Value
from tf1compat_gpu.runtime import eager_context, tensorflow


def _named(function: str) -> Any:
    """tf.config.x.y of the running release."""
    names = spelled(function, tensorflow.release()).split(".")[1:]
    return reduce(getattr, names, tensorflow.tensorflow())


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, FrozenMapping) else value


def gpu_devices() -> List[Any]:
    """TensorFlow's physical GPUs, in its order; looks for them, which starts CUDA."""
    return list(_named("tf.config.list_physical_devices")("GPU"))


def _call(plan: Plan, function: str, *arguments: Any) -> None:
    _named(function)(*(_plain(argument) for argument in arguments))


def _visible(plan: Plan, ids: Any, count: Any, type: str) -> None:
    devices = list(_named("tf.config.list_physical_devices")(type))
    if devices:  # a list of GPUs means nothing where there is none
        _named("tf.config.set_visible_devices")([devices[number] for number in (range(min(count, len(devices))) if ids is None else ids)], type)


def _growth(plan: Plan) -> None:
    devices = gpu_devices()
    for number in used_gpus(plan):
        tensorflow.tensorflow().config.experimental.set_memory_growth(devices[number], True)


def _logical_cpus(plan: Plan, count: int) -> None:
    cpu = _named("tf.config.list_physical_devices")("CPU")[0]
    _named("tf.config.set_logical_device_configuration")(cpu, [_named("tf.config.LogicalDeviceConfiguration")() for _ in range(count)])


def _logical_gpus(plan: Plan, cards: Tuple[Tuple[Any, Tuple[LogicalGpu, ...]], ...]) -> None:
    devices, make = gpu_devices(), _named("tf.config.LogicalDeviceConfiguration")

    def made(part: LogicalGpu) -> Any:
        given = {"memory_limit": part.memory_limit, "experimental_priority": part.priority, "experimental_device_ordinal": part.device_ordinal}
        return make(**{name: value for name, value in given.items() if value is not None})

    for card, parts in cards:
        for number in used_gpus(plan) if card is None else (card,):
            _named("tf.config.set_logical_device_configuration")(devices[number], [made(part) for part in parts])


_TAKEN: Dict[Kind, Callable[..., None]] = {
    Kind.CALL: _call,
    Kind.VISIBLE: _visible,
    Kind.GROWTH: _growth,
    Kind.LOGICAL_CPUS: _logical_cpus,
    Kind.LOGICAL_GPUS: _logical_gpus,
}


def take_steps(plan: Plan) -> None:
    """Take every step of a plan but those that set the environment, which come before TensorFlow starts.

    Its MEMORY_FRACTION steps must have been made LOGICAL_GPUS with each card's own limit.
    """
    _carry(plan)
    for step in plan.steps:
        if step.kind in _TAKEN:
            _TAKEN[step.kind](plan, *step.arguments)


def _carry(plan: Plan) -> None:
    """Lay the carried fields over the base ConfigProto that there is."""
    carried = [path for path in plan.carried() if not path.startswith(gpus.COUNT)]
    counts = {path[len(gpus.COUNT) + 1 : -1]: plan.profile[gpus.COUNT][path[len(gpus.COUNT) + 1 : -1]] for path in plan.carried() if path not in carried}  # type: ignore[index, call-overload]
    if not carried and not counts:
        return
    before = eager_context.base()
    entries = dict(unpack(before, Source("<base>")).entries) if before is not None else {}
    entries.update({path: plan.profile.entries[path] for path in carried})
    base = tensorflow.v1().ConfigProto()
    fill(base, entries)
    for key, count in counts.items():
        base.device_count[key] = count
    eager_context.set_base(base)


def differences(plan: Plan) -> List[Tuple[str, Value, Value]]:
    """What the context's own ConfigProto has otherwise than the plan wants it: path, wanted, found (None: unset)."""
    wanted = expected(plan)
    config = tensorflow.v1().ConfigProto()
    span = next(iter(plan.profile.entries.values())).span if plan.profile.entries else None
    entries = {path: Entry(value, span) for path, value in wanted.items() if not path.startswith(gpus.COUNT)}  # type: ignore[arg-type]
    fill(config, entries)
    for path, value in wanted.items():
        if path.startswith(gpus.COUNT):
            config.device_count[path[len(gpus.COUNT) + 1 : -1]] = value
    # Both sides are read from a message, so that both have the proto's own precision.
    want, have = (_flat(message) for message in (config, eager_context.current_config()))
    return [(path, want.get(path), have.get(path)) for path in wanted if want.get(path) != have.get(path)]  # type: ignore[misc]


def _flat(config: Any) -> Dict[str, Value]:
    entries = unpack(config, Source("<context>")).entries
    found = {path: entry.value for path, entry in entries.items() if path != gpus.COUNT}
    if gpus.COUNT in entries:
        for key, count in entries[gpus.COUNT].value.items():  # type: ignore[union-attr]
            found["%s[%s]" % (gpus.COUNT, key)] = count
    return found
