"""show, explain, convert, schema, doctor, and what all commands share."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import List

import pytest

from tests.cli.conftest import Tf1compat
from tests.programs import environment
from tf1compat_gpu import load_profile
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.json_schema import schema_text

BASE = "allow_growth: true\nintra_op_parallelism_threads: 4\n"
TRAIN = """\
profile:
  description: training
  extends: base.yaml
  environment: {API_KEY: abc123, TF_GPU_THREAD_MODE: gpu_private, MY_NAME: "${MY_TOKEN:-}"}
  variants: {ps: {device_count: {GPU: 0}}}
inter_op_parallelism_threads: ${THREADS:-2}
experimental: {collective_group_leader: "${MY_TOKEN:-}"}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "train.yaml").write_text(TRAIN)


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


def test_explain(tf1compat: Tf1compat) -> None:
    for name in ("allow_growth", "gpu_options.allow_growth"):
        result = tf1compat("explain", name)
        assert result.status == 0 and result.out.startswith("gpu_options.allow_growth\n")
    assert "1.0 and later" in result.out and "TF_FORCE_GPU_ALLOW_GROWTH" in result.out and "Traps" in result.out
    document = json.loads(tf1compat("explain", "global_jit_level", "--format", "json").out)
    assert document["path"] == "graph_options.optimizer_options.global_jit_level"
    assert [member["name"] for member in document["members"]] == ["OFF", "DEFAULT", "ON_1", "ON_2"]
    wrong = tf1compat("explain", "allow_grwoth")
    assert (wrong.status, wrong.out) == (2, "") and "did you mean gpu_options.allow_growth?" in wrong.err
    assert tf1compat("explain", "profile.numerics").status == 0


def test_explain_lists_every_field(tf1compat: Tf1compat) -> None:
    lines = tf1compat("explain").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(fields.paths())
    assert len(json.loads(tf1compat("explain", "--format", "json").out)["fields"]) == len(fields.paths()) == 212


def test_convert(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "c.yaml").write_text("allow_soft_placement: true\ngpu_options: {per_process_gpu_memory_fraction: 0.1, allow_growth: true}\n")
    assert tf1compat("convert", "c.yaml", "--to", "hex").out == "320b099a9999999999b93f20013801\n"
    text = tf1compat("convert", "c.yaml", "--to", "textproto").out
    assert text == "gpu_options {\n  per_process_gpu_memory_fraction: 0.1\n  allow_growth: true\n}\nallow_soft_placement: true\n"
    assert tf1compat("convert", "-", "--to", "yaml", stdin=text.encode()).out == tf1compat("convert", "c.yaml", "--to", "yaml").out
    assert tf1compat("convert", "-", "--to", "yaml", stdin=b"0x32, 0x02, 0x20, 0x01").out == "gpu_options:\n  allow_growth: true\n"
    assert tf1compat("convert", "-", "--to", "yaml", "--variant", "b", stdin=b"profile: {variants: {b: {allow_growth: true}}}").out.endswith(
        "allow_growth: true\n"
    )
    python = tf1compat("convert", "c.yaml", "--to", "python", "--tensorflow", "1.4")
    assert python.out.startswith("import tensorflow as tf\n\nconfig = tf.ConfigProto()\n")


def test_convert_to_a_file(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    assert tf1compat("convert", "base.yaml", "-o", "out.pbtxt").status == 0
    before = (tmp_path / "out.pbtxt").read_text()
    assert before == "intra_op_parallelism_threads: 4\ngpu_options {\n  allow_growth: true\n}\n"
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "out.pbtxt").status == 2
    assert (tmp_path / "out.pbtxt").read_text() == before
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "out.pbtxt", "--force").status == 0
    assert (tmp_path / "out.pbtxt").read_text() == "100432022001\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base.yaml", "out.pbtxt", "train.yaml"]
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "no/such/folder.hex").status == 2


def test_convert_says_what_a_proto_cannot_hold(tf1compat: Tf1compat) -> None:
    result = tf1compat("convert", "train.yaml", "--to", "bytes")
    assert (result.status, "profile.environment" in result.err, "description" in result.err) == (0, True, False)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"\x32\x02\x20\x01\xf8\x3f\x01", ["field number 1023 of ConfigProto", "byte 4"]),
        (b"\x32\xff", ["not a serialized ConfigProto"]),
    ],
)
def test_convert_errors(tf1compat: Tf1compat, data: bytes, words: List[str]) -> None:
    result = tf1compat("convert", "-", "--from", "bytes", "--to", "yaml", stdin=data)
    assert (result.status, result.out) == (1, "")
    for word in words:
        assert word in result.err


def test_convert_usage(tf1compat: Tf1compat) -> None:
    assert tf1compat("convert", "base.yaml").status == 2
    assert tf1compat("convert", "missing.yaml", "--to", "hex").status == 2
    assert tf1compat("convert", "base.yaml", "--to", "xml").status == 2
    assert tf1compat("convert", "base.yaml", "--to", "python", "--tensorflow", "1.4,1.5").status == 2


def test_schema(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    assert tf1compat("schema").out == schema_text()
    assert tf1compat("schema", "-o", "schema.json").status == 0
    assert (tmp_path / "schema.json").read_text() == schema_text()


def test_doctor(tf1compat: Tf1compat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0")
    result = tf1compat("doctor", "--format", "json")
    document = json.loads(result.out)
    assert result.status == 1
    assert document["python"] == "%d.%d.%d" % sys.version_info[:3]
    assert any("TF_FORCE_GPU_ALLOW_GROWTH=1" in problem["message"] for problem in document["problems"])
    assert {row["name"]: row["field"] for row in document["variables"]} == {
        "TF_FORCE_GPU_ALLOW_GROWTH": "gpu_options.allow_growth",
        "CUDA_VISIBLE_DEVICES": "gpu_options.visible_device_list",
    }
    assert document["launchers"] == ["Open MPI"]
    text = tf1compat("doctor").out
    assert "CUDA_VISIBLE_DEVICES=0" in text and "Open MPI" in text and "write exactly true or false" in text


@pytest.mark.tensorflow
def test_doctor_here(tf1compat: Tf1compat) -> None:
    document = json.loads(tf1compat("doctor", "--here", "--format", "json").out)
    assert any(name.endswith("CPU:0") for name in document["tensorflow"]["devices"])
    assert document["tensorflow"]["version"].split(".")[:2] == list(document["distributions"].values())[0].split(".")[:2]


def test_usage(tf1compat: Tf1compat) -> None:
    wrong = tf1compat("chek", "base.yaml")
    assert wrong.status == 2 and "did you mean 'check'?" in wrong.err
    helped = tf1compat("--help")
    assert helped.status == 0
    for name in ("check", "show", "explain", "convert", "schema", "doctor"):
        assert name in helped.out
        assert tf1compat(name, "--help").status == 0
    assert "0.1.0" in tf1compat("--version").out


def test_a_reader_that_leaves_is_no_error(tmp_path: pathlib.Path) -> None:
    python = subprocess.list2cmdline([sys.executable])
    done = subprocess.run(
        ["bash", "-c", "%s -m tf1compat_gpu schema | head -1; exit ${PIPESTATUS[1]}" % python],
        env=environment(),
        cwd=str(tmp_path),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_new_files_have_usual_permissions(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    mask = os.umask(0o027)
    try:
        tf1compat("convert", "base.yaml", "-o", "out.hex")
    finally:
        os.umask(mask)
    assert (tmp_path / "out.hex").stat().st_mode & 0o777 == 0o640
