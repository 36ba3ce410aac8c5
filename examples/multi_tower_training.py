"""A small convolutional network trained on several devices at once, in the manner of TensorFlow 1's CIFAR-10 tutorial.

Run `python examples/multi_tower_training.py`: it prints 20 losses that fall from 1.39 to below 0.1.

The variables live on the first CPU; each tower computes the loss and the gradients of its part of the batch on a
device of its own; the gradients are averaged and applied. The images are made up, and every random operation has its
own seed, so that TensorFlow 1.15 and 2.21 print the same losses.
"""

from __future__ import annotations

import pathlib
from typing import Any, List, Tuple

from tf1compat_gpu import install, load_profile, make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
PROFILE = load_profile([CONFIGS / "four-cpu-devices.yaml", CONFIGS / "reproducible.yaml"])
# `numerics: tf1` in reproducible.yaml sets a variable that TensorFlow reads when it is imported.
install(PROFILE)

import tf1compat_gpu.tf1 as tf  # noqa: E402

TOWERS = 4
BATCH = 8
STEPS = 20
CLASSES = 4


def variable(name: str, shape: List[int], deviation: float, seed: int) -> Any:
    """A variable on the first CPU, shared by the towers."""
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=deviation, seed=seed))


def images_and_labels(tower: int) -> Tuple[Any, Any]:
    """A tower's part of the batch: noise, brighter in the quarter that its label names."""
    images = tf.random_uniform([BATCH, 16, 16, 3], seed=100 + tower)
    labels = tf.random_uniform([BATCH], maxval=CLASSES, dtype=tf.int32, seed=200 + tower)
    rows = tf.reshape(tf.cast(tf.equal(tf.range(16)[tf.newaxis] // 4, labels[:, tf.newaxis]), tf.float32), [BATCH, 16, 1, 1])
    return images + 2.0 * rows, labels


def inference(images: Any) -> Any:
    """Convolution, pooling and two dense layers; returns the logits."""
    with tf.variable_scope("conv"):
        hidden = tf.nn.conv2d(images, variable("weights", [5, 5, 3, 8], 5e-2, 1), [1, 1, 1, 1], padding="SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, variable("biases", [8], 1e-2, 2)))
    hidden = tf.nn.max_pool(hidden, [1, 4, 4, 1], [1, 4, 4, 1], padding="SAME")
    with tf.variable_scope("dense"):
        hidden = tf.reshape(hidden, [BATCH, 4 * 4 * 8])
        hidden = tf.nn.relu(tf.matmul(hidden, variable("weights", [4 * 4 * 8, 16], 4e-2, 3)) + variable("biases", [16], 1e-2, 4))
    with tf.variable_scope("softmax"):
        return tf.matmul(hidden, variable("weights", [16, CLASSES], 1 / 16.0, 5)) + variable("biases", [CLASSES], 1e-2, 6)


def tower_loss(tower: int) -> Any:
    images, labels = images_and_labels(tower)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=inference(images))
    return tf.reduce_mean(losses, name="loss")


def average_gradients(tower_gradients: List[List[Tuple[Any, Any]]]) -> List[Tuple[Any, Any]]:
    """For each variable the mean of the towers' gradients."""
    averaged = []
    for pairs in zip(*tower_gradients):
        gradient = tf.reduce_mean(tf.stack([gradient for gradient, _ in pairs]), axis=0)
        averaged.append((gradient, pairs[0][1]))
    return averaged


def main() -> None:
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        tower_gradients, losses = [], []
        for tower in range(TOWERS):
            with tf.variable_scope(tf.get_variable_scope(), reuse=tower > 0), tf.device("/cpu:%d" % tower), tf.name_scope("tower_%d" % tower):
                loss = tower_loss(tower)
                losses.append(loss)
                tower_gradients.append(optimizer.compute_gradients(loss))
        train = optimizer.apply_gradients(average_gradients(tower_gradients))
        mean_loss = tf.add_n(losses) / TOWERS
        with make_session(PROFILE) as session:
            session.run(tf.global_variables_initializer())
            for step in range(STEPS):
                _, loss = session.run([train, mean_loss])
                print("step %2d, loss %.7f" % (step, loss))


if __name__ == "__main__":
    main()
