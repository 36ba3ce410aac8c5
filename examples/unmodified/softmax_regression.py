"""A TensorFlow 1 program as they were written in 2017, untouched: `tf1compat run` runs it under TensorFlow 2.

tf1compat run --profile configs/soft-placement.yaml examples/unmodified/softmax_regression.py --steps 200
"""

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 100, "How many steps to train.")
FLAGS = flags.FLAGS

hparams = tf.contrib.training.HParams(learning_rate=0.5, batch_size=32)
hparams.parse("batch_size=64")


def main(_):
    tf.set_random_seed(1)
    draw = np.random.RandomState(0)
    points = draw.normal(size=(512, 2)).astype(np.float32)
    classes = (points[:, 0] * points[:, 1] > 0).astype(np.int32)

    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    with tf.device("/gpu:0"):
        with tf.variable_scope("hidden"):
            w = tf.get_variable("w", [2, 16])
            hidden = tf.nn.relu(tf.matmul(x, w) + tf.get_variable("b", [16], initializer=tf.zeros_initializer()))
        logits = tf.matmul(hidden, tf.get_variable("out", [16, 2]))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    global_step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(hparams.learning_rate).minimize(loss, global_step=global_step)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.float32))

    with tf.train.MonitoredTrainingSession(save_checkpoint_secs=None) as session:
        for step in range(FLAGS.steps):
            rows = draw.randint(0, 512, hparams.batch_size)
            session.run(train, {x: points[rows], y: classes[rows]})
        print("TensorFlow %s, %d steps, accuracy %.2f" % (tf.__version__, FLAGS.steps, session.run(accuracy, {x: points, y: classes})))


if __name__ == "__main__":
    tf.app.run()
