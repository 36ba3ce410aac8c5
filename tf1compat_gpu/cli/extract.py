"""`tf1compat extract`: the configs of a code base as profiles."""

from __future__ import annotations

import os
import sys
from typing import Any, List, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.scan import require_paths, require_python, say_skipped


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--out", default="configs", show_default=True, metavar="FOLDER", help="Where the profiles go.")
@options.exclude
@click.option("--from", "record", metavar="FILE", help="Take the sessions of a record of `run --record` instead of source files.")
@click.option(
    "--flags",
    type=click.Choice(["code", "environment"]),
    default="code",
    show_default=True,
    help="Fields that a command line flag decides: left in the code, or ${NAME:-default}.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing: print what would be written.")
def command(paths: Tuple[str, ...], out: str, exclude: Tuple[str, ...], record: Optional[str], flags: str, dry_run: bool) -> Optional[int]:
    """Write a profile for each config that Python files build; equal ones share a file, named by where it is used.

    What the source does not tell (a flag, a condition) is listed in the profile's head and stays in the code. A profile that
    a person has edited is never overwritten. Exit status 1 where one was, or a config gives no profile.
    """
    require_python()
    from tf1compat_gpu.migrate import extract, files, profile_files
    from tf1compat_gpu.migrate.scan import scan

    left: List[Tuple[Any, str]] = []
    if record:
        if paths:
            raise click.UsageError("give source files or --from FILE, not both")
        try:
            with open(record, encoding="utf-8") as file:
                found = extract.recorded(file.readlines(), record)
        except OSError as problem:
            raise click.UsageError("%s: %s" % (record, problem.strerror))
        except ValueError as problem:
            raise click.UsageError(str(problem))
    else:
        require_paths(paths)
        reports = list(scan(files.find(paths or (".",), exclude)))
        found, left = extract.extract(reports, flags == "environment")
        say_skipped(reports)
    status = 0
    for each in found:
        written = profile_files.write(os.path.join(out, each.name), each.text(), dry_run)
        click.echo("%s: %s, for %d config%s" % (written.path, written.state, len(each.places), "" if len(each.places) == 1 else "s"))
        if dry_run:
            click.echo(each.text(), nl=False)
        if written.state == "edited":
            status = 1
            click.echo(written.diff, nl=False)
            print("%s was edited and is kept" % written.path[: -len(".new")], file=sys.stderr)
    for finding, reason in left:
        status = 1
        print("%s: no profile: %s" % (str(finding.span), reason), file=sys.stderr)
    return status or None
