"""The bytes of a profile as text, or what is wrong with the file."""

from __future__ import annotations

import os
from typing import NamedTuple, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.profiles import nodes
from tf1compat_gpu.profiles.suggestions import nearest


class Text(NamedTuple):
    """A profile's bytes that stand in no file, and what to call them."""

    name: str
    data: bytes


def read_source(path: str, span: Optional[Span] = None) -> Tuple[Optional[Source], Optional[Diagnostic]]:
    """A file's text, or what is wrong with the file. `-` is standard input; `span` is the place that named it."""
    import sys

    name = "<stdin>" if path == "-" else path
    try:
        if path == "-":
            data = sys.stdin.buffer.read(nodes.MAX_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(nodes.MAX_BYTES + 1)
    except FileNotFoundError:
        return None, error("not-found", "no such profile: %s" % path, span, _near(path))
    except IsADirectoryError:
        return None, error("unreadable", "%s is a directory, not a profile" % path, span, "name a file in it")
    except (OSError, ValueError) as problem:
        return None, error("unreadable", "%s can't be read: %s" % (path, getattr(problem, "strerror", None) or problem), span)
    return decode(data, name, span)


def _near(path: str) -> str:
    tried = os.path.abspath(path)
    try:
        names = [name for name in os.listdir(os.path.dirname(tried)) if name.endswith((".yaml", ".yml"))]
    except OSError:
        return "looked for %s" % tried
    close = nearest(os.path.basename(tried), names)
    return "looked for %s%s" % (tried, "; did you mean %s?" % " or ".join(close) if close else "")


def decode(data: bytes, name: str, at: Optional[Span] = None) -> Tuple[Optional[Source], Optional[Diagnostic]]:
    """The bytes of a profile as text, or what is wrong with them; `at` is the place that named them."""
    if len(data) > nodes.MAX_BYTES:
        message = "%s is larger than %d KiB" % (name, nodes.MAX_BYTES // 1024)
        return None, error("too-large", message, at or Span(Source(name)), "a profile is a small file; is this the right one?")
    for mark, encoding in ((b"\xef\xbb\xbf", ""), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            if encoding:
                return None, error("encoding", "%s is %s" % (name, encoding), Span(Source(name)), "save it as UTF-8")
            data = data[len(mark) :]
    try:
        return Source(name, data.decode("utf-8").replace("\r\n", "\n")), None
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        shown = Source(name, data.decode("utf-8", "replace"))
        return None, error("encoding", "not UTF-8: the byte 0x%02x" % data[problem.start], Span(shown, line, column, column + 1), "save the file as UTF-8")
