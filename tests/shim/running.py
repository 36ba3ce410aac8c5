"""Programs run by `tf1compat run` and by python itself, in one folder, for tests to compare."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap
from typing import Mapping, NamedTuple, Optional, Sequence

from tests.programs import environment

RUN = [sys.executable, "-m", "tf1compat_gpu", "run"]


class Done(NamedTuple):
    """How a process ended."""

    status: int
    out: str
    err: str


def execute(command: Sequence[str], cwd: pathlib.Path, env: Optional[Mapping[str, str]] = None, input: str = "", timeout: int = 120) -> Done:
    done = subprocess.run(list(command), cwd=str(cwd), env=environment(env), input=input, capture_output=True, text=True, timeout=timeout, errors="replace")
    return Done(done.returncode, done.stdout, done.stderr)


def runner(arguments: Sequence[str], cwd: pathlib.Path, env: Optional[Mapping[str, str]] = None, input: str = "", timeout: int = 120) -> Done:
    """`tf1compat run ARGUMENTS`."""
    return execute(RUN + list(arguments), cwd, env, input, timeout)


def plain(arguments: Sequence[str], cwd: pathlib.Path, env: Optional[Mapping[str, str]] = None, input: str = "", timeout: int = 120) -> Done:
    """`python ARGUMENTS`."""
    return execute([sys.executable] + list(arguments), cwd, env, input, timeout)


def write(folder: pathlib.Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
