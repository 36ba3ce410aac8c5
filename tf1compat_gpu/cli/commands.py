"""The table of commands."""

from __future__ import annotations

import importlib
import os
from typing import Any, List, Optional

import click

from tf1compat_gpu import __version__

#: Command -> its line in help, in this order; each is `command` of the module of its name under tf1compat_gpu.cli.
COMMANDS = {
    "run": "Run a TensorFlow 1 program, without touching it.",
    "launch": "Start a job on this machine, a process for each task.",
    "check": "Say everything that is wrong in profiles.",
    "show": "Show what a profile resolves to.",
    "plan": "Show what a profile takes in TF2.",
    "explain": "Explain a field: what TF1 and TF2 do with it, and the traps.",
    "convert": "Convert a config: profile, text proto, bytes, hex, Python.",
    "diff": "Compare two records of `tf1compat run --record`.",
    "scan": "Find what configures sessions in a code base.",
    "extract": "Write a profile for each config that Python files build.",
    "rewrite": "Rewrite Python files for the next rung.",
    "schema": "Print the JSON Schema of profiles, for editors.",
    "doctor": "Describe this machine, and name problems.",
}


class Commands(click.Group):
    """Loads a command's module when the command is called."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        click.version_option(__version__, prog_name="tf1compat")(self)

    def list_commands(self, ctx: click.Context) -> List[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module("tf1compat_gpu.cli." + cmd_name).command
        command.short_help = COMMANDS[cmd_name]
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
