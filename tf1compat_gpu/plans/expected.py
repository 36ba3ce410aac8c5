"""What the eager context's ConfigProto says once a plan is carried out: the inverse that plans are proven with."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from tf1compat_gpu.plans import gpus
from tf1compat_gpu.plans.steps import Kind, LogicalGpu, Plan, Step
from tf1compat_gpu.profiles.profile import FrozenMapping, Value

_REWRITE = "graph_options.rewrite_options."
_JIT = "graph_options.optimizer_options.global_jit_level"
_ROLLOUT = "experimental.mlir_bridge_rollout"


_BOOLEAN_KEYS = ("disable_model_pruning", "disable_meta_optimizer")


def _rewrite(key: str, value: Any) -> Value:
    if key in _BOOLEAN_KEYS or not isinstance(value, bool):
        plain: Value = value
        return plain
    return "ON" if value else "OFF"


def _call(function: str, *arguments: Any) -> Dict[str, Value]:
    name = function.rpartition(".")[2]
    if name == "set_intra_op_parallelism_threads":
        return {"intra_op_parallelism_threads": arguments[0]}
    if name == "set_inter_op_parallelism_threads":
        return {"inter_op_parallelism_threads": arguments[0]}
    if name == "set_soft_device_placement":
        return {"allow_soft_placement": arguments[0]}
    if name == "set_log_device_placement":
        return {"log_device_placement": arguments[0]}
    if name == "set_jit":
        return {_JIT: "ON_1" if arguments[0] else "OFF"}
    if name == "set_experimental_options":
        return {_REWRITE + key: _rewrite(key, value) for key, value in arguments[0].items()}
    if name == "enable_mlir_bridge":
        return {_ROLLOUT: "MLIR_BRIDGE_ROLLOUT_ENABLED"}
    if name == "disable_mlir_bridge":
        return {_ROLLOUT: "MLIR_BRIDGE_ROLLOUT_DISABLED"}
    return {}  # TensorFloat-32 is no field


def _visible(plan: Plan, step: Step) -> Dict[str, Value]:
    if not _is_gpus(step):
        return {}  # as many plug-in devices as there are
    ids = step.arguments[0]
    if ids is not None and not ids:
        return {"%s[GPU]" % gpus.COUNT: 0}
    return {gpus.VISIBLE: ",".join(str(number) for number in used_gpus(plan))} if plan.machine.gpus is not None or ids is not None else {}


def _is_gpus(step: Step) -> bool:
    """Whether a VISIBLE step is about gpu_options, and not about a plug-in's own list."""
    return not step.paths[0].startswith("pluggable_device_options")


def used_gpus(plan: Plan) -> Tuple[int, ...]:
    """The ids of the GPUs that the context uses, as it counts them; empty where their number isn't known."""
    for step in plan.steps:
        if step.kind is Kind.VISIBLE and _is_gpus(step):
            ids, count, _ = step.arguments
            return tuple(range(min(count, plan.machine.gpus or 0))) if ids is None else tuple(ids)
        if step.kind is Kind.ORDER:
            return tuple(range(len(step.arguments[0])))
    return tuple(range(plan.machine.gpus or 0))


def _logical(plan: Plan, cards: Tuple[Tuple[Any, Tuple[LogicalGpu, ...]], ...]) -> Dict[str, Value]:
    used = used_gpus(plan)
    split = dict(cards)
    devices = []
    for number in used:
        parts: Tuple[LogicalGpu, ...] = split[number] if number in split else split.get(None, ())
        fields = (("memory_limit_mb", 0), ("priority", 1), ("device_ordinal", 2))
        rows = {name: tuple(part[index] for part in parts if part[index] is not None) for name, index in fields}
        devices.append(FrozenMapping({name: row for name, row in rows.items() if row}))
    return {gpus.VIRTUAL: tuple(devices)} if used else {}


def _of(plan: Plan, step: Step) -> Dict[str, Value]:
    table: Dict[Kind, Callable[..., Dict[str, Value]]] = {
        Kind.CALL: _call,
        Kind.VISIBLE: lambda *arguments: _visible(plan, step),
        Kind.GROWTH: lambda: {gpus.GROWTH: True} if used_gpus(plan) else {},
        Kind.LOGICAL_CPUS: lambda count: {"%s[CPU]" % gpus.COUNT: count},
        Kind.LOGICAL_GPUS: lambda cards: _logical(plan, cards),
        Kind.CARRY: lambda: {path: _carried(plan, path) for path in step.paths},
    }
    return table[step.kind](*step.arguments) if step.kind in table else {}


def _carried(plan: Plan, path: str) -> Value:
    if path.startswith(gpus.COUNT):
        return plan.profile.get(gpus.COUNT)[path[len(gpus.COUNT) + 1 : -1]]  # type: ignore[no-any-return]
    return plan.profile[path]


def expected(plan: Plan) -> Dict[str, Value]:
    """Field path to value (device_count by key): what each step of the plan leaves in the context's ConfigProto."""
    found: Dict[str, Value] = {}
    for step in plan.steps:
        found.update(_of(plan, step))
    return found
