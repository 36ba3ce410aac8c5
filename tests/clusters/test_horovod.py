"""E5: a Horovod program under the runner, with one profile whose `gpu_per_process: local_rank` gives each process its card.

Horovod itself is used where it is installed (0.28.1 can be built for 1.15.5, not for 2.21). Elsewhere a module of the tests
stands in for `horovod.tensorflow` alone: it knows its ranks and exchanges nothing. TensorFlow is the real one.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any, Dict, List

import pytest

from tests.clusters.job import Process
from tests.clusters.test_launchers import ENVIRONMENTS
from tests.interpreters import interpreter
from tests.programs import environment, run
from tf1compat_gpu.profiles import launchers

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]
PROFILE = "profile: {gpu_per_process: local_rank}\ngpu_options: {allow_growth: true}\nallow_soft_placement: true\n"
STAND_IN = '''
"""Stands in for horovod.tensorflow in tests: a process that knows its ranks, and is alone with its gradients."""
import os
import tensorflow as tf

def _rank(*names):
    return int(next(os.environ[name] for name in names if name in os.environ))

init = lambda: None
rank = lambda: _rank("HOROVOD_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
local_rank = lambda: _rank("HOROVOD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
size = lambda: _rank("HOROVOD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
DistributedOptimizer = lambda optimizer: optimizer
BroadcastGlobalVariablesHook = lambda root: tf.train.SessionRunHook()
'''
#: As such programs are written: a session of a hook's without a config, and one with the config of Horovod's own examples.
TRAIN = """
import json
import numpy as np
import tensorflow as tf
import horovod.tensorflow as hvd

class Config(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        found["config"] = text(session._config)

def text(config):
    return sorted(str(config).split("\\n"))

hvd.init()
found = {"rank": hvd.rank(), "local_rank": hvd.local_rank(), "size": hvd.size(), "version": tf.__version__}
x = tf.constant(np.random.RandomState(hvd.rank()).randn(8, 2).astype(np.float32))
w = tf.get_variable("w", [2, 1], initializer=tf.random_normal_initializer(seed=hvd.rank()))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
optimizer = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.01 * hvd.size()))
train = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
with tf.train.MonitoredTrainingSession(hooks=[hvd.BroadcastGlobalVariablesHook(0), tf.train.StopAtStepHook(last_step=3), Config()]) as session:
    while not session.should_stop():
        found["w"] = session.run([train, w])[1].ravel().tolist()

own = tf.ConfigProto(allow_soft_placement=True)
own.gpu_options.allow_growth = True
own.gpu_options.visible_device_list = str(hvd.local_rank())
with tf.Session(config=own) as session:
    found["own"] = text(session._config)
print("@@report " + json.dumps(found), flush=True)
"""


def _text(card: str) -> List[str]:
    return sorted(["gpu_options {", "  allow_growth: true", '  visible_device_list: "%s"' % card, "}", "allow_soft_placement: true", ""])


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "p.yaml").write_text(PROFILE)
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def _ranked(name: str, world: int, local: int) -> Dict[str, str]:
    """A launcher's variables for another process of its job."""
    row = next(row for row in launchers.LAUNCHERS if row.name == name)
    return dict(ENVIRONMENTS[name], **{row.world: str(world), row.local: str(local)})


@pytest.mark.parametrize("release", ["1.15", "2.21"])
@pytest.mark.parametrize("name", ["Horovod", "Open MPI", "MPICH or Intel MPI (Hydra)"])
def test_each_process_gets_its_card(folder: pathlib.Path, name: str, release: str) -> None:
    """Of eight processes on two hosts: the first of the first one, and two of the second; one more sees one card alone."""
    (folder / "horovod").mkdir()
    (folder / "horovod" / "__init__.py").write_text("")
    (folder / "horovod" / "tensorflow.py").write_text(STAND_IN)
    python = interpreter(release)
    command = [python, "-m", "tf1compat_gpu", "run", "--profile", "p.yaml", "train.py"]
    wanted = [(0, 0, "0", {}), (5, 1, "1", {}), (7, 3, "3", {}), (6, 2, "0", {"CUDA_VISIBLE_DEVICES": "2"})]
    started = [Process(command, folder, dict(_ranked(name, world, local), **more)) for world, local, _, more in wanted]
    try:
        for process, (world, local, card, more) in zip(started, wanted):
            found = process.next()
            assert process.finish() == 0, process.error_text()
            assert (found["rank"], found["local_rank"], found["size"], found["version"]) == (world, local, 8, "1.15.5")
            assert found["config"] == _text(card)
            assert found["own"] == _text(str(local))  # the program's own choice stays its own
            # It is the profile's choice too, and so there is nothing to say; but for the one that sees its card alone.
            assert ("own-config" in process.error_text()) == bool(more), process.error_text()
    finally:
        for process in started:
            process.end()


def test_horovod_itself(folder: pathlib.Path) -> None:
    """horovodrun starts two processes under the runner: different cards, and the same weights after each step."""
    python = interpreter("1.15")
    if run("import horovod.tensorflow", python=python).returncode:
        pytest.skip("no Horovod for TensorFlow 1.15: HOROVOD_WITH_GLOO=1 HOROVOD_WITH_TENSORFLOW=1 pip install --no-build-isolation horovod==0.28.1")
    program = [python, "-m", "tf1compat_gpu", "run", "--profile", "p.yaml", "train.py"]
    command = [python, "-m", "horovod.runner.launch", "--gloo", "-np", "2", "-H", "localhost:2"] + program
    done = subprocess.run(command, cwd=str(folder), env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    found: List[Dict[str, Any]] = [json.loads(line.partition("@@report ")[2]) for line in done.stdout.splitlines() if "@@report " in line]
    first, second = sorted(found, key=lambda one: int(one["rank"]))
    assert (first["config"], second["config"]) == (_text("0"), _text("1"))
    assert (first["own"], second["own"]) == (_text("0"), _text("1"))
    assert first["w"] == second["w"] and first["size"] == 2
