"""An operation on a device that isn't there: an InvalidArgumentError, as TensorFlow 1 had it.

Run `python examples/missing_device.py`: it prints TensorFlow's message, with the device that was asked for and those there are.

TF2's eager mode would put it elsewhere without a word; a session does only where the profile says so
(examples/soft_placement.py).
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    with tf.device("/gpu:7"):
        doubled = tf.constant([1.0, 2.0]) * 2.0
    with make_session(CONFIGS / "default.yaml") as session:
        try:
            session.run(doubled)
        except tf.errors.InvalidArgumentError as error:
            # TensorFlow 2 puts the place in the program around that line.
            message = next(line for line in error.message.splitlines() if "available devices" in line)
            print("%s: %s" % (type(error).__name__, message))


if __name__ == "__main__":
    main()
