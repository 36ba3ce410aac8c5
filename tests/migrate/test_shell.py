"""What scripts set and pin, at which line and column; and what of them is nothing."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys
from typing import List, Tuple

import pytest

from tests.programs import environment

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="scanning needs Python 3.9")

CUDA = "CUDA_VISIBLE_DEVICES is set to "
#: File name, text, and what is found: line, column, message.
FOUND: List[Tuple[str, str, List[Tuple[int, int, str]]]] = [
    ("a.sh", "#!/bin/sh\nexport CUDA_VISIBLE_DEVICES=0,1 TF_XLA_FLAGS='--a --b'\n", [(2, 8, CUDA + "0,1"), (2, 33, "TF_XLA_FLAGS is set to --a --b")]),
    ("a.sh", 'CUDA_VISIBLE_DEVICES="" \\\n  TF_NUM_INTRAOP_THREADS=4 python a.py\n', [(1, 1, CUDA + "nothing"), (2, 3, "TF_NUM_INTRAOP_THREADS is set to 4")]),
    ("a.bash", "if x; then OMP_NUM_THREADS=2 env KMP_BLOCKTIME=0 python a.py; fi", [(1, 12, "OMP_NUM_THREADS is set to 2"), (1, 34, "KMP_BLOCKTIME is set to 0")]),
    ("a.sh", "ssh h \"cd x; CUDA_VISIBLE_DEVICES=1 python a.py\"\nx=$(CUDA_VISIBLE_DEVICES=2 f)\n", [(1, 14, CUDA + "1"), (2, 5, CUDA + "2")]),
    ("a.sh", "docker run -e TF_A=1 --env TF_B=2 --env=TF_C=3 x\n", [(1, 15, "TF_A is set to 1"), (1, 28, "TF_B is set to 2"), (1, 41, "TF_C is set to 3")]),
    ("a.slurm", "#SBATCH --gres=gpu:1\n#SBATCH --export=ALL,TF_A=1\nsrun --export=ALL,TF_B=2 x\n", [(2, 22, "TF_A is set to 1"), (3, 19, "TF_B is set to 2")]),
    ("a.sh", "echo it's here\nsetenv TF_A 1\nexport TF_API_TOKEN=abc\n", [(2, 8, "TF_A is set to 1"), (3, 8, "TF_API_TOKEN is set to ********")]),
    ("a.bat", "@echo off\r\nREM set TF_X=1\r\nset CUDA_VISIBLE_DEVICES=0\r\nset \"TF_A=1\"& python a.py\r\nsetx TF_B 2\r\n",
     [(3, 5, CUDA + "0"), (4, 6, "TF_A is set to 1"), (5, 6, "TF_B is set to 2")]),
    ("a.ps1", "# $env:TF_X = 1\n$env:CUDA_VISIBLE_DEVICES = \"0\"\n[Environment]::SetEnvironmentVariable('TF_A', '1')\n", [(2, 6, CUDA + "0"), (3, 40, "TF_A is set to 1")]),
    ("Dockerfile", "FROM tensorflow/tensorflow:1.15.0-gpu\n# ENV TF_X 1\nENV TF_A 1 2\nENV TF_B=1 \\\n    # text\n    TF_C=\"3\"\nARG TF_D=4\nRUN TF_E=5 make\n",
     [(1, 6, "the image tensorflow/tensorflow:1.15.0-gpu holds TensorFlow below 2"), (3, 5, "TF_A is set to 1 2"), (4, 5, "TF_B is set to 1"),
      (6, 5, "TF_C is set to 3"), (7, 5, "TF_D is set to 4"), (8, 5, "TF_E is set to 5")]),
    ("Dockerfile.gpu", "ENV V=1.14.0\nRUN apt x && \\\n  pip install -U tensorflow-gpu==${V}\n", [(3, 18, "tensorflow-gpu==1.14.0 holds TensorFlow below 2")]),
    ("docker-compose.yml", "services:\n  a:\n    image: tensorflow/tensorflow:2.4.1\n    environment:\n      - CUDA_VISIBLE_DEVICES=0\n      - TF_X\n      # - TF_Y=1\n      TF_A: '1'\n",
     [(3, 12, "the image tensorflow/tensorflow:2.4.1 holds TensorFlow at 2 or later"), (5, 9, CUDA + "0"), (8, 7, "TF_A is set to 1")]),
    ("Makefile", "CUDA_VERSION ?= 9\nexport TF_A := 1\na:\n\t@TF_B=2 python a.py\n", [(2, 8, "TF_A is set to 1"), (4, 3, "TF_B is set to 2")]),
    ("a.sh", "pip install 'tensorflow>=1.4,<2' keras\nconda install tensorflow=1.15\npip3 install tensorflow==2.4.1\n",
     [(1, 13, "tensorflow<2 holds TensorFlow below 2"), (2, 15, "tensorflow==1.15 holds TensorFlow below 2"), (3, 14, "tensorflow==2.4.1 holds TensorFlow at 2 or later")]),
    ("a.sh", "pip install https://x/tensorflow_gpu-1.4.0-cp27-none-linux_x86_64.whl\n", [(1, 13, "tensorflow_gpu==1.4.0 holds TensorFlow below 2")]),
]  # fmt: skip
NOTHING = [
    ("a.sh", "# export CUDA_VISIBLE_DEVICES=0\nx=1 # TF_A=1\necho TF_A=1\necho 'CUDA_VISIBLE_DEVICES=0 a'\n"),
    ("a.sh", "NVIDIA_MONITOR=$!\nTF_INIT_ROOT=http://x\nwget $TF_INIT_ROOT\n"),
    ("a.sh", "python - <<EOF\nTF_A=1\nEOF\nif [ $CUDA_VISIBLE_DEVICES == 0 ]; then x; fi\nunset TF_A\n"),
    ("a.sh", "pip install tensorflow keras==2.0 tensorflow-datasets==1.0\n"),
    ("a.bat", "rem set TF_A=1\n:: set TF_A=1\necho %TF_A%\n"),
    ("Dockerfile", "FROM tensorflow/tensorflow:latest-gpu\n# RUN TF_A=1 x\n"),
]


def _found(name: str, text: str) -> List[Tuple[int, int, str]]:
    from tf1compat_gpu.diagnostics import Source
    from tf1compat_gpu.migrate import shell

    return [(each.span.line, each.span.column, each.message) for each in shell.scan_text(Source(name, text), shell.dialect(name), text)]


@pytest.mark.parametrize("name,text,expected", FOUND)
def test_found(name: str, text: str, expected: List[Tuple[int, int, str]]) -> None:
    assert _found(name, text) == expected


@pytest.mark.parametrize("name,text", NOTHING)
def test_nothing(name: str, text: str) -> None:
    assert _found(name, text) == []


def test_help_says_what_a_profile_has_instead() -> None:
    from tf1compat_gpu.migrate.shell import instead

    assert "gpu_options: {visible_device_list: '0,1'}, or profile: {environment: {CUDA_VISIBLE_DEVICES: '0,1'}}" in instead("CUDA_VISIBLE_DEVICES", "0,1")
    assert "device_count: {GPU: 0}" in instead("CUDA_VISIBLE_DEVICES", "-1")
    assert "intra_op_parallelism_threads: 4" in instead("TF_NUM_INTRAOP_THREADS", "4")
    assert "environment: {TF_CPP_MIN_LOG_LEVEL: '3'}" in instead("TF_CPP_MIN_LOG_LEVEL", "3")
    assert instead("CUDA_HOME", "/usr") == ""


def test_notebooks_shell_lines() -> None:
    from tests.migrate.test_notebooks import notebook, scanned

    report = scanned(
        notebook(
            "try:\n    %tensorflow_version 1.x\nexcept: pass\n!pip install tensorflow==1.15", "%env CUDA_VISIBLE_DEVICES=0\n%env TF_A 1", "%%bash\nTF_B=2 x\n"
        )
    )
    assert [(each.span.source.cell, each.span.line, each.span.column, each.message) for each in report.findings] == [
        (1, 2, 5, "%tensorflow_version 1.x holds TensorFlow below 2"), (1, 4, 14, "tensorflow==1.15 holds TensorFlow below 2"),
        (2, 1, 6, CUDA + "0"), (2, 2, 6, "TF_A is set to 1"), (3, 2, 1, "TF_B is set to 2"),
    ]  # fmt: skip


def test_command_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"# \xe9\nexport TF_A=1\nexport TF_B=1  # tf1compat: ignore[environment]\n")
    (tmp_path / "b.sh").write_bytes(b"import tensorflow as tf  # CUDA_\n")
    done = subprocess.run(
        [sys.executable, "-m", "tf1compat_gpu", "scan", "--format", "json"], cwd=str(tmp_path), env=environment(), capture_output=True, text=True
    )
    document = json.loads(done.stdout)
    assert [(each["file"], each["line"], each["column"], each["code"], each["serious"]) for each in document["findings"]] == [
        ("./a.sh", 2, 8, "environment", False)
    ]
    assert document["skipped"] == [] and done.returncode == 1
    before = (tmp_path / "b.sh").read_bytes()
    rewrite = subprocess.run([sys.executable, "-m", "tf1compat_gpu", "rewrite", "."], cwd=str(tmp_path), env=environment(), capture_output=True, text=True)
    assert rewrite.returncode == 0 and (tmp_path / "b.sh").read_bytes() == before


def test_random_scripts_never_break_it() -> None:
    draw = random.Random(3)
    for _ in range(3000):
        name, text, _ = draw.choice(FOUND)
        name, characters = draw.choice([name, draw.choice(FOUND)[0]]), list(text)
        for _ in range(draw.randint(1, 10)):
            at = draw.randrange(len(characters))
            if draw.random() < 0.4 and len(characters) > 1:
                del characters[at]
            else:
                characters.insert(at, draw.choice(['"', "'", "\\", "\n", "\r", "$(", "${", "}", "`", "<<E", "#", "=", " ", "^", "&", "é"]))
        lines = "".join(characters).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line, column, _ in _found(name, "".join(characters)):
            assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1
