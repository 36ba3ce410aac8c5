"""`tf1compat check`: everything that is wrong in profiles, without TensorFlow."""

from __future__ import annotations

import glob
import os
import sys
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.files import named_source
from tf1compat_gpu.diagnostics import ERROR, NOTE, WARNING, Diagnostic, counted, error, ordered, render
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.reader import try_load_profile, variant_names


def expand(names: Sequence[str]) -> Tuple[List[str], List[Diagnostic]]:
    """Files for names, with patterns that the shell left alone filled in; each file once, in order."""
    found: List[str] = []
    problems: List[Diagnostic] = []
    for name in names:
        if name == "-" or os.path.exists(name) or not glob.has_magic(name):
            found.append(name)
            continue
        matches = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        found += matches
        if not matches:
            problems.append(error("not-found", "no file matches %s" % name, help="looked from %s" % os.getcwd()))
    return list(dict.fromkeys(found)), problems


def check_file(name: str, variant: Optional[str], overrides: Mapping[str, str], releases: Sequence[fields.Release]) -> List[Diagnostic]:
    """Everything wrong in a file: as it is and under each of its variants, or under the one that is asked for."""
    environ: Dict[str, str] = dict(os.environ)
    source = named_source(name)

    def look(chosen: Optional[str]) -> List[Diagnostic]:
        wanted: Tuple[Optional[fields.Release], ...] = tuple(releases) or (None,)
        return [d for release in wanted for d in try_load_profile(source, chosen, overrides or None, environ=environ, release=release)[1]]

    if variant is not None or ("#" in name and not os.path.exists(name)):
        return look(variant)
    environ.pop("TF_CONFIG", None)  # it would choose one of the variants that are all checked here
    found = look(None)
    known = set(found)
    under: Dict[Diagnostic, List[str]] = {}
    for chosen in variant_names(source, environ):
        for diagnostic in dict.fromkeys(look(chosen)):
            if diagnostic not in known:
                under.setdefault(diagnostic, []).append(chosen)
    for diagnostic, names in under.items():
        found.append(diagnostic._replace(message="%s (with variant %s)" % (diagnostic.message, ", ".join(names))))
    return found


def summary(files: int, found: Sequence[Diagnostic]) -> str:
    """`3 files: 1 error, 2 notes`."""
    counts = [(severity, sum(d.severity == severity for d in found)) for severity in (ERROR, WARNING, NOTE)]
    return "%s: %s" % (counted(files, "file"), ", ".join(counted(count, severity) for severity, count in counts if count) or "nothing wrong")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.variant
@options.overrides
@options.tensorflow("Check for these releases, installed or not, as 1.12,2.21.")
@options.format("text", "concise", "json", "github")
@click.option("--strict", is_flag=True, help="Warnings count as findings.")
def command(files: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], releases: List[fields.Release], format: str, strict: bool) -> int:
    """Say everything that is wrong in profiles. FILE may be a pattern, FILE#VARIANT, or - for standard input."""
    names, found = expand(files)
    for name in names:
        found += check_file(name, variant, overrides, releases)
    found = ordered(found)
    text = render(found, format)
    if text:
        click.echo(text)
    print(summary(len(names), found), file=sys.stderr)
    return 1 if any(d.severity == ERROR or (strict and d.severity == WARNING) for d in found) else 0
