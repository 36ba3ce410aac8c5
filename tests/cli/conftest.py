"""The command line, called in this process."""

from __future__ import annotations

import io
import pathlib
import sys
from typing import Callable, NamedTuple

import pytest

from tf1compat_gpu.__main__ import main


class Result(NamedTuple):
    status: int
    out: str
    err: str


Tf1compat = Callable[..., Result]


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
