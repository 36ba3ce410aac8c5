"""A scan: files in, findings out, on all cores."""

from __future__ import annotations

import concurrent.futures
import os
import re
from typing import Callable, Iterable, Iterator, List, Optional, Sequence

from tf1compat_gpu.diagnostics import Source, Span
from tf1compat_gpu.migrate import files, finding, following, notebooks, old_python, rules, shell
from tf1compat_gpu.migrate.finding import Facts, Finding, Report
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.parsing import parse

_IGNORE = re.compile(r"#\s*tf1compat:\s*ignore(?:\[([\w\-, ]+)\])?")
_SESSION_NAMES = re.compile(r"\b(?:tf\.)?(ConfigProto|Session|InteractiveSession|GPUOptions|MonitoredTrainingSession|RunConfig)\s*\(")
#: From so many files on, processes pay for themselves.
_MANY = 64


def scan_file(path: str) -> Report:
    """What one file holds."""
    if shell.dialect(path):
        return _kept(shell.scan_file(path))
    found = files.read(path)
    if found is None:
        return Report(path)
    if isinstance(found, files.Skipped):
        return Report(path, skipped=found.reason)
    return _kept(notebooks.scan(found, scan_text)) if path.endswith(".ipynb") else scan_text(found)


def _kept(report: Report) -> Report:
    """A report without what a comment on its line hides."""
    return report._replace(findings=tuple(each for each in report.findings if not _ignored(each, files.lines_of(each.span.source.text))))


def scan_text(text: files.Text) -> Report:
    """What one source holds."""
    tree = parse(text.data, text.path)
    source = Source(text.path, text.text)
    old = old_python.read(text.text) if isinstance(tree, SyntaxError) else None
    if old is not None:
        tree = old.tree
    if isinstance(tree, SyntaxError):
        return _unreadable(text, source, tree)
    lines = files.lines_of(text.text)
    nodes = Nodes(tree)
    names = Names(nodes)
    facts = Facts(source, tree, nodes, names, following.walk(tree, names, nodes, text), lines)
    found = [each for rule in rules.RULES for each in rule(facts)]
    if old is not None:  # no rung can be climbed before it is converted
        found = [each._replace(rung=finding.NOWHERE) for each in found] + [_old(old, source)]
    kept = [each for each in found if not _ignored(each, lines)]
    return Report(text.path, tuple(sorted(kept, key=lambda each: (each.span.line, each.span.column, each.code))), None, True)


def _ignored(each: Finding, lines: Sequence[str]) -> bool:
    line = lines[each.span.line - 1] if 0 < each.span.line <= len(lines) else ""
    match = _IGNORE.search(line)
    return match is not None and (match.group(1) is None or each.code in [part.strip() for part in match.group(1).split(",")])


def _old(old: old_python.Old, source: Source) -> Finding:
    """What of a source only an older Python reads."""
    python, help = ("Python 2", "convert the file first (2to3)") if old.two else ("Python 3.6 and older", "rename it first")
    message = "%s, which today's Python can't parse: it is read as %s does" % (old.what, python)
    return Finding("python-2", Span(source, old.line, old.column), message, help, finding.NOWHERE)


def _unreadable(text: files.Text, source: Source, problem: SyntaxError) -> Report:
    """A source that no Python can parse: what stopped today's, and session code in it by name."""
    line = problem.lineno or 1
    reason = "line %d: %s" % (line, problem.msg)
    found: List[Finding] = []
    for number, content in enumerate(files.lines_of(text.text), 1):
        match = _SESSION_NAMES.search(content)
        if match:
            message = "%s, in a file that Python can't parse (%s)" % (match.group(1), reason)
            found.append(Finding("python-2", Span(source, number, match.start() + 1), message, "mend the file first", finding.NOWHERE))
    return Report(text.path, tuple(found), reason, False)


def scan(paths: Iterable[str], progress: Optional[Callable[[int], None]] = None) -> Iterator[Report]:
    """What files hold, in their order; on several cores where there are many.

    Args:
        paths: Files.
        progress: Called with the number of files that are done.

    Yields:
        A report for each file.
    """
    listed: List[str] = list(paths)
    if len(listed) < _MANY or (os.cpu_count() or 1) < 2:
        for at, path in enumerate(listed, 1):
            yield scan_file(path)
            if progress:
                progress(at)
        return
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for at, report in enumerate(pool.map(scan_file, listed, chunksize=max(1, min(32, len(listed) // 64))), 1):
            yield report
            if progress:
                progress(at)
