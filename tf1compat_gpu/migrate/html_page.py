"""A scan as one HTML file: what is set where as a chart, folders by rung, findings with their lines. No network is needed."""

from __future__ import annotations

import collections
import html
import os
from typing import Counter, Dict, List, Sequence

from tf1compat_gpu.migrate.finding import IMPORT, NOWHERE, RUN, SESSION, TF2, Finding, Report, totals

_RUNGS = ((RUN, "run"), (IMPORT, "import"), (SESSION, "session"), (TF2, "tf2"), (NOWHERE, "by hand"))
_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1e21;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.bar{display:inline-block;height:.8em;background:#3568b8}.bar.d{background:#c58a1f}
pre{background:#f4f5f7;padding:.4rem .6rem;overflow-x:auto;margin:.3rem 0}
.code{font-family:ui-monospace,monospace;font-size:.9em}.serious{color:#a3261d}.quiet{color:#5f6570}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e4e6e9}pre{background:#22252a}th,td{border-color:#3a3e44}.serious{color:#ef8b80}.quiet{color:#a0a6af}}
"""


def to_html(findings: Sequence[Finding], reports: Sequence[Report]) -> str:
    """The page."""
    skipped = [report for report in reports if report.skipped is not None]
    parts = [
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>tf1compat scan</title><meta name=viewport content='width=device-width'>",
        "<style>%s</style></head><body>" % _STYLE,
        "<h1>What configures sessions here</h1>",
        "<p>%s.</p>" % totals(findings, reports),
        _chart(findings), _folders(findings), _list(findings), _not_read(skipped),
        "</body></html>\n",
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _chart(findings: Sequence[Finding]) -> str:
    static: Counter[str] = collections.Counter(path for each in findings for path in each.fields)
    dynamic: Counter[str] = collections.Counter(path for each in findings if each.code == "config" for path in each.dynamic)
    paths = sorted(set(static) | set(dynamic), key=lambda path: (-static[path] - dynamic[path], path))
    if not paths:
        return ""
    most = max(static[path] + dynamic[path] for path in paths)
    rows = []
    for path in paths:
        bars = "".join(
            "<span class='bar%s' style='width:%.1f%%' title='%d %s'></span>" % (kind, 100 * count[path] / most, count[path], what)
            for count, kind, what in ((static, "", "certain"), (dynamic, " d", "decided by the program"))
            if count[path]
        )
        rows.append("<tr><td class=code>%s<td class=n>%d<td class=n>%d<td style='width:45%%'>%s" % (html.escape(path), static[path], dynamic[path], bars))
    head = "<tr><th>field<th class=n>certain<th class=n>by the program<th>"
    return "<h2>What is set</h2><table>%s%s</table>" % (head, "".join(rows))


def _folders(findings: Sequence[Finding]) -> str:
    counted: Dict[str, Counter[str]] = {}
    for each in findings:
        counted.setdefault(os.path.dirname(each.span.source.name) or ".", collections.Counter())[each.rung] += 1
    if not counted:
        return ""
    head = "<tr><th>folder" + "".join("<th class=n>%s" % name for _, name in _RUNGS)
    rows = [
        "<tr><td class=code>%s%s" % (html.escape(folder), "".join("<td class=n>%s" % (counted[folder][rung] or "") for rung, _ in _RUNGS))
        for folder in sorted(counted)
    ]
    return "<h2>How far it can climb</h2><table>%s%s</table>" % (head, "".join(rows))


def _list(findings: Sequence[Finding]) -> str:
    parts: List[str] = []
    file = None
    for each in findings:
        if each.span.source.title != file:
            file = each.span.source.title
            parts.append("<h3 class=code>%s</h3>" % html.escape(file))
        line = each.span.source.line(each.span.line) or ""
        parts.append(
            "<p><span class=code>%d:%d</span> <b class='%s'>%s</b> %s<br><span class=quiet>%s</span></p><pre>%s</pre>"
            % (each.span.line, each.span.column, "serious" if each.serious else "", html.escape(each.code), html.escape(each.message),
               html.escape(each.help), html.escape(line.strip()))
        )  # fmt: skip
    return "<h2>Findings</h2>" + "\n".join(parts) if parts else ""


def _not_read(skipped: Sequence[Report]) -> str:
    rows = ["<li><span class=code>%s</span>: %s" % (html.escape(report.path), html.escape(report.skipped or "")) for report in skipped]
    return "<h2>Not read</h2><ul>%s</ul>" % "".join(rows) if rows else ""
