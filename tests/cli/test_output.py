"""What the command line prints to pipes and terminals, and what it says of missing packages."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.cli.conftest import run_tf1compat
from tests.programs import environment, run


@pytest.fixture(autouse=True)
def files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "good.yaml").write_text("allow_growth: true\n")


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


def test_no_color_is_plain_text_on_a_terminal(tmp_path: pathlib.Path) -> None:
    pty = pytest.importorskip("pty")
    for extra in ({"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-m", "tf1compat_gpu", "explain"], stdout=theirs, stderr=subprocess.DEVNULL, env=environment(dict(extra, TERM="xterm-256color"))
        )
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
