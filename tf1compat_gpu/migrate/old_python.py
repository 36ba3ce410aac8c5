"""Sources that only an older Python reads, as trees: each node has its line and its column.

Python 2's tabs stand for up to eight columns, among spaces too, and its division of whole numbers has no fraction
(docs.python.org/2.7/reference, "Indentation" and "Binary arithmetic operations"; PEP 238).
"""

from __future__ import annotations

import ast
import bisect
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.migrate.old_grammar import LINE_END, TOKEN, Edit, edits_of, escapes_of, tokens_of
from tf1compat_gpu.migrate.parsing import CLASSIC, parse_text

_INDENTATION = re.compile(r"[ \t\f]*")


class Old(NamedTuple):
    """A source that only an older Python reads.

    Attributes:
        tree: Its tree, with the lines and columns of the source.
        two: Whether only Python 2 reads it.
        line, column: Where the first thing stands that today's Python does not read; both from 1.
        what: What that is.
    """

    tree: ast.Module
    two: bool
    line: int
    column: int
    what: str


def tree_of(text: str) -> Optional[ast.Module]:
    """A source as today's Python reads it, or else an older one; None where none does."""
    tree = parse_text(text)
    if isinstance(tree, SyntaxError):
        old = read(text)
        return None if old is None else old.tree
    return tree


def read(text: str) -> Optional[Old]:
    """A source that today's Python can't parse, as an older one reads it; None where none does.

    Args:
        text: The source, with any line ends.
    """
    tokens = list(tokens_of(text))
    edits = list(edits_of(text, tokens))
    today = _edited(text, edits)
    tree = parse_text(today)
    if isinstance(tree, SyntaxError) and "unicodeescape" in tree.msg:
        edits += escapes_of(tokens)
        today = _edited(text, edits)
        tree = parse_text(today)
    widened: Dict[int, int] = {}
    lines = [0] + [end.end() for end in LINE_END.finditer(text)]
    if isinstance(tree, TabError):
        edits.append(Edit(lines[(tree.lineno or 1) - 1], "", "an indentation of tabs among spaces"))
        today, widened = _widened(today)
        tree = parse_text(today)
    if isinstance(tree, SyntaxError) or not edits:
        return None
    first, two = min(edits), any(edit.two for edit in edits)
    _settle(tree, widened, two)
    line = bisect.bisect_right(lines, first.start)
    return Old(tree, two, line, first.start - lines[line - 1] + 1, first.what)


def _edited(text: str, edits: Sequence[Edit]) -> str:
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.start + len(edit.text)
    return "".join(parts) + text[at:]


def _widened(text: str) -> Tuple[str, Dict[int, int]]:
    """A source without tabs in its indentation, and by how many columns each line is longer."""
    parts: List[str] = []
    widened: Dict[int, int] = {}
    at, line, fresh = 0, 1, True
    for match in TOKEN.finditer(text):
        indentation = _INDENTATION.match(text, match.start()) if fresh else None
        if indentation is not None and "\t" in indentation.group():
            spaces = " " * len(indentation.group().rpartition("\f")[2].expandtabs(8))
            widened[line] = len(spaces) - len(indentation.group())
            parts += [text[at : match.start()], spaces]
            at = indentation.end()
        fresh = match.lastgroup == "end"
        line += len(LINE_END.findall(match.group()))
    return "".join(parts) + text[at:], widened


def _settle(tree: ast.Module, widened: Dict[int, int], two: bool) -> None:
    """Give nodes the columns that they have in the source, and Python 2's divisions their mark."""
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    classic = two and not any(alias.name == "division" for node in future for alias in node.names)
    for node in ast.walk(tree):
        if widened and hasattr(node, "col_offset"):
            node.col_offset = max(0, node.col_offset - widened.get(node.lineno, 0))  # type: ignore[attr-defined]
            end = getattr(node, "end_col_offset", None)
            if end is not None:
                node.end_col_offset = max(0, end - widened.get(node.end_lineno, 0))  # type: ignore[attr-defined]
        if classic and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            setattr(node, CLASSIC, True)
