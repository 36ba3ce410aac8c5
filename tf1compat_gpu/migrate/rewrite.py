"""Edits of sources: fixes in, text out, and every byte that no fix names as it was.

The engine alone writes files: into a temporary file that takes the old one's place, in one step, after the result has been
parsed and found to need no further fix.
"""

from __future__ import annotations

import ast
import os
import re
import stat
import tempfile
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.diagnostics import Source
from tf1compat_gpu.migrate import files, imports, notebooks, shell
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.fix import Fix, Positions
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scan import parse

#: Rung -> what proposes its fixes: from a tree and the positions in its text to fixes and findings that stand in the way.
RUNGS: Dict[str, Callable[[Source, Nodes, Names, Positions], Tuple[List[Fix], List[Finding]]]] = {"import": imports.propose}


class Rewritten(NamedTuple):
    """What became of one source.

    Attributes:
        path: The file.
        before: Its bytes.
        after: Its bytes with the fixes, or None where there are none, or none can be made.
        findings: What stands in the way of a complete rewrite.
        refused: Why the file is left alone, or "".
    """

    path: str
    before: bytes
    after: Optional[bytes]
    findings: Tuple[Finding, ...] = ()
    refused: str = ""


def apply(text: str, fixes: Sequence[Fix]) -> str:
    """The text with the fixes' spans replaced.

    Raises:
        ValueError: Two fixes overlap.
    """
    parts, at = [], 0
    for fix in sorted(fixes):
        if fix.start < at:
            raise ValueError("two fixes overlap at offset %d" % fix.start)
        parts += [text[at : fix.start], fix.replacement]
        at = fix.end
    return "".join(parts) + text[at:]


def _proposed(text: files.Text, to: str) -> Tuple[List[Fix], List[Finding]] | str:
    tree = parse(text)
    if isinstance(tree, SyntaxError):
        return "line %d: %s" % (tree.lineno or 1, tree.msg)
    nodes = Nodes(tree)
    return RUNGS[to](Source(text.path, text.text), nodes, Names(nodes), Positions(text.text))


def rewrite_text(text: files.Text, to: str) -> Rewritten:
    """One source, taken to a rung."""
    proposed = _proposed(text, to)
    if isinstance(proposed, str):
        return Rewritten(text.path, text.data, None, (), proposed)
    fixes, found = proposed
    if not fixes:
        return Rewritten(text.path, text.data, None, tuple(found))
    new = apply(text.text, fixes)
    try:
        after = new.encode(text.encoding)
        ast.parse(after, text.path)
    except (SyntaxError, ValueError) as problem:
        return Rewritten(text.path, text.data, None, tuple(found), "the result would not parse: %s" % problem)
    again = _proposed(files.Text(text.path, new, text.encoding, after), to)
    if isinstance(again, str) or again[0]:
        return Rewritten(text.path, text.data, None, tuple(found), "a second run would change it again")
    return Rewritten(text.path, text.data, after, tuple(found))


def rewrite_file(path: str, to: str) -> Optional[Rewritten]:
    """One file, taken to a rung; None where nothing in it is of interest. The file is not written."""
    found = None if shell.dialect(path) else files.read(path)
    if found is None:
        return None
    if isinstance(found, files.Skipped):
        return Rewritten(path, b"", None, (), found.reason)
    if path.endswith(".ipynb"):
        after, stand, refused = notebooks.rewrite(found, lambda module: _proposed(module, to))
        return Rewritten(path, found.data, after, tuple(stand), refused)
    return rewrite_text(found, to)


def write(done: Rewritten) -> str:
    """Put a rewritten source in its file's place: whole, or not at all. Returns why it was not, or "".

    A file that has changed since it was read, or that may not be written, is left alone. A link stays one: what it points to
    is replaced.
    """
    assert done.after is not None
    target = os.path.realpath(done.path)
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
        if not os.access(target, os.W_OK) or not mode & stat.S_IWUSR:
            return "it is read-only"
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".tf1compat-")
    except OSError as problem:
        return problem.strerror or str(problem)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(done.after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        with open(target, "rb") as current:
            if current.read() != done.before:
                os.unlink(temporary)
                return "it has changed meanwhile"
        os.replace(temporary, target)
    except OSError as problem:
        _remove(temporary)
        return problem.strerror or str(problem)
    except BaseException:  # Ctrl-C: the file is the old one, and nothing lies about
        _remove(temporary)
        raise
    return ""


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


_STATUS = re.compile(rb"^(?P<state>..) (?P<name>.*)$", re.S)


def dirty(paths: Sequence[str]) -> Iterator[str]:
    """Those of the files that git knows and that have changes which are not committed."""
    import subprocess

    by_folder: Dict[str, List[str]] = {}
    for path in paths:
        by_folder.setdefault(os.path.dirname(os.path.realpath(path)), []).append(path)
    for folder, members in by_folder.items():
        names = [os.path.basename(os.path.realpath(path)) for path in members]
        try:
            done = subprocess.run(
                ["git", "-C", folder, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--", *names],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
            )  # fmt: skip
        except (OSError, subprocess.CalledProcessError):
            continue
        changed = {os.path.basename(os.fsdecode(match.group("name"))) for match in map(_STATUS.match, done.stdout.split(b"\0")) if match}
        yield from (path for path in members if os.path.basename(os.path.realpath(path)) in changed)
