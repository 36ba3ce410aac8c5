"""`tf1compat check`: everything that is wrong in profiles, without TensorFlow."""

from __future__ import annotations

import glob
import os
import sys
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import ERROR, WARNING, Diagnostic, error, ordered, render
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.nodes import MAX_BYTES
from tf1compat_gpu.profiles.reader import ProfileLike, Text, try_load_profile, variant_names


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
            problems.append(error("not-found", "no file matches %s" % name))
    return list(dict.fromkeys(found)), problems


def check_file(name: str, variant: Optional[str], overrides: Mapping[str, str], releases: Sequence[fields.Release]) -> List[Diagnostic]:
    """Everything wrong in a file: as it is and under each of its variants, or under the one that is asked for."""
    environ: Dict[str, str] = dict(os.environ)
    source: ProfileLike = Text("<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1)) if name == "-" else name
    variants: List[Optional[str]] = [variant]
    if variant is None and not ("#" in name and not os.path.exists(name)):
        environ.pop("TF_CONFIG", None)  # it would choose one of the variants that are all checked here
        variants += variant_names(source, environ)
    found: List[Diagnostic] = []
    for chosen in variants:
        for release in releases or [None]:  # type: ignore[list-item]
            found += try_load_profile(source, chosen, overrides or None, environ=environ, release=release)[1]
    return found


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
    counts = {severity: sum(d.severity == severity for d in found) for severity in (ERROR, WARNING)}
    if format in ("text", "concise"):
        summary = ", ".join("%d %s%s" % (n, severity, "" if n == 1 else "s") for severity, n in counts.items() if n) or "nothing wrong"
        print("%d file%s: %s" % (len(names), "" if len(names) == 1 else "s", summary), file=sys.stderr)
    return 1 if counts[ERROR] or (strict and counts[WARNING]) else 0
