"""tf.contrib.seq2seq: the loss, and small functions; decoders and attention have no home under TensorFlow 2.16 and later."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow.compat.v1 as tf

__all__ = ["sequence_loss", "hardmax", "tile_batch", "safe_cumprod"]


def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True, sum_over_timesteps: bool = False,
    sum_over_batch: bool = False, softmax_loss_function: Optional[Callable[..., Any]] = None, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Weighted cross-entropy of a batch of sequences, averaged or summed over time, batch, both or neither.

    Args:
        logits: [batch, time, classes].
        targets: [batch, time], class ids.
        weights: [batch, time].
        average_across_timesteps: Whether to divide by the weights over time.
        average_across_batch: Whether to divide by the weights over the batch.
        sum_over_timesteps: Whether to divide by the count of weights over time that aren't 0.
        sum_over_batch: Whether to divide by the count of weights over the batch that aren't 0.
        softmax_loss_function: Takes labels and logits, instead of the sparse softmax.
        name: A name for the operations.

    Raises:
        ValueError: A shape does not fit, or averages and sums are mixed.
    """
    for value, rank, what in ((logits, 3, "Logits must be a [batch_size x sequence_length x logits] tensor"),
                              (targets, 2, "Targets must be a [batch_size x sequence_length] tensor"),
                              (weights, 2, "Weights must be a [batch_size x sequence_length] tensor")):  # fmt: skip
        if len(value.get_shape()) != rank:
            raise ValueError(what)
    if average_across_timesteps and sum_over_timesteps or average_across_batch and sum_over_batch:
        raise ValueError("an average and a sum over the same axis cannot be set to True at same time")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        shape = tf.shape(logits)
        flat_targets = tf.reshape(targets, [-1])
        flat_logits = tf.reshape(logits, [-1, shape[2]])
        function = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        loss = tf.reshape(function(labels=flat_targets, logits=flat_logits) * tf.reshape(weights, [-1]), shape[:2])
        averaged = average_across_timesteps or average_across_batch
        if average_across_timesteps and average_across_batch or not averaged and sum_over_timesteps and sum_over_batch:
            axes = [0, 1]
        elif averaged or sum_over_timesteps or sum_over_batch:
            # 1.15 reduces one axis here: an average goes before a sum, and the batch before time.
            axes = [0] if (average_across_batch if averaged else sum_over_batch) else [1]
        else:
            return loss
        total = tf.reduce_sum(weights, axes) if averaged else tf.cast(tf.math.count_nonzero(weights, axis=axes), loss.dtype)
        return tf.math.divide_no_nan(tf.reduce_sum(loss, axes), total)


def hardmax(logits: Any, name: Optional[str] = None) -> Any:
    """One-hot of the largest of each row."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = logits.get_shape()[-1] if logits.get_shape()[-1] is not None else tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def tile_batch(t: Any, multiplier: int, name: Optional[str] = None) -> Any:
    """Each entry of the batch `multiplier` times, one after the other, in every tensor of a structure."""

    def tiled(value: Any) -> Any:
        value = tf.convert_to_tensor(value, name="t")
        static = value.get_shape().as_list()
        repeated = tf.repeat(value, multiplier, axis=0)
        repeated.set_shape([None if static[0] is None else static[0] * multiplier] + static[1:])
        return repeated

    with tf.name_scope(name, "tile_batch", tf.nest.flatten(t) + [multiplier]):
        return tf.nest.map_structure(tiled, t)


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The cumulative product, by logarithms, of numbers in [0, 1]."""
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = 1.1754944e-38 if x.dtype == tf.float32 else 2.2250738585072014e-308
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))
