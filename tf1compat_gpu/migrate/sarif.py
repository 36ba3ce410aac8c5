"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Sequence

from tf1compat_gpu import __version__
from tf1compat_gpu.migrate.finding import Finding, Report
from tf1compat_gpu.migrate.rules import CODES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(findings: Sequence[Finding], reports: Sequence[Report]) -> str:
    """A SARIF log of one run: the rules, a result for each finding, a notification for each file that was not read."""
    codes = sorted({each.code for each in findings})
    rules = [{"id": code, "shortDescription": {"text": (CODES.get(code) or code).strip()}} for code in codes]
    skipped = [
        {"level": "warning", "message": {"text": "%s: not read: %s" % (report.path, report.skipped)}, "locations": [_location(report.path)]}
        for report in reports
        if report.skipped is not None
    ]
    run = {
        "tool": {"driver": {"name": "tf1compat", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, codes) for each in findings],
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": skipped}],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _result(each: Finding, codes: Sequence[str]) -> Dict[str, Any]:
    location = _location(each.span.source.name)
    cell, where = each.span.source.cell, ""
    if cell:  # no line of the notebook's file is like the cell's
        where = "cell %d, line %d: " % (cell, each.span.line)
    else:
        location["physicalLocation"]["region"] = {"startLine": each.span.line, "startColumn": each.span.column}
    return {
        "ruleId": each.code, "ruleIndex": codes.index(each.code), "level": "warning" if each.serious else "note",
        "message": {"text": where + each.message + ("; " + each.help if each.help else "")}, "locations": [location],
        "properties": {"rung": each.rung or None, "fields": each.as_dict()["fields"], "dynamic": dict(each.dynamic)},
    }  # fmt: skip


def _location(path: str) -> Dict[str, Any]:
    """A file, from the working directory where it lies below it."""
    full = os.path.abspath(path)
    relative = os.path.relpath(full)
    uri = pathlib.Path(full).as_uri() if relative.startswith(os.pardir) else pathlib.PurePath(relative).as_posix()
    return {"physicalLocation": {"artifactLocation": {"uri": uri}}}
