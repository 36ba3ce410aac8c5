"""Four CPU devices on any machine: to try a multi-device program without a GPU.

Run `python examples/cpu_devices.py`: it prints the devices, then four squares, each worked out on a device of its own.
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    parts = []
    for index in range(4):
        with tf.device("/cpu:%d" % index):
            parts.append(tf.square(float(index), name="part_%d" % index))
    with make_session(CONFIGS / "four-cpu-devices.yaml") as session:
        for device in session.list_devices():
            if device.device_type == "CPU":
                print(device.name)
        print("squares: %s" % ", ".join("%g" % value for value in session.run(parts)))


if __name__ == "__main__":
    main()
