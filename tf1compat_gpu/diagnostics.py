"""What is wrong, where, and what to write instead: plain data, for YAML and Python sources alike."""

from __future__ import annotations

import json
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple

ERROR, WARNING, NOTE = "error", "warning", "note"
SCHEMA_VERSION = 1


class Source(NamedTuple):
    """A text that diagnostics point into.

    Attributes:
        name: What the user calls it: a path, `<stdin>`, `<dict>`.
        text: The whole text, empty for sources that have none (a dict, a ConfigProto).
        cell: For a cell of a notebook its number, from 1, counted over cells of all kinds; the text is the cell's. 0 for a whole file.
    """

    name: str
    text: str = ""
    cell: int = 0

    @property
    def title(self) -> str:
        """The name, and the cell where it is one: `train.ipynb:cell 3`."""
        return "%s:cell %d" % (self.name, self.cell) if self.cell else self.name

    def line(self, number: int) -> Optional[str]:
        """The line of that number (from 1) without its newline, or None where there is none."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if self.text and 0 < number <= len(lines) else None


class Span(NamedTuple):
    """A place in a source: line and columns count from 1, in characters; line 0 means the source as a whole."""

    source: Source
    line: int = 0
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return "%s:%d:%d" % (self.source.title, self.line, self.column) if self.line else self.source.title

    def __repr__(self) -> str:
        return "Span(%s)" % str(self)


class Diagnostic(NamedTuple):
    """One thing to report.

    Attributes:
        code: Stable short name of the rule, as `unknown-field`.
        severity: "error", "warning" or "note".
        message: What is wrong.
        span: Where, or None.
        help: What to write instead, or None.
        related: Further places with what each has to do with it.
    """

    code: str
    severity: str
    message: str
    span: Optional[Span] = None
    help: Optional[str] = None
    related: Tuple[Tuple[Span, str], ...] = ()

    @property
    def is_error(self) -> bool:
        return self.severity == ERROR


def error(code: str, message: str, span: Optional[Span] = None, help: Optional[str] = None, related: Tuple[Tuple[Span, str], ...] = ()) -> Diagnostic:
    return Diagnostic(code, ERROR, message, span, help, related)


def warning(code: str, message: str, span: Optional[Span] = None, help: Optional[str] = None) -> Diagnostic:
    return Diagnostic(code, WARNING, message, span, help)


def note(code: str, message: str, span: Optional[Span] = None, help: Optional[str] = None) -> Diagnostic:
    return Diagnostic(code, NOTE, message, span, help)


def ordered(diagnostics: Iterable[Diagnostic]) -> List[Diagnostic]:
    """The diagnostics without repeats, sorted by place."""

    def key(diagnostic: Diagnostic) -> Tuple[str, int, int, int, str, str]:
        span = diagnostic.span
        place = (span.source.name, span.source.cell, span.line, span.column) if span else ("", 0, 0, 0)
        return place + (diagnostic.code, diagnostic.message)

    return sorted(dict.fromkeys(diagnostics), key=key)


def concise(diagnostic: Diagnostic) -> str:
    """`file:line:column: severity[code] message` on one line."""
    where = str(diagnostic.span) + ": " if diagnostic.span else ""
    return "%s%s[%s] %s" % (where, diagnostic.severity, diagnostic.code, diagnostic.message)


def _snippet(span: Span) -> List[str]:
    line = span.source.line(span.line)
    if line is None:
        return []
    start = span.column - 1
    width = max(1, min(span.end_column, len(line) + 1) - span.column)
    gutter = "%5d | " % span.line
    shown = line.replace("\t", " ")
    if len(shown) > 160:  # a long line is cut to what surrounds the place
        left = max(0, start - 60)
        shown, start = shown[left : left + 160], start - left
    return [gutter + shown, " " * len(gutter) + " " * start + "^" * min(width, max(1, len(shown) - start))]


def snippet(diagnostic: Diagnostic) -> str:
    """The concise line, the source line with a caret under it, related places and the help line."""
    lines = [concise(diagnostic)]
    if diagnostic.span:
        lines += _snippet(diagnostic.span)
    for span, message in diagnostic.related:
        lines.append("  %s: %s" % (str(span), message))
        lines += _snippet(span)
    if diagnostic.help:
        lines.append("  help: " + diagnostic.help)
    return "\n".join(lines)


def github(diagnostic: Diagnostic) -> str:
    """A workflow command that GitHub shows at the line of the file; a notebook's line in its cell stands in the text, as no line of the file is like it."""
    level = {ERROR: "error", WARNING: "warning", NOTE: "notice"}[diagnostic.severity]
    text = diagnostic.message + (" (%s)" % diagnostic.help if diagnostic.help else "")
    span = diagnostic.span
    place = "file=%s,line=%d,col=%d," % (span.source.name, span.line, span.column) if span and span.line else ""
    if span and span.source.cell:
        place, text = "file=%s," % span.source.name, "cell %d, line %d: %s" % (span.source.cell, span.line, text)
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(character, escape)
    return "::%s %stitle=%s::%s" % (level, place, diagnostic.code, text)


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


def as_json(diagnostics: Sequence[Diagnostic]) -> str:
    """All diagnostics as one JSON document with a `schema_version`."""

    def place(span: Optional[Span]) -> Optional[dict[str, object]]:
        if span is None:
            return None
        cell = {"cell": span.source.cell} if span.source.cell else {}
        return {"file": span.source.name, **cell, "line": span.line, "column": span.column, "end_column": span.end_column}

    rows = [
        {
            "code": d.code,
            "severity": d.severity,
            "message": d.message,
            "span": place(d.span),
            "help": d.help,
            "related": [{"span": place(span), "message": message} for span, message in d.related],
        }
        for d in diagnostics
    ]
    return json.dumps({"schema_version": SCHEMA_VERSION, "diagnostics": rows}, indent=2, ensure_ascii=False)


def render(diagnostics: Iterable[Diagnostic], format: str = "text") -> str:
    """Diagnostics in one of the formats text, concise, github and json, without repeats and sorted by place."""
    rows = ordered(diagnostics)
    if format == "json":
        return as_json(rows)
    one = {"text": snippet, "concise": concise, "github": github}[format]
    return "\n".join(one(row) for row in rows)
