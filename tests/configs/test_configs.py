"""The ready profiles under configs/: each says what its name says."""

from __future__ import annotations

import json
from typing import Any, Dict, Tuple

import jsonschema
import pytest
import yaml

from tests.programs import ROOT
from tf1compat_gpu import ProfileError, Settings, load_profile
from tf1compat_gpu.profiles.json_schema import schema_text
from tf1compat_gpu.profiles.profile import FrozenMapping

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
    "memory-limit-1gb": {"gpu_options.visible_device_list": "0", "gpu_options.experimental.virtual_devices": ({"memory_limit_mb": (1024.0,)},)},
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
#: Of those that set something besides fields; gpu_per_process is used up: horovod's list of cards is made from it.
SETTINGS = {
    "cpu-only-by-environment": Settings(environment=FrozenMapping({"CUDA_VISIBLE_DEVICES": "-1"})),
    "parameter-server": Settings(description="a parameter-server cluster"),
    "reproducible": Settings(numerics="tf1"),
}


@pytest.fixture(autouse=True)
def local_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOROVOD_LOCAL_RANK", "2")


def test_every_config_is_tested() -> None:
    assert {path.stem for path in CONFIGS.glob("*.yaml")} == set(EXPECTED)


@pytest.mark.parametrize("release", [(1, 15), (2, 4), (2, 21)], ids=["1.15", "2.4", "2.21"])
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_config(name: str, release: Tuple[int, int]) -> None:
    """The values and nothing else, no warning, and every field is there on every release."""
    profile = load_profile(CONFIGS / (name + ".yaml"), release=release)
    assert profile.values() == EXPECTED[name]
    assert profile.settings == SETTINGS.get(name, Settings())
    assert {problem.severity for problem in profile.diagnostics} <= {"note"}


def test_horovod_needs_its_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOROVOD_LOCAL_RANK")
    with pytest.raises(ProfileError, match="HOROVOD_LOCAL_RANK"):
        load_profile(CONFIGS / "horovod.yaml")


def test_variants_of_the_parameter_server(monkeypatch: pytest.MonkeyPatch) -> None:
    path = CONFIGS / "parameter-server.yaml"
    monkeypatch.setenv("TF_CONFIG", json.dumps({"task": {"type": "ps", "index": 0}}))
    base = EXPECTED["parameter-server"]
    assert load_profile(path).variants == ("ps", "chief", "worker", "evaluator")
    assert load_profile(path).values() == dict(base, device_count={"GPU": 0})
    assert load_profile(path, "worker").values() == base
    assert load_profile(path, "chief").values() == dict(base, log_device_placement=True)
    assert load_profile(path, "evaluator").values() == {field: value for field, value in base.items() if field != "device_filters"}


def test_schema_is_the_generated_one() -> None:
    assert (CONFIGS / "config_proto.schema.json").read_text() == schema_text()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_config_meets_the_schema(name: str) -> None:
    text = (CONFIGS / (name + ".yaml")).read_text()
    first, comment = text.splitlines()[:2]
    assert first == "# yaml-language-server: $schema=config_proto.schema.json"
    assert comment.startswith("# ")
    jsonschema.validate(yaml.safe_load(text), json.loads(schema_text()))
