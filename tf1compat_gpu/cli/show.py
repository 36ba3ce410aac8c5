"""`tf1compat show`: what a profile resolves to, each value with where it came from."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.files import named_source
from tf1compat_gpu.cli.provenance import Places, Row, is_secret_setting, places, rows
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, render
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.profiles.secrets import MASK, is_secret


def _as_json(profile: Profile, shown: List[Row]) -> str:
    fields = [
        {
            "path": row.path,
            "value": row.value,
            "file": row.span.source.name if row.span else None,
            "line": row.span.line if row.span else 0,
            "column": row.span.column if row.span else 0,
            "variant": row.variant or None,
            "variables": list(row.variables),
        }
        for row in shown
    ]
    document: Dict[str, Any] = {"schema_version": SCHEMA_VERSION, "profile": profile.name, "variant": profile.variant}
    document.update(variants=list(profile.variants), files=list(profile.files), digest=profile.digest(), fields=fields)
    return json.dumps(document, indent=2, ensure_ascii=False)


def _as_yaml(profile: Profile, known: Places) -> str:
    """A profile that reads back; a field whose value is masked stands in it as a comment alone."""
    settings = profile.settings._replace(
        environment=FrozenMapping(
            {name: MASK if is_secret_setting(profile, "environment." + name, known) else text for name, text in profile.settings.environment.items()}
        )
    )
    hidden = {path: entry for path, entry in profile.entries.items() if is_secret(entry.variables)}
    kept = {path: entry for path, entry in profile.entries.items() if path not in hidden}
    comments = ["# %s: %s (from %s)\n" % (path, MASK, ", ".join("${%s}" % name for name in entry.variables)) for path, entry in hidden.items()]
    return Profile(kept, settings).to_yaml() + "".join(comments)


@click.command()
@click.argument("profiles", nargs=-1, required=True, metavar="PROFILE...")
@options.variant
@options.overrides
@options.tensorflow("Resolve it for this release: fields that it lacks are errors.")
@options.format("text", "json", "yaml")
def command(profiles: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], releases: List[Any], format: str) -> None:
    """Show what a profile resolves to. Of several profiles, later ones win; - is standard input."""
    release = options.one_release(releases)
    sources = [named_source(name) for name in profiles]
    profile = load_profile(sources, variant, overrides or None, release=release)
    if profile.diagnostics:
        print(render(profile.diagnostics), file=sys.stderr)
    known = places(sources, profile.variant, os.environ)
    if format == "yaml":
        click.echo(_as_yaml(profile, known), nl=False)
        return
    shown = rows(profile, known)
    if format == "json":
        click.echo(_as_json(profile, shown))
        return
    from tf1compat_gpu.cli.tables import print_table

    title = profile.name + ("#" + profile.variant if profile.variant else "")
    click.echo("%s: %d field%s, digest %s" % (title, len(profile), "" if len(profile) == 1 else "s", profile.digest()))
    if shown:
        print_table([(row.path, row.text, row.place) for row in shown], indent=2)
