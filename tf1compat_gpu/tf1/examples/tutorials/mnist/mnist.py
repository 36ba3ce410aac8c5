"""tensorflow.examples.tutorials.mnist.mnist: the tutorial's two-layer network."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(inputs: Any, size_in: int, size_out: int) -> Any:
    weights = tf.Variable(tf.truncated_normal([size_in, size_out], stddev=1.0 / math.sqrt(float(size_in))), name="weights")
    biases = tf.Variable(tf.zeros([size_out]), name="biases")
    return tf.matmul(inputs, weights) + biases


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Logits for images."""
    with tf.name_scope("hidden1"):
        hidden1 = tf.nn.relu(_layer(images, IMAGE_PIXELS, hidden1_units))
    with tf.name_scope("hidden2"):
        hidden2 = tf.nn.relu(_layer(hidden1, hidden1_units, hidden2_units))
    with tf.name_scope("softmax_linear"):
        return _layer(hidden2, hidden2_units, NUM_CLASSES)


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross-entropy."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """A step of gradient descent, with the loss as a summary."""
    tf.summary.scalar("loss", loss)
    step = tf.Variable(0, name="global_step", trainable=False)
    return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many are right."""
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(predictions=logits, targets=labels, k=1), tf.int32))
