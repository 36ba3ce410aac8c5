"""A source's tree."""

from __future__ import annotations

import ast
import warnings


def parse(data: bytes, path: str) -> ast.Module | SyntaxError:
    """The tree of a source's bytes, or what stopped the parser."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old sources' invalid escapes
            return ast.parse(data, path)
    except SyntaxError as problem:
        return problem
    except (ValueError, RecursionError, MemoryError) as problem:
        return SyntaxError(str(problem))
