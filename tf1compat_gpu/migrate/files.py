"""The files of a code base, and their text as Python reads it."""

from __future__ import annotations

import io
import os
import subprocess
import tokenize
from typing import Iterator, List, NamedTuple, Optional, Sequence, Set

from tf1compat_gpu.migrate import shell

#: Bytes of which a file must have one to be worth parsing: names of TensorFlow, Keras, variables that are reported, fields.
MARKS = (b"tensorflow", b"keras", b"CUDA_", b"TF_", b"ConfigProto", b"config_pb2", b"tf.", b"KMP_", b"OMP_NUM_THREADS", b"NVIDIA_", b"gpu_options.")
_SKIPPED_FOLDERS = frozenset(
    (
        ".git", ".hg", ".svn", "__pycache__", ".tox", ".nox", ".venv", "venv", "node_modules", "site-packages", "dist-packages", ".mypy_cache", ".ruff_cache",
        ".ipynb_checkpoints",
    )
)  # fmt: skip


class Skipped(NamedTuple):
    """A file that was not read, and why."""

    path: str
    reason: str


class Text(NamedTuple):
    """A Python source.

    Attributes:
        path: As it was found.
        text: Its text, without a byte order mark; line ends as they are.
        encoding: What it was decoded with (PEP 263, or a byte order mark).
        data: Its bytes.
    """

    path: str
    text: str
    encoding: str
    data: bytes


def _ignored_by_git(folder: str) -> Optional[Set[str]]:
    """The files below a folder that git would not list (.gitignore), or None where git does not know the folder."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
    return {os.path.normpath(os.path.join(folder, os.fsdecode(name))) for name in done.stdout.split(b"\0") if name}


def find(paths: Sequence[str], exclude: Sequence[str] = ()) -> Iterator[str]:
    """Python files, notebooks and scripts, in order: those named, and those below folders that are named.

    Args:
        paths: Files and folders.
        exclude: Names of files or folders, or paths below a folder that is named, to leave out.

    Yields:
        Paths that start as they were given.
    """
    left_out = {os.path.normpath(name) for name in exclude}
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        gone = left_out | (_ignored_by_git(path) or set())
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and not _left_out(path, folder, name, gone))
            for name in sorted(names):
                if (
                    (name.endswith((".py", ".ipynb")) or shell.dialect(name))
                    and not _left_out(path, folder, name, gone)
                    and not os.path.islink(os.path.join(folder, name))
                ):
                    yield os.path.join(folder, name)


def _left_out(root: str, folder: str, name: str, gone: Set[str]) -> bool:
    """Whether a file or folder is left out: by its name, its path, or its path below the root."""
    full = os.path.normpath(os.path.join(folder, name))
    return name in gone or full in gone or os.path.relpath(full, root) in gone


def decode(path: str, data: bytes) -> Text | Skipped:
    """The text of a source, by its byte order mark or its coding line."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError) as problem:
        return Skipped(path, str(problem))
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        return Skipped(path, "line %d: it is not %s" % (line, problem.encoding))
    return Text(path, text, encoding, data)


def read(path: str) -> Text | Skipped | None:
    """A file's text; None where nothing in it can matter, a reason where it can't be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as problem:
        return Skipped(path, problem.strerror or str(problem))
    if not any(mark in data for mark in MARKS):
        return None
    return decode(path, data)


def lines_of(text: str) -> List[str]:
    """Lines as ast counts them: form feeds end none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
