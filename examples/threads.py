"""Threads belong to the process: the first session settles them, and a later one that wants others is told so.

Run `python examples/threads.py`: it prints the result, and the warning for the second session, which asks for 8.
"""

from __future__ import annotations

import pathlib
import warnings

import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import Tf1CompatWarning, make_session

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


def main() -> None:
    total = tf.reduce_sum(tf.range(10))
    with make_session(CONFIGS / "single-threaded.yaml") as session:
        print("one thread: %d" % session.run(total))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Tf1CompatWarning)
        make_session({"intra_op_parallelism_threads": 8}).close()
    for warning in caught:
        if issubclass(warning.category, Tf1CompatWarning):
            print("warning: %s" % warning.message)


if __name__ == "__main__":
    main()
