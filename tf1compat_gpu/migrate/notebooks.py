"""Jupyter notebooks (nbformat 3 and 4) as Python: all code cells of one are a module, and each finding knows its cell.

The text of nbformat's cells is told by nbformat/v4/rwbase.py and nbformat/v3/rwbase.py, `rejoin_lines`: a string, or a list of
lines with their ends; old files of version 3 have lists of lines without them.
"""

from __future__ import annotations

import bisect
import json
import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Source, Span
from tf1compat_gpu.migrate import files, magics, old_python, shell
from tf1compat_gpu.migrate.finding import Finding, Report
from tf1compat_gpu.migrate.fix import Fix
from tf1compat_gpu.migrate.magics import Neutral
from tf1compat_gpu.migrate.notebook_text import edited, joiner

#: Where a cell's first line is indented, as IPython allows it: a statement without effect that such lines may follow.
_INDENTED = "with 0:\n"
_CODING = re.compile(r"\A((?:.*\n)?[ \t\f]*#.*?coding)[:=]")


#: Cell, line and column, each from 1.
Place = Tuple[int, int, int]


class Cell(NamedTuple):
    """A code cell.

    Attributes:
        number: From 1, counted over cells of all kinds.
        source: Its text, as a person sees it.
        neutral: Its text as Python.
    """

    number: int
    source: str
    neutral: Neutral


class Part(NamedTuple):
    """A cell's place in a module: the offset of its text, and the line before it."""

    cell: Cell
    start: int
    before: int


class Module:
    """Code cells, one after the other, as one text; each line and column in it is one of a cell."""

    def __init__(self, path: str) -> None:
        self.path, self.text = path, ""
        self.parts: List[Part] = []

    def add(self, cell: Cell, head: str) -> None:
        """Put a cell at the end, below lines that are none of its own."""
        lines = self.parts[-1].before + len(files.lines_of(self.parts[-1].cell.neutral.text)) if self.parts else 0
        self.parts.append(Part(cell, len(self.text) + len(head), lines + head.count("\n")))
        self.text += head + cell.neutral.text + "\n"

    def source(self) -> files.Text:
        """The module as a scan reads a file. A coding line means nothing in a notebook."""
        text = _CODING.sub(r"\1 ", self.text)
        return files.Text(self.path, text, "utf-8", text.encode("utf-8"))

    def place(self, found: Finding) -> Finding:
        """A finding at its line of its cell."""
        at = bisect.bisect_left([part.before for part in self.parts], found.span.line) - 1
        part = self.parts[max(0, at)]
        return found._replace(span=_span(self.path, part.cell, found.span.line - part.before, found.span.column))

    def lines(self, places: Mapping[Place, str]) -> Dict[Tuple[int, int], str]:
        """What is known of places in cells, by the lines and columns of this text."""
        before = {part.cell.number: part.before for part in self.parts}
        return {(before[cell] + line, column): value for (cell, line, column), value in places.items() if cell in before}

    def fix(self, fix: Fix) -> Optional[Tuple[Cell, Fix]]:
        """A fix at its offsets in its cell; None where it reaches out of one, or into what is IPython's."""
        part = self.parts[max(0, bisect.bisect_right([part.start for part in self.parts], fix.start) - 1)]
        start, end = fix.start - part.start, fix.end - part.start
        if end == len(part.cell.source) + 1 and not fix.replacement:  # a last line, which has no line end of its own
            end -= 1
        if start < 0 or end > len(part.cell.source) or part.cell.source[start:end] != part.cell.neutral.text[start:end]:
            return None
        return part.cell, Fix(start, end, fix.replacement)


#: From a module, and whether it is the notebook's as it was, to its fixes and findings, or to why it is left alone.
Proposing = Callable[[Module, bool], Union[Tuple[List[Fix], List[Finding]], str]]


def _span(path: str, cell: Cell, line: int, column: int) -> Span:
    return Span(Source(path, cell.source, cell.number), line, column)


def read(text: files.Text) -> List[Cell] | str:
    """The Python cells of a notebook, or why it is none."""
    try:
        document = json.loads(text.text)
    except json.JSONDecodeError as problem:
        return "line %d: it is no notebook: %s" % (problem.lineno, problem.msg)
    except (ValueError, RecursionError) as problem:
        return "it is no notebook: %s" % problem
    if not isinstance(document, dict) or not isinstance(document.get("cells", document.get("worksheets")), list):
        return "it is no notebook: it has neither cells nor worksheets"
    if not _is_python(document.get("metadata")):
        return []
    return [Cell(number, source, magics.neutral(source)) for number, source in _sources(document)]


def _is_python(metadata: Any) -> bool:
    """Whether a notebook's kernel runs Python: where nothing is said, it does."""
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        said = metadata.get(key) if isinstance(metadata, dict) else None
        language = said.get(name) if isinstance(said, dict) else None
        if isinstance(language, str) and language.lower() not in ("python", "ipython", "python3", "python2"):
            return False
    return True


def _sources(document: Dict[str, Any]) -> Iterator[Tuple[int, str]]:
    """The number and the text of each code cell."""
    sheets = document["worksheets"] if "cells" not in document else [document]
    cells = [cell for sheet in sheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list) for cell in sheet["cells"]]
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and cell.get("language", "python") == "python":
            source = cell.get("source", cell.get("input"))
            if isinstance(source, str):
                yield number, source
            elif isinstance(source, list) and all(isinstance(line, str) for line in source):
                yield number, joiner(source, "cells" not in document).join(source)


def _head(text: str, older: bool) -> str | SyntaxError:
    """What a cell's text needs above it to be a module's, or what stops the parser; an older Python's counts where `older` says so."""
    stopped = magics.problem(text)
    if stopped is None:
        return ""
    if text.strip("\r\n")[:1] in (" ", "\t") and (magics.problem(_INDENTED + text) is None or older and old_python.read(_INDENTED + text)):
        return _INDENTED
    return "" if older and old_python.read(text) else stopped


def joined(path: str, cells: Sequence[Cell], older: bool = False) -> Tuple[List[Module], List[Tuple[Cell, SyntaxError]]]:
    """The notebook's module and those of its `%%writefile` cells, and the cells that can't be parsed.

    Args:
        path: The notebook.
        cells: Its code cells.
        older: Whether cells that only an older Python reads belong to the module, as they are written.
    """
    own, programs, broken = Module(path), [], []
    for cell in cells:
        if cell.neutral.kind not in (magics.NOTEBOOK, magics.PROGRAM):
            continue
        head = _head(cell.neutral.text, older)
        if isinstance(head, SyntaxError):
            broken.append((cell, head))
        elif cell.neutral.kind == magics.NOTEBOOK:
            own.add(cell, head)
        else:
            programs.append(Module(path))
            programs[-1].add(cell, head)
    return ([own] if own.parts else []) + programs, broken


def _reasons(broken: Sequence[Tuple[Cell, SyntaxError]]) -> str:
    return "; ".join("cell %d, line %d: %s" % (cell.number, stopped.lineno or 1, stopped.msg) for cell, stopped in broken)


def scan(text: files.Text, scan_text: Callable[[files.Text], Report]) -> Report:
    """What a notebook holds; a cell that can't be parsed is reported, and the others are read.

    Args:
        text: The notebook, JSON.
        scan_text: What scans a Python source.
    """
    cells = read(text)
    if isinstance(cells, str):
        return Report(text.path, skipped=cells)
    modules, broken = joined(text.path, cells, older=True)
    found: List[Finding] = []
    reason = _reasons(broken)
    for module in modules:
        report = scan_text(module.source())
        found += [module.place(each) for each in report.findings]
        reason = reason or report.skipped or ""
    for cell, _ in broken:
        alone = Module(text.path)
        alone.add(cell, "")
        for each in scan_text(alone.source()).findings:
            found.append(alone.place(each._replace(message=each.message.replace("in a file that", "in a cell that", 1))))
    for cell in cells:
        if cell.neutral.magics:
            found += shell.magics(Source(text.path, cell.source, cell.number), cell.neutral.magics, cell.neutral.kind == magics.SHELL)
    found.sort(key=lambda each: (each.span.source.cell, each.span.line, each.span.column, each.code))
    return Report(text.path, tuple(found), reason + " (its other cells are read)" if reason and modules else reason or None, bool(modules))


def rewrite(text: files.Text, propose: Proposing) -> Tuple[Optional[bytes], List[Finding], str]:
    """A notebook with fixes in its cells' text, and every other byte as it was.

    Args:
        text: The notebook, JSON.
        propose: From a module to fixes and to what stands in the way, or to why it can't be read; and whether it is as it was.

    Returns:
        The new bytes, or None where there are no fixes or none can be made; what stands in the way; why it is left alone, or "".
    """
    proposed = _proposed(text, propose, True)
    if isinstance(proposed, str):
        return None, [], proposed
    cells, edits, found = proposed
    if not edits:
        return None, found, ""
    new = edited(text.text, edits)
    changed = files.Text(text.path, new, text.encoding, new.encode(text.encoding))
    again = _proposed(changed, propose, False)
    if isinstance(again, str):
        return None, found, "the result would not parse: " + again
    if again[1]:
        return None, found, "a second run would change it again"
    if [cell.source for cell in again[0]] != [_applied(cell.source, edits.get(cell.number, ())) for cell in cells]:
        return None, found, "its cells can't be edited in place"
    return changed.data, found, ""


def _applied(source: str, fixes: Sequence[Fix]) -> str:
    for fix in sorted(fixes, reverse=True):
        source = source[: fix.start] + fix.replacement + source[fix.end :]
    return source


def _proposed(text: files.Text, propose: Proposing, known: bool) -> Tuple[List[Cell], Dict[int, List[Fix]], List[Finding]] | str:
    """The cells, the fixes of each by its number, and what stands in the way; or why the notebook is left alone."""
    cells = read(text)
    if isinstance(cells, str):
        return cells
    modules, broken = joined(text.path, cells)
    if broken:
        return _reasons(broken)
    edits: Dict[int, List[Fix]] = {}
    found: List[Finding] = []
    for module in modules:
        proposed = propose(module, known)
        if isinstance(proposed, str):
            return proposed
        found += [module.place(each) for each in proposed[1]]
        for fix in proposed[0]:
            placed = module.fix(fix)
            if placed is None:
                return "a change would reach out of its cell, or into a magic"
            edits.setdefault(placed[0].number, []).append(placed[1])
    return cells, edits, found
