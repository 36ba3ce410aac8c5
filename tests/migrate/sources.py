"""Sources given as text, scanned and rewritten. What they import is imported here alone: it needs Python 3.9, where tests are only collected before."""

from __future__ import annotations

from typing import Any, List, Mapping


def text_of(source: str, path: str = "m.py") -> Any:
    from tf1compat_gpu.migrate.files import Text

    return Text(path, source, "utf-8", source.encode())


def scanned(source: str, path: str = "m.py") -> Any:
    """The report of a source."""
    from tf1compat_gpu.migrate.scan import scan_text

    return scan_text(text_of(source, path))


def configs(source: str, path: str = "m.py") -> List[Any]:
    """The findings of a source's ConfigProtos."""
    return [each for each in scanned(source, path).findings if each.code == "config"]


def rewritten(source: str, rung: str, profiles: Mapping[Any, str]) -> Any:
    """What becomes of a source on a rung."""
    from tf1compat_gpu.migrate.rewrite import rewrite_text

    return rewrite_text(text_of(source), rung, profiles)
