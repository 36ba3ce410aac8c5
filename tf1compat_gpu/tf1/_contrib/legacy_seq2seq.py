"""tf.contrib.legacy_seq2seq: losses and plain decoders over lists of tensors."""

from __future__ import annotations

import copy
from typing import Any, Callable, List, Optional, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["sequence_loss_by_example", "sequence_loss", "rnn_decoder", "basic_rnn_seq2seq", "tied_rnn_seq2seq"]


def sequence_loss_by_example(logits: List[Any], targets: List[Any], weights: List[Any], average_across_timesteps: bool = True,
                             softmax_loss_function: Optional[Callable[..., Any]] = None, name: Optional[str] = None) -> Any:  # fmt: skip
    """The weighted cross-entropy of each sequence of a batch.

    Raises:
        ValueError: The lists differ in length.
    """
    if not len(targets) == len(logits) == len(weights):
        raise ValueError("Lengths of logits, weights, and targets must be the same %d, %d, %d." % (len(logits), len(weights), len(targets)))
    with tf.name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        if softmax_loss_function is None:
            losses = [
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(target, [-1]), logits=logit) * weight
                for logit, target, weight in zip(logits, targets, weights)
            ]
        else:
            losses = [softmax_loss_function(labels=target, logits=logit) * weight for logit, target, weight in zip(logits, targets, weights)]
        total = tf.add_n(losses)
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(logits: List[Any], targets: List[Any], weights: List[Any], average_across_timesteps: bool = True, average_across_batch: bool = True,
                  softmax_loss_function: Optional[Callable[..., Any]] = None, name: Optional[str] = None) -> Any:  # fmt: skip
    """The weighted cross-entropy of a batch of sequences."""
    with tf.name_scope(name, "sequence_loss", logits + targets + weights):
        cost = tf.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function))
        return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def rnn_decoder(
    decoder_inputs: List[Any], initial_state: Any, cell: Any, loop_function: Optional[Callable[[Any, int], Any]] = None, scope: Any = None
) -> Tuple[List[Any], Any]:
    """Run a cell over the inputs, or over what loop_function makes of its last output."""
    with tf.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []  # type: Any, List[Any]
        for at, given in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with tf.variable_scope("loop_function", reuse=True):
                    given = loop_function(outputs[-1], at)
            if at > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs: List[Any], decoder_inputs: List[Any], cell: Any, dtype: Any = tf.float32, scope: Any = None) -> Tuple[List[Any], Any]:
    """An encoder, and a decoder of its own that starts from the encoder's last state."""
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: List[Any], decoder_inputs: List[Any], cell: Any, loop_function: Any = None, dtype: Any = tf.float32, scope: Any = None
) -> Tuple[List[Any], Any]:
    """An encoder and a decoder with the same weights."""
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        name = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=name)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=name)
