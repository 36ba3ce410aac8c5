"""Run a TensorFlow program in a fresh interpreter, and get what it reports: TensorFlow's state is process-wide."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import textwrap
from typing import Any, Dict, Mapping, Optional, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[1]
_MARK = "@@report "
_PRELUDE = """
import json as _json, sys as _sys
def report(**values):
    print({mark!r} + _json.dumps(values), flush=True)
def raised(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except BaseException as problem:
        return [type(problem).__name__, str(problem)]
    return None
"""


def environment(extra: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
    """A clean environment: nothing of this machine's TensorFlow, CUDA or launcher settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV") if name in os.environ}
    path = os.pathsep.join([str(ROOT)] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p])
    kept.update(PYTHONPATH=path, TF_CPP_MIN_LOG_LEVEL="2", PYTHONWARNINGS="ignore::FutureWarning,ignore::DeprecationWarning")
    kept.update(extra or {})
    return kept


def run(
    code: str, env: Optional[Mapping[str, str]] = None, python: str = sys.executable, cwd: Optional[str] = None, timeout: int = 120
) -> subprocess.CompletedProcess[str]:
    """Run Python source in a fresh interpreter; `report(name=value)` and `raised(call, ...)` are defined in it."""
    source = _PRELUDE.format(mark=_MARK) + textwrap.dedent(code)
    return subprocess.run(
        [python, "-c", source], env=environment(env), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip


def reports(code: str, env: Optional[Mapping[str, str]] = None, python: str = sys.executable, cwd: Optional[str] = None, timeout: int = 120) -> Dict[str, Any]:
    """What the program reported, all of it; the program must end with status 0."""
    done = run(code, env, python, cwd, timeout)
    assert done.returncode == 0, "exit status %d\n%s\n%s" % (done.returncode, done.stdout[-3000:], done.stderr[-6000:])
    found: Dict[str, Any] = {}
    for line in done.stdout.splitlines():
        if line.startswith(_MARK):
            found.update(json.loads(line[len(_MARK) :]))
    return found


def tf1compat(folder: pathlib.Path, arguments: Sequence[str], env: Optional[Mapping[str, str]] = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, in a process of its own."""
    line = [sys.executable, "-m", "tf1compat_gpu", *arguments]
    return subprocess.run(line, cwd=str(folder), env=environment(env), capture_output=True, text=True)
