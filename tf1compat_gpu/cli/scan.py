"""`tf1compat scan`: every place of a code base that configures a session, what it sets, and what it needs on TensorFlow 2."""

from __future__ import annotations

import json
import sys
from typing import Any, List, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, render

_MINIMUM = (3, 9)


def require_python() -> None:
    """Refuse below Python 3.9, whose ast the migration needs.

    Raises:
        click.UsageError: This Python is older.
    """
    if sys.version_info < _MINIMUM:
        raise click.UsageError("scan and extract need Python 3.9 or later; the code that they read may be of any")


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--exclude", multiple=True, metavar="NAME", help="A file or folder to leave out; .gitignore counts too.")
@click.option("--select", multiple=True, metavar="CODE", help="Only findings of these codes.")
@click.option("--ignore", multiple=True, metavar="CODE", help="No findings of these codes.")
@options.format("text", "concise", "json", "github")
def command(paths: Tuple[str, ...], exclude: Tuple[str, ...], select: Tuple[str, ...], ignore: Tuple[str, ...], format: str) -> Optional[int]:
    """Find what configures sessions in Python files and folders; - is standard input. TensorFlow is not needed.

    Exit status 1 where something is found.
    """
    require_python()
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.scan import counts, scan, scan_text

    reports: List[Any] = []
    if paths == ("-",):
        text = files.decode("<stdin>", sys.stdin.buffer.read())
        reports = [scan_text(text)] if isinstance(text, files.Text) else []
        if isinstance(text, files.Skipped):
            raise click.UsageError("<stdin>: " + text.reason)
    else:
        import os

        for path in paths or (".",):
            if not os.path.exists(path):
                raise click.UsageError("%s: no such file or folder" % path)
        reports = list(scan(files.find(paths or (".",), exclude)))
    found = [each for report in reports for each in report.findings if (not select or each.code in select) and each.code not in ignore]
    skipped = [report for report in reports if report.skipped is not None]
    if format == "json":
        document = {
            "schema_version": SCHEMA_VERSION, "findings": [each.as_dict() for each in found],
            "skipped": [{"file": report.path, "reason": report.skipped} for report in skipped], "read": counts(reports)[0], "files": len(reports),
        }  # fmt: skip
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif found:
        click.echo(render([each.diagnostic() for each in found], format))
    for report in skipped:
        print("%s: not read: %s" % (report.path, report.skipped), file=sys.stderr)
    print("%d files, %d parsed, %d not read, %d findings" % (len(reports), counts(reports)[0], len(skipped), len(found)), file=sys.stderr)
    return 1 if found or skipped else None
