"""Bad input: every error with its code, its place and what to write; the same from libyaml's parser and PyYAML's own."""

from __future__ import annotations

import pathlib
from typing import Dict, List, Tuple

import pytest

from tf1compat_gpu.diagnostics import Diagnostic, Source, render
from tf1compat_gpu.profiles import nodes
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import Text, try_load_profile

#: name: (text, code, line:column, words of the message, words of the help)
ERRORS: Dict[str, Tuple[str, str, str, str, str]] = {
    "typo": ("allow_grwoth: true\n", "unknown-field", "1:1", "'allow_grwoth' is not a field of ConfigProto", "did you mean allow_growth?"),
    "wrong nesting": ("graph_options: {allow_growth: true}\n", "misplaced-field", "1:17", "not a field of graph_options", "gpu_options: {allow_growth: ...}"),
    "too deep": ("gpu_options: {allow_soft_placement: true}\n", "misplaced-field", "1:15", "not a field of gpu_options", "write allow_soft_placement: ..."),
    "camelCase": ("gpuOptions: {allowGrowth: true}\n", "unknown-field", "1:1", "'gpuOptions'", "snake_case: write gpu_options"),
    "camelCase inside": ("gpu_options: {allowGrowth: true}\n", "unknown-field", "1:15", "'allowGrowth'", "write allow_growth"),
    "duplicate key": ("allow_growth: true\na: 1\nallow_growth: false\n", "duplicate-key", "3:1", "here and in line 1", "keep one"),
    "duplicate block": ("gpu_options: {}\ngpu_options: {}\n", "duplicate-key", "2:1", "here and in line 1", "keep one"),
    "duplicate in a map": ("device_count: {CPU: 1, CPU: 4}\n", "duplicate-key", "1:24", "'CPU' is written twice", "keep one"),
    "both spellings": (
        "allow_growth: true\ngpu_options: {allow_growth: true}\n",
        "two-spellings",
        "2:15",
        "at the top level and under gpu_options",
        "keep one",
    ),
    "tab": ("gpu_options:\n\tallow_growth: true\n", "tab", "2:1", "a tab", "indent with blanks"),
    "unknown member": (
        "graph_options: {rewrite_options: {remapping: MAYBE}}\n",
        "type",
        "1:46",
        "one of DEFAULT, ON, OFF, AGGRESSIVE, EXPERIMENTAL_MLIR, EXPERIMENTAL_BOTH, found 'MAYBE'",
        "",
    ),
    "ON for jit": ("graph_options: {optimizer_options: {global_jit_level: ON}}\n", "type", "1:55", "OFF, DEFAULT, ON_1, ON_2, found 'ON'", "ON_1 or ON_2"),
    "R39 arithmetic": ("per_process_gpu_memory_fraction: 1/3\n", "type", "1:34", "expected a number, found '1/3'", "no arithmetic; write 0.333333"),
    "octal": ("intra_op_parallelism_threads: 010\n", "type", "1:31", "found '010'", "write 10 (8 if it is octal)"),
    "base 60": ("intra_op_parallelism_threads: 1:30\n", "type", "1:31", "found '1:30'", "base 60"),
    "underscore": ("intra_op_parallelism_threads: 1_6\n", "type", "1:31", "found '1_6'", "16"),
    "list for a scalar": ("intra_op_parallelism_threads: [1]\n", "type", "1:31", "takes one value, found a list", "write 1"),
    "dict for a scalar": ("per_process_gpu_memory_fraction: {0: 4096}\n", "type", "1:34", "found a mapping", "memory_limit_mb"),
    "negative fraction": ("per_process_gpu_memory_fraction: -0.5\n", "range", "1:34", "can't be negative", "0.4"),
    "NaN": ("per_process_gpu_memory_fraction: .nan\n", "type", "1:34", "'.nan'", "leave the field out"),
    "R57 -1": ('visible_device_list: "-1"\n', "device-id", "1:22", "'-1' is no id", "device_count: {GPU: 0}"),
    "UUID": ("visible_device_list: GPU-8f2a1b3c-aaaa\n", "device-id", "1:22", "not a UUID", "CUDA_VISIBLE_DEVICES: GPU-8f2a1b3c-aaaa"),
    "MIG": ("visible_device_list: MIG-8f2a1b3c-aaaa\n", "device-id", "1:22", "not a UUID", "CUDA_VISIBLE_DEVICES: MIG-8f2a1b3c-aaaa"),
    "words for ids": ("visible_device_list: all\n", "device-id", "1:22", "found 'all'", '"0,1"'),
    "duplicate ids": ('visible_device_list: "0,1,0"\n', "device-id", "1:22", "names GPU 0 twice", "once"),
    "lower-case type": ("device_count: {cpu: 2}\n", "device-type", "1:16", "'cpu' is ignored by TensorFlow", "write CPU"),
    "no blank": ("device_count: {GPU:0}\n", "missing-blank", "1:16", "'GPU:0'", "write GPU: 0"),
    "no blank, top": ("intra_op_parallelism_threads:4\n", "type", "1:1", "a profile is a mapping", "intra_op_parallelism_threads: 4, with a blank"),
    "negative count": ("device_count: {GPU: -1}\n", "range", "1:16", "GPU can't be negative", "0 for none"),
    "no CPU": ("device_count: {CPU: 0}\n", "range", "1:16", "needs a CPU device", "leave CPU out"),
    "negative threads": ("intra_op_parallelism_threads: -1\n", "range", "1:31", "aborts the process", "0 for the default"),
    "unset variable": ("intra_op_parallelism_threads: ${NO_SUCH}\n", "interpolation", "1:31", "NO_SUCH is not set", "${NO_SUCH:-value}"),
    "variable in braces": ("{intra_op_parallelism_threads: ${N}}\n", "syntax", "1:33", "YAML can't read this", "quote a value with ${...}"),
    "Python tag": ("!!python/object:os.system {}\n", "tag", "1:1", "!!python/object:os.system", "plain values"),
    "no bool": ("allow_growth: maybe\n", "type", "1:15", "true or false, found 'maybe'", ""),
    "number for a bool": ("allow_growth: 2\n", "type", "1:15", "true or false, found '2'", ""),
    "no for an enum": ("graph_options: {rewrite_options: {remapping: no}}\n", "type", "1:46", "found 'no'", ""),
    "fraction for a count": ("intra_op_parallelism_threads: 4.5\n", "type", "1:31", "whole number, found '4.5'", ""),
    "out of range": ("intra_op_parallelism_threads: 99999999999\n", "type", "1:31", "out of range", ""),
    "text": ("just text\n", "type", "1:1", "a profile is a mapping", "field: value"),
    "list": ("- a\n", "type", "1:1", "found a list", "field: value"),
    "two documents": ("{}\n---\n{}\n", "several-documents", "2:1", "second YAML document", "variants"),
    "no anchor": ("x: *y\n", "unknown-alias", "1:4", "*y has no anchor", "quote"),
    "open bracket": ("gpu_options: {allow_growth: true\n", "syntax", "1:14", "bracket", "close every {"),
    "open quote": ('a: "x\n', "syntax", "1:4", "quote that is not closed", "close it"),
    "merge key": ("<<: 3\n", "merge-key", "1:5", "merge key", "anchor"),
    "unknown setting": ("profile: {extend: a.yaml}\n", "unknown-setting", "1:11", "'extend'", "did you mean extends?"),
    "memory without unit": ("profile: {gpu_memory_limit: 8}\n", "type", "1:29", "binary unit", "8GiB"),
    "fraction and devices": (
        "gpu_options: {per_process_gpu_memory_fraction: 0.5, experimental: {virtual_devices: [{memory_limit_mb: [1024]}]}}\n",
        "conflict",
        "1:48",
        "exclude each other",
        "memory_limit_mb",
    ),
    "value for a message": ("gpu_options: true\n", "type", "1:14", "gpu_options holds fields", "indent"),
    "NUL": ("allow_growth: true\x00\n", "unprintable", "1:19", "NUL", ""),
    "gone": ("gpu_options: {experimental: {}}\nrpc_options: {no_such: 1}\n", "unknown-field", "2:15", "'no_such'", ""),
}


def load(text: str, environ: Dict[str, str] = {}) -> Tuple[object, List[Diagnostic]]:  # noqa: B006
    profile, found = try_load_profile(Text("p.yaml", text.encode("utf-8")), environ=environ)
    return profile, list(found)


@pytest.mark.parametrize("name", list(ERRORS))
def test_error(name: str) -> None:
    text, code, place, message, help = ERRORS[name]
    profile, found = load(text)
    assert profile is None
    (problem,) = [d for d in found if d.is_error and (d.code, str(d.span)) == (code, "p.yaml:" + place)]
    assert message in problem.message
    assert help in (problem.help or "")
    shown = render([problem])
    assert shown.splitlines()[0].startswith("p.yaml:%s: error[%s] " % (place, code))
    assert "^" in shown


@pytest.mark.parametrize("name", list(ERRORS))
def test_both_parsers_say_the_same(name: str) -> None:
    source = Source("p.yaml", ERRORS[name][0])
    assert nodes.parse(source, True) == nodes.parse(source, False)


def test_all_errors_of_a_file_at_once_and_sorted() -> None:
    texts = [text for name, (text, code, _, _, _) in ERRORS.items() if name in ("typo", "octal", "negative fraction", "lower-case type")]
    profile, found = load("".join(texts))
    assert profile is None
    lines = [line.split(":")[1] for line in render(found, "concise").splitlines()]
    assert lines == ["1", "2", "3", "4"]


@pytest.mark.parametrize("fraction, code", [("1.7", "unified-memory"), ("1", "whole-card"), ("90", "unified-memory"), ("0.5", None), ("5e-1", None)])
def test_fractions_that_are_valid(fraction: str, code: str) -> None:
    """R35: above 1 is unified memory, with a note; an integer is a fraction too. R91: 5e-1 is a number."""
    profile, found = load("per_process_gpu_memory_fraction: %s\n" % fraction)
    assert isinstance(profile, Profile)
    assert profile["gpu_options.per_process_gpu_memory_fraction"] == float(fraction)
    assert [d.code for d in found] == ([code] if code else [])
    assert not any(d.severity != "note" for d in found)


def test_a_rank_that_falls_back_under_a_launcher_is_warned_of() -> None:
    text = 'visible_device_list: "${LOCAL_RANK:-0}"\n'
    assert load(text)[1] == []
    (problem,) = load(text, {"OMPI_COMM_WORLD_LOCAL_RANK": "3", "OMPI_COMM_WORLD_RANK": "11"})[1]
    assert (problem.severity, "every process gets the same value" in problem.message) == ("warning", True)
    assert "OMPI_COMM_WORLD_LOCAL_RANK" in (problem.help or "")


def test_a_global_rank_for_a_card_is_warned_of() -> None:
    """R53."""
    profile, found = load('visible_device_list: "${OMPI_COMM_WORLD_RANK}"\n', {"OMPI_COMM_WORLD_RANK": "9"})
    assert isinstance(profile, Profile) and profile["gpu_options.visible_device_list"] == "9"
    assert [(d.severity, d.code) for d in found] == [("warning", "global-rank")]
    assert "${rank.local}" in (found[0].help or "")


def file_error(path: pathlib.Path) -> Diagnostic:
    profile, found = try_load_profile(path, environ={})
    assert profile is None and len(found) == 1
    return found[0]


def test_files(tmp_path: pathlib.Path) -> None:
    assert file_error(tmp_path).code == "unreadable"
    missing = file_error(tmp_path / "none.yaml")
    assert missing.code == "not-found" and str(tmp_path / "none.yaml") in (missing.help or "")
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)) * 4)
    assert file_error(tmp_path / "binary.yaml").code in ("encoding", "unprintable")
    (tmp_path / "latin.yaml").write_bytes(b"profile:\n  description: caf\xe9\n")
    latin = file_error(tmp_path / "latin.yaml")
    assert (latin.code, str(latin.span)) == ("encoding", "%s:2:19" % (tmp_path / "latin.yaml")) and "0xe9" in latin.message
    (tmp_path / "utf16.yaml").write_bytes("allow_growth: true\n".encode("utf-16"))
    assert "UTF-16" in file_error(tmp_path / "utf16.yaml").message


def test_a_file_of_100_mb_is_not_read(tmp_path: pathlib.Path) -> None:
    with open(str(tmp_path / "huge.yaml"), "wb") as file:
        file.truncate(100 * 1000 * 1000)
    import tracemalloc

    tracemalloc.start()
    problem = file_error(tmp_path / "huge.yaml")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problem.code == "too-large"
    assert peak < 4 << 20


def test_an_alias_bomb_is_an_error() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + ["a%d: &a%d [%s]" % (n, n, ", ".join(["*a%d" % (n - 1)] * 9)) for n in range(1, 12)]
    profile, found = load("\n".join(lines) + "\n")
    assert profile is None
    assert any(d.code == "too-large" for d in found)


def test_extends_in_a_circle(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("profile: {extends: b.yaml}\n")
    (tmp_path / "b.yaml").write_text("profile: {extends: a.yaml}\n")
    problem = file_error(tmp_path / "a.yaml")
    assert problem.code == "cycle" and "a.yaml -> b.yaml -> a.yaml" in problem.message


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "{}\n", "profile:\n", "\ufeffallow_growth:\n"])
def test_empty_is_all_defaults(text: str) -> None:
    profile, found = load(text)
    assert isinstance(profile, Profile) and len(profile) == 0 and found == []
