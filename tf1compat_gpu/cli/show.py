"""`tf1compat show`: what a profile resolves to, each value with where it came from."""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.secrets import MASK, is_secret
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, Span, render
from tf1compat_gpu.profiles.formats import section
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.profiles.writer import value_text


class Row(NamedTuple):
    """A field or a setting with its value; `span` is None where nothing is known."""

    path: str
    value: Any
    span: Optional[Span]
    variables: Tuple[str, ...]

    @property
    def text(self) -> str:
        return str(self.value) if self.path.startswith("profile.") or self.value == MASK else value_text(self.path, self.value)

    @property
    def place(self) -> str:
        place = str(self.span) if self.span else ""
        return place + (", from %s" % ", ".join("${%s}" % name for name in self.variables) if self.variables else "")


def rows(profile: Profile) -> List[Row]:
    """The profile section's settings, then the fields in the proto's order; secrets are masked."""
    found: List[Row] = []
    for key, value in section(profile).items():
        if not value:
            continue
        items = {"environment." + name: text for name, text in value.items()} if isinstance(value, dict) else {key: value}
        for name, text in items.items():
            shown = MASK if name.startswith("environment.") and is_secret([name]) else text
            found.append(Row("profile." + name, shown, profile.setting_spans.get(name), ()))
    for path, entry in profile.entries.items():
        value = MASK if is_secret(entry.variables) else entry.value
        found.append(Row(path, value, entry.span, entry.variables))
    return found


def _as_json(profile: Profile) -> str:
    def plain(value: Any) -> Any:
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    fields = [
        {
            "path": row.path,
            "value": row.value,
            "file": row.span.source.name if row.span else None,
            "line": row.span.line if row.span else 0,
            "column": row.span.column if row.span else 0,
            "variables": list(row.variables),
        }
        for row in rows(profile)
    ]
    document = {"schema_version": SCHEMA_VERSION, "profile": profile.name, "variant": profile.variant, "digest": profile.digest(), "fields": fields}
    return json.dumps(document, indent=2, ensure_ascii=False, default=plain)


@click.command()
@click.argument("profiles", nargs=-1, required=True, metavar="PROFILE...")
@options.variant
@options.overrides
@options.tensorflow("Resolve it for this release: fields that it lacks are errors.")
@options.format("text", "json", "yaml")
def command(profiles: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], releases: List[Any], format: str) -> None:
    """Show what a profile resolves to. Of several profiles, later ones win."""
    profile = load_profile(list(profiles), variant, overrides or None, release=releases[0] if releases else None)
    if profile.diagnostics:
        print(render(profile.diagnostics), file=sys.stderr)
    if format == "json":
        click.echo(_as_json(profile))
    elif format == "yaml":
        click.echo(profile.to_yaml(), nl=False)
    else:
        from tf1compat_gpu.cli.tables import print_table

        shown = [(row.path, row.text, row.place) for row in rows(profile)]
        name = profile.name + ("#" + profile.variant if profile.variant and not profile.name.endswith("#" + profile.variant) else "")
        click.echo("%s: %d field%s, digest %s" % (name, len(profile), "" if len(profile) == 1 else "s", profile.digest()))
        if shown:
            print_table(shown, indent=2)
