"""What `import tensorflow` and configure() cost together, as a ratio to the import alone: medians of one run.

python -m benchmarks.configure_cost
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
from typing import List, Tuple

PROFILE = pathlib.Path(__file__).with_name("twenty_fields.yaml")
#: Processes; in each, both are measured one after the other, so that what slows one slows the other.
RUNS = 9
#: The most that both may take, in imports.
BAR = 1.03
_PROGRAM = """
import time, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import tensorflow
imported = time.perf_counter()
from tf1compat_gpu import configure
configure(%r)
print("@@", imported - start, time.perf_counter() - imported)
"""


def _run() -> Tuple[float, float]:
    done = subprocess.run([sys.executable, "-c", _PROGRAM % str(PROFILE)], capture_output=True, text=True, check=True)
    line = [line for line in done.stdout.splitlines() if line.startswith("@@")][0]
    imported, configured = (float(part) for part in line.split()[1:])
    return imported, configured


def measure(runs: int = RUNS) -> float:
    """The median time of both over that of the import."""
    _run()  # the first one reads everything from disk
    pairs: List[Tuple[float, float]] = [_run() for _ in range(runs)]
    imported = statistics.median(pair[0] for pair in pairs)
    both = statistics.median(pair[0] + pair[1] for pair in pairs)
    print("import tensorflow: %.2f s, configure(): %.0f ms" % (imported, statistics.median(pair[1] for pair in pairs) * 1e3))
    return both / imported


if __name__ == "__main__":
    print("both: %.3f of the import (bar: at most %.2f)" % (measure(), BAR))
