"""tf.contrib.framework: the small functions that tf_slim did not take over."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = [
    "get_name_scope",
    "strip_name_scope",
    "prepend_name_scope",
    "get_placeholders",
    "assert_scalar_int",
    "reduce_sum_n",
    "with_shape",
    "with_same_shape",
    "assert_or_get_global_step",
    "zero_initializer",
]


def get_name_scope() -> str:
    """The name scope that is open, without its slash."""
    return tf.get_default_graph().get_name_scope()  # type: ignore[no-any-return]


def strip_name_scope(name: str, export_scope: str) -> str:
    from tensorflow.python.framework import ops

    return ops.strip_name_scope(name, export_scope)  # type: ignore[no-any-return]


def prepend_name_scope(name: str, import_scope: str) -> str:
    from tensorflow.python.framework import ops

    return ops.prepend_name_scope(name, import_scope)  # type: ignore[no-any-return]


def get_placeholders(graph: Any) -> Any:
    """The outputs of all placeholders of a graph."""
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def assert_scalar_int(tensor: Any, name: Optional[str] = None) -> Any:
    """The tensor, where it is a scalar of an integer type.

    Raises:
        ValueError: It isn't.
    """
    tensor = tf.convert_to_tensor(tensor, name=name)
    if not tensor.dtype.is_integer:
        raise ValueError("Expected integer type for %s, received type: %s." % (tensor.name, tensor.dtype))
    if tensor.get_shape().ndims:
        raise ValueError("Expected scalar shape for %s, saw shape: %s." % (tensor.name, tensor.get_shape()))
    return tensor


def reduce_sum_n(tensors: Any, name: Optional[str] = None) -> Any:
    """The sum over all elements of all tensors."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors):
        return tf.add_n([tf.reduce_sum(tensor) for tensor in tensors])


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """The tensor, with a check of its shape when it runs where it is not known before."""
    return tf.ensure_shape(tensor, tf.TensorShape(tf.get_static_value(expected_shape) if tf.is_tensor(expected_shape) else expected_shape))


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    return with_shape(expected_tensor.get_shape(), tensor)


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    if global_step_tensor is None:
        return tf.train.get_global_step(graph)
    tf.train.assert_global_step(global_step_tensor)
    return global_step_tensor


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """Fill a variable with zeros."""
    return tf.assign(ref, tf.zeros(ref.get_shape(), dtype=ref.dtype.base_dtype), use_locking=use_locking, name=name)
