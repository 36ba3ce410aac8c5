"""A fix, and the way from ast's lines and columns to offsets in a text."""

from __future__ import annotations

import ast
import re
from typing import List, NamedTuple

_LINE_END = re.compile(r"\r\n?|\n")


class Fix(NamedTuple):
    """A span of a text, and what is to stand there instead.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        replacement: The new text.
    """

    start: int
    end: int
    replacement: str


class Positions:
    """Offsets of a text's lines. ast counts columns in UTF-8 bytes, and lines end with \\n, \\r\\n or \\r, never with a form feed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: List[int] = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column in bytes (from 0)."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        content = self.text[start:end]
        if content.isascii():
            return start + column
        return start + len(content.encode("utf-8")[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Offsets of a node."""
        end_line, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        assert end_line is not None and end_column is not None
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)  # type: ignore[attr-defined]
