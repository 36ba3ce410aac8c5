"""How values are read, and how profiles are composed."""

from __future__ import annotations

import json
import pathlib
import pickle
from typing import Any, Dict

import pytest

from tf1compat_gpu import ProfileError, load_profile
from tf1compat_gpu.profiles.profile import FrozenMapping
from tf1compat_gpu.profiles.reader import Text

REWRITE = "graph_options.rewrite_options."


def values(text: str, environ: Dict[str, str] = {}, **keywords: Any) -> Dict[str, Any]:  # noqa: B006
    return load_profile(Text("p.yaml", text.encode()), environ=environ, **keywords).values()


@pytest.mark.parametrize(
    "text, path, value",
    [
        ("visible_device_list: 0", "gpu_options.visible_device_list", "0"),  # R61
        ("visible_device_list: [1, 0]", "gpu_options.visible_device_list", "1,0"),
        ('visible_device_list: ""', "gpu_options.visible_device_list", ""),  # R57
        ("per_process_gpu_memory_fraction: 5e-1", "gpu_options.per_process_gpu_memory_fraction", 0.5),  # R91
        ("per_process_gpu_memory_fraction: 1.0e-1", "gpu_options.per_process_gpu_memory_fraction", 0.1),
        ("per_process_gpu_memory_fraction: '0.5'", "gpu_options.per_process_gpu_memory_fraction", 0.5),
        ("graph_options: {rewrite_options: {remapping: OFF}}", REWRITE + "remapping", "OFF"),  # R92
        ("graph_options: {rewrite_options: {auto_mixed_precision: ON}}", REWRITE + "auto_mixed_precision", "ON"),
        ("graph_options: {optimizer_options: {global_jit_level: OFF}}", "graph_options.optimizer_options.global_jit_level", "OFF"),
        ("allow_growth: no", "gpu_options.allow_growth", False),
        ("allow_growth: On", "gpu_options.allow_growth", True),
        ("device_count: {CPU: 4}", "device_count", {"CPU": 4}),  # R62
        ('device_filters: ["/job:ps"]', "device_filters", ("/job:ps",)),
        ("cluster_def: {job: [{name: ps, tasks: {0: 'a:1'}}]}", "cluster_def.job", ({"name": "ps", "tasks": {0: "a:1"}},)),
        ("inter_op_parallelism_threads: -1", "inter_op_parallelism_threads", -1),
    ],
)
def test_values_are_read_by_the_fields_type(text: str, path: str, value: Any) -> None:
    assert values(text + "\n")[path] == value


def test_null_is_unset_and_flat_keys_are_the_shorthand() -> None:
    """R100."""
    assert values("allow_growth: true\nlog_device_placement: null\nallow_soft_placement: ~\n") == {"gpu_options.allow_growth": True}


@pytest.mark.parametrize(
    "text, environ, value",
    [
        ("visible_device_list: ${LOCAL_RANK}", {"LOCAL_RANK": "1"}, "1"),  # R96
        ("visible_device_list: ${A:-${B:-2}}", {}, "2"),
        ("visible_device_list: ${A:-${B:-2}}", {"B": "3"}, "3"),
        ("visible_device_list: ${A:-2}", {"A": ""}, "2"),
        ("visible_device_list: ${rank.local}", {"OMPI_COMM_WORLD_LOCAL_RANK": "4"}, "4"),
        ("visible_device_list: ${rank.local:-0}", {}, "0"),
        ("visible_device_list: '0,${N}'", {"N": "1"}, "0,1"),
        ("per_process_gpu_memory_fraction: ${FRAC}", {"FRAC": "5e-1"}, 0.5),
        ("allow_growth: ${GROW}", {"GROW": "no"}, False),
        ("experimental: {executor_type: a$$b}", {}, "a$b"),
    ],
)
def test_interpolation(text: str, environ: Dict[str, str], value: Any) -> None:
    assert list(values(text + "\n", environ).values()) == [value]


@pytest.mark.parametrize(
    "text, words", [("${A:?the card}", "A is not set: the card"), ("${A}", "A is not set"), ("${rank.local}", "no launcher"), ("$A", "${A}")]
)
def test_interpolation_errors(text: str, words: str) -> None:
    with pytest.raises(ProfileError, match="interpolation") as caught:
        values("visible_device_list: %s\n" % text)
    assert words in str(caught.value)


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "base.yaml").write_text("allow_growth: true\ndevice_count: {CPU: 1, GPU: 2}\ndevice_filters: [a, b]\nintra_op_parallelism_threads: 4\n")
    (tmp_path / "train.yaml").write_text(
        "profile:\n  extends: [base.yaml, 'hosts/${HOST:-none}.yaml?']\n  variants:\n    ps: {device_count: {GPU: 0}}\n"
        "gpu_options: {allow_growth: false}\ndevice_count: {GPU: 1}\ndevice_filters: [c]\nintra_op_parallelism_threads: null\n"
    )
    return tmp_path


def test_extends(tree: pathlib.Path) -> None:
    assert load_profile(tree / "train.yaml", environ={}).values() == {
        "device_count": {"CPU": 1, "GPU": 1},
        "device_filters": ("c",),
        "gpu_options.allow_growth": False,
    }
    (tree / "hosts").mkdir()
    (tree / "hosts" / "big.yaml").write_text("inter_op_parallelism_threads: 9\n")
    assert load_profile(tree / "train.yaml", environ={"HOST": "big"})["inter_op_parallelism_threads"] == 9


def test_variants(tree: pathlib.Path) -> None:
    by_name = load_profile(str(tree / "train.yaml") + "#ps", environ={})
    by_argument = load_profile(tree / "train.yaml", "ps", environ={})
    by_task = load_profile(tree / "train.yaml", environ={"TF_CONFIG": json.dumps({"task": {"type": "ps", "index": 0}})})
    assert by_name == by_argument == by_task
    assert by_name.get("device_count") == {"CPU": 1, "GPU": 0}
    assert load_profile(tree / "train.yaml", environ={"TF_CONFIG": json.dumps({"task": {"type": "worker"}})}).variant is None
    with pytest.raises(ProfileError, match="its variants are: ps"):
        load_profile(tree / "train.yaml", "chief", environ={})


@pytest.mark.parametrize("text", ["{", "[1]", '{"task": 3}'])
def test_a_tf_config_that_chooses_no_variant_is_told(tree: pathlib.Path, text: str) -> None:
    """Silently it would be the profile of another job."""
    profile = load_profile(tree / "train.yaml", environ={"TF_CONFIG": text})
    (problem,) = profile.diagnostics
    assert profile.variant is None and problem.code == "cluster" and problem.message.startswith("TF_CONFIG ") and "no variant" in problem.message
    assert load_profile(tree / "train.yaml", "ps", environ={"TF_CONFIG": text}).diagnostics == ()
    assert load_profile(tree / "base.yaml", environ={"TF_CONFIG": text}).diagnostics == ()  # it has none


def test_a_variant_is_laid_over_a_profile_that_was_read_without_one(tree: pathlib.Path) -> None:
    """The process that reads it may learn only later which job it is in."""
    read = load_profile(tree / "train.yaml", overrides={"device_count.CPU": 7}, environ={})
    assert read.variant is None and read.variants == ("ps",)
    for profile in (read, pickle.loads(pickle.dumps(read)), read.only(lambda path: True)):
        ps = load_profile(profile, "ps", environ={})
        assert (ps.variant, ps["device_count"], ps.files) == ("ps", FrozenMapping({"CPU": 7, "GPU": 0}), read.files)  # what is laid over all stays there
        assert ps == load_profile(profile, environ={"TF_CONFIG": json.dumps({"task": {"type": "ps", "index": 0}})})
        assert load_profile(profile, environ={"TF_CONFIG": json.dumps({"task": {"type": "worker", "index": 0}})}) is profile
        assert load_profile(profile) is profile
        with pytest.raises(ProfileError, match="its variants are: ps"):
            load_profile(profile, "chief", environ={})
    assert load_profile(ps, environ={"TF_CONFIG": json.dumps({"task": {"type": "ps", "index": 0}})}) is ps
    assert load_profile([read, {"device_count": {"GPU": 8}}], "ps", environ={})["device_count"] == FrozenMapping({"CPU": 7, "GPU": 0})


def test_overrides_and_several_sources(tree: pathlib.Path) -> None:
    made = load_profile([tree / "base.yaml", {"allow_growth": False}], overrides={"device_count.GPU": 0, "intra_op_parallelism_threads": None}, environ={})
    assert made.values() == {"device_count": {"CPU": 1, "GPU": 0}, "device_filters": ("a", "b"), "gpu_options.allow_growth": False}
    with pytest.raises(ProfileError, match="did you mean"):
        load_profile({}, overrides={"gpu_options.allow_grwoth": True})


def test_a_missing_file_that_is_extended_is_an_error_where_it_is_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("profile: {extends: none.yaml}\n")
    with pytest.raises(ProfileError) as caught:
        load_profile(tmp_path / "a.yaml")
    assert str(caught.value.diagnostics[0].span) == "%s:1:20" % (tmp_path / "a.yaml")


def test_profiles_are_values(tree: pathlib.Path) -> None:
    profile = load_profile(tree / "train.yaml", environ={})
    again = load_profile(Text("x.yaml", profile.to_yaml().encode()))
    assert profile == again and hash(profile) == hash(again) and profile.digest() == again.digest()
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert load_profile(profile.to_dict()) == profile
    assert profile != load_profile(profile, overrides={"allow_growth": True})
    with pytest.raises(AttributeError):
        profile.name = "other"
    assert profile["allow_growth"] is False and "allow_growth" in profile and profile.get("log_device_placement") is None


@pytest.mark.parametrize(
    "environ, ids",
    [
        ({"HOROVOD_LOCAL_RANK": "1"}, "1"),
        ({"SLURM_LOCALID": "2"}, "2"),
        ({"LOCAL_RANK": "1", "CUDA_VISIBLE_DEVICES": "5"}, "0"),
        ({"HOROVOD_LOCAL_RANK": "1", "SLURM_LOCALID": "0"}, "1"),
    ],
)
def test_gpu_per_process(environ: Dict[str, str], ids: str) -> None:
    assert values("profile: {gpu_per_process: local_rank}\n", environ) == {"gpu_options.visible_device_list": ids}


def test_gpu_per_process_without_a_launcher_or_with_too_few_cards() -> None:
    with pytest.raises(ProfileError, match="no launcher"):
        values("profile: {gpu_per_process: local_rank}\n")
    with pytest.raises(ProfileError, match="leaves 2 GPUs"):
        values("profile: {gpu_per_process: local_rank}\n", {"LOCAL_RANK": "2", "CUDA_VISIBLE_DEVICES": "0,1"})
