"""E1: a parameter-server job under one profile ends where one process does; E2: jobs of mixed releases."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Dict

import pytest

from tests.clusters.job import MODEL, PROFILE, TURNS, Cluster, expected_loss, launch
from tests.interpreters import interpreter
from tests.programs import reports

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]
STEPS = 200
#: The queue runner of synchronous replicas waits for gradients that never come: hence the short period of grace.
#: The second worker waits until the first has made the variables: TensorFlow would look again after 30 seconds only.
_TRAIN = """
class Begin(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        report(devices=[device.name.replace("/replica:0", "") for device in session.list_devices() if "XLA" not in device.name])
        if chief and master:
            open(sys.argv[1], "w").close()
    def end(self, session):
        step, loss = session.run([model.step, final])
        report(step=int(step), loss=float(loss))
if not chief:
    open(sys.argv[1]).close()
with tf.train.MonitoredTrainingSession(
    master=master, is_chief=chief, config=config(), hooks=sync_hooks + [tf.train.StopAtStepHook(last_step=200), Begin()], log_step_count_steps=None, stop_grace_period_secs=1
) as session:
    while not session.should_stop():
        session.run(model.after)
"""
#: With the profile in the program, and make_server.
JOB = (
    MODEL
    + """
server = make_server()
task = server.server_def
report(served=sorted(field.name for field, value in task.default_session_config.ListFields()))
if task.job_name == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % task.task_index, cluster=task.cluster)):
    chief, master, sync_hooks = task.task_index == 0, server.target, []
    if "sync" in sys.argv:
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
        sync_hooks = [optimizer.make_session_run_hook(chief)]
        model = Model(optimizer)
    else:
        model = Model()
    final = loss_of(model.w)
config = lambda: make_config(target=server.target)
"""
    + _TRAIN
)
#: As it was written for TensorFlow 1: flags, no profile, no TF_CONFIG.
UNMODIFIED = (
    MODEL.replace("import tf1compat_gpu.tf1 as tf\nfrom tf1compat_gpu import make_config, make_server\n", "import tensorflow as tf\n")
    + """
_, fifo, job, number, ps, workers = sys.argv
cluster = tf.train.ClusterSpec({"ps": ps.split(","), "worker": workers.split(",")})
server = tf.train.Server(cluster, job_name=job, task_index=int(number))
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % int(number), cluster=cluster)):
    model = Model()
    final = loss_of(model.w)
chief, master, sync_hooks, config = number == "0", server.target, [], lambda: None
"""
    + _TRAIN
)
ALONE = (
    MODEL
    + """
model = Model()
final = loss_of(model.w)
chief, master, sync_hooks, config = True, "", [], lambda: make_config("job.yaml")
"""
    + _TRAIN
)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    os.mkfifo(str(tmp_path / "ready"))
    (tmp_path / "job.yaml").write_text(PROFILE)
    return tmp_path


def _check(found: Dict[str, Dict[str, Any]], alone: float) -> None:
    for number in (0, 1):
        worker = found["worker %d" % number]
        own = "/job:worker/task:%d/device:CPU" % number
        assert sorted(worker["devices"]) == ["/job:ps/task:0/device:CPU:0", own + ":0", own + ":1"]  # its variant, and default filters
        assert worker["step"] >= STEPS
        assert worker["loss"] == pytest.approx(alone, rel=1e-5)


@pytest.mark.parametrize("release", ["1.15", "2.21"])
@pytest.mark.parametrize("how", ["async", "sync"])
def test_a_job_ends_where_one_process_does(folder: pathlib.Path, release: str, how: str) -> None:
    python = interpreter(release)
    (folder / "program.py").write_text(JOB)
    done = launch(["--native", "--profile", "job.yaml", "--ps", "1", "--workers", "2", "program.py", "ready", how], folder, python)
    assert done.status == 0, done.err[-6000:]
    alone = reports(ALONE, python=python, cwd=str(folder))
    assert alone["step"] == STEPS and alone["loss"] == pytest.approx(expected_loss(STEPS), rel=1e-5)
    assert done.reports["ps 0"]["served"] == ["device_count", "intra_op_parallelism_threads"]
    assert done.reports["worker 0"]["served"] == ["device_count"]
    _check(done.reports, alone["loss"])


@pytest.mark.parametrize("release", ["1.15", "2.21"])
def test_a_program_as_it_was(folder: pathlib.Path, release: str) -> None:
    """Servers and sessions without a config take the profile's parts under the runner."""
    (folder / "program.py").write_text(UNMODIFIED)
    arguments = ["program.py", "ready", "{job_name}", "{task_index}", "{ps_hosts}", "{worker_hosts}"]
    done = launch(["--profile", "job.yaml", "--ps", "1", "--workers", "2"] + arguments, folder, interpreter(release))
    assert done.status == 0, done.err[-6000:]
    assert "warning[target]" not in done.err and "own-config" not in done.err
    _check(done.reports, expected_loss(STEPS))


def test_a_newer_server_serves_an_older_worker(tmp_path: pathlib.Path) -> None:
    with Cluster(tmp_path, TURNS, {"ps": 1, "worker": 1}) as cluster:
        cluster.start("ps", python=interpreter("2.21")).next()
        chief = cluster.start("worker", 0, interpreter("1.15"))
        assert chief.next() == {"start": 0}
        assert chief.tell("15")["loss"] == pytest.approx(expected_loss(15), rel=1e-4)
        assert chief.finish() == 0


def test_an_older_server_refuses_a_newer_worker(tmp_path: pathlib.Path) -> None:
    """A newer master leaves out attributes that have their defaults; an older worker wants them all. TensorFlow says so at once."""
    with Cluster(tmp_path, TURNS, {"ps": 1, "worker": 1}) as cluster:
        cluster.start("ps", python=interpreter("1.15")).next()
        chief = cluster.start("worker", 0, interpreter("2.21"))
        assert chief.finish() == 1
        assert "InvalidArgumentError" in chief.error_text() and "NodeDef missing attrs" in chief.error_text()
