"""One tower per device: the same computation on a part of the input each, summed on the first CPU.

python examples/towers.py
"""

from __future__ import annotations

import pathlib

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    with make_session(CONFIGS / "four-cpu-devices.yaml", graph=tf.Graph()) as session:
        gpus = [device.name for device in session.list_devices() if device.device_type == "GPU"]
        devices = gpus or [device.name for device in session.list_devices() if device.device_type == "CPU"]
        matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        towers = []
        for index, device in enumerate(devices):
            with tf.device(device), tf.name_scope("tower_%d" % index):
                towers.append(tf.matmul(matrix, matrix * float(index + 1)))
        with tf.device("/cpu:0"):
            total = tf.add_n(towers)
        print("%d towers" % len(towers))
        print("total: %s" % session.run(total).tolist())


if __name__ == "__main__":
    main()
