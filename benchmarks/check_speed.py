"""`tf1compat check` of one file against `python -c "import tensorflow"`, as a ratio of medians of one run.

python -m benchmarks.check_speed
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import time
from typing import List

PROFILE = pathlib.Path(__file__).with_name("twenty_fields.yaml")
ROUNDS = 7
#: How many times faster it must be, with TensorFlow 2.21.
BAR = 15


def _seconds(arguments: List[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def measure(rounds: int = ROUNDS) -> float:
    """The median time of the import over that of the check; the two take turns, after one of each to warm up."""
    check = ["-m", "tf1compat_gpu", "check", str(PROFILE)]
    load = ["-c", "import tensorflow"]
    pairs = [(_seconds(check), _seconds(load)) for _ in range(rounds + 1)][1:]
    ours, theirs = (statistics.median(column) for column in zip(*pairs))
    print("tf1compat check: %.3f s, import tensorflow: %.3f s" % (ours, theirs))
    return float(theirs / ours)


if __name__ == "__main__":
    print("%.1f times faster (bar: at least %d)" % (measure(), BAR))
