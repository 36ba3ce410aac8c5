"""tf.contrib.data: transformations that became arguments of Dataset's own methods; the rest is tf.data.experimental's."""

from __future__ import annotations

from typing import Any, Callable

import tensorflow.compat.v1 as tf

__all__ = ["batch_and_drop_remainder", "padded_batch_and_drop_remainder", "sliding_window_batch", "sloppy_interleave", "reduce_dataset", "assert_element_shape"]
_Transformation = Callable[[Any], Any]


def batch_and_drop_remainder(batch_size: Any) -> _Transformation:
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> _Transformation:
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sliding_window_batch(window_size: int, stride: Any = None, window_shift: Any = None, window_stride: int = 1) -> _Transformation:
    """Windows of elements as batches."""
    shift = window_shift if window_shift is not None else stride if stride is not None else 1

    def apply(dataset: Any) -> Any:
        windows = dataset.window(window_size, shift=shift, stride=window_stride, drop_remainder=True)
        return windows.flat_map(lambda *parts: tf.data.Dataset.zip(parts if len(parts) > 1 else parts[0]).batch(window_size))

    return apply


def sloppy_interleave(map_func: Any, cycle_length: int, block_length: int = 1) -> _Transformation:
    return tf.data.experimental.parallel_interleave(map_func, cycle_length, block_length, sloppy=True)  # type: ignore[no-any-return]


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """One element: what the reducer makes of all of them."""
    return reducer.finalize_func(dataset.reduce(reducer.init_func(tf.constant(0, tf.int64)), reducer.reduce_func))


def assert_element_shape(expected_shapes: Any) -> _Transformation:
    """A dataset whose elements are known to have these shapes."""

    def checked(*values: Any) -> Any:
        shapes = tf.nest.flatten(expected_shapes)
        flat = [tf.ensure_shape(value, shape) for value, shape in zip(tf.nest.flatten(values), shapes)]
        found = tf.nest.pack_sequence_as(values, flat)
        return found if len(found) > 1 else found[0]

    return lambda dataset: dataset.map(checked)
