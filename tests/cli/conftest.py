"""The command line, called in this process."""

from __future__ import annotations

import io
import pathlib
import subprocess
import sys
from typing import Callable, Mapping, NamedTuple, Optional

import pytest

from tests.programs import environment
from tf1compat_gpu.__main__ import main

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


class Result(NamedTuple):
    status: int
    out: str
    err: str


Tf1compat = Callable[..., Result]


def run_tf1compat(*arguments: str, cwd: pathlib.Path, env: Optional[Mapping[str, str]] = None) -> Result:
    """Run `python -m tf1compat_gpu ARGUMENTS...` in a process of its own."""
    command = [sys.executable, "-m", "tf1compat_gpu"] + list(arguments)
    done = subprocess.run(command, env=environment(env), cwd=str(cwd), stdin=subprocess.DEVNULL, capture_output=True)
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


@pytest.fixture
def tf1compat(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Tf1compat:
    """Runs `tf1compat ARGUMENTS...` in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfd.readouterr()
        return Result(int(end.value.code or 0), out, err)

    return call


@pytest.fixture
def train_files(tmp_path: pathlib.Path) -> None:
    """base.yaml, and train.yaml which builds on it."""
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "train.yaml").write_text(TRAIN)
