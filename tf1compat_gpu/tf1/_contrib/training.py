"""tf.contrib.training: HParams and what belongs to it; the rest of the module is tf_slim's and tf.data's."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

__all__ = ["HParams", "parse_values", "rejection_sample", "GreedyLoadBalancingStrategy", "byte_size_load_fn", "RandomStrategy"]

# One `name=value`, `name[3]=value` or `name=[a,b]`, and the comma after it.
_PAIR = re.compile(r"\s*(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*(?:\[(?P<list>[^\]]*)\]|(?P<scalar>[^,\[]*))\s*(?:,|$)")


def _boolean(text: str) -> bool:
    if text in ("true", "True"):
        return True
    if text in ("false", "False"):
        return False
    return bool(int(text))


def _converter(name: str, kind: type, values: str) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        text = text.strip()
        try:
            return _boolean(text) if kind is bool else kind(text)
        except ValueError:
            raise ValueError("Could not parse hparam %r of type %r with value %r in %s" % (name, kind.__name__, text, values)) from None

    return convert


def parse_values(values: str, type_map: Mapping[str, type], ignore_unknown: bool = False) -> Dict[str, Any]:
    """Values from text such as "a=1,b=[1,2],c[0]=3".

    Args:
        values: Comma separated pairs.
        type_map: The type of each name's value, or of the elements where it is a list.
        ignore_unknown: Whether names that have no type are passed over.

    Returns:
        Name -> a scalar, a list, or {index: scalar}.

    Raises:
        ValueError: The text can't be read, or gives a value twice.
    """
    found: Dict[str, Any] = {}
    at = 0
    while at < len(values):
        match = _PAIR.match(values, at)
        if match is None or match.end() == at:
            raise ValueError("Malformed hyperparameter value: %s" % values[at:])
        at = match.end()
        name, index = match.group("name"), match.group("index")
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError("Unknown hyperparameter type for %s" % name)
        convert = _converter(name, type_map[name], values)
        again = ValueError("Multiple assignments to variable %r in %s" % (name, values))
        if match.group("list") is not None:
            if index is not None:
                raise ValueError("Assignment of a list to a list index in %s" % values)
            if name in found:
                raise again
            found[name] = [convert(part) for part in match.group("list").split(",") if part.strip()]
        elif index is not None:
            if not isinstance(found.setdefault(name, {}), dict) or int(index) in found[name]:
                raise again
            found[name][int(index)] = convert(match.group("scalar"))
        else:
            if name in found:
                raise again
            found[name] = convert(match.group("scalar"))
    return found


def _fitting(name: str, kind: type, value: Any) -> Any:
    """The value as the parameter's type, where nothing is lost by it.

    Raises:
        ValueError: It is of another kind: text for a number, a fraction for an integer, a number for a bool.
    """
    problem = ValueError("Could not cast hparam %r of type %r from value %r" % (name, kind, value))
    if kind is type(None) or value is None:
        return value
    if issubclass(kind, str) and not isinstance(value, str) or issubclass(kind, bool) != isinstance(value, bool):
        raise problem
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise problem
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise problem
    make: Any = kind
    return make(value)


class HParams:
    """A set of named hyperparameters, each an attribute whose type is fixed by its first value."""

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: Dict[str, Tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def is not None:
            raise ValueError("hparam_def, a HParamDef protocol buffer, left TensorFlow with tf.contrib: give the values as keywords")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a parameter.

        Raises:
            ValueError: The name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError("Hyperparameter name is reserved: %s" % name)
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError("Multi-valued hyperparameters cannot be empty: %s" % name)
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Give a parameter another value of its type.

        Raises:
            KeyError: There is no such parameter.
            ValueError: The value is of another type, or a list where it was none.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError("Must not pass a list for single-valued parameter: %s" % name)
            setattr(self, name, [_fitting(name, kind, item) for item in value])
        else:
            if is_list:
                raise ValueError("Must pass a list for multi-valued parameter: %s." % name)
            setattr(self, name, _fitting(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Remove a parameter; no harm where there is none."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Override parameters from text such as "a=1,b=[1,2]"; returns itself."""
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Override parameters; returns itself."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def set_model_structure(self, model_structure: Any) -> None:
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The values as JSON; functions are left out."""
        kept = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Override parameters from JSON; returns itself."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> Dict[str, Any]:
        """Name -> value."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter's value, or the default.

        Raises:
            ValueError: The default is not of the parameter's type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, is_list = self._hparam_types[key]
            if is_list != isinstance(default, list):
                raise ValueError("Default %r for parameter %r must%s be a list" % (default, key, "" if is_list else " not"))
            for item in default if is_list else [default]:
                _fitting(key, kind, item)
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join("%s=%s" % item for item in self.values().items())

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, sorted(self.values().items()))


def rejection_sample(tensors: Any, accept_prob_fn: Callable[..., Any], batch_size: int, queue_threads: int = 1, enqueue_many: bool = False,
                     prebatch_capacity: int = 16, prebatch_threads: int = 1, runtime_checks: bool = False, name: Optional[str] = None) -> Any:  # fmt: skip
    """A batch of those samples that a function of their values accepts, by queues, as tf.contrib.training did."""
    import tensorflow.compat.v1 as tf

    with tf.name_scope(name, "rejection_sample"):
        single = list(tensors)
        if enqueue_many:
            single = tf.train.batch(single, batch_size=1, num_threads=prebatch_threads, capacity=prebatch_capacity, enqueue_many=True)
            single = [tf.squeeze(tensor, [0]) for tensor in single]
        keep = tf.less(tf.random_uniform([]), accept_prob_fn(single))
        return tf.train.maybe_batch(single, keep, batch_size, num_threads=queue_threads)


def byte_size_load_fn(op: Any) -> int:
    """The size in bytes of what an operation gives: a load for GreedyLoadBalancingStrategy."""
    size = op.outputs[0].get_shape().with_rank_at_least(0).num_elements()
    if size is None:
        raise ValueError("Op %s has no fully defined shape" % op.name)
    return int(size) * int(op.outputs[0].dtype.size)


class GreedyLoadBalancingStrategy:
    """Puts each operation on the task with the least load; for tf.train.replica_device_setter."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._loads: List[float] = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Any) -> int:
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


class RandomStrategy:
    """Puts each operation on a random task, drawn from its own seed."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        import numpy

        self._tasks, self._random = num_ps_tasks, numpy.random.RandomState(seed)

    def __call__(self, op: Any) -> int:
        return int(self._random.choice(self._tasks))
