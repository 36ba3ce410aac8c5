"""The files of extracted profiles: what a person has edited is kept, and what rewritten code uses."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from typing import NamedTuple, Optional

from tf1compat_gpu.migrate.replacing import replace

#: The line that tells whether a person has edited the rest of the file.
_DIGEST = re.compile(r"^# tf1compat extract: (?P<digest>[0-9a-f]{16})$", re.M)


def sealed(head: str, body: str) -> str:
    """A profile's text with the line that tells whether a person has edited it."""
    return "%s# tf1compat extract: %s\n%s" % (head, _digest(head + body), body)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def unsealed(text: str) -> str:
    """The text without that line: it is then the code's own profile, and no extraction writes over it."""
    return re.sub(_DIGEST.pattern + r"\n", "", text, count=1, flags=re.M)


class Written(NamedTuple):
    """What became of a profile's file.

    Attributes:
        path: The file.
        state: "new", "same", "updated", or "edited" (a person's edits are kept, the new one lies beside it).
        diff: What differs, for "edited".
    """

    path: str
    state: str
    diff: str = ""


def edited(text: str) -> bool:
    """Whether a person has changed an extracted profile, or wrote it altogether."""
    match = _DIGEST.search(text)
    if match is None:
        return True
    return _digest(text[: match.start()] + text[match.end() + 1 :]) != match.group("digest")


def contents(path: str) -> Optional[str]:
    """A file's text, or None where there is none."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path: str, text: str, dry_run: bool = False) -> Written:
    """Write a profile, unless a person has edited the file that is there: the new one then goes beside it, as NAME.new."""
    there = contents(path)
    if there == text:
        return Written(path, "same")
    if there is not None and edited(there):
        new = path + ".new"
        diff = "".join(difflib.unified_diff(there.splitlines(True), text.splitlines(True), path, new))
        if not dry_run:
            replace(new, text.encode("utf-8"))
        return Written(new, "edited", diff)
    if not dry_run:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        replace(path, text.encode("utf-8"))
    return Written(path, "new" if there is None else "updated")
