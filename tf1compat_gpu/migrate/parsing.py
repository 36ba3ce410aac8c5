"""A source's tree."""

from __future__ import annotations

import ast
import warnings

from tf1compat_gpu.migrate import files


def parse(text: files.Text) -> ast.Module | SyntaxError:
    """The tree of a source, or what stopped the parser."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old sources' invalid escapes
            return ast.parse(text.data, text.path)
    except SyntaxError as problem:
        return problem
    except (ValueError, RecursionError, MemoryError) as problem:
        return SyntaxError(str(problem))
