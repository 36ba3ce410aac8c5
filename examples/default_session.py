"""The smallest TensorFlow 1 program under a profile: TensorFlow's defaults.

Run `python examples/default_session.py`: it prints "total: 32" on every TensorFlow.
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    a = tf.constant([1.0, 2.0, 3.0], name="a")
    b = tf.constant([4.0, 5.0, 6.0], name="b")
    total = tf.reduce_sum(a * b, name="total")
    with make_session(CONFIGS / "default.yaml") as session:
        print("total: %g" % session.run(total))


if __name__ == "__main__":
    main()
