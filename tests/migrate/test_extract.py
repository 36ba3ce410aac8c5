"""Profiles from code: what is certain, by name, shared; and a person's edits are kept."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Dict, Sequence

import pytest

from tests.programs import tf1compat
from tf1compat_gpu import load_profile

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="extracting needs Python 3.9")

TRAIN = """import tensorflow as tf
tf.app.flags.DEFINE_bool("growth", True, "")
config = tf.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=4)
config.gpu_options.allow_growth = tf.app.flags.FLAGS.growth
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
if tf.app.flags.FLAGS.growth:
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
s = tf.Session(config=config)
"""
EVAL = "import tensorflow as tf\ntf.Session(config=tf.ConfigProto(device_count={'GPU': 0}))\n"


def _extract(folder: pathlib.Path, arguments: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    return tf1compat(folder, ["extract", *arguments])


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "eval.py").write_text(EVAL)
    (tmp_path / "other.py").write_text(EVAL)
    return tmp_path


def test_profiles_hold_what_is_certain(repository: pathlib.Path) -> None:
    done = _extract(repository)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["configs/eval.yaml: new, for 2 configs", "configs/train.yaml: new, for 1 config"]
    assert load_profile(repository / "configs/eval.yaml").to_dict() == {"device_count": {"GPU": 0}}
    assert load_profile(repository / "configs/train.yaml").values() == {
        "allow_soft_placement": True, "intra_op_parallelism_threads": 4, "graph_options.optimizer_options.global_jit_level": "ON_1",
    }  # fmt: skip
    text = (repository / "configs/train.yaml").read_text()
    assert "./train.py:3:10" in text and "gpu_options.allow_growth stays in the code: flag" in text and "default True" in text
    assert "per_process_gpu_memory_fraction stays in the code: 0.5 under tf.app.flags.FLAGS.growth" in text


def _files(folder: pathlib.Path) -> Dict[str, str]:
    return {path.name: path.read_text() for path in sorted((folder / "configs").iterdir())}


def test_again_changes_nothing_and_follows_the_code(repository: pathlib.Path) -> None:
    _extract(repository)
    before = _files(repository)
    assert all(line.endswith(("same, for 1 config", "same, for 2 configs")) for line in _extract(repository).stdout.splitlines())
    assert _files(repository) == before
    (repository / "eval.py").write_text(EVAL.replace("'GPU': 0", "'GPU': 1"))
    assert "configs/eval.yaml: updated, for 1 config" in _extract(repository).stdout
    assert load_profile(repository / "configs/eval.yaml").to_dict() == {"device_count": {"GPU": 1}}


def test_a_persons_edits_are_kept(repository: pathlib.Path) -> None:
    _extract(repository)
    path = repository / "configs/train.yaml"
    mine = path.read_text() + "log_device_placement: true\n"
    path.write_text(mine)
    done = _extract(repository)
    assert done.returncode == 1 and path.read_text() == mine
    assert "-log_device_placement: true" in done.stdout and "was edited and is kept" in done.stderr
    assert load_profile(repository / "configs/train.yaml.new").values()["intra_op_parallelism_threads"] == 4
    path.write_text("allow_soft_placement: true\n")  # not one of ours
    assert _extract(repository).returncode == 1 and path.read_text() == "allow_soft_placement: true\n"


def test_dry_run_writes_nothing(repository: pathlib.Path) -> None:
    done = _extract(repository, ["--dry-run"])
    assert done.returncode == 0 and "device_count:" in done.stdout and not (repository / "configs").exists()


def test_a_value_that_can_not_be_is_reported(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bad.py").write_text(
        "import tensorflow as tf\nc = tf.ConfigProto(intra_op_parallelism_threads='many')\nd = tf.ConfigProto(allow_growht=True)\n"
    )
    done = _extract(tmp_path)
    assert done.returncode == 1 and "./bad.py:2:5: no profile: " in done.stderr and "./bad.py:3:5: no profile: " in done.stderr
    assert "Traceback" not in done.stderr


def test_from_a_record(tmp_path: pathlib.Path) -> None:
    lines = [{"bytes": "10033801", "file": "/x/train.py", "line": 3}, {"bytes": "10033801", "file": "/x/train.py", "line": 3}]
    (tmp_path / "r.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    done = _extract(tmp_path, ["--from", "r.jsonl"])
    assert done.returncode == 0 and done.stdout == "configs/train.yaml: new, for 1 config\n", done.stderr
    assert load_profile(tmp_path / "configs/train.yaml").values() == {"intra_op_parallelism_threads": 3, "allow_soft_placement": True}
    (tmp_path / "bad.jsonl").write_text("{}\n")
    wrong = _extract(tmp_path, ["--from", "bad.jsonl"])
    assert wrong.returncode == 2 and "bad.jsonl:1:1" in wrong.stderr
    assert _extract(tmp_path, ["--from", "r.jsonl", "."]).returncode == 2


def test_near_profiles_extend_one_another(tmp_path: pathlib.Path) -> None:
    configs = [
        "allow_soft_placement=True, log_device_placement=False",
        "allow_soft_placement=True, log_device_placement=False, intra_op_parallelism_threads=2",
        "allow_soft_placement=True, log_device_placement=False, intra_op_parallelism_threads=2, inter_op_parallelism_threads=2",
        "intra_op_parallelism_threads=7",
    ]
    for at, config in enumerate(configs):
        (tmp_path / ("m%d.py" % at)).write_text("import tensorflow as tf\nc = tf.ConfigProto(%s)\n" % config)
    assert _extract(tmp_path).returncode == 0
    texts = [(tmp_path / "configs" / ("m%d.yaml" % at)).read_text() for at in range(4)]
    assert [line for text in texts for line in text.splitlines() if "extends" in line] == ["  extends: m0.yaml", "  extends: m1.yaml"]
    loaded = [load_profile(tmp_path / "configs" / ("m%d.yaml" % at)).values() for at in range(4)]
    assert loaded == [eval("dict(%s)" % config) for config in configs]


RANKED = """import os
import horovod.tensorflow as hvd
import tensorflow as tf
config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.visible_device_list = str(hvd.local_rank())
config.intra_op_parallelism_threads = int(os.environ.get("THREADS", "3"))
"""


def test_the_local_rank_and_flags(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "ranked.py").write_text(RANKED)
    assert _extract(tmp_path, ["--flags", "environment"]).returncode == 0
    train, ranked = (tmp_path / "configs" / name for name in ("train.yaml", "ranked.yaml"))
    assert load_profile(train, environ={})["gpu_options.allow_growth"] is True
    assert load_profile(train, environ={"GROWTH": "false"})["gpu_options.allow_growth"] is False
    assert "gpu_options.per_process_gpu_memory_fraction" not in load_profile(train, environ={})  # under a condition
    found = load_profile(ranked, environ={"HOROVOD_LOCAL_RANK": "2", "THREADS": "5"}).values()
    assert found == {"allow_soft_placement": True, "intra_op_parallelism_threads": 5, "gpu_options.visible_device_list": "2"}
    assert load_profile(ranked, environ={"HOROVOD_LOCAL_RANK": "0"})["intra_op_parallelism_threads"] == 3
    for path in (train, ranked):
        path.unlink()
    assert _extract(tmp_path).returncode == 0
    assert "intra_op_parallelism_threads" not in load_profile(ranked, environ={"HOROVOD_LOCAL_RANK": "0"})
    assert "intra_op_parallelism_threads stays in the code: environment" in ranked.read_text()
