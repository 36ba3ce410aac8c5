"""E3: a worker that is killed and started again rejoins, and training ends where it would have."""

from __future__ import annotations

import pathlib
import re

import pytest

from tests.clusters.job import TURNS, Cluster, expected_loss
from tests.interpreters import interpreter

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]
JOBS = {"ps": 1, "worker": 2}


@pytest.mark.parametrize("release", ["1.15", "2.21"])
def test_a_worker_that_was_killed_rejoins(tmp_path: pathlib.Path, release: str) -> None:
    python = interpreter(release)
    with Cluster(tmp_path, TURNS, JOBS) as cluster:
        assert cluster.start("ps", python=python).next() == {"ready": True}
        chief = cluster.start("worker", 0, python)
        assert chief.next() == {"start": 0}
        assert chief.tell("5")["step"] == 5
        worker = cluster.start("worker", 1, python)
        assert worker.next() == {"start": 5}
        found = worker.tell("3")
        assert found["step"] == 8 and found["loss"] == pytest.approx(expected_loss(8), rel=1e-4)
        worker.kill()
        assert chief.tell("1")["step"] == 9  # the filters keep it from waiting for the lost one
        again = cluster.start("worker", 1, python)
        assert again.next() == {"start": 9}
        assert again.tell("2")["step"] == 11
        found = chief.tell("4")
        assert (found["step"], found["stop"]) == (15, True)
        assert found["loss"] == pytest.approx(expected_loss(15), rel=1e-4)
        assert (chief.finish(), again.finish()) == (0, 0)


@pytest.mark.parametrize("release", ["1.15", "2.21"])
def test_a_chief_that_was_killed_goes_on_from_its_checkpoint(tmp_path: pathlib.Path, release: str) -> None:
    python = interpreter(release)
    with Cluster(tmp_path, TURNS, JOBS) as cluster:
        cluster.start("ps", python=python).next()
        chief = cluster.start("worker", 0, python)
        assert chief.next() == {"start": 0}
        assert chief.tell("8")["step"] == 8
        chief.kill()
        saved = re.search(r'^model_checkpoint_path: ".*model.ckpt-(\d+)"', (tmp_path / "checkpoints" / "checkpoint").read_text(), re.M)
        assert saved is not None
        step = int(saved.group(1))
        assert 5 <= step < 8
        again = cluster.start("worker", 0, python)
        assert again.next() == {"start": step}
        found = again.tell(str(15 - step))
        assert (found["step"], found["stop"]) == (15, True)
        assert found["loss"] == pytest.approx(expected_loss(15), rel=1e-4)
        assert again.finish() == 0
