"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile

import click


def write_file(path: str, data: bytes, force: bool) -> None:
    """Write a file by way of a temporary one beside it, so that it is never half written.

    Raises:
        click.UsageError: It exists and `force` is not given, or it can't be written.
    """
    if os.path.isdir(path):
        raise click.UsageError("%s is a directory; name a file in it" % path)
    if os.path.lexists(path) and not force:
        raise click.UsageError("%s exists already; --force writes over it" % path)
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
