"""`tf1compat plan`: what a profile takes in TF2, field by field, and how faithful it is."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.files import named_source
from tf1compat_gpu.diagnostics import SCHEMA_VERSION, Diagnostic, render
from tf1compat_gpu.plans.code import python_of, step_text
from tf1compat_gpu.plans.plan import make_plan, newest_release, sought
from tf1compat_gpu.plans.serving import lines, serving
from tf1compat_gpu.plans.steps import ANY_MACHINE, Machine, Plan
from tf1compat_gpu.profiles.fields import format_release, parse_release, supported_releases
from tf1compat_gpu.profiles.profile import FrozenMapping
from tf1compat_gpu.profiles.reader import load_profile


class _Here(NamedTuple):
    """The TensorFlow of this machine."""

    release: Tuple[int, int]
    machine: Machine


def _here() -> _Here:
    from tf1compat_gpu.cli.here import tensorflow_here

    found, problem = tensorflow_here()
    if problem is not None:
        raise click.UsageError("--here: %s; %s" % (problem.message, problem.help))
    devices = [name for name in found["devices"] if ":GPU:" in name]
    return _Here(parse_release(found["version"]), Machine(len(devices), can_order=bool(found["cuda"])))


@click.command()
@click.argument("profiles", nargs=-1, required=True, metavar="PROFILE...")
@options.variant
@options.overrides
@options.tensorflow("Plan for this release; for the newest known one by default.")
@click.option("--here", is_flag=True, help="Plan for the TensorFlow and the GPUs of this machine, which starts TensorFlow.")
@click.option("--strict", is_flag=True, help="End with status 1 if anything is not the same in TF2.")
@options.format("text", "json", "python")
def command(profiles: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], releases: List[Any], here: bool, strict: bool, format: str) -> int:
    """Show what a profile takes in TF2. Of several profiles, later ones win; - is standard input.

    `text` shows each field, how configure() brings it to TF2 and, where that differs, what printed Python can do.
    `python` prints tf.config calls to paste.
    """
    release = options.one_release(releases)
    if release is not None and release not in supported_releases():
        raise click.UsageError("plans are made for TensorFlow 1.15 and 2.1 to %s" % format_release(newest_release()))
    if here and release is not None:
        raise click.UsageError("--here and --tensorflow exclude each other")
    machine = ANY_MACHINE
    if here:
        release, machine = _here()
    profile = load_profile([named_source(name) for name in profiles], variant, overrides or None)
    found: List[Diagnostic] = list(profile.diagnostics)
    plan = make_plan(profile, release, machine=machine)
    printed = make_plan(profile, release, carry=False, machine=ANY_MACHINE)
    found += plan.problems
    if here:
        from tf1compat_gpu.runtime.environment import forced_growth

        found += forced_growth(profile)
    if found:
        print(render(found), file=sys.stderr)
    if format == "json":
        click.echo(_as_json(plan, printed))
    elif format == "python":
        click.echo(python_of(printed), nl=False)
    else:
        _as_text(plan, printed)
    lost = (printed if format == "python" else plan).gaps
    return 1 if any(diagnostic.is_error for diagnostic in found) or (strict and lost) else 0


def _how(plan: Plan, path: str) -> str:
    """What is done about a field, in one line."""
    return ", and ".join(step_text(plan, step) for step in plan.steps if path in step.paths) or "not done"


def _paths(plan: Plan) -> List[str]:
    """Everything that the plan is about: the profile's fields, and soft placement in any case."""
    found = list(sought(plan))
    found += [path for step in plan.steps for path in step.paths if path not in found]
    return found


def _as_text(plan: Plan, printed: Plan) -> None:
    from tf1compat_gpu.cli.tables import print_table

    profile = plan.profile
    name = profile.name + ("#" + profile.variant if profile.variant else "")
    gpus = plan.machine.gpus
    where = "" if gpus is None else ", no GPU" if gpus == 0 else ", %d GPU%s" % (gpus, "" if gpus == 1 else "s")
    click.echo("%s on TensorFlow %s%s" % (name, format_release(plan.release), where))
    rows = []
    for path in _paths(plan):
        fidelity, otherwise = str(plan.fidelity(path)), str(printed.fidelity(path))
        rows.append((path, fidelity, "" if otherwise == fidelity else otherwise, _how(plan, path)))
    click.echo()
    print_table(rows, ("field", "configure()", "printed", "what is done"))
    reasons = [(gap.path, gap.reason) for gap in plan.gaps]
    if reasons:
        click.echo("\nNot the same in TF2:")
        for path, reason in reasons:
            click.echo("  %s: %s" % (path, reason))
    only = [gap for gap in printed.gaps if gap.path not in {path for path, _ in reasons}]
    if only:
        click.echo("\nLost in printed Python (--format python), and kept by configure():")
        for gap in only:
            click.echo("  %s: %s" % (gap.path, gap.reason))
    part = serving(profile, os.environ)
    if part is not None:
        click.echo("\nWith tf.train.Server and a session that has its target%s:" % (", as %s" % part.task if part.task else ""))
        for line in lines(part):
            click.echo("  " + line)


def _as_json(plan: Plan, printed: Plan) -> str:
    document: Dict[str, Any] = {"schema_version": SCHEMA_VERSION, "profile": plan.profile.name, "variant": plan.profile.variant}
    document.update(tensorflow=format_release(plan.release), gpus=plan.machine.gpus)
    for name, one in (("configure", plan), ("printed", printed)):
        document[name] = {
            "steps": [
                {
                    "kind": step.kind.value,
                    "paths": list(step.paths),
                    "fidelity": str(step.fidelity),
                    "arguments": [_plain(argument) for argument in step.arguments],
                    "reason": step.reason,
                }
                for step in one.steps
            ],
            "gaps": [{"path": gap.path, "fidelity": str(gap.fidelity), "reason": gap.reason} for gap in one.gaps],
        }
    part = serving(plan.profile, os.environ)
    document["serving"] = None if part is None else {key: list(value) if isinstance(value, tuple) else value for key, value in part._asdict().items()}
    return json.dumps(document, indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, FrozenMapping):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
