"""Operations put on devices by hand, and TensorFlow's log of where each of them went.

Run `python examples/manual_placement.py`: each operation has a line on stdout, and one in TensorFlow's log on stderr, as
"product: (MatMul): /job:localhost/replica:0/task:0/device:CPU:2".
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import load_profile, make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    with tf.device("/cpu:1"):
        a = tf.placeholder(tf.float32, [2, 2], name="a")
        b = tf.placeholder(tf.float32, [2, 2], name="b")
    with tf.device("/cpu:2"):
        product = tf.matmul(a, b, name="product")
    with tf.device("/cpu:3"):
        answer = tf.reduce_sum(product, name="answer")
    # Of several profiles, later ones win.
    profile = load_profile([CONFIGS / "four-cpu-devices.yaml", CONFIGS / "log-placement.yaml"])
    with make_session(profile) as session:
        print("answer: %g" % session.run(answer, {a: [[1.0, 2.0], [3.0, 4.0]], b: [[1.0, 0.0], [0.0, 1.0]]}))


if __name__ == "__main__":
    main()
