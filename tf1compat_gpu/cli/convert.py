"""`tf1compat convert`: a config from one form into another."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Optional

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import render
from tf1compat_gpu.profiles import formats
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import Text, load_profile

#: Nobody's config is larger; a wrong file is.
_MAX_BYTES = 1 << 20
_ENDINGS = {
    "yaml": "yaml",
    "yml": "yaml",
    "json": "json",
    "pbtxt": "textproto",
    "textproto": "textproto",
    "pb": "bytes",
    "bin": "bytes",
    "hex": "hex",
    "h": "c-array",
    "py": "python",
}


def _read(name: str) -> bytes:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(_MAX_BYTES + 1)
    except OSError as problem:
        raise click.UsageError("%s can't be read: %s" % (name, problem.strerror))
    if len(data) > _MAX_BYTES:
        raise click.UsageError("%s is larger than 1 MiB: no ConfigProto is" % name)
    return data


def read_input(name: str, form: Optional[str], variant: Optional[str], overrides: Dict[str, str], release: Any) -> Profile:
    """A profile from any form of input; YAML files may have variants and extend others."""
    path, hash, _ = name.rpartition("#")
    is_variant = bool(hash) and not os.path.exists(name) and os.path.exists(path)
    data = _read(path if is_variant else name)
    form = form or formats.guess(data, path if is_variant else name)
    if form == "yaml":
        if name == "-":
            return load_profile(Text("<stdin>", data), variant, overrides or None, release=release)
        return load_profile(name, variant, overrides or None, release=release)
    profile = formats.read(data, form, "<stdin>" if name == "-" else name)
    return load_profile(profile, variant, overrides or None, release=release)


@click.command()
@click.argument("input", metavar="IN")
@click.option("--to", "to", type=click.Choice(sorted(formats.OUTPUTS)), help="The form to write; by default that of the ending of --output.")
@click.option("--from", "form", type=click.Choice(sorted(formats.INPUTS)), help="The form of IN; by default found out from it.")
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to standard output.")
@click.option("--force", is_flag=True, help="Write over an existing FILE.")
@options.variant
@options.overrides
@options.tensorflow("The release to write for (python), whose fields are checked.")
def command(
    input: str,
    to: Optional[str],
    form: Optional[str],
    output: Optional[str],
    force: bool,
    variant: Optional[str],
    overrides: Dict[str, str],
    releases: List[Any],
) -> None:
    """Convert a config: a profile, a text proto, a serialized ConfigProto, or its bytes as hex, base64 or C. IN may be -."""
    to = to or _ENDINGS.get((output or "").rpartition(".")[2])
    if to is None:
        raise click.UsageError("--to is missing: one of %s" % ", ".join(sorted(formats.OUTPUTS)))
    release = options.one_release(releases)
    profile = read_input(input, form, variant, overrides, release)
    if profile.diagnostics:
        print(render(profile.diagnostics), file=sys.stderr)
    if to in formats.PROTO_ONLY and not profile.settings.asks_for_nothing:
        lost = [key for key, value in formats.section(profile).items() if value and key != "description"]
        print("warning: a ConfigProto can't hold %s; make_session and install apply it" % ", ".join("profile." + key for key in lost), file=sys.stderr)
    data = formats.write(profile, to, release)
    if output and output != "-":
        from tf1compat_gpu.cli.files import write_file

        write_file(output, data, force)
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
