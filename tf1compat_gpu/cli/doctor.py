"""`tf1compat doctor`: the machine, as far as it bears on profiles. Opens no CUDA context."""

from __future__ import annotations

import json
import os
import platform
import sys
from typing import Any, Dict, List, Mapping

import click

from tf1compat_gpu import __version__
from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.overriding import overriding
from tf1compat_gpu.diagnostics import SCHEMA_VERSION
from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.runtime import distributions, nvml


def _launchers(environ: Mapping[str, str]) -> List[Dict[str, Any]]:
    rows = []
    for launcher in launchers.present(environ):
        variables = {name: environ[name] for name in (launcher.local, launcher.world, launcher.local_size) if name in environ}
        rows.append({"name": launcher.name, "variables": variables})
    return rows


def describe(environ: Mapping[str, str], here: bool) -> Dict[str, Any]:
    """Everything that doctor tells, as plain data."""
    found = distributions.installed()
    variables, wrong = overriding(environ)
    problems = distributions.problems(found, environ.get("TF_USE_LEGACY_KERAS") in ("1", "true", "True")) + wrong
    cards = nvml.cards()
    document: Dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tf1compat_gpu": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "distributions": found,
        "gpus": None if cards is None else [vars(card) for card in cards],
        "variables": [row._asdict() for row in variables],
        "launchers": _launchers(environ),
    }
    if here:
        from tf1compat_gpu.cli.here import tensorflow_here

        document["tensorflow"], problem = tensorflow_here()
        problems += [problem] if problem else []
    document["problems"] = [problem._asdict() for problem in problems]
    return document


def _print(document: Dict[str, Any]) -> None:
    from tf1compat_gpu.cli.tables import print_table

    print_table([(name, str(document[name])) for name in ("tf1compat_gpu", "python", "executable", "platform")])
    sections: List[Any] = [("Installed", list(document["distributions"].items()), "nothing of TensorFlow")]
    if "tensorflow" in document:
        loaded = {key: ", ".join(value) if isinstance(value, list) else str(value) for key, value in document["tensorflow"].items() if value != ""}
        sections.append(("TensorFlow here", list(loaded.items()), ""))
    gpus = document["gpus"]
    rows = [("GPU %d" % g["index"], g["name"], g["uuid"], "%d of %d MiB used" % (g["used_bytes"] >> 20, g["total_bytes"] >> 20)) for g in gpus or ()]
    absent = "NVML can't be asked: no NVIDIA driver, or `pip install 'tf1compat_gpu[nvml]'` is missing" if gpus is None else "none"
    sections.append(("GPUs", rows, absent))
    variables = [("%s=%s" % (v["name"], v["value"]), v["field"], v["effect"]) for v in document["variables"]]
    sections.append(("Environment variables that bear on profiles", variables, "none is set"))
    launched = [(row["name"], " ".join("%s=%s" % item for item in row["variables"].items())) for row in document["launchers"]]
    sections.append(("Launcher", launched, "none"))
    for title, lines, empty in sections:
        print("\n%s" % title)
        if lines:
            print_table(lines, indent=2)
        else:
            print("  " + empty)
    for problem in document["problems"]:
        print("\nProblem: %s\n  help: %s" % (problem["message"], problem["help"]))


@click.command()
@click.option("--here", is_flag=True, help="Import TensorFlow too, in a process of its own, and list its devices.")
@options.format("text", "json")
def command(here: bool, format: str) -> int:
    """Describe this machine: TensorFlow distributions, GPUs, and variables that override fields."""
    document = describe(dict(os.environ), here)
    if format == "json":
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print(document)
    count = len(document["problems"])
    print("%s problem%s found" % (count or "no", "" if count == 1 else "s"), file=sys.stderr)
    return 1 if document["problems"] else 0
