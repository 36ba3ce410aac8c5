"""`tf1compat plan` of a profile for a cluster: what a server takes, what its sessions take, and their filters."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.conftest import Tf1compat

JOB = """\
device_count: {CPU: 2}
allow_soft_placement: true
rpc_options: {compression_algorithm: gzip}
use_per_session_threads: true
profile: {variants: {worker: {log_device_placement: true}}}
"""
TITLE = "With tf.train.Server and a session that has its target"


def _part(out: str) -> str:
    return out.partition(TITLE)[2]


def test_default_filters_are_shown(tf1compat: Tf1compat, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    assert "device_filters: /job:ps and a worker's or chief's own task, if the cluster has parameter servers (by default)" in tf1compat("plan", "job.yaml").out
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"ps": ["h:1"], "worker": ["h:2", "h:3"]}, "task": {"type": "worker", "index": 1}}))
    assert _part(tf1compat("plan", "job.yaml").out) == (
        ", as /job:worker/task:1:\n"
        "  device_filters: /job:ps, /job:worker/task:1 (by default)\n"
        "  make_server takes: device_count, rpc_options.compression_algorithm\n"
        "  its sessions take: allow_soft_placement, log_device_placement, rpc_options.compression_algorithm\n"
        "  neither takes: use_per_session_threads\n"
    )
    document = json.loads(tf1compat("plan", "job.yaml", "--format", "json").out)
    assert document["serving"]["device_filters"] == ["/job:ps", "/job:worker/task:1"] and document["serving"]["by_default"] is True
    for filters, shown in (("[/job:ps]", "/job:ps"), ("[]", "none")):
        (tmp_path / "own.yaml").write_text("device_filters: %s\n" % filters)
        assert "device_filters: %s\n" % shown in _part(tf1compat("plan", "own.yaml").out)


def test_a_cluster_in_the_profile(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    text = "profile: {variants: {chief: {}}}\ncluster_def: {job: [{name: ps, tasks: {0: 'h:1'}}, {name: chief, tasks: {0: 'h:2'}}]}\n"
    (tmp_path / "job.yaml").write_text(text)
    assert ", as /job:chief/task:0:\n  device_filters: /job:ps, /job:chief (by default)\n" in _part(tf1compat("plan", "job.yaml#chief").out)


def test_a_profile_without_a_cluster(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yaml").write_text("device_count: {CPU: 2}\n")
    assert TITLE not in tf1compat("plan", "p.yaml").out
    assert json.loads(tf1compat("plan", "p.yaml", "--format", "json").out)["serving"] is None
