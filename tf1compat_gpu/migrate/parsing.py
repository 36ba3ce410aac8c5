"""A source's tree."""

from __future__ import annotations

import ast
import warnings

#: The attribute that marks a division of Python 2's: `1 / 2` is 0 there.
CLASSIC = "classic"


def parse(data: bytes, path: str) -> ast.Module | SyntaxError:
    """The tree of a source's bytes, or what stopped the parser."""
    return _parsed(data, path)


def parse_text(text: str) -> ast.Module | SyntaxError:
    """The tree of a source's text, whatever its coding line says, or what stopped the parser."""
    return _parsed(text, "<unknown>")


def _parsed(source: bytes | str, path: str) -> ast.Module | SyntaxError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old sources' invalid escapes
            return ast.parse(source, path)
    except SyntaxError as problem:
        return problem
    except (ValueError, RecursionError, MemoryError) as problem:
        return SyntaxError(str(problem))
