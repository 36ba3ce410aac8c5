"""Edits of sources: fixes in, text out, and every byte that no fix names as it was.

The engine alone writes files: into a temporary file that takes the old one's place, in one step, after the result has been
parsed and found to need no further fix.
"""

from __future__ import annotations

import ast
import os
import re
import stat
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.migrate import configure, files, imports, notebooks, sessions, shell
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.fix import Fix
from tf1compat_gpu.migrate.imported import NOBODY, Imported
from tf1compat_gpu.migrate.page import NO_PROFILES, Page, Profiles, open_page
from tf1compat_gpu.migrate.replacing import replace

#: Rung -> what proposes its fixes for a page, with the findings that stand in the way.
RUNGS: Dict[str, Callable[[Page], Tuple[List[Fix], List[Finding]]]] = {
    "import": imports.propose,
    "session": sessions.propose,
    "tf2": configure.propose,
}


NO_PLACES: Mapping[notebooks.Place, str] = {}


class Rewritten(NamedTuple):
    """What became of one source.

    Attributes:
        path: The file.
        before: Its bytes.
        after: Its bytes with the fixes, or None where there are none, or none can be made.
        findings: What stands in the way of a complete rewrite.
        refused: Why the file is left alone, or "".
        profiles: The profiles that it names now, as paths from its folder.
    """

    path: str
    before: bytes
    after: Optional[bytes]
    findings: Tuple[Finding, ...] = ()
    refused: str = ""
    profiles: Tuple[str, ...] = ()


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


def rewrite_text(text: files.Text, to: str, profiles: Profiles = NO_PROFILES, imported: Imported = NOBODY) -> Rewritten:
    """One source, taken to a rung.

    Args:
        text: The source.
        to: The rung: "import", "session" or "tf2".
        profiles: The profiles of its configs.
        imported: What other files use of it.
    """
    page = open_page(text, profiles, imported)
    if isinstance(page, SyntaxError):
        return Rewritten(text.path, text.data, None, (), "line %d: %s" % (page.lineno or 1, page.msg))
    fixes, found = RUNGS[to](page)
    if not fixes:
        return Rewritten(text.path, text.data, None, tuple(found))
    try:
        new = apply(text.text, fixes)
        after = new.encode(text.encoding)
        ast.parse(after, text.path)
    except (SyntaxError, ValueError) as problem:
        return Rewritten(text.path, text.data, None, tuple(found), "the result would not parse: %s" % problem)
    again = open_page(files.Text(text.path, new, text.encoding, after), NO_PROFILES, imported)
    if isinstance(again, SyntaxError) or RUNGS[to](again)[0]:
        return Rewritten(text.path, text.data, None, tuple(found), "a second run would change it again")
    return Rewritten(text.path, text.data, after, tuple(found), "", tuple(page.used))


def rewrite_file(path: str, to: str, profiles: Mapping[notebooks.Place, str] = NO_PLACES, imported: Imported = NOBODY) -> Optional[Rewritten]:
    """One file, taken to a rung; None where nothing in it is of interest. The file is not written.

    Args:
        path: The file.
        to: The rung: "import", "session" or "tf2".
        profiles: Cell (0 in a file that is no notebook), line and column of a config -> its profile, from the file's folder.
        imported: What other files use of it.
    """
    found = None if shell.dialect(path) else files.read(path)
    if found is None:
        return None
    if isinstance(found, files.Skipped):
        return Rewritten(path, b"", None, (), found.reason)
    if not path.endswith(".ipynb"):
        return rewrite_text(found, to, {(line, column): profile for (_, line, column), profile in profiles.items()}, imported)
    return rewrite_notebook(found, to, profiles)


def rewrite_notebook(text: files.Text, to: str, profiles: Mapping[notebooks.Place, str] = NO_PLACES) -> Rewritten:
    """One notebook's JSON, taken to a rung; arguments as `rewrite_file`."""
    used: List[str] = []

    def propose(module: notebooks.Module, known: bool) -> Tuple[List[Fix], List[Finding]] | str:
        page = open_page(module.source(), module.lines(profiles) if known else NO_PROFILES)
        if isinstance(page, SyntaxError):
            return "line %d: %s" % (page.lineno or 1, page.msg)
        proposed = RUNGS[to](page)
        used.extend(page.used)
        return proposed

    after, stand, refused = notebooks.rewrite(text, propose)
    return Rewritten(text.path, text.data, after, tuple(stand), refused, tuple(used) if after is not None else ())


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
        return "" if replace(target, done.after, mode, done.before) else "it has changed meanwhile"
    except OSError as problem:
        return problem.strerror or str(problem)


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
