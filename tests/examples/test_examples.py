"""The examples: each prints what it should on the running TensorFlow, and the same on 1.15 and 2.21."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import Dict, List, Set, Tuple

import pytest

from tests.interpreters import interpreter
from tests.programs import ROOT, environment, reports

EXAMPLES = ROOT / "examples"
_CPU = "/job:localhost/replica:0/task:0/device:CPU:"
#: The lines that an example prints; the others have tests of their own.
PRINTED = {
    "default_session": ["total: 32"],
    "no_gpu": ["CUDA_VISIBLE_DEVICES=-1", "devices: CPU", "product: 11"],
    "cpu_devices": [_CPU + "0", _CPU + "1", _CPU + "2", _CPU + "3", "squares: 0, 1, 4, 9"],
    "soft_placement": ["doubled: 2, 4"],
    "towers": ["towers: 4", "total: [[70.0, 100.0], [150.0, 220.0]]"],
}
OTHERS = {"multi_tower_training", "threads", "manual_placement", "missing_device"}


def example(name: str, python: str = sys.executable) -> Tuple[List[str], str]:
    """The lines that an example prints to stdout, and its stderr."""
    done = subprocess.run(
        [python, str(EXAMPLES / (name + ".py"))],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines(), done.stderr


def placements(lines: List[str]) -> Set[Tuple[str, str]]:
    """(operation, device) of a placement log, whatever else a line says."""
    found = (re.search(r"([\w/]+): \(\w+\): ?(/job\S+)", line) for line in lines)
    return {(match.group(1), match.group(2)) for match in found if match}


def losses(lines: List[str]) -> List[float]:
    return [float(line.split("loss ")[1]) for line in lines if line.startswith("step")]


@pytest.mark.tensorflow
def test_an_unmodified_program_runs_under_a_profile() -> None:
    program = [
        sys.executable,
        "-m",
        "tf1compat_gpu",
        "run",
        "--profile",
        str(ROOT / "configs/soft-placement.yaml"),
        str(EXAMPLES / "unmodified/softmax_regression.py"),
    ]
    done = subprocess.run(program + ["--steps", "200"], env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    line = done.stdout.splitlines()[-1]
    assert line.startswith("TensorFlow 1.15.5, 200 steps, accuracy ") and float(line.split()[-1]) > 0.9


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTED) | OTHERS


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", sorted(PRINTED))
def test_example_prints(name: str) -> None:
    assert example(name)[0] == PRINTED[name]


@pytest.mark.tensorflow
def test_threads() -> None:
    lines, _ = example("threads")
    assert lines[0] == "one thread: 45"
    assert lines[1].startswith("warning: ") and "intra_op_parallelism_threads: 8 has no effect, this process has 1" in lines[2]
    assert "threads.py:" in lines[2]


def failure(lines: List[str]) -> List[str]:
    """The class, the device that was asked for, and the CPUs there are, of what missing_device prints."""
    found = re.match(r"(\w+): .*assigned to (\S+) but available devices are \[(.*)\]", lines[0])
    assert found, lines
    return [found.group(1), found.group(2)] + re.findall(r"/job:\S+/device:CPU:\d+", found.group(3))


@pytest.mark.tensorflow
def test_missing_device() -> None:
    assert failure(example("missing_device")[0]) == ["InvalidArgumentError", "/device:GPU:7", _CPU + "0"]


EXPECTED_PLACEMENTS = {("a", _CPU + "1"), ("b", _CPU + "1"), ("product", _CPU + "2"), ("answer", _CPU + "3")}


@pytest.mark.tensorflow
def test_manual_placement() -> None:
    lines, errors = example("manual_placement")
    assert "answer: 10" in lines
    assert placements(lines + errors.splitlines()) >= EXPECTED_PLACEMENTS


@pytest.mark.tensorflow
def test_training_learns() -> None:
    found = losses(example("multi_tower_training")[0])
    assert len(found) == 20
    assert found[0] == pytest.approx(1.3904469, rel=1e-4)
    assert found[-1] < 0.1


_ERROR = """
import re
import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_session
found = {}
for device in ("/gpu:7", "/cpu:3", "/job:worker/task:1/cpu:0"):
    with tf.Graph().as_default() as graph:
        with tf.device(device):
            doubled = tf.constant([1.0]) * 2.0
        try:
            make_session({}, graph=graph).run(doubled)
        except tf.errors.OpError as error:
            found[device] = [type(error).__name__, re.search(r"/(job|device):\\S*[0-9]", str(error)).group()]
report(found=found)
"""


@pytest.mark.interpreters
@pytest.mark.tensorflow
def test_the_same_on_1_15_and_2_21() -> None:
    """Losses to 1e-4 over 20 steps, placements by name and device, errors by class and device."""
    pythons = {release: interpreter(release) for release in ("1.15", "2.21")}
    trained = {release: losses(example("multi_tower_training", python)[0]) for release, python in pythons.items()}
    assert len(trained["1.15"]) == 20
    assert trained["2.21"] == pytest.approx(trained["1.15"], rel=1e-4)
    placed = {}
    for release, python in pythons.items():
        lines, errors = example("manual_placement", python)
        placed[release] = placements(lines + errors.splitlines())
    assert placed["1.15"] == placed["2.21"] >= EXPECTED_PLACEMENTS
    errors_by_release: Dict[str, Dict[str, List[str]]] = {release: reports(_ERROR, python=python)["found"] for release, python in pythons.items()}
    assert errors_by_release["1.15"] == errors_by_release["2.21"]
    assert len(errors_by_release["1.15"]) == 3
    assert failure(example("missing_device", pythons["1.15"])[0]) == failure(example("missing_device", pythons["2.21"])[0])
    for name, printed in PRINTED.items():
        assert example(name, pythons["1.15"])[0] == example(name, pythons["2.21"])[0] == printed


def test_examples_name_configs_that_are_there() -> None:
    for path in EXAMPLES.glob("*.py"):
        for name in re.findall(r'CONFIGS / "([^"]+)"', path.read_text()):
            assert (pathlib.Path(ROOT) / "configs" / name).exists(), (path, name)
