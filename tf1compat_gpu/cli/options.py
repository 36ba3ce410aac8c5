"""Options that several commands share."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import click

from tf1compat_gpu.profiles import fields

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _assignments(ctx: click.Context, parameter: click.Parameter, values: Tuple[str, ...]) -> Dict[str, str]:
    """`FIELD=VALUE` texts as a dict; the values are read by their field's type later, as in a file."""
    table: Dict[str, str] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter("write FIELD=VALUE, as gpu_options.allow_growth=true; found %r" % text, ctx, parameter)
        table[name.strip()] = value
    return table


def _releases(ctx: click.Context, parameter: click.Parameter, value: Optional[str]) -> List[fields.Release]:
    found = []
    for text in (value or "").split(",") if value else []:
        try:
            release = fields.parse_release(text)
        except ValueError as problem:
            raise click.BadParameter(str(problem), ctx, parameter)
        if release not in fields.releases():
            known = ", ".join(fields.format_release(r) for r in fields.releases())
            raise click.BadParameter("nothing is known of TensorFlow %s; known are %s" % (text.strip(), known), ctx, parameter)
        found.append(release)
    return found


def variant(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--variant", metavar="NAME", help="Lay this variant over the profile.")(function)


def overrides(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--set", "overrides", metavar="FIELD=VALUE", multiple=True, callback=_assignments, help="Set a field over everything else.")(function)


def tensorflow(help: str) -> Decorator:
    return click.option("--tensorflow", "releases", metavar="X.Y[,X.Y]", callback=_releases, help=help)


def one_release(releases: List[fields.Release]) -> Optional[fields.Release]:
    """The release that `--tensorflow` gave, for a command that takes one alone.

    Raises:
        click.UsageError: It gave several.
    """
    if len(releases) > 1:
        raise click.UsageError("--tensorflow takes one release here")
    return releases[0] if releases else None


def exclude(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--exclude", multiple=True, metavar="NAME", help="A file or folder to leave out; .gitignore counts too.")(function)


def format(*names: str) -> Decorator:
    return click.option("--format", "format", type=click.Choice(names), default=names[0], show_default=True, help="The form of the output.")
