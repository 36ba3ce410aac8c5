"""Two ways to keep a program off the GPUs: none for the session, or none for the whole process.

Run `python examples/no_gpu.py`: the only devices it lists are CPUs, on a machine with GPUs too.
"""

from __future__ import annotations

import os
import pathlib

from tf1compat_gpu import install, make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    # The stronger way first: CUDA reads the variable once, before TensorFlow looks for cards.
    install(CONFIGS / "cpu-only-by-environment.yaml")
    import tf1compat_gpu.tf1 as tf

    print("CUDA_VISIBLE_DEVICES=%s" % os.environ["CUDA_VISIBLE_DEVICES"])
    with tf.Graph().as_default():
        product = tf.matmul([[1.0, 2.0]], [[3.0], [4.0]])
        # And the session's own way, which initialises CUDA but uses no card.
        with make_session(CONFIGS / "cpu-only.yaml") as session:
            print("devices: %s" % ", ".join(sorted({device.device_type for device in session.list_devices()} - {"XLA_CPU"})))
            print("product: %g" % session.run(product)[0][0])


if __name__ == "__main__":
    main()
