"""`tf1compat schema`: the JSON Schema of profiles, for editors."""

from __future__ import annotations

from typing import Optional

import click


@click.command()
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to standard output.")
@click.option("--force", is_flag=True, help="Write over an existing FILE.")
def command(output: Optional[str], force: bool) -> None:
    """Print the JSON Schema of profiles, for editors."""
    from tf1compat_gpu.profiles.json_schema import schema_text

    if output and output != "-":
        from tf1compat_gpu.cli.files import write_file

        write_file(output, schema_text().encode("utf-8"), force)
    else:
        click.echo(schema_text(), nl=False)
