"""`tf1compat check`."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.conftest import Tf1compat

GOOD = "allow_growth: true\n"
BAD = "allow_grwoth: true\nintra_op_parallelism_threads: 1:30\n"
VARIANTS = "allow_growth: true\nprofile: {variants: {fine: {allow_growth: false}, wrong: {device_count: {cpu: 2}}}}\n"
WARNED = 'gpu_options: {visible_device_list: "${RANK}"}\n'


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path) -> None:
    for name, text in {"good.yaml": GOOD, "bad.yaml": BAD, "variants.yaml": VARIANTS, "warned.yaml": WARNED, "sub/deep.yaml": BAD}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)


def test_good_profile(tf1compat: Tf1compat) -> None:
    assert tf1compat("check", "good.yaml") == (0, "", "1 file: nothing wrong\n")


def test_all_errors_with_place_line_caret_and_help(tf1compat: Tf1compat) -> None:
    result = tf1compat("check", "bad.yaml")
    assert result.status == 1
    assert result.err == "1 file: 2 errors\n"
    assert result.out.splitlines()[:4] == [
        "bad.yaml:1:1: error[unknown-field] 'allow_grwoth' is not a field of ConfigProto",
        "    1 | allow_grwoth: true",
        "        ^^^^^^^^^^^^",
        "  help: did you mean allow_growth?",
    ]
    assert "bad.yaml:2:31: error" in result.out


def test_many_files_and_patterns(tf1compat: Tf1compat) -> None:
    result = tf1compat("check", "good.yaml", "**/*.yaml", "--format", "concise", "--set", "log_device_placement=true")
    assert result.status == 1
    places = [line.split(": ")[0] for line in result.out.splitlines() if " error[" in line]
    assert places == ["bad.yaml:1:1", "bad.yaml:2:31", "sub/deep.yaml:1:1", "sub/deep.yaml:2:31", "variants.yaml:2:74", "warned.yaml:1:36"]
    assert result.err.startswith("5 files: 6 errors")


def test_a_pattern_that_matches_nothing_is_an_error(tf1compat: Tf1compat) -> None:
    result = tf1compat("check", "no*.yaml")
    assert (result.status, "no file matches no*.yaml" in result.out) == (1, True)


@pytest.mark.parametrize("name, code", [("missing.yaml", "not-found"), ("sub", "unreadable")])
def test_files_that_are_none(tf1compat: Tf1compat, name: str, code: str) -> None:
    result = tf1compat("check", name)
    assert result.status == 1 and "error[%s]" % code in result.out


def test_every_variant_or_one(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "variants.yaml:2:74: error[device-type]" in tf1compat("check", "variants.yaml").out
    monkeypatch.setenv("TF_CONFIG", json.dumps({"task": {"type": "fine", "index": 0}}))
    assert "variants.yaml:2:74: error[device-type]" in tf1compat("check", "variants.yaml").out
    assert tf1compat("check", "variants.yaml#fine").status == 0
    assert tf1compat("check", "variants.yaml", "--variant", "fine").status == 0
    assert tf1compat("check", "variants.yaml", "--variant", "wrong").status == 1
    unknown = tf1compat("check", "variants.yaml", "--variant", "none")
    assert unknown.status == 1 and "fine, wrong" in unknown.out


def test_what_is_wrong_under_a_variant_alone_names_it(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "ranks.yaml").write_text(
        "profile: {variants: {a: {profile: {gpu_per_process: local_rank}}, b: {}, c: {profile: {gpu_per_process: local_rank}}}}\nvisible_device_list: 1\n"
    )
    result = tf1compat("check", "ranks.yaml", "--format", "concise", "--set", "log_device_placement=true")
    assert result.status == 1
    lines = [line for line in result.out.splitlines() if ":2:22: error[conflict]" in line]
    assert len(lines) == 1 and lines[0].endswith("(with variant a, c)")
    assert "(with variant" not in tf1compat("check", "ranks.yaml#a").out


def test_overrides(tf1compat: Tf1compat) -> None:
    assert tf1compat("check", "good.yaml", "--set", "gpu_options.per_process_gpu_memory_fraction=0.5").status == 0
    result = tf1compat("check", "good.yaml", "--set", "gpu_options.per_process_gpu_memory_fraction=-1")
    assert (result.status, "error[range]" in result.out) == (1, True)


def test_releases(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "new.yaml").write_text("experimental: {use_tfrt: true}\n")
    assert tf1compat("check", "new.yaml", "--tensorflow", "2.21").status == 0
    result = tf1compat("check", "new.yaml", "--tensorflow", "1.12,2.21")
    assert result.status == 1
    assert "TensorFlow 1.12 has no experimental.use_tfrt (2.5 and later has it)" in result.out
    for text in ("9.9", "new"):
        assert tf1compat("check", "new.yaml", "--tensorflow", text).status == 2


def test_warnings_are_findings_under_strict(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    plain, strict = tf1compat("check", "warned.yaml"), tf1compat("check", "warned.yaml", "--strict")
    assert (plain.status, strict.status) == (0, 1)
    assert "warning[global-rank]" in plain.out and plain.out == strict.out
    assert plain.err == "1 file: 1 warning\n"


def test_standard_input(tf1compat: Tf1compat) -> None:
    assert tf1compat("check", "-", stdin=GOOD.encode()).status == 0
    result = tf1compat("check", "-", stdin=VARIANTS.encode())
    assert result.status == 1 and "<stdin>:2:74: error[device-type]" in result.out


def test_json_and_github(tf1compat: Tf1compat) -> None:
    document = json.loads(tf1compat("check", "bad.yaml", "--format", "json").out)
    assert document["schema_version"] == 1
    first = document["diagnostics"][0]
    assert (first["code"], first["severity"], first["span"], first["help"]) == (
        "unknown-field",
        "error",
        {"file": "bad.yaml", "line": 1, "column": 1, "end_column": 13},
        "did you mean allow_growth?",
    )
    assert json.loads(tf1compat("check", "good.yaml", "--format", "json").out) == {"schema_version": 1, "diagnostics": []}
    assert tf1compat("check", "bad.yaml", "--format", "github").out.startswith("::error file=bad.yaml,line=1,col=1,title=unknown-field::")


def test_usage_errors_are_2(tf1compat: Tf1compat) -> None:
    assert tf1compat("check").status == 2
    assert tf1compat("check", "good.yaml", "--format", "xml").status == 2
    assert tf1compat("check", "good.yaml", "--set", "allow_growth").status == 2
    assert tf1compat("check", "good.yaml", "--no-such-option").status == 2
