"""`tf1compat scan`: every place of a code base that configures a session, what it sets, and what it needs on TensorFlow 2."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.progress import progress
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, counted, render

if TYPE_CHECKING:
    from tf1compat_gpu.migrate.finding import Finding, Report

_MINIMUM = (3, 9)


def require_python() -> None:
    """Refuse below Python 3.9, whose ast the migration needs.

    Raises:
        click.UsageError: This Python is older.
    """
    if sys.version_info < _MINIMUM:
        raise click.UsageError("scan and extract need Python 3.9 or later; the code that they read may be of any")


def require_paths(paths: Sequence[str]) -> None:
    """Refuse paths that are not there.

    Raises:
        click.UsageError: One is not.
    """
    for path in paths:
        if not os.path.exists(path):
            raise click.UsageError("%s: no such file or folder" % path)


def say_skipped(reports: Sequence[Report]) -> None:
    """Name the files that were not read, each with its reason."""
    for report in reports:
        if report.skipped is not None:
            print("%s: not read: %s" % (report.path, report.skipped), file=sys.stderr)


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@options.exclude
@click.option("--select", multiple=True, metavar="CODE", help="Only findings of these codes.")
@click.option("--ignore", multiple=True, metavar="CODE", help="No findings of these codes.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings that this file knows.")
@click.option("--write-baseline", is_flag=True, help="Write all findings of this scan to the file of --baseline.")
@options.format("text", "concise", "json", "github", "sarif", "html")
def command(
    paths: Tuple[str, ...],
    exclude: Tuple[str, ...],
    select: Tuple[str, ...],
    ignore: Tuple[str, ...],
    baseline: Optional[str],
    write_baseline: bool,
    format: str,
) -> Optional[int]:
    """Find what configures sessions in Python files, notebooks, scripts and folders; - is standard input. TensorFlow is not needed.

    Exit status 1 where something is found.
    """
    require_python()
    from tf1compat_gpu.migrate.finding import totals

    if write_baseline and not baseline:
        raise click.UsageError("--write-baseline needs --baseline FILE")
    reports = _reports(paths, exclude)
    found = [each for report in reports for each in report.findings if (not select or each.code in select) and each.code not in ignore]
    if baseline and write_baseline:
        from tf1compat_gpu.migrate import baseline as baselines
        from tf1compat_gpu.migrate.replacing import replace

        replace(baseline, baselines.text(found, baseline).encode("utf-8"))
        print("%s: %s" % (baseline, counted(len(found), "finding")), file=sys.stderr)
        return None
    if baseline:
        found = _new(found, baseline)
    text = _shown(found, reports, format)
    if text:
        click.echo(text)
    say_skipped(reports)
    print(totals(found, reports), file=sys.stderr)
    return 1 if found or any(report.skipped is not None for report in reports) else None


def _reports(paths: Tuple[str, ...], exclude: Tuple[str, ...]) -> List[Report]:
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.scan import scan, scan_text

    if paths == ("-",):
        text = files.decode("<stdin>", sys.stdin.buffer.read())
        if isinstance(text, files.Skipped):
            raise click.UsageError("<stdin>: " + text.reason)
        return [scan_text(text)]
    require_paths(paths)
    listed = list(files.find(paths or (".",), exclude))
    with progress("reading", len(listed)) as advance:
        return list(scan(listed, advance))


def _new(found: List[Finding], path: str) -> List[Finding]:
    from tf1compat_gpu.migrate import baseline as baselines

    try:
        known = baselines.read(path)
    except OSError as problem:
        raise click.UsageError("%s: %s; --write-baseline makes it" % (path, problem.strerror))
    except (ValueError, KeyError, TypeError) as problem:
        raise click.UsageError("%s: %s" % (path, problem))
    left: List[Finding] = baselines.new(found, known, path)
    return left


def _shown(found: Sequence[Finding], reports: Sequence[Report], format: str) -> str:
    if format == "sarif":
        from tf1compat_gpu.migrate.sarif import to_sarif

        sarif: str = to_sarif(found, reports)
        return sarif
    if format == "html":
        from tf1compat_gpu.migrate.html_page import to_html

        page: str = to_html(found, reports)
        return page
    if format == "json":
        document = {
            "schema_version": SCHEMA_VERSION, "findings": [each.as_dict() for each in found],
            "skipped": [{"file": report.path, "reason": report.skipped} for report in reports if report.skipped is not None],
            "read": sum(report.read for report in reports), "files": len(reports),
        }  # fmt: skip
        return json.dumps(document, indent=2, ensure_ascii=False)
    return render([each.diagnostic() for each in found], format) if found else ""
