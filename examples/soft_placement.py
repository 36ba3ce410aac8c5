"""The same operation with soft placement: it runs on a device that is there.

Run `python examples/soft_placement.py`: it prints the result, where missing_device.py gets an error.
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    with tf.device("/gpu:7"):
        doubled = tf.constant([1.0, 2.0]) * 2.0
    with make_session(CONFIGS / "soft-placement.yaml") as session:
        print("doubled: %s" % ", ".join("%g" % value for value in session.run(doubled)))


if __name__ == "__main__":
    main()
