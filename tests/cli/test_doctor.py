"""`tf1compat doctor`: distributions, cards, variables and launchers, on this machine and on pretended ones."""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any, Dict

import pytest

from tests.cli.conftest import Tf1compat, run_tf1compat
from tests.programs import ROOT
from tf1compat_gpu.cli.here import tensorflow_here
from tf1compat_gpu.cli.overriding import overriding
from tf1compat_gpu.runtime import distributions

NVML = """
class NVMLError(Exception): pass
class Memory: total, used = 16 << 30, 1 << 30
def nvmlInit(): pass
def nvmlShutdown(): pass
def nvmlDeviceGetCount(): return 2
def nvmlDeviceGetHandleByIndex(index): return index
def nvmlDeviceGetMemoryInfo(handle): return Memory
def nvmlDeviceGetUUID(handle): return b"GPU-%d" % handle
def nvmlDeviceGetName(handle): return "Card"
"""


def test_variables_and_launcher(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_LOCAL_RANK", "3")
    result = tf1compat("doctor", "--format", "json")
    document = json.loads(result.out)
    assert (result.status, document["schema_version"]) == (1, 1)
    assert document["python"] == "%d.%d.%d" % sys.version_info[:3]
    assert any("TF_FORCE_GPU_ALLOW_GROWTH=1" in problem["message"] for problem in document["problems"])
    assert {row["name"]: row["field"] for row in document["variables"]} == {
        "TF_FORCE_GPU_ALLOW_GROWTH": "gpu_options.allow_growth",
        "CUDA_VISIBLE_DEVICES": "gpu_options.visible_device_list",
    }
    assert document["launchers"] == [{"name": "Open MPI", "variables": {"OMPI_COMM_WORLD_LOCAL_RANK": "3"}}]
    text = tf1compat("doctor").out
    assert "CUDA_VISIBLE_DEVICES=0" in text and "OMPI_COMM_WORLD_LOCAL_RANK=3" in text and "write exactly true or false" in text


@pytest.mark.parametrize(
    "name, value, words, wrong",
    [
        ("TF_FORCE_GPU_ALLOW_GROWTH", "true", "allow_growth is true", False),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "false", "allow_growth is false", False),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "True", "must be exactly", True),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "", "must be exactly", True),
        ("TF_NUM_INTRAOP_THREADS", "4", "4 threads where intra_op", False),
        ("TF_NUM_INTEROP_THREADS", "-1", "-1 threads where inter_op", False),
        ("TF_NUM_INTEROP_THREADS", "two", "no number", True),
        ("CUDA_VISIBLE_DEVICES", "", "Hides every card", False),
        ("CUDA_VISIBLE_DEVICES", "-1", "Hides every card", False),
        ("CUDA_VISIBLE_DEVICES", "2,0", "At most 2 cards", False),
        ("CUDA_VISIBLE_DEVICES", "1,1", "twice", True),
        ("TF_XLA_FLAGS", "--tf_xla_auto_jit=2", "global_jit_level", False),
    ],
)
def test_what_a_value_does(name: str, value: str, words: str, wrong: bool) -> None:
    (row,), problems = overriding({name: value})
    assert words in row.effect and (row.name, row.value) == (name, value)
    assert bool(problems) == wrong


def test_variables_that_bear_on_nothing_are_left_out() -> None:
    assert overriding({"LD_LIBRARY_PATH": "/x", "PYTHONPATH": "/y", "HOME": "/z"}) == ([], [])


@pytest.mark.parametrize(
    "found, legacy, words",
    [
        ({"tensorflow": "2.21.0", "tf-keras": "2.21.0"}, True, None),
        ({"tensorflow": "2.16.1", "tensorflow-intel": "2.16.1"}, False, None),
        ({"tensorflow": "2.15.0"}, True, None),
        ({"tensorflow": "1.15.5"}, True, None),
        ({}, False, ("no TensorFlow", "pip install tensorflow-cpu")),
        ({"tensorflow": "2.21.0", "tensorflow-cpu": "2.20.0"}, False, ("tensorflow and tensorflow-cpu", "pip uninstall tensorflow tensorflow-cpu")),
        ({"tensorflow-gpu": "1.15.5", "tensorflow-cpu": "1.15.5"}, False, ("tensorflow-cpu and tensorflow-gpu", "pip uninstall")),
        ({"tensorflow-cpu": "2.21.0", "tf-keras": "2.20.1"}, False, ("tf_keras 2.20.1", 'pip install --no-deps "tf_keras==2.21.*"')),
        ({"tensorflow-cpu": "2.16.1"}, True, ("no tf_keras", 'pip install --no-deps "tf_keras==2.16.*"')),
        ({"tensorflow": "2.21.0", "pynvml": "11.5"}, False, ("nvidia-ml-py", "pip uninstall pynvml")),
    ],
)
def test_distributions_that_do_not_go_together(found: Dict[str, str], legacy: bool, words: Any) -> None:
    problems = distributions.problems(found, legacy)
    if words is None:
        assert problems == []
    else:
        ((message, help),) = problems
        assert words[0] in message and words[1] in help


def pretended(folder: pathlib.Path, name: str, version: str) -> None:
    info = folder / ("%s-%s.dist-info" % (name, version))
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version))


def test_two_distributions_and_cards_of_a_pretended_machine(tmp_path: pathlib.Path) -> None:
    pretended(tmp_path, "Tensorflow.CPU", "2.9.1")
    pretended(tmp_path, "tensorflow_rocm", "2.9.1.540")
    (tmp_path / "pynvml.py").write_text(NVML)
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = run_tf1compat("doctor", "--format", "json", env=path, cwd=tmp_path)
    document = json.loads(done.out)
    assert done.status == 1
    assert document["distributions"]["tensorflow-rocm"] == "2.9.1.540"
    assert document["distributions"]["tensorflow-cpu"] == "2.9.1", "the first on sys.path counts"
    assert any("tensorflow-rocm" in problem["message"] and "pip uninstall" in problem["help"] for problem in document["problems"])
    assert [(gpu["index"], gpu["uuid"], gpu["name"], gpu["total_bytes"]) for gpu in document["gpus"]] == [
        (0, "GPU-0", "Card", 16 << 30),
        (1, "GPU-1", "Card", 16 << 30),
    ]
    text = run_tf1compat("doctor", env=path, cwd=tmp_path).out
    assert "1024 of 16384 MiB used" in text and "GPU-1" in text and "Problem: " in text


def test_tensorflow_that_cannot_be_imported(tmp_path: pathlib.Path) -> None:
    broken = tmp_path / "python"
    for script, words in (("echo 'ImportError: no libx' >&2; exit 1", "ImportError: no libx"), ("kill -ILL $$", "SIGILL"), ("exit 3", "exit status 3")):
        broken.write_text("#!/bin/sh\n%s\n" % script)
        broken.chmod(0o755)
        found, problem = tensorflow_here(str(broken))
        assert words in found["error"]
        assert problem is not None and words in problem.message


@pytest.mark.tensorflow
def test_here_imports_tensorflow(tf1compat: Tf1compat) -> None:
    result = tf1compat("doctor", "--here", "--format", "json")
    document = json.loads(result.out)
    assert any(name.endswith("CPU:0") for name in document["tensorflow"]["devices"])
    version = document["tensorflow"]["version"].split(".")[:2]
    assert any(document["distributions"].get(name, "").split(".")[:2] == version for name in distributions.TENSORFLOW)
    assert "tensorflow" not in json.loads(tf1compat("doctor", "--format", "json").out)
