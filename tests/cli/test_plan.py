"""`tf1compat plan`."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from tests.cli.conftest import Tf1compat, run_tf1compat
from tests.interpreters import release_of
from tests.programs import run

TRAIN = """\
allow_growth: true
per_process_gpu_memory_fraction: 0.4
intra_op_parallelism_threads: 4
graph_options: {rewrite_options: {remapping: OFF, layout_optimizer: AGGRESSIVE}}
operation_timeout_in_ms: 9
profile: {variants: {quiet: {operation_timeout_in_ms: 0}}}
"""


@pytest.fixture(autouse=True)
def train(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train.yaml").write_text(TRAIN)


def test_text(tf1compat: Tf1compat) -> None:
    result = tf1compat("plan", "train.yaml")
    assert (result.status, result.err) == (0, "")
    lines = {line.split()[0]: line for line in result.out.splitlines() if line and not line.startswith(" ")}
    assert "train.yaml on TensorFlow 2.21" in result.out
    assert "carried      approximate" in lines["gpu_options.per_process_gpu_memory_fraction"]
    assert "set_intra_op_parallelism_threads(4)" in lines["intra_op_parallelism_threads"]
    assert "not done" in lines["operation_timeout_in_ms"]
    assert "set_soft_device_placement(False): off, as in a TF1 session" in lines["allow_soft_placement"]
    assert "Not the same in TF2:\n  operation_timeout_in_ms: No local counterpart." in result.out
    lost = result.out.partition("Lost in printed Python")[2]
    assert "layout_optimizer" in lost and "operation_timeout" not in lost


def test_status(tf1compat: Tf1compat) -> None:
    assert tf1compat("plan", "train.yaml", "--strict").status == 1
    assert tf1compat("plan", "train.yaml#quiet", "--strict").status == 0
    assert tf1compat("plan", "train.yaml#quiet", "--strict", "--format", "python").status == 1
    newer = tf1compat("plan", "train.yaml", "--set", "share_cluster_devices_in_session=true", "--tensorflow", "2.1")
    assert newer.status == 1 and "TensorFlow 2.1 has no share_cluster_devices_in_session" in newer.err
    for arguments in (["--tensorflow", "1.4"], ["--tensorflow", "2.4,2.5"], ["--tensorflow", "2.4", "--here"], ["--format", "yaml"]):
        result = tf1compat("plan", "train.yaml", *arguments)
        assert result.status == 2 and result.out == "" and "Traceback" not in result.err
    assert tf1compat("plan", "missing.yaml").status in (1, 2)


def test_json(tf1compat: Tf1compat) -> None:
    document = json.loads(tf1compat("plan", "train.yaml", "--tensorflow", "2.4", "--format", "json").out)
    assert (document["schema_version"], document["tensorflow"], document["gpus"]) == (1, "2.4", None)
    assert [gap["path"] for gap in document["configure"]["gaps"]] == ["operation_timeout_in_ms"]
    assert "graph_options.rewrite_options.layout_optimizer" in [gap["path"] for gap in document["printed"]["gaps"]]
    call = next(step for step in document["configure"]["steps"] if step["paths"] == ["graph_options.rewrite_options.remapping"])
    assert call["arguments"] == ["tf.config.optimizer.set_experimental_options", {"remapping": False}]


@pytest.mark.tensorflow
def test_printed_python_runs_alone(tf1compat: Tf1compat) -> None:
    release = release_of(sys.executable)
    printed = tf1compat("plan", "train.yaml#quiet", "--tensorflow", release, "--format", "python").out
    done = run(printed + "\nprint(tf.config.threading.get_intra_op_parallelism_threads(), tf.config.get_soft_device_placement())")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "False"]
    assert "tf1compat" not in printed


def test_names_of_the_release(tf1compat: Tf1compat) -> None:
    profile = ("plan", "train.yaml", "--set", "visible_device_list=0", "--format", "python")
    assert "tf.config.experimental.set_visible_devices(" in tf1compat(*profile, "--tensorflow", "1.15").out
    newest = tf1compat(*profile).out
    assert "tf.config.set_visible_devices(" in newest and "experimental.set_visible" not in newest and "experimental.list_physical" not in newest


def test_standard_input_and_several(tf1compat: Tf1compat) -> None:
    result = tf1compat("plan", "train.yaml", "-", stdin=b"intra_op_parallelism_threads: 7\n")
    assert "set_intra_op_parallelism_threads(7)" in result.out


def test_imports_no_tensorflow(tmp_path: pathlib.Path) -> None:
    for arguments in (("plan", "train.yaml"), ("explain", "allow_growth")):
        code = "import sys\nfrom tf1compat_gpu.__main__ import main\ntry:\n    main(%r)\nexcept SystemExit as end:\n    assert not end.code\nassert 'tensorflow' not in sys.modules"
        assert run(code % (arguments,), cwd=str(tmp_path)).returncode == 0


@pytest.mark.tensorflow
def test_here(tmp_path: pathlib.Path) -> None:
    result = run_tf1compat("plan", "train.yaml", "--here", cwd=tmp_path, env={"TF_FORCE_GPU_ALLOW_GROWTH": "false"})
    assert result.status == 0, result.err
    assert "train.yaml on TensorFlow %s, no GPU" % release_of(sys.executable) in result.out
    assert "there is no GPU here" in result.out
    assert "TF_FORCE_GPU_ALLOW_GROWTH=false overrides the profile's true" in result.err
