"""Edits of whole statements: taken out without a trace, and lines put below the imports."""

from __future__ import annotations

import ast
import re
from typing import Iterable, List

from tf1compat_gpu.migrate.fix import Fix
from tf1compat_gpu.migrate.page import Page, blocks

_REST = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|$)")


def removed(page: Page, statements: Iterable[ast.stmt]) -> List[Fix]:
    """Fixes that take statements out, whole lines where they stand alone on them; a block that would be empty gets `pass`."""
    gone = {id(statement): statement for statement in statements}
    where = blocks(page.tree)
    fixes = []
    for statement in gone.values():
        block = where[id(statement)]
        emptied = block is not page.tree.body and all(id(other) in gone for other in block)
        fixes.append(_pass(page, statement) if emptied and statement is block[0] else _without(page, statement))
    return fixes


def _pass(page: Page, statement: ast.stmt) -> Fix:
    start, end = page.positions.span(statement)
    return Fix(start, end, "pass")


def _without(page: Page, statement: ast.stmt) -> Fix:
    start, end = page.positions.span(statement)
    text = page.text.text
    line = page.positions.starts[statement.lineno - 1]
    rest = _REST.match(text, end)
    if text[line:start].strip(" \t\f") or rest is None:
        return Fix(start, end, "pass")
    return Fix(line, rest.end(), "")


def _leading(tree: ast.Module) -> List[ast.stmt]:
    """The docstring and the imports at a module's head; a notebook's magics are constants among them."""
    found: List[ast.stmt] = []
    for statement in tree.body:
        constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not constant and not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        found.append(statement)
    return found


def below_imports(page: Page, lines: List[str]) -> Fix:
    """A fix that puts lines below the imports at the module's head, with the file's line ends."""
    text = page.text.text
    newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"
    block = newline.join(lines) + newline
    leading = _leading(page.tree)
    if not leading:
        first = page.tree.body[0]
        decorators = getattr(first, "decorator_list", [])
        start = page.positions.starts[min([first.lineno] + [each.lineno for each in decorators]) - 1]
        return Fix(start, start, block)
    last = leading[-1].end_lineno or leading[-1].lineno
    if page.text.path.endswith(".ipynb"):  # within the cell, whose last line may be this one
        end = page.positions.starts[last] - 1 if last < len(page.positions.starts) else len(text)
        return Fix(end, end, newline + newline.join(lines))
    if last < len(page.positions.starts):
        start = page.positions.starts[last]
        return Fix(start, start, block)
    return Fix(len(text), len(text), newline + block)
