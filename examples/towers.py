"""One tower per device: the same computation on an input of its own each, summed on the first CPU.

Run `python examples/towers.py`: four towers on four CPU devices, on any machine. With another profile, as in
`python examples/towers.py configs/growth.yaml`, it is a tower for each GPU that the profile leaves visible.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Union

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main(profile: Union[str, pathlib.Path]) -> None:
    with make_session(profile, graph=tf.Graph()) as session:
        names = {kind: [device.name for device in session.list_devices() if device.device_type == kind] for kind in ("GPU", "CPU")}
        devices = names["GPU"] or names["CPU"]
        matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        towers = []
        for index, device in enumerate(devices):
            with tf.device(device), tf.name_scope("tower_%d" % index):
                towers.append(tf.matmul(matrix, matrix * float(index + 1)))
        with tf.device("/cpu:0"):
            total = tf.add_n(towers)
        print("towers: %d" % len(towers))
        print("total: %s" % session.run(total).tolist())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else CONFIGS / "four-cpu-devices.yaml")
