"""`tf1compat run`: a TensorFlow 1 program as it is, under TensorFlow 2 and a profile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import Diagnostic, render
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.runtime import choice
from tf1compat_gpu.runtime.seeds import VARIABLE as SEEDS
from tf1compat_gpu.shim.settings import RunSettings, into_environment

#: Python's own options that are handed on to it: without a value, and with one.
_FLAGS = ("-u", "-O", "-OO", "-B", "-v", "-vv", "-b", "-bb", "-q", "-s", "-d", "-i", "-E", "-I", "-S", "-P")
_VALUED = ("-W", "-X")
OWN_VALUED = ("--profile", "--variant", "--set", "--config", "--seeds", "--package", "--record")
_NOT_COVERED = {"-E": "-E ignores PYTHONPATH", "-I": "-I ignores PYTHONPATH", "-S": "-S starts no site"}


def split_arguments(arguments: List[str], valued: Sequence[str]) -> Tuple[List[str], List[str], List[str]]:
    """This command's own options, the interpreter's, and the program with all that is its own.

    Ours end at the first of `--`, `-m`, `-c`, `-` or anything that is no option.
    """
    own: List[str] = []
    python: List[str] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if argument == "--":
            return own, python, arguments[at + 1 :]
        if argument in ("-", "-m", "-c") or argument.startswith(("-m", "-c")) and not argument.startswith("--") or not argument.startswith("-"):
            break
        if argument in _FLAGS or (argument[:2] in _VALUED and len(argument) > 2):
            python.append(argument)
        elif argument in _VALUED:
            python += arguments[at : at + 2]
            at += 1
        else:
            own.append(argument)
            if argument in valued and at + 1 < len(arguments):
                at += 1
                own.append(arguments[at])
        at += 1
    return own, python, arguments[at:]


class ProgramCommand(click.Command):
    """A command whose program's arguments never reach the option parser; `ctx.meta` holds them, and the interpreter's."""

    #: Its own options that take a value.
    valued: Sequence[str] = OWN_VALUED

    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        own, python, program = split_arguments(list(args), self.valued)
        ctx.meta["python"], ctx.meta["program"] = python, program
        return super().parse_args(ctx, own)


class Runner(NamedTuple):
    """How programs run: the values of `runner_options`."""

    config: str
    seeds: str
    packages: Tuple[str, ...]
    python_compat: bool
    record: Optional[str]
    record_ops: bool

    def into_environment(self, environ: Dict[str, str], python: List[str]) -> None:
        """Let an interpreter that starts with this environment, and with these options of its own, run that way."""
        for flag in python:
            if flag in _NOT_COVERED:
                print("tf1compat: %s: TensorFlow 1's names and the profile don't reach this program" % _NOT_COVERED[flag], file=sys.stderr)
        recorded = os.path.abspath(self.record) if self.record else None
        into_environment(RunSettings(tuple(self.packages), self.python_compat, recorded, self.record_ops), environ)
        environ[choice.VARIABLE], environ[SEEDS] = self.config, self.seeds


_RUNNER_OPTIONS = (
    click.option("--config", type=click.Choice(choice.MODES), default="program", show_default=True, help="Who wins where a session has a config of its own."),
    click.option(
        "--seeds", type=click.Choice(["tf1", "native"]), default="tf1", show_default=True, help="The rule for operations without a seed under a graph's seed."
    ),
    click.option("--package", "packages", metavar="NAME", multiple=True, help="An installed package that is to see TensorFlow 1 too."),
    click.option("--python-compat", is_flag=True, help="Put back names that left Python, NumPy, Pillow and protobuf."),
    click.option("--record", metavar="FILE", help="Append a line for each session to this file."),
    click.option("--record-ops", is_flag=True, help="Count each session's operations by device in that line, when it closes or the program ends."),
)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that runs programs; it takes them as keywords, for `Runner`."""
    for option in reversed(_RUNNER_OPTIONS):
        command = option(command)
    return command


@click.command(cls=ProgramCommand, options_metavar="[OPTIONS]", context_settings={"ignore_unknown_options": False})
@click.option("--profile", "profiles", metavar="PROFILE", multiple=True, help="A profile for sessions; of several, later ones win.")
@options.variant
@options.overrides
@runner_options
def command(profiles: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], **runner: Any) -> Any:
    """Run a TensorFlow 1 program, without touching it: SCRIPT, -m MODULE, -c CODE, -, a directory or a zip file.

    What follows the program belongs to it. Python's own -u -O -B -W -X and the like are handed on. TensorFlow 1's names
    are for the program's own files; installed packages keep what they have.
    """
    meta = click.get_current_context().meta
    python, program = meta["python"], meta["program"]
    if not program and not python and sys.stdin.isatty():
        raise click.UsageError("what is to be run? Write a script, -m MODULE, -c CODE or -")
    environ = dict(os.environ)
    if profiles or overrides:
        say(set_profile(environ, list(profiles), variant, overrides))
    Runner(**runner).into_environment(environ, python)
    line = [sys.executable] + python + program
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, line, environ)
    return subprocess.call(line, env=environ)  # Windows has no exec that keeps the console's wait


def say(problems: Sequence[Diagnostic]) -> None:
    """Print what was found in a profile before its program starts, each thing once."""
    if problems:
        print(render(problems), file=sys.stderr)


def set_profile(environ: Dict[str, str], profiles: List[str], variant: Optional[str], overrides: Dict[str, str]) -> List[Diagnostic]:
    """The variables that name the profile to the program's process, and the profile's own environment, which is in time here.

    Returns:
        What there is to say of it.

    Raises:
        ProfileError: Something is wrong in it.
    """
    from tf1compat_gpu.profiles.reader import split_variant
    from tf1compat_gpu.runtime import active, environment

    if "-" in profiles:
        raise click.UsageError("standard input belongs to the program; name a file as --profile")
    profile = load_profile(list(profiles) if profiles else {}, variant, overrides or None, environ=environ)
    named = []
    for text in profiles:
        path, own_variant = split_variant(text)
        chosen = own_variant or variant
        named.append(os.path.abspath(str(path)) + ("#" + chosen if chosen else ""))
    environ[active.PROFILE_VARIABLE] = os.pathsep.join(named)
    environ[active.OVERRIDES_VARIABLE] = json.dumps(overrides)
    plan = environment.plan(profile, environ)
    environ.update(plan.changes)
    return list(profile.diagnostics) + list(plan.diagnostics)
