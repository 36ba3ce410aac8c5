"""The files that commands read and write."""

from __future__ import annotations

import os
import sys

import click

from tf1compat_gpu.profiles.files import Text
from tf1compat_gpu.profiles.nodes import MAX_BYTES
from tf1compat_gpu.profiles.reader import ProfileLike


def named_source(name: str) -> ProfileLike:
    """What a PROFILE argument names; standard input (-) is read here, once, so that a command may look at it again."""
    return Text("<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1)) if name == "-" else name


def write_file(path: str, data: bytes, force: bool) -> None:
    """Write a file by way of a temporary one beside it, so that it is never half written.

    Raises:
        click.UsageError: It exists and `force` is not given, or it can't be written.
    """
    if os.path.isdir(path):
        raise click.UsageError("%s is a directory; name a file in it" % path)
    if os.path.lexists(path) and not force:
        raise click.UsageError("%s exists already; --force writes over it" % path)
    import tempfile  # 5 ms that `check` need not pay

    path = os.path.realpath(path)  # a link stays one
    folder = os.path.dirname(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".tf1compat-")
    except OSError as problem:
        raise click.UsageError("%s can't be written: %s" % (path, problem.strerror))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as problem:
        os.unlink(temporary)
        raise click.UsageError("%s can't be written: %s" % (path, problem.strerror))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
