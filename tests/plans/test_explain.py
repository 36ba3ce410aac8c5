"""What `explain` says of every field, how names are looked up, and the table of the guide."""

from __future__ import annotations

import pathlib
from typing import List

import pytest
import yaml

from tf1compat_gpu import ProfileError, load_profile
from tf1compat_gpu.plans.examples import example
from tf1compat_gpu.plans.explain import WIDTH, explain, render
from tf1compat_gpu.plans.field_table import field_table
from tf1compat_gpu.plans.lookup import find_path
from tf1compat_gpu.plans.profile_section import SETTINGS
from tf1compat_gpu.plans.rules import rule_for
from tf1compat_gpu.profiles import fields, suggestions

NEWEST = fields.releases()[-1]


@pytest.mark.parametrize("name", list(fields.paths()) + ["profile." + key for key in SETTINGS])
def test_every_explanation_fits_a_terminal(name: str) -> None:
    text = render(explain(name))
    lines = text.split("\n")
    assert lines[0] == name
    assert max(map(len, lines)) <= WIDTH == 100
    assert not any(line != line.rstrip() for line in lines)
    assert "In a profile" in lines and "\n\n\n" not in text


@pytest.mark.parametrize("path", [path for path, entry in fields.paths().items() if entry.last == NEWEST])
def test_every_example_is_a_valid_profile(path: str) -> None:
    text = example(path)
    # A base loader keeps scalars as text, as the reader of files does.
    profile = load_profile(yaml.load(text, Loader=yaml.BaseLoader), environ={})
    top = path.split("[]")[0]
    assert any(name == top or name.startswith(top + ".") for name in profile)


@pytest.mark.parametrize("key", list(SETTINGS))
def test_examples_of_the_profile_section(key: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "base.yaml").write_text("")
    (tmp_path / "p.yaml").write_text("profile:\n  %s\n" % SETTINGS[key].example)
    load_profile(tmp_path / "p.yaml", environ={"HOSTNAME": "none", "OMPI_COMM_WORLD_LOCAL_RANK": "0"})


def test_settings_are_those_of_the_reader() -> None:
    assert set(SETTINGS) == set(suggestions.SETTINGS)


def test_facts_of_an_enum_that_was_a_bool() -> None:
    found = explain("constant_folding")
    assert found.type == "Toggle (enum)"
    assert found.history == ("Up to 1.3 it was of type bool.",)
    assert [m.name for m in found.members][:3] == ["DEFAULT", "ON", "OFF"]
    assert (found.fidelity, found.without_carry) == ("exact", "")


def test_facts_of_a_renamed_field() -> None:
    old = explain("graph_options.rewrite_options.optimize_tensor_layout")
    assert old.releases == "1.2 to 1.4" and "layout_optimizer" in old.history[0]
    assert "optimize_tensor_layout" in " ".join(explain("layout_optimizer").history)


def test_carried_fields_say_what_printed_python_can_do() -> None:
    found = explain("per_process_gpu_memory_fraction")
    assert (found.fidelity, found.without_carry, found.shorthand) == ("carried", "approximate", "per_process_gpu_memory_fraction")
    assert "approximate, if the base ConfigProto is left alone" in render(found)


@pytest.mark.parametrize(
    "name, path",
    [
        ("gpu_options.allow_growth", "gpu_options.allow_growth"),
        (" allow_growth ", "gpu_options.allow_growth"),
        ("numerics", "profile.numerics"),
        ("profile.numerics", "profile.numerics"),
        ("global_jit_level", "graph_options.optimizer_options.global_jit_level"),
        ("optimizer_options.opt_level", "graph_options.optimizer_options.opt_level"),
        ("virtual_devices[0].memory_limit_mb", "gpu_options.experimental.virtual_devices[].memory_limit_mb"),
        ("gpu_options.experimental.virtual_devices.priority", "gpu_options.experimental.virtual_devices[].priority"),
        ("device_count[GPU]", "device_count"),
        ("use_unified_memory", "gpu_options.experimental.use_unified_memory"),
        ("pluggable_device_options.allow_growth", "pluggable_device_options.allow_growth"),
        ("session_metadata.version", "experimental.session_metadata.version"),
    ],
)
def test_lookup(name: str, path: str) -> None:
    assert find_path(name) == path


@pytest.mark.parametrize(
    "name, code, words",
    [
        ("allow_grwoth", "unknown-field", ["did you mean gpu_options.allow_growth?"]),
        ("allowGrowth", "unknown-field", ["snake_case", "gpu_options.allow_growth"]),
        ("gpu_options.allowGrowth", "unknown-field", ["gpu_options.allow_growth"]),
        ("gpu_optons.allow_growth", "unknown-field", ["gpu_options.allow_growth"]),
        ("numeric", "unknown-field", ["profile.numerics"]),
        ("intra_op_threads", "unknown-field", ["intra_op_parallelism_threads"]),
        ("global_jit", "unknown-field", ["global_jit_level"]),
        ("zzzz", "unknown-field", ["explain"]),
        ("", "unknown-field", ["explain"]),
        ("profile.numeric", "unknown-setting", ["numerics"]),
        ("profile", "unknown-setting", ["gpu_memory_limit"]),
        ("name", "ambiguous-field", ["cluster_def.job[].name", "experimental.session_metadata.name"]),
    ],
)
def test_did_you_mean(name: str, code: str, words: List[str]) -> None:
    with pytest.raises(ProfileError) as caught:
        find_path(name)
    (found,) = caught.value.diagnostics
    assert found.code == code
    for word in words:
        assert word in (found.help or "")


def test_the_table_names_every_path_and_is_the_same_each_time() -> None:
    table = field_table()
    assert table == field_table() and not table.endswith("\n")
    place, seen = "", []
    for line in table.split("\n"):
        if line.startswith("#### "):
            place = "" if line == "#### Top level" else line[6:-1] + "."
        elif line.startswith("| `"):
            seen.append(place + line.split("`")[1])
            assert line.count(" | ") == 5 and line.endswith(" |"), line
    assert sorted(seen) == sorted(fields.paths())
    assert "| exact | %d |" % sum(str(rule_for(path).fidelity) == "exact" for path in fields.paths()) in table


def test_every_setting_that_the_reader_takes_is_explained() -> None:
    assert tuple(SETTINGS) == suggestions.SETTINGS
