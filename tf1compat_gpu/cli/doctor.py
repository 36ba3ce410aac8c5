"""`tf1compat doctor`: the machine, as far as it bears on profiles. Opens no CUDA context."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from typing import Any, Dict, List, Mapping

import click

from tf1compat_gpu import __version__
from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import SCHEMA_VERSION
from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.profiles.secrets import MASK, is_secret
from tf1compat_gpu.runtime import distributions, nvml
from tf1compat_gpu.runtime.variables import START, VARIABLES

#: What `--here` runs, in an interpreter of its own: TensorFlow's state stays out of this one.
_PROBE = """
import json
import tensorflow as tf
devices = tf.config.experimental.list_physical_devices()
build = getattr(getattr(tf, "sysconfig", None), "get_build_info", dict)()
print("@@" + json.dumps({
    "version": tf.__version__, "file": tf.__file__, "cuda": bool(tf.test.is_built_with_cuda()),
    "cuda_version": str(build.get("cuda_version", "")), "devices": [device.name for device in devices],
}))
"""


def _variables(environ: Mapping[str, str]) -> List[Dict[str, str]]:
    return [
        {"name": v.name, "value": MASK if is_secret([v.name]) else environ[v.name], "field": v.field, "effect": v.effect}
        for v in VARIABLES
        if v.name in environ and v.deadline != START
    ]


def _variable_problems(environ: Mapping[str, str]) -> List[distributions.Problem]:
    growth = environ.get("TF_FORCE_GPU_ALLOW_GROWTH")
    if growth is None or growth in ("true", "false"):
        return []
    return [distributions.Problem("TF_FORCE_GPU_ALLOW_GROWTH=%s is ignored by TensorFlow, which logs an error" % growth, "write exactly true or false")]


def _here() -> Dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)  # noqa: UP021, UP022
    marked = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    if done.returncode == 0 and marked:
        found: Dict[str, Any] = json.loads(marked[-1][2:])
        return found
    return {"error": (done.stderr.strip().splitlines() or ["exit status %d" % done.returncode])[-1]}


def describe(environ: Mapping[str, str], here: bool) -> Dict[str, Any]:
    """Everything that doctor tells, as plain data."""
    found = distributions.installed()
    problems = distributions.problems(found) + _variable_problems(environ)
    if not any(name in found for name in distributions.TENSORFLOW):
        problems.append(
            distributions.Problem("no TensorFlow is installed in this environment", "pip install tensorflow-cpu, or tensorflow, or your vendor's build")
        )
    cards = nvml.cards()
    document: Dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tf1compat_gpu": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "distributions": found,
        "gpus": None if cards is None else [vars(card) for card in cards],
        "variables": _variables(environ),
        "launchers": [launcher.name for launcher in launchers.present(environ)],
        "problems": [problem._asdict() for problem in problems],
    }
    if here:
        document["tensorflow"] = _here()
        if "error" in document["tensorflow"]:
            document["problems"].append({"message": "TensorFlow can't be imported: " + document["tensorflow"]["error"], "help": "reinstall it"})
    return document


def _print(document: Dict[str, Any]) -> None:
    from tf1compat_gpu.cli.tables import print_table

    print_table([(name, str(document[name])) for name in ("tf1compat_gpu", "python", "executable", "platform")])
    sections: List[Any] = [("Installed", list(document["distributions"].items()), "nothing of TensorFlow")]
    if "tensorflow" in document:
        loaded = {key: ", ".join(value) if isinstance(value, list) else str(value) for key, value in document["tensorflow"].items()}
        sections.append(("TensorFlow here", list(loaded.items()), ""))
    gpus = document["gpus"]
    rows = [("GPU %d" % g["index"], g["name"], g["uuid"], "%d of %d MiB used" % (g["used_bytes"] >> 20, g["total_bytes"] >> 20)) for g in gpus or ()]
    absent = "NVML can't be asked: no NVIDIA driver, or `pip install 'tf1compat_gpu[nvml]'` is missing" if gpus is None else "none"
    sections.append(("GPUs", rows, absent))
    variables = [("%s=%s" % (v["name"], v["value"]), v["field"], v["effect"]) for v in document["variables"]]
    sections.append(("Environment variables that bear on profiles", variables, "none is set"))
    sections.append(("Launcher", [(name,) for name in document["launchers"]], "none"))
    for title, lines, empty in sections:
        print("\n%s" % title)
        if lines:
            print_table(lines, indent=2)
        elif empty:
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
    return 1 if document["problems"] else 0
