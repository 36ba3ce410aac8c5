"""tf.contrib.graph_editor: choosing operations, rewiring control inputs and inputs, and copying a part with other inputs.

What walks a graph backwards is TensorFlow's own today (tensorflow.python.ops.op_selector).
"""

from __future__ import annotations

import re
import types
from typing import Any, Callable, Dict, Iterable, List, Set

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import op_selector

__all__ = [
    "ControlOutputs", "SubGraphView", "add_control_inputs", "compute_boundary_ts", "copy_with_input_replacements", "filter_ops", "filter_ops_from_regex",
    "filter_ts", "filter_ts_from_regex", "get_consuming_ops", "get_forward_walk_ops", "get_generating_ops", "get_name_scope_ops", "get_tensors",
    "get_walks_intersection_ops", "get_walks_union_ops", "get_within_boundary_ops", "graph_replace", "make_list_of_op", "make_list_of_t", "make_view",
    "remove_control_inputs", "reroute", "reroute_ts", "select", "select_ops", "select_ts", "sgv", "sgv_scope", "util",
]  # fmt: skip
make_list_of_op, make_list_of_t, get_tensors = op_selector.make_list_of_op, op_selector.make_list_of_t, op_selector.get_tensors
get_consuming_ops, get_generating_ops = op_selector.get_consuming_ops, op_selector.get_generating_ops


class ControlOutputs:
    """Which operations wait for each operation of a graph."""

    def __init__(self, graph: Any) -> None:
        if not isinstance(graph, tf.Graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
        self._graph, self._seen = graph, -1
        self._outputs: Dict[Any, List[Any]] = {}
        self.update()

    def update(self) -> ControlOutputs:
        """Read the graph again, where it has changed."""
        operations = self._graph.get_operations()
        if len(operations) != self._seen:
            self._seen, self._outputs = len(operations), {}
            for operation in operations:
                for control in operation.control_inputs:
                    self._outputs.setdefault(control, []).append(operation)
        return self

    def get(self, op: Any) -> Any:
        return self._outputs.get(op, ())

    def get_all(self) -> Dict[Any, List[Any]]:
        return self._outputs

    @property
    def graph(self) -> Any:
        return self._graph


def _wanted(given: Any) -> Callable[[Any], bool]:
    """A filter from True, a regular expression, or a function."""
    if given is True:
        return lambda op: True
    if isinstance(given, str):
        given = re.compile(given)
    if hasattr(given, "search"):
        return lambda op: given.search(op.name) is not None
    return given  # type: ignore[no-any-return]


def filter_ops(ops: Any, positive_filter: Any) -> List[Any]:
    """The operations that a filter accepts: True, a regular expression or a function of the operation."""
    return [op for op in make_list_of_op(ops) if _wanted(positive_filter)(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> List[Any]:
    return filter_ops(ops, re.compile(regex) if isinstance(regex, str) else regex)


def filter_ts(ops: Any, positive_filter: Any) -> List[Any]:
    """The inputs and outputs of operations that a filter accepts: True, a regular expression or a function of the tensor."""
    listed = make_list_of_op(ops)
    found = op_selector.concatenate_unique([tensor for op in listed for tensor in op.inputs], [tensor for op in listed for tensor in op.outputs])
    if hasattr(positive_filter, "search"):
        return [tensor for tensor in found if positive_filter.search(tensor.op.name)]
    return [tensor for tensor in found if positive_filter is True or positive_filter(tensor)]


def filter_ts_from_regex(ops: Any, regex: Any) -> List[Any]:
    return filter_ts(ops, re.compile(regex) if isinstance(regex, str) else regex)


def get_name_scope_ops(ops: Any, scope: str) -> List[Any]:
    """The operations of a name scope."""
    prefix = scope.rstrip("/") + "/"
    return [op for op in make_list_of_op(ops) if op.name.startswith(prefix) or op.name == prefix[:-1]]


def get_forward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None, stop_at_ts: Any = (), control_outputs: Any = None
) -> List[Any]:
    """What depends on the seeds, nearest first, within the limits given."""
    listed = make_list_of_t(seed_ops) if _are_tensors(seed_ops) else None
    seeds = get_consuming_ops(listed) if listed is not None else make_list_of_op(seed_ops, allow_graph=False)
    stop: Set[int] = {id(tensor) for tensor in make_list_of_t(stop_at_ts)}
    within = None if within_ops is None else {id(op) for op in make_list_of_op(within_ops, allow_graph=False)}
    if isinstance(control_outputs, tf.Graph):
        control_outputs = ControlOutputs(control_outputs)

    def inside(op: Any) -> bool:
        return (within is None or id(op) in within) and (within_ops_fn is None or within_ops_fn(op))

    found: List[Any] = []
    seen: Set[int] = set()
    wave = list(seeds)
    while wave:
        following: List[Any] = []
        for op in wave:
            if id(op) in seen:
                continue
            seen.add(id(op))
            found.append(op)
            following += [user for tensor in op.outputs if id(tensor) not in stop for user in tensor.consumers() if inside(user)]
            following += [user for user in (control_outputs.get(op) if control_outputs is not None else ()) if inside(user)]
        wave = following
    if inclusive:
        return [op for op in found if inside(op)]
    first = {id(op) for op in seeds}
    return [op for op in found if inside(op) and id(op) not in first]


def _are_tensors(values: Any) -> bool:
    listed = values if isinstance(values, (list, tuple, set, frozenset)) else [values]
    return bool(listed) and all(isinstance(value, tf.Tensor) for value in listed)


def get_walks_intersection_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True, backward_inclusive: bool = True, within_ops: Any = None, **kwargs: Any
) -> List[Any]:
    """What lies on a way from the one to the other."""
    backward = {id(op) for op in op_selector.get_backward_walk_ops(backward_seed_ops, inclusive=backward_inclusive, within_ops=within_ops)}
    return [
        op for op in get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, control_outputs=kwargs.get("control_outputs")) if id(op) in backward
    ]


def get_walks_union_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True, backward_inclusive: bool = True, within_ops: Any = None, **kwargs: Any
) -> List[Any]:
    """What depends on the one, or the other depends on."""
    forward = get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, control_outputs=kwargs.get("control_outputs"))
    return op_selector.concatenate_unique(forward, op_selector.get_backward_walk_ops(backward_seed_ops, inclusive=backward_inclusive, within_ops=within_ops))  # type: ignore[no-any-return]


def get_within_boundary_ops(
    ops: Any, seed_ops: Any, boundary_ops: Any = (), inclusive: bool = True, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> List[Any]:
    """What can be reached from the seeds in either direction without crossing the boundary."""
    allowed = {id(op) for op in make_list_of_op(ops)}
    boundary = {id(op) for op in make_list_of_op(boundary_ops)}
    seen: Set[int] = set()
    found, wave = [], list(make_list_of_op(seed_ops))
    while wave:
        op = wave.pop(0)
        if id(op) in seen or id(op) not in allowed:
            continue
        seen.add(id(op))
        if id(op) in boundary:
            if inclusive:
                found.append(op)
            continue
        found.append(op)
        wave += [tensor.op for tensor in op.inputs] + [user for tensor in op.outputs for user in tensor.consumers()]
        wave += list(op.control_inputs) if control_inputs else []
    return found


def compute_boundary_ts(ops: Any) -> Any:
    """The tensors that go into, come out of, and stay within a set of operations."""
    listed = make_list_of_op(ops)
    own = {id(op) for op in listed}
    inputs: List[Any] = []
    outputs: List[Any] = []
    inner: List[Any] = []
    for op in listed:
        inputs += [tensor for tensor in op.inputs if id(tensor.op) not in own and not any(tensor is other for other in inputs)]
        for tensor in op.outputs:
            users = tensor.consumers()
            (outputs if not users or any(id(user) not in own for user in users) else inner).append(tensor)
    return inputs, outputs, inner


def _graph_of(given: Iterable[Any], graph: Any) -> Any:
    return graph or next((item for item in given if isinstance(item, tf.Graph)), None) or tf.get_default_graph()


def select_ops(*args: Any, graph: Any = None, positive_filter: Any = None, restrict_ops_regex: bool = False, **kwargs: Any) -> List[Any]:
    """Operations by regular expressions of their whole names, or as they are given."""
    found: List[Any] = []
    for given in args:
        if isinstance(given, str) or hasattr(given, "match"):
            pattern = re.compile(given) if isinstance(given, str) else given
            if pattern.pattern.startswith("(?#ts)"):
                continue
            found += [op for op in _graph_of(args, graph).get_operations() if pattern.match(op.name) and not any(op is other for other in found)]
        else:
            found += [op for op in make_list_of_op(given) if not any(op is other for other in found)]
    return [op for op in found if positive_filter is None or positive_filter(op)]


def select_ts(*args: Any, graph: Any = None, positive_filter: Any = None, **kwargs: Any) -> List[Any]:
    """Tensors by regular expressions of their whole names, or as they are given."""
    found: List[Any] = []
    for given in args:
        if isinstance(given, str) or hasattr(given, "match"):
            pattern = re.compile(given) if isinstance(given, str) else given
            found += [tensor for op in _graph_of(args, graph).get_operations() for tensor in op.outputs if pattern.match(tensor.name)]
        else:
            found += make_list_of_t(given)
    return [tensor for tensor in found if positive_filter is None or positive_filter(tensor)]


def add_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation wait for others too.

    Raises:
        ValueError: It waits for one of them already.
    """
    listed = make_list_of_op(cops, allow_graph=False)
    for other in listed:
        if any(other is control for control in op.control_inputs):
            raise ValueError("{} is already a control_input of {}".format(other.name, op.name))
    op._add_control_inputs(listed)


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation wait no longer for others."""
    gone = {id(other) for other in make_list_of_op(cops, allow_graph=False)}
    kept = [control for control in op.control_inputs if id(control) not in gone]
    op._remove_all_control_inputs()
    op._add_control_inputs(kept)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Let what reads each of ts1 read its partner in ts0; returns how many inputs changed."""
    may = None if can_modify is None else {id(op) for op in make_list_of_op(can_modify)}
    must_not = set() if cannot_modify is None else {id(op) for op in make_list_of_op(cannot_modify)}
    changed = 0
    for new, old in zip(make_list_of_t(ts0), make_list_of_t(ts1)):
        for user in list(old.consumers()):
            if may is not None and id(user) not in may or id(user) in must_not:
                continue
            for index, tensor in enumerate(user.inputs):
                if tensor is old:
                    user._update_input(index, new)
                    changed += 1
    return changed


class SubGraphView:
    """A set of operations, and the tensors that go in and out of it."""

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        self._ops = list(make_list_of_op(inside_ops))
        self._inputs, self._outputs, _ = compute_boundary_ts(self._ops)
        self._passthrough = list(make_list_of_t(passthrough_ts))

    ops = property(lambda self: self._ops)
    inputs = property(lambda self: self._inputs + self._passthrough)
    outputs = property(lambda self: self._outputs + self._passthrough)
    graph = property(lambda self: op_selector.get_unique_graph(self._ops))

    def op(self, op_id: int) -> Any:
        return self._ops[op_id]

    def __len__(self) -> int:
        return len(self._ops)


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of operations, chosen as select_ops does."""
    return args[0] if len(args) == 1 and isinstance(args[0], SubGraphView) else SubGraphView(select_ops(*args, **kwargs))


sgv = make_view


def sgv_scope(scope: str, graph: Any) -> SubGraphView:
    return SubGraphView(get_name_scope_ops(graph.get_operations(), scope))


def _copy(operations: List[Any], replaced: Dict[int, Any], scope: str) -> Dict[int, Any]:
    """Copies of operations, in an order that fits, with some tensors replaced; id of the operation -> its copy."""
    graph = op_selector.get_unique_graph(operations) if operations else tf.get_default_graph()
    own = {id(op): op for op in operations}
    made: Dict[int, Any] = {}
    index = {id(op): at for at, op in enumerate(graph.get_operations())}

    def input_of(tensor: Any) -> Any:
        if id(tensor) in replaced:
            return replaced[id(tensor)]
        return made[id(tensor.op)].outputs[tensor.value_index] if id(tensor.op) in made else tensor

    with graph.as_default():
        for op in sorted(own.values(), key=lambda each: index[id(each)]):
            attributes = dict(op.node_def.attr)
            controls = [made.get(id(control), control) for control in op.control_inputs]
            with graph.control_dependencies(None), graph.control_dependencies(controls), graph.device(op.device):
                name = scope + "/" + op.name if scope else op.name
                copied = graph.create_op(
                    op.type, [input_of(tensor) for tensor in op.inputs], [tensor.dtype for tensor in op.outputs], name=name, attrs=attributes
                )
            if op._original_op is not None:
                copied._original_op = made.get(id(op._original_op), op._original_op)
            made[id(op)] = copied
    return made


class _Copied:
    """What was copied: `transformed` gives the copy of a tensor or an operation."""

    def __init__(self, made: Dict[int, Any]) -> None:
        self._made = made

    def transformed(self, original: Any, missing_fn: Any = None) -> Any:
        if isinstance(original, (list, tuple)):
            return [self.transformed(item, missing_fn) for item in original]
        if isinstance(original, tf.Tensor):
            copied = self._made.get(id(original.op))
            return copied.outputs[original.value_index] if copied is not None else (missing_fn(original) if missing_fn else None)
        return self._made.get(id(original)) or (missing_fn(original) if missing_fn else None)

    def __getattr__(self, name: str) -> Any:
        if name == "_transformed_ops":
            return self._made
        raise AttributeError(name)


def copy_with_input_replacements(
    sgv: Any, replacement_ts: Any, dst_graph: Any = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> Any:
    """Copy operations with some of their inputs replaced; returns the copy and what maps originals to copies.

    Raises:
        ValueError: Another graph is asked for.
    """
    view = make_view(sgv)
    if dst_graph is not None and len(view) and dst_graph is not view.graph:
        raise ValueError("copying into another graph is not supported: use tf.import_graph_def")
    made = _copy(view.ops, {id(old): new for old, new in replacement_ts.items()}, dst_scope)
    return SubGraphView(list(made.values())), _Copied(made)


def graph_replace(target_ts: Any, replacement_ts: Any, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False) -> Any:
    """The targets, computed from other tensors: what lies between is copied.

    Raises:
        ValueError: No target depends on what is to be replaced.
    """
    flat = tf.nest.flatten(target_ts)
    graph = op_selector.get_unique_graph(flat)
    sources = list(replacement_ts)
    between = get_walks_intersection_ops(sources, flat, control_outputs=ControlOutputs(graph))
    if not between:
        raise ValueError("Targets and replacements are not connected!")
    _, copied = copy_with_input_replacements(between, replacement_ts, dst_scope=dst_scope)
    given = {id(old): new for old, new in replacement_ts.items()}
    return tf.nest.map_structure(lambda tensor: given.get(id(tensor)) or copied.transformed(tensor, missing_fn=lambda original: original), target_ts)


#: `ge.select.X`, `ge.reroute.X`, `ge.util.X`: the modules that 1.15's names come from.
select = types.SimpleNamespace(
    **{name: globals()[name] for name in __all__ if name in globals() and name.startswith(("filter", "get_", "select", "compute"))},
    get_backward_walk_ops=op_selector.get_backward_walk_ops,
)
reroute = types.SimpleNamespace(add_control_inputs=add_control_inputs, remove_control_inputs=remove_control_inputs, reroute_ts=reroute_ts)
util = types.SimpleNamespace(ControlOutputs=ControlOutputs, make_list_of_op=make_list_of_op, make_list_of_t=make_list_of_t, get_tensors=get_tensors,
                             get_consuming_ops=get_consuming_ops, get_generating_ops=get_generating_ops,
                             concatenate_unique=op_selector.concatenate_unique)  # fmt: skip
