"""Every code block of README.md and migration_guide.md is run, and what is generated in them is what is generated."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import List, NamedTuple

import pytest

from tests.clusters.job import launch
from tests.interpreters import interpreter
from tests.programs import ROOT, environment, run
from tf1compat_gpu import load_profile
from tf1compat_gpu.plans.field_table import field_table
from tf1compat_gpu.profiles import launchers

_BLOCK = re.compile(r"(?:<!-- (?P<mark>[^\n]*) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```", re.S)
DOCUMENTS = ["README.md", "migration_guide.md"]


class Block(NamedTuple):
    document: str
    number: int
    mark: str
    language: str
    text: str


def blocks(document: str) -> List[Block]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [Block(document, i, m.group("mark") or "", m.group("language"), m.group("text")) for i, m in enumerate(_BLOCK.finditer(text))]


ALL = [block for document in DOCUMENTS for block in blocks(document)]


def ids(block: Block) -> str:
    return "%s-%d" % (block.document, block.number)


@pytest.fixture
def folder(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> pathlib.Path:
    """A folder with the files that the block's document shows."""
    for block in blocks(request.getfixturevalue("block").document):
        if block.mark.startswith("file: "):
            (tmp_path / block.mark[len("file: ") :].partition(",")[0]).write_text(block.text)
    return tmp_path


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert {block.language for block in ALL} == {"python", "yaml", "text", "sh"}
    assert all(block.mark.startswith("command: ") for block in ALL if block.language == "sh")  # run by .ci/run
    assert all(block.text.startswith("$ tf1compat ") for block in ALL if block.language == "text")


PLAIN = [b for b in ALL if b.language == "python" and "TensorFlow 1" not in b.mark and not b.mark.startswith("launch: ")]


@pytest.mark.tensorflow
@pytest.mark.parametrize("block", PLAIN, ids=ids)
def test_python(block: Block, folder: pathlib.Path) -> None:
    done = run(block.text, cwd=str(folder))
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.tensorflow
@pytest.mark.tensorflow2
@pytest.mark.parametrize("block", [b for b in ALL if b.mark.startswith("launch: ")], ids=ids)
def test_python_of_a_job(block: Block, folder: pathlib.Path) -> None:
    (folder / "program.py").write_text(block.text)
    done = launch(block.mark.split()[1:] + ["program.py"], folder)
    assert done.status == 0, done.err[-3000:]


@pytest.mark.interpreters
@pytest.mark.parametrize("block", [b for b in ALL if "TensorFlow 1" in b.mark], ids=ids)
def test_python_of_tensorflow_1(block: Block, folder: pathlib.Path) -> None:
    assert run(block.text, cwd=str(folder), python=interpreter("1.15")).returncode == 0


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "yaml" and "typo" not in b.mark], ids=ids)
def test_yaml(block: Block, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "0")
    (folder / "block.yaml").write_text(block.text)
    profile = load_profile(folder / "block.yaml")
    assert len(profile) or profile.settings.environment


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "text"], ids=ids)
def test_commands(block: Block, folder: pathlib.Path) -> None:
    command, _, expected = block.text.partition("\n")
    if command.split()[2] in ("scan", "extract", "rewrite") and sys.version_info < (3, 9):
        pytest.skip("the migration needs Python 3.9")
    done = subprocess.run(
        [sys.executable, "-m", "tf1compat_gpu"] + command.split()[2:],
        env=environment(),
        cwd=str(folder),
        capture_output=True,
        text=True,
    )
    assert done.stdout == expected, done.stderr


def test_the_field_table_is_the_generated_one() -> None:
    text = (ROOT / "migration_guide.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- field table: [^\n]* -->\n(.*?)\n<!-- end -->", text, re.S)
    assert found is not None
    assert found.group(1) == field_table()


def test_the_table_of_launchers_is_the_generated_one() -> None:
    text = (ROOT / "migration_guide.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- launchers: [^\n]* -->\n(.*?)\n<!-- end -->", text, re.S)
    assert found is not None
    assert found.group(1) + "\n" == launchers.table()


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / document).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), target
