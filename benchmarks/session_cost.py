"""What make_session(path) costs on top of tf.compat.v1.Session(config=proto), as a ratio of medians of one run.

    python -m benchmarks.session_cost

Copies of the config are made for 32 sessions at a time, which a median does not see: the ratio of means, without the tenth
that took longest, is printed too.
"""

from __future__ import annotations

import pathlib
import statistics
import time
import warnings
from typing import Any, Callable, Dict, List

PROFILE = str(pathlib.Path(__file__).with_name("twenty_fields.yaml"))
#: The two take turns in blocks, as a program makes its sessions: one kind after the other.
BLOCKS, BLOCK = 30, 20
#: The most that it may cost on top.
BAR = 0.5


def _seconds(make: Callable[[], Any]) -> float:
    start = time.perf_counter()
    session = make()
    took = time.perf_counter() - start
    session.close()
    return took


def measure(blocks: int = BLOCKS) -> float:
    """The median cost of make_session over that of Session, minus 1."""
    import tensorflow.compat.v1 as tf

    from tf1compat_gpu import make_config, make_session

    tf.disable_v2_behavior()
    warnings.simplefilter("ignore")
    config = make_config(PROFILE)

    def ours() -> Any:
        return make_session(PROFILE)

    def theirs() -> Any:
        return tf.Session(config=config)

    # The profile's session first: it settles the process, so that no later one has anything to report.
    for make in (ours, theirs) * 5:
        _seconds(make)
    found: Dict[Callable[[], Any], List[float]] = {ours: [], theirs: []}
    for _ in range(blocks):
        for make, seconds in found.items():
            seconds += [_seconds(make) for _ in range(BLOCK)]
    ours_median, theirs_median = (statistics.median(seconds) for seconds in found.values())
    ours_mean, theirs_mean = (statistics.mean(sorted(seconds)[: len(seconds) * 9 // 10]) for seconds in found.values())
    print("make_session(path): %.0f us, Session(config=proto): %.0f us" % (ours_median * 1e6, theirs_median * 1e6))
    print("means: %.2f on top" % (ours_mean / theirs_mean - 1))
    return ours_median / theirs_median - 1


if __name__ == "__main__":
    print("on top: %.2f of a Session (bar: at most %.2f)" % (measure(), BAR))
