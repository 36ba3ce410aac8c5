"""Jobs of several processes for tests: a small training program, started task by task or by `tf1compat launch`."""

from __future__ import annotations

import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from tests.programs import environment
from tf1compat_gpu.cli.ports import free_ports
from tf1compat_gpu.profiles.clusters import Task, from_hosts

_MARK = "@@report "
#: Least squares in one batch: each step is known, whoever takes it.
MODEL = '''
import json, os, sys
import numpy as np
import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_config, make_server

def report(**values):
    print("@@report " + json.dumps(values), flush=True)

def data():
    x = np.random.RandomState(1).randn(20, 3).astype(np.float32)
    return x, x.dot(np.float32([[1.0], [-2.0], [0.5]])) + 0.1 * np.random.RandomState(2).randn(20, 1).astype(np.float32)

def loss_of(w):
    x, y = data()
    return tf.reduce_mean(tf.square(tf.matmul(tf.constant(x), w) - tf.constant(y)))

class Model:
    """The variables, and a training step with what is true after it."""
    def __init__(self, optimizer=None):
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        self.optimizer = optimizer or tf.train.GradientDescentOptimizer(0.1)
        train = self.optimizer.minimize(loss_of(self.w), global_step=self.step)
        with tf.control_dependencies([train]):
            self.after = [tf.identity(self.step.read_value()), loss_of(self.w.read_value())]
'''
PROFILE = """\
profile:
  variants:
    ps: {device_count: {GPU: 0}, intra_op_parallelism_threads: 1}
    worker: {device_count: {CPU: 2}}
allow_soft_placement: true
operation_timeout_in_ms: 60000
"""
#: Takes as many steps as each line of its input says, and says where it is then.
TURNS = (
    MODEL
    + """
server = make_server("job.yaml")
task = server.server_def
if task.job_name == "ps":
    report(ready=True)
    server.join()
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % task.task_index, cluster=task.cluster)):
    model = Model()
chief = task.task_index == 0
keywords = dict(checkpoint_dir="checkpoints", save_checkpoint_steps=5, save_checkpoint_secs=None, save_summaries_steps=None) if chief else {}
with tf.train.MonitoredTrainingSession(
    master=server.target, is_chief=chief, config=make_config("job.yaml", target=server.target), hooks=[tf.train.StopAtStepHook(last_step=15)],
    save_summaries_secs=None, log_step_count_steps=None, **keywords
) as session:
    report(start=int(session.run(model.step)))
    for line in sys.stdin:
        for _ in range(int(line)):
            step, loss = session.run(model.after)
        report(step=int(step), loss=float(loss), stop=session.should_stop())
        if session.should_stop():
            break
"""
)


def expected_loss(steps: int) -> float:
    """The loss after so many steps of the model, without TensorFlow."""
    import numpy as np

    x = np.random.RandomState(1).randn(20, 3).astype(np.float32).astype(np.float64)
    y = x.dot([[1.0], [-2.0], [0.5]]) + 0.1 * np.random.RandomState(2).randn(20, 1)
    w = np.zeros([3, 1])
    for _ in range(steps):
        w -= 0.1 * 2 * x.T.dot(x.dot(w) - y) / 20
    return float(np.mean((x.dot(w) - y) ** 2))


class Cluster:
    """The tasks of a job, started one by one; whatever is left is killed at the end, and the ports must be free then."""

    def __init__(self, folder: pathlib.Path, program: str, jobs: Mapping[str, int]) -> None:
        self.folder = folder
        ports = iter(free_ports(sum(jobs.values())))
        self.hosts = {job: ["127.0.0.1:%d" % next(ports) for _ in range(count)] for job, count in jobs.items()}
        (folder / "program.py").write_text(program)
        (folder / "job.yaml").write_text(PROFILE)
        self.started: List[Process] = []

    def task(self, job: str, number: int) -> Task:
        return Task(from_hosts(self.hosts), job, number)

    def start(self, job: str, number: int = 0, python: str = sys.executable, env: Optional[Mapping[str, str]] = None) -> Process:
        variables = dict({"TF_CONFIG": self.task(job, number).as_tf_config()}, **(env or {}))
        process = Process([python, "program.py"], self.folder, variables)
        self.started.append(process)
        return process

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *problem: object) -> None:
        for process in self.started:
            process.end()
        assert all(free(address) for tasks in self.hosts.values() for address in tasks)


def free(address: str) -> bool:
    """Whether a server could listen there now."""
    host, _, port = address.rpartition(":")
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that have ended are no server
        try:
            one.bind((host, int(port)))
        except OSError:
            return False
    return True


class Process:
    """A process that reports, line by line, and is spoken to the same way."""

    def __init__(self, command: Sequence[str], folder: pathlib.Path, env: Mapping[str, str], limit: float = 120) -> None:
        self.errors = (folder / ("errors-%d" % len(list(folder.iterdir())))).open("w+")
        self.process = subprocess.Popen(
            list(command), cwd=str(folder), env=environment(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, bufsize=1
        )  # fmt: skip
        self.lines: List[str] = []
        self.timer = threading.Timer(limit, self.process.kill)  # a hang ends as a failure, not as a hang
        self.timer.start()

    def next(self) -> Dict[str, Any]:
        """Its next report."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if _MARK in line:
                found: Dict[str, Any] = json.loads(line.partition(_MARK)[2])
                return found
            self.lines.append(line)
        raise AssertionError("no report, status %r:\n%s" % (self.process.wait(), self.error_text()[-3000:]))

    def tell(self, text: str) -> Dict[str, Any]:
        """Its answer to a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.next()

    def finish(self) -> int:
        """Its status, after the end of its input."""
        self.process.communicate()
        self.timer.cancel()
        return self.process.returncode

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL

    def error_text(self) -> str:
        self.errors.seek(0)
        return self.errors.read()

    def end(self) -> None:
        self.timer.cancel()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                stream.close()


class Launched(NamedTuple):
    """How `tf1compat launch` ended, and what each task reported."""

    status: int
    reports: Dict[str, Dict[str, Any]]
    out: str
    err: str


def launch(
    arguments: Sequence[str],
    folder: pathlib.Path,
    python: str = sys.executable,
    env: Optional[Mapping[str, str]] = None,
    before: Optional[Callable[[], Any]] = None,
) -> Launched:
    """Run `tf1compat launch ARGUMENTS`; after 150 s it is asked to stop, as by Ctrl-C. `before` is called in its process."""
    command = [python, "-m", "tf1compat_gpu", "launch"] + list(arguments)
    process = subprocess.Popen(
        command, cwd=str(folder), env=environment(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before
    )
    timer = threading.Timer(150, process.send_signal, [signal.SIGINT])
    timer.start()
    out, err = process.communicate()
    timer.cancel()
    found: Dict[str, Dict[str, Any]] = {}
    for line in out.splitlines():
        prefix, mark, text = line.partition(_MARK)
        if mark:
            found.setdefault(prefix.strip(" []"), {}).update(json.loads(text))
    return Launched(process.returncode, found, out, err)
