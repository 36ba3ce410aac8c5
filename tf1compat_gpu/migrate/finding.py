"""What a scan finds: plain data."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, counted, note, warning
from tf1compat_gpu.migrate.configs import Module
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes

#: How far a finding can climb, in words: the rung that it can be taken to by an edit, and what is left to do there.
RUN, IMPORT, SESSION, TF2, NOWHERE = "run", "import", "session", "tf2", ""


class Finding(NamedTuple):
    """One thing that configures a session, or stands in the way of moving the code.

    Attributes:
        code: The rule's name, as `config`: `# tf1compat: ignore[config]` on its line hides it.
        span: Where.
        message: What is there.
        help: What to do, or "".
        rung: The highest rung that it can climb to: "run", "import", "session", "tf2", or "" for none.
        serious: Whether the code fails, or does something else, on TensorFlow 2 as it stands.
        fields: Field path -> value, of what is certain.
        dynamic: Field path -> why its value is not certain.
        defaults: Field path -> the name and the default of the flag that alone decides it.
    """

    code: str
    span: Span
    message: str
    help: str = ""
    rung: str = RUN
    serious: bool = True
    fields: Mapping[str, Any] = {}
    dynamic: Mapping[str, str] = {}
    defaults: Mapping[str, Tuple[str, Any]] = {}

    def diagnostic(self) -> Diagnostic:
        """As text, concise and github output show it."""
        far = "it gets as far as `tf1compat %s`" % (self.rung if self.rung == RUN else "rewrite --to %s" % self.rung) if self.rung else ""
        help = "; ".join(part for part in (self.help, far) if part)
        return (warning if self.serious else note)(self.code, self.message, self.span, help or None)

    def as_dict(self) -> Dict[str, Any]:
        """As JSON shows it."""
        cell = {"cell": self.span.source.cell} if self.span.source.cell else {}
        return {
            "code": self.code, "file": self.span.source.name, **cell, "line": self.span.line, "column": self.span.column,
            "message": self.message, "help": self.help or None,
            "rung": self.rung or None, "serious": self.serious,
            "fields": {path: _plain(value) for path, value in self.fields.items()}, "dynamic": dict(self.dynamic),
        }  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


class Report(NamedTuple):
    """What a scan of one file came to.

    Attributes:
        path: The file.
        findings: In the order of the source.
        skipped: Why it could not be read, or None.
        read: Whether it was parsed (a file that names nothing of interest is not).
    """

    path: str
    findings: Tuple[Finding, ...] = ()
    skipped: Optional[str] = None
    read: bool = False


class Facts(NamedTuple):
    """What rules know of a module."""

    source: Source
    tree: ast.Module
    nodes: Nodes
    names: Names
    module: Module
    lines: List[str]

    def span(self, node: ast.AST) -> Span:
        """Where a node is; columns count characters, as editors do, not bytes, as ast does."""
        line = getattr(node, "lineno", 1)
        offset = getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        column = len(text.encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1
        return Span(self.source, line, column)


def totals(findings: Sequence[Finding], reports: Sequence[Report]) -> str:
    """A run in one line: `3 files, 2 parsed, 0 not read, 1 finding`."""
    parsed, unread = sum(report.read for report in reports), sum(report.skipped is not None for report in reports)
    return "%s, %d parsed, %d not read, %s" % (counted(len(reports), "file"), parsed, unread, counted(len(findings), "finding"))
