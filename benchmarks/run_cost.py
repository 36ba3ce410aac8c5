"""What `tf1compat run program` costs beside the same program with `import tensorflow.compat.v1 as tf` written into it.

    python -m benchmarks.run_cost

Whole processes, in pairs, for a program of one file and for one of 200 modules, bytecode warm on both sides. The figure is
the median of the pairs' ratios; the bar is 1.05.
"""

from __future__ import annotations

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Dict, List

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAIRS = 5
BAR = 1.05
_BODY = """
x = tf.placeholder(tf.float32, [None, 4])
y = tf.matmul(x, tf.get_variable("w", [4, 4]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(y, {x: [[1.0, 2.0, 3.0, 4.0]]}).shape)
"""
_OLD, _NEW = "import tensorflow as tf\n", "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"


def write(folder: pathlib.Path, modules: int, line: str) -> None:
    folder.mkdir()
    names = ["m%03d" % number for number in range(modules)]
    for name in names:
        (folder / (name + ".py")).write_text(line.partition("\n")[0] + "\nimport os, sys, json\n\ndef build(x):\n    return tf.identity(x)\n")
    imports = "".join("import %s\n" % name for name in names)
    (folder / "program.py").write_text(line + imports + _BODY)


def seconds(command: List[str], folder: pathlib.Path) -> float:
    env = dict(os.environ, PYTHONPATH=str(ROOT), TF_CPP_MIN_LOG_LEVEL="3")
    started = time.perf_counter()
    subprocess.run(command, cwd=str(folder), env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def measure() -> Dict[int, float]:
    """Modules of the program -> the median of the ratios."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        (base / "profile.yaml").write_text("allow_soft_placement: true\n")
        for modules in (0, 200):
            old, new = base / ("old%d" % modules), base / ("new%d" % modules)
            write(old, modules, _OLD)
            write(new, modules, _NEW)
            run = [sys.executable, "-m", "tf1compat_gpu", "run", "--profile", str(base / "profile.yaml"), "program.py"]
            plain = [sys.executable, "program.py"]
            for command, folder in ((run, old), (plain, new)):  # bytecode
                seconds(command, folder)
            ratios = [seconds(run, old) / seconds(plain, new) for _ in range(PAIRS)]
            found[modules + 1] = statistics.median(ratios)
    return found


if __name__ == "__main__":
    for modules, ratio in measure().items():
        print("tf1compat run costs %.3f of the program itself, %d modules (bar: at most %.2f)" % (ratio, modules, BAR))
