"""`tf1compat explain`."""

from __future__ import annotations

import json

from tests.cli.conftest import Tf1compat
from tf1compat_gpu.profiles import fields


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


def test_unknown_fields_get_help_and_exit_2(tf1compat: Tf1compat) -> None:
    for name, word in (
        ("name", "cluster_def.job[].name"),
        ("profile.numeric", "numerics"),
        ("zzzz", "explain"),
        ("TF_FORCE_GPU_ALLOW_GROWTH", "gpu_options.allow_growth"),
    ):
        result = tf1compat("explain", name)
        assert (result.status, result.out) == (2, "") and word in result.err and "Traceback" not in result.err


def test_json_of_every_field_has_the_same_keys(tf1compat: Tf1compat) -> None:
    documents = [json.loads(tf1compat("explain", name, "--format", "json").out) for name in ("device_count", "allow_growth", "profile.extends")]
    assert {document["schema_version"] for document in documents} == {1}
    assert len({tuple(document) for document in documents}) == 1
