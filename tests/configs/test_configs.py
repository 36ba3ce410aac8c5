"""The ready profiles under configs/: each says what its name says."""

from __future__ import annotations

import json
from typing import Any, Dict

import jsonschema
import pytest
import yaml

from tests.programs import ROOT
from tf1compat_gpu import load_profile
from tf1compat_gpu.profiles.json_schema import schema_text

CONFIGS = ROOT / "configs"
EXPECTED: Dict[str, Dict[str, Any]] = {
    "default": {},
    "cpu-only": {"device_count": {"GPU": 0}},
    "cpu-only-by-environment": {},
    "four-cpu-devices": {"device_count": {"GPU": 0, "CPU": 4}},
    "single-threaded": {"intra_op_parallelism_threads": 1, "inter_op_parallelism_threads": 1},
    "one-gpu": {"gpu_options.visible_device_list": "1"},
    "three-gpus": {"gpu_options.visible_device_list": "2,0,1"},
    "growth": {"gpu_options.allow_growth": True},
    "fraction": {"gpu_options.per_process_gpu_memory_fraction": 0.9},
    "growth-and-fraction": {"gpu_options.allow_growth": True, "gpu_options.per_process_gpu_memory_fraction": 0.4},
    "soft-placement": {"allow_soft_placement": True},
    "log-placement": {"log_device_placement": True},
    "memory-limit-1gb": {"gpu_options.visible_device_list": "0", "gpu_options.experimental.virtual_devices": ({"memory_limit_mb": (1024.0, 1024.0)},)},
    "horovod": {"gpu_options.visible_device_list": "2", "gpu_options.allow_growth": True},
    "parameter-server": {"allow_soft_placement": True, "gpu_options.allow_growth": True, "device_filters": ("/job:ps", "/job:chief")},
    "reproducible": {"intra_op_parallelism_threads": 1, "inter_op_parallelism_threads": 1},
    "debug": {
        "log_device_placement": True,
        "graph_options.optimizer_options.opt_level": "L0",
        "graph_options.rewrite_options.disable_meta_optimizer": True,
    },
    "xla": {"graph_options.optimizer_options.global_jit_level": "ON_1"},
}


@pytest.fixture(autouse=True)
def local_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOROVOD_LOCAL_RANK", "2")


def test_every_config_is_tested() -> None:
    assert {path.stem for path in CONFIGS.glob("*.yaml")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_config(name: str) -> None:
    assert load_profile(CONFIGS / (name + ".yaml")).values() == EXPECTED[name]


def test_settings() -> None:
    assert dict(load_profile(CONFIGS / "cpu-only-by-environment.yaml").settings.environment) == {"CUDA_VISIBLE_DEVICES": "-1"}
    assert load_profile(CONFIGS / "reproducible.yaml").settings.numerics == "tf1"


def test_variants_of_the_parameter_server(monkeypatch: pytest.MonkeyPatch) -> None:
    path = CONFIGS / "parameter-server.yaml"
    monkeypatch.setenv("TF_CONFIG", json.dumps({"task": {"type": "ps", "index": 0}}))
    assert load_profile(path).get("device_count") == {"GPU": 0}
    assert load_profile(path).variants == ("ps", "chief", "worker", "evaluator")
    assert "device_count" not in load_profile(path, "worker")
    assert "device_filters" not in load_profile(path, "evaluator")
    assert load_profile(path, "chief")["log_device_placement"] is True


def test_schema_is_the_generated_one() -> None:
    assert (CONFIGS / "config_proto.schema.json").read_text() == schema_text()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_config_meets_the_schema(name: str) -> None:
    text = (CONFIGS / (name + ".yaml")).read_text()
    assert text.startswith("# yaml-language-server: $schema=config_proto.schema.json\n")
    jsonschema.validate(yaml.safe_load(text), json.loads(schema_text()))
