"""`tf1compat show`: values and where they came from."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.conftest import Tf1compat
from tf1compat_gpu import load_profile

pytestmark = pytest.mark.usefixtures("train_files")


def test_show_says_where_each_value_came_from(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    result = tf1compat("show", "train.yaml#ps", "--set", "allow_soft_placement=true")
    assert result.status == 0
    rows = {line.split()[0]: line.split(None, 1)[1] for line in result.out.splitlines()[1:]}
    assert result.out.splitlines()[0].startswith("train.yaml#ps: 6 fields, digest ")
    assert rows["gpu_options.allow_growth"].split() == ["true", "base.yaml:1:15"]
    assert rows["inter_op_parallelism_threads"].split() == ["2", "train.yaml:6:31,", "from", "${THREADS}"]
    assert rows["allow_soft_placement"].split() == ["true", "--set"]
    assert rows["device_count[GPU]"].split() == ["0", "train.yaml:5:34,", "variant", "ps"]
    assert rows["profile.environment.TF_GPU_THREAD_MODE"].split()[0] == "gpu_private"
    assert "hunter2" not in result.out and "abc123" not in result.out
    for form in ("json", "yaml"):
        shown = tf1compat("show", "train.yaml#ps", "--format", form)
        assert (shown.status, "********" in shown.out, "hunter2" in shown.out + shown.err, "abc123" in shown.out) == (0, True, False, False)


def test_show_yaml_names_what_it_masks_and_reads_back(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    pathlib.Path("threads.yaml").write_text("allow_growth: true\nintra_op_parallelism_threads: ${A_KEY}\n")
    monkeypatch.setenv("A_KEY", "3")
    shown = tf1compat("show", "threads.yaml", "--format", "yaml").out
    assert shown == "gpu_options:\n  allow_growth: true\n# intra_op_parallelism_threads: ******** (from ${A_KEY})\n"
    monkeypatch.setenv("A_KEY", "hunter2")
    wrong = tf1compat("show", "threads.yaml")
    assert wrong.status == 1 and "${A_KEY}" in wrong.err and "hunter2" not in wrong.err


def test_show_takes_standard_input_and_nested_values(tf1compat: Tf1compat) -> None:
    text = b"profile: {variants: {w: {cluster_def: {job: [{name: a, tasks: {0: x}}]}}}}\ndevice_count: {CPU: 2, GPU: 0}\n"
    document = json.loads(tf1compat("show", "-", "--variant", "w", "--format", "json", stdin=text).out)
    rows = {row["path"]: (row["value"], row["file"], row["line"], row["variant"]) for row in document["fields"]}
    assert rows == {
        "device_count[CPU]": (2, "<stdin>", 2, None),
        "device_count[GPU]": (0, "<stdin>", 2, None),
        "cluster_def.job": ([{"name": "a", "tasks": {"0": "x"}}], "<stdin>", 1, "w"),
    }
    assert (document["variants"], document["variant"]) == (["w"], "w")


def test_show_as_json_and_yaml(tf1compat: Tf1compat) -> None:
    document = json.loads(tf1compat("show", "train.yaml", "--format", "json").out)
    assert (document["schema_version"], document["digest"]) == (1, load_profile("train.yaml").digest())
    (threads,) = [row for row in document["fields"] if row["path"] == "intra_op_parallelism_threads"]
    place = {"file": "base.yaml", "line": 2, "column": 31, "variant": None, "variables": []}
    assert threads == dict(place, path="intra_op_parallelism_threads", value=4)
    pathlib.Path("again.yaml").write_text(tf1compat("show", "base.yaml", "--format", "yaml").out)
    assert load_profile("again.yaml") == load_profile("base.yaml")


def test_show_several_and_errors(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "late.yaml").write_text("intra_op_parallelism_threads: 8\n")
    rows = [line.split() for line in tf1compat("show", "train.yaml", "late.yaml").out.splitlines()]
    assert ["intra_op_parallelism_threads", "8", "late.yaml:1:31"] in rows
    missing = tf1compat("show", "trian.yaml")
    assert (missing.status, missing.out) == (1, "")
    assert "no such profile: trian.yaml" in missing.err and "did you mean train.yaml?" in missing.err and "Traceback" not in missing.err
    assert tf1compat("show", "base.yaml", "--tensorflow", "1.0").status == 0
    assert tf1compat("show", "train.yaml", "--tensorflow", "1.0").status == 1  # has a field of 1.13
