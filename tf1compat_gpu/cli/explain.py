"""`tf1compat explain`: what a field is, in which releases, and what TF1 and TF2 do with it."""

from __future__ import annotations

import json
from typing import Optional

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, render
from tf1compat_gpu.errors import ProfileError


@click.command()
@click.argument("field", required=False)
@options.format("text", "json")
def command(field: Optional[str], format: str) -> int:
    """Explain a field, or a key of the profile section; without FIELD, list them all."""
    if field is None:
        return _list(format)
    from tf1compat_gpu.plans.explain import explain
    from tf1compat_gpu.plans.explain import render as as_text

    try:
        explanation = explain(field)
    except ProfileError as problem:
        click.echo(render(problem.diagnostics), err=True)
        return 2
    if format == "json":
        document = dict({"schema_version": SCHEMA_VERSION}, **explanation._asdict())
        document["members"] = [member._asdict() for member in explanation.members]
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(as_text(explanation))
    return 0


def _list(format: str) -> int:
    from tf1compat_gpu.plans.rules import all_rules

    if format == "json":
        fields = [{"path": rule.path, "fidelity": str(rule.fidelity)} for rule in all_rules()]
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "fields": fields}, indent=2))
    else:
        from tf1compat_gpu.cli.tables import print_table

        print_table([(rule.path, str(rule.fidelity)) for rule in all_rules()], ("field", "in TF2"))
    return 0
