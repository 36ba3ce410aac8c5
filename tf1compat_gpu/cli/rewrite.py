"""`tf1compat rewrite`: takes sources up a rung."""

from __future__ import annotations

import difflib
import os
import sys
from typing import List, Optional, Tuple

import click

from tf1compat_gpu.cli.scan import require_python
from tf1compat_gpu.diagnostics import render


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--to", type=click.Choice(["import"]), default="import", show_default=True, help="The rung: TensorFlow 1's names by one import line.")
@click.option("--check", is_flag=True, help="Write nothing; status 1 if a file would change.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--exclude", multiple=True, metavar="NAME", help="A file or folder to leave out; .gitignore counts too.")
@click.option("--allow-dirty", is_flag=True, help="Rewrite files with changes that are not committed too.")
def command(paths: Tuple[str, ...], to: str, check: bool, show_diff: bool, exclude: Tuple[str, ...], allow_dirty: bool) -> Optional[int]:
    """Rewrite Python files so that they import TensorFlow 1's names from tf1compat_gpu.tf1; no other byte changes.

    Files with uncommitted changes are refused unless --allow-dirty. What can't be read, parsed or written is left alone, said,
    and makes the exit status 1.
    """
    require_python()
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.rewrite import Rewritten, dirty, rewrite_file, write

    for path in paths:
        if not os.path.exists(path):
            raise click.UsageError("%s: no such file or folder" % path)
    done: List[Rewritten] = [found for found in (rewrite_file(path, to) for path in files.find(paths, exclude)) if found is not None]
    changed = [each for each in done if each.after is not None]
    failed = [(each.path, each.refused) for each in done if each.refused]
    if not (check or show_diff):
        held = set() if allow_dirty else set(dirty([each.path for each in changed]))
        for each in changed:
            problem = "it has changes that are not committed: commit them, or add --allow-dirty" if each.path in held else write(each)
            if problem:
                failed.append((each.path, problem))
            else:
                print("rewrote %s" % each.path, file=sys.stderr)
    else:
        for each in changed:
            print("would rewrite %s" % each.path, file=sys.stderr)
            if show_diff:
                click.echo(_diff(each.path, each.before, each.after or b""), nl=False)
    findings = [finding.diagnostic() for each in done for finding in each.findings]
    if findings:
        print(render(findings), file=sys.stderr)
    for path, reason in failed:
        print("%s: left alone: %s" % (path, reason), file=sys.stderr)
    return 1 if failed or (check and changed) else None


def _diff(path: str, before: bytes, after: bytes) -> str:
    lines = [data.decode("utf-8", "replace").splitlines(True) for data in (before, after)]
    return "".join(difflib.unified_diff(lines[0], lines[1], "a/" + path, "b/" + path))
