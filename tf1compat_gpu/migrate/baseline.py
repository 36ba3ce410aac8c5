"""A baseline: the findings that a code base has and knows of, so that a scan reports new ones alone.

Findings are told apart by file, code and message, not by line: lines move with every edit.
"""

from __future__ import annotations

import collections
import json
import os
from typing import Counter, Iterable, List, Tuple

from tf1compat_gpu.migrate.finding import Finding

_VERSION = 1
_Key = Tuple[str, str, str]


def _key(found: Finding, folder: str) -> _Key:
    path = os.path.relpath(os.path.abspath(found.span.source.name), folder).replace(os.sep, "/")
    return path, found.code, found.message


def text(findings: Iterable[Finding], path: str) -> str:
    """A baseline of findings, to be kept at `path`: files are named from its folder."""
    folder = os.path.dirname(os.path.abspath(path))
    counted = collections.Counter(_key(each, folder) for each in findings)
    rows = [{"file": key[0], "code": key[1], "message": key[2], "count": count} for key, count in sorted(counted.items())]
    return json.dumps({"version": _VERSION, "findings": rows}, indent=1, ensure_ascii=False) + "\n"


def read(path: str) -> Counter[_Key]:
    """How often a baseline knows each finding.

    Raises:
        OSError: The file can't be read.
        ValueError: It is no baseline.
    """
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        raise ValueError("it is no baseline of tf1compat scan")
    known: Counter[_Key] = collections.Counter()
    for row in document["findings"]:
        known[(row["file"], row["code"], row["message"])] += int(row["count"])
    return known


def new(findings: Iterable[Finding], known: Counter[_Key], path: str) -> List[Finding]:
    """The findings that a baseline at `path` does not know."""
    folder = os.path.dirname(os.path.abspath(path))
    left = collections.Counter(known)
    found = []
    for each in findings:
        key = _key(each, folder)
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(each)
    return found
