"""The table of commands."""

from __future__ import annotations

import importlib
import os
from typing import Any, List, Optional

import click

from tf1compat_gpu import __version__

#: Command -> the module under tf1compat_gpu.cli whose `command` it is, in the order in which help lists them.
COMMANDS = {
    "run": "run",
    "launch": "launch",
    "check": "check",
    "show": "show",
    "plan": "plan",
    "explain": "explain",
    "convert": "convert",
    "diff": "diff",
    "scan": "scan",
    "extract": "extract",
    "rewrite": "rewrite",
    "schema": "schema",
    "doctor": "doctor",
}


class Commands(click.Group):
    """Loads a command's module when the command is called."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        click.version_option(__version__, prog_name="tf1compat")(self)

    def list_commands(self, ctx: click.Context) -> List[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module("tf1compat_gpu.cli." + module).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        from tf1compat_gpu.cli.settings import default_map

        ctx.default_map = default_map(os.getcwd())
        return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: List[str]) -> Any:
        name = str(args[0]) if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(name, COMMANDS, 1)
            hint = ": did you mean '%s'?" % close[0] if close else "; commands are %s" % ", ".join(COMMANDS)
            raise click.UsageError("'%s' is not a command%s" % (name, hint), ctx)
        return super().resolve_command(ctx, args)
