"""Profiles read lately: a program that makes many sessions from one file reads it once.

A remembered profile is given out again only if nothing that it was made of has changed: every file that was read or
looked for, and every variable that was asked for. A relative path is looked up from the working directory each time, so
that in another one it is another file, by its inode.
"""

from __future__ import annotations

import os
import time
from typing import Dict, Iterator, Mapping, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.profiles.profile import Profile

Signature = Tuple[int, int, int, int]
_MOST = 64
#: A file that changed less than this many ns before it was read may change again without a new time stamp.
_SETTLED_NS = 2 * 10**9


def signature(path: str) -> Optional[Signature]:
    """What tells a file from a changed one; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev


class Watched(Mapping[str, str]):
    """An environment that remembers what it was asked for."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.asked: Dict[str, Optional[str]] = {}

    def __getitem__(self, name: str) -> str:
        value = self.environ.get(name)
        self.asked[name] = value
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.environ)

    def __len__(self) -> int:
        return len(self.environ)


class _Remembered(NamedTuple):
    profile: Profile
    asked: Tuple[Tuple[str, Optional[str]], ...]
    files: Tuple[Tuple[str, Optional[Signature]], ...]


#: By the path, or the path and the variant where one was named.
_REMEMBERED: Dict[Union[str, Tuple[str, str]], _Remembered] = {}


def recall(path: str, variant: Optional[str]) -> Optional[Profile]:
    """The profile of that path, if it was read lately and would be read the same now.

    Every session from a file comes through here, and most of what it costs beside a Session is this look at the file.
    """
    known = _REMEMBERED.get(path if variant is None else (path, variant))
    if known is None:
        return None
    profile, asked, files = known
    for name, value in asked:
        if os.environ.get(name) != value:
            return None
    for file, before in files:
        try:
            found = os.stat(file)
        except (OSError, ValueError):
            now = None
        else:
            now = found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev  # `signature`, without its frame
        if now != before:
            return None
    return profile


def remember(path: str, variant: Optional[str], profile: Profile, environ: Watched, files: Mapping[str, Optional[Signature]]) -> None:
    """Keep a profile; `files` are the signatures that everything looked for had before it was read."""
    newest = max((found[0] for found in files.values() if found is not None), default=0)
    if time.time_ns() - newest < _SETTLED_NS:
        return
    if len(_REMEMBERED) >= _MOST:
        _REMEMBERED.clear()
    _REMEMBERED[path if variant is None else (path, variant)] = _Remembered(profile, tuple(environ.asked.items()), tuple(files.items()))
