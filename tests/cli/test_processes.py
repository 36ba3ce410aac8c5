"""The command line as a process: what it loads, its exit statuses, pipes, and what it prints where."""

from __future__ import annotations

import pathlib
import sys
from typing import List

import pytest

from tests.cli.conftest import Tf1compat, run_tf1compat
from tests.programs import environment, reports, run
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
    assert helped.status == 0 and "2 usage" in helped.out
    for name in COMMANDS:
        assert name in helped.out
        assert tf1compat(name, "--help").status == 0
    wrong = tf1compat("chek", "good.yaml")
    assert wrong.status == 2 and "did you mean 'check'?" in wrong.err
    assert "0.1.0" in tf1compat("--version").out


def test_a_reader_that_leaves_is_no_error(tmp_path: pathlib.Path) -> None:
    for command in ("schema", "explain"):
        done = run(
            """
            import subprocess, sys
            child = subprocess.Popen([sys.executable, "-m", "tf1compat_gpu", %r], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            child.stdout.read(1)
            child.stdout.close()
            print(child.stderr.read())
            """
            % command,
            cwd=str(tmp_path),
        )
        assert done.stdout == "b''\n", done.stdout


def test_missing_packages_are_named_with_the_line_that_installs_them(tmp_path: pathlib.Path) -> None:
    for module, distribution, arguments in (("rich", "rich", ["explain"]), ("google", "protobuf", ["convert", "good.yaml", "--to", "hex"])):
        done = run(
            """
            import sys
            sys.modules[%r] = None
            from tf1compat_gpu.__main__ import main
            main(%r)
            """
            % (module, arguments),
            cwd=str(tmp_path),
        )
        assert done.returncode == 2
        assert "pip install %s" % distribution in done.stderr and "Traceback" not in done.stderr


def test_names_that_the_terminal_cannot_show(tmp_path: pathlib.Path) -> None:
    (tmp_path / "größe.yaml").write_text("allow_growth: vielleicht\n", encoding="utf-8")
    done = run_tf1compat("check", "größe.yaml", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"})
    assert done.status == 1 and "error[type]" in done.out and "Traceback" not in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_no_color_is_plain_text_on_a_terminal(tmp_path: pathlib.Path) -> None:
    import pty
    import subprocess

    for extra in ({"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-m", "tf1compat_gpu", "explain"], stdout=theirs, stderr=subprocess.DEVNULL, env=environment(dict(extra, TERM="xterm-256color"))
        )
        import os

        os.close(theirs)
        text = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            text += more
        os.close(ours)
        assert child.wait() == 0
        assert b"gpu_options.allow_growth" in text and b"\x1b" not in text
