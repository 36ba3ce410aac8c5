"""Which names of a module other files of the code base may use: a variable that they import can't leave it."""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import Dict, List, Sequence

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b[^\n]*", re.M)
_WORD = re.compile(rb"\w+")


def _stem(path: str) -> bytes:
    """What a file is called where it is imported."""
    folder, name = os.path.split(os.path.abspath(path))
    stem = os.path.splitext(name)[0]
    return os.fsencode(os.path.basename(folder) if stem == "__init__" else stem)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


class Imported:
    """What the files of a code base import from each other.

    Args:
        paths: The files.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    @cached_property
    def _importing(self) -> Dict[bytes, List[str]]:
        """The files that have a word in their import statements, by the word."""
        found: Dict[bytes, List[str]] = {}
        for path in self._paths:
            if path.endswith((".py", ".ipynb")):
                for word in {word for line in _IMPORT.findall(_read(path).replace(b'"', b"\n")) for word in _WORD.findall(line)}:
                    found.setdefault(word, []).append(path)
        return found

    def has(self, path: str, name: str) -> bool:
        """Whether another file imports that module and has that name; it may be another's, which does no harm."""
        others = [each for each in self._importing.get(_stem(path), ()) if not os.path.samefile(each, path)]
        return any(re.search(rb"\b%s\b" % re.escape(name).encode(), _read(each)) for each in others)


#: Of a source alone.
NOBODY = Imported(())
