"""What `make_server(path)` costs the ten processes of a job, beside `tf.train.Server` with a config written out.

    python -m benchmarks.server_cost

Both programs import TensorFlow at their top, as one that builds a graph does. It has to be at the same depth of calls: CPython
3.11 keeps frames in chunks of 16 KiB, and an import that runs at the edge of one takes and gives back a chunk at every call. From
`def f(n): f(n - 1) if n else import tensorflow` the import had 60,000 page faults at n = 12 and 120,000 at n = 8, and cost a tenth
more, which says nothing of servers.

Whole processes: start of the interpreter, import of TensorFlow, server, end. Each one is followed by its counterpart, and the
figure is the median of the ten ratios; the bar is 1.05. The ratio of processor time is printed too: on a machine that does
something else it is the steadier of the two.
"""

from __future__ import annotations

import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from typing import List, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROFILE = str(pathlib.Path(__file__).with_name("twenty_fields.yaml"))
PROCESSES = 10
BAR = 1.05
_START = "import sys\nimport tensorflow.compat.v1 as tf\n"
_HOSTS = "hosts, number = sys.argv[1].split(','), int(sys.argv[2])\n"
OURS = _START + "from tf1compat_gpu import make_server\n" + _HOSTS + "make_server(%r, {'worker': hosts}, 'worker', number)\n" % PROFILE
#: The same server: what a program without profiles would have written.
PLAIN = (
    _START + _HOSTS + "config = tf.ConfigProto(device_count={'CPU': 2}, intra_op_parallelism_threads=2, inter_op_parallelism_threads=2)\n"
    "config.gpu_options.allow_growth = True\nconfig.gpu_options.per_process_gpu_memory_fraction = 0.9\n"
    "config.gpu_options.allocator_type = 'BFC'\nconfig.gpu_options.visible_device_list = '0'\nconfig.gpu_options.polling_active_delay_usecs = 10\n"
    "tf.train.Server(tf.train.ClusterSpec({'worker': hosts}), job_name='worker', task_index=number, config=config)\n"
)


def _ports() -> List[str]:
    held = [socket.socket() for _ in range(PROCESSES)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    found = ["127.0.0.1:%d" % one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return found


def seconds(program: pathlib.Path, number: int) -> Tuple[float, float]:
    """How long a process of the job takes, by the clock and in processor time."""
    env = dict(os.environ, PYTHONPATH=str(ROOT), TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    env.pop("TF_CONFIG", None)
    command = [sys.executable, str(program), ",".join(_ports()), str(number)]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> float:
    """The median of the ratios of ten processes, after one of each to warm up."""
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        ours_file, plain_file = pathlib.Path(folder, "ours.py"), pathlib.Path(folder, "plain.py")
        ours_file.write_text(OURS)
        plain_file.write_text(PLAIN)
        for number in range(-1, PROCESSES):
            order = (ours_file, plain_file) if number % 2 else (plain_file, ours_file)
            took = {file: seconds(file, max(number, 0)) for file in order}
            pairs.append((took[ours_file], took[plain_file]))
    ratios = [[ours[kind] / plain[kind] for ours, plain in pairs[1:]] for kind in (0, 1)]
    clock, processor = (float(statistics.median(column)) for column in ratios)
    print("make_server %.2f s, tf.train.Server %.2f s; processor time %.3f" % (*(statistics.median(p[i][0] for p in pairs[1:]) for i in (0, 1)), processor))
    return clock


if __name__ == "__main__":
    print("make_server costs %.3f of tf.train.Server, for the ten processes of a job (bar: at most %.2f)" % (measure(), BAR))
