"""The command line as a process: what it loads, and its exit statuses."""

from __future__ import annotations

import pathlib
from typing import List

import pytest

from tests.cli.conftest import Tf1compat, run_tf1compat
from tests.programs import reports
from tf1compat_gpu.cli.commands import COMMANDS

HEAVY = ("tensorflow", "numpy", "keras", "google", "google.protobuf", "rich", "difflib", "jsonschema", "importlib.metadata", "pkg_resources")


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "good.yaml").write_text("allow_growth: true\n")
    (tmp_path / "bad.yaml").write_text("allow_growth: maybe\n")


def loaded(arguments: List[str], folder: pathlib.Path) -> List[str]:
    """Which of the heavy modules a command loads."""
    found = reports(
        """
        import sys
        from tf1compat_gpu.__main__ import main
        before = set(sys.modules)
        try:
            main(%r)
        except SystemExit:
            pass
        report(loaded=sorted(set(sys.modules) & set(%r)))
        """
        % (arguments, HEAVY),
        cwd=str(folder),
    )
    names: List[str] = found["loaded"]
    # A `google` that only a .pth file of another distribution made is no import of ours.
    return [name for name in names if name != "google" or "google.protobuf" in names]


def test_check_loads_nothing_heavy(tmp_path: pathlib.Path) -> None:
    assert loaded(["check", "good.yaml", "--tensorflow", "1.12,2.21"], tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "good.yaml"],
        ["explain"],
        ["explain", "allow_growth"],
        ["convert", "good.yaml", "--to", "hex"],
        ["schema"],
        ["doctor"],
        ["--help"],
        ["check", "bad.yaml"],
    ],
    ids=" ".join,
)
def test_no_command_imports_tensorflow(arguments: List[str], tmp_path: pathlib.Path) -> None:
    assert not {"tensorflow", "keras", "numpy"} & set(loaded(arguments, tmp_path))


def test_a_command_loads_its_own_module_alone(tmp_path: pathlib.Path) -> None:
    found = reports(
        """
        import sys
        from tf1compat_gpu.__main__ import main
        try:
            main(["check", "good.yaml"])
        except SystemExit:
            pass
        report(modules=sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith("tf1compat_gpu.cli.")))
        """,
        cwd=str(tmp_path),
    )
    assert set(found["modules"]) & set(COMMANDS) == {"check"}


@pytest.mark.parametrize(
    "arguments, status",
    [
        (["check", "good.yaml"], 0),
        (["check", "bad.yaml"], 1),
        (["check"], 2),
        (["show", "bad.yaml"], 1),
        (["show"], 2),
        (["explain", "allow_growth"], 0),
        (["explain", "allow_grwoth"], 2),
        (["convert", "good.yaml", "--to", "hex"], 0),
        (["convert", "bad.yaml", "--to", "hex"], 1),
        (["convert", "none.yaml", "--to", "hex"], 2),
        (["--version"], 0),
        (["--help"], 0),
        (["chek"], 2),
        (["check", "--frobnicate"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_status(arguments: List[str], status: int, tmp_path: pathlib.Path) -> None:
    done = run_tf1compat(*arguments, cwd=tmp_path)
    assert done.status == status, done.err
    assert "Traceback" not in done.err
    if status:
        assert done.err


def test_help_names_every_command_and_every_command_has_help(tf1compat: Tf1compat) -> None:
    helped = tf1compat("--help")
    assert helped.status == 0 and "2 usage" in " ".join(helped.out.split())
    assert "..." not in helped.out.partition("Commands:")[2]
    for name in COMMANDS:
        assert name in helped.out
        assert tf1compat(name, "--help").status == 0
    wrong = tf1compat("chek", "good.yaml")
    assert wrong.status == 2 and "did you mean 'check'?" in wrong.err
    assert "0.1.0" in tf1compat("--version").out
