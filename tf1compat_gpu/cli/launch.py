"""`tf1compat launch`: the tasks of a job as processes of this machine, to try it before the cluster."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.processes import Child, run_all
from tf1compat_gpu.cli.run import ProgramCommand, set_profile
from tf1compat_gpu.profiles import clusters, launchers
from tf1compat_gpu.profiles.clusters import Task
from tf1compat_gpu.profiles.profile import FrozenMapping

#: Jobs in the order of their ranks: those that compute come first, so that their local ranks are the GPUs' numbers.
_JOBS = ("chief", "worker", "ps", "evaluator")
#: Jobs that serve until they are stopped.
_SERVING = ("ps",)


class _Launch(ProgramCommand):
    valued = ("--profile", "--variant", "--set", "--ps", "--workers", "--grace")


class Job(NamedTuple):
    """A task and the environment of its process."""

    task: Task
    environ: Dict[str, str]


def tasks(counts: Dict[str, int]) -> List[Task]:
    """The tasks of a job, in the order of their ranks, each with the cluster; ports are picked on the loopback interface."""
    from tf1compat_gpu.cli.ports import free_ports

    within = [(job, number) for job in _JOBS if job not in clusters.OUTSIDE for number in range(counts.get(job, 0))]
    ports = free_ports(len(within))
    addresses: Dict[str, Dict[int, str]] = {}
    for (job, number), port in zip(within, ports):
        addresses.setdefault(job, {})[number] = "127.0.0.1:%d" % port
    cluster = FrozenMapping({job: FrozenMapping(numbered) for job, numbered in addresses.items()})
    return [Task(cluster, job, number) for job in _JOBS for number in range(counts.get(job, 0))]


def environment_of(task: Task, rank: int, size: int, environ: Dict[str, str]) -> Dict[str, str]:
    """A task's environment: TF_CONFIG and torchrun's ranks (the table's most neutral names); no other launcher's are left."""
    found = dict(environ)
    for row in launchers.LAUNCHERS:
        for name in (row.local, row.world, row.local_size):
            found.pop(name, None)
    found.update(TF_CONFIG=task.as_tf_config(), LOCAL_RANK=str(rank), RANK=str(rank), LOCAL_WORLD_SIZE=str(size), WORLD_SIZE=str(size))
    return dict(found, PYTHONUNBUFFERED="1")


def fill(arguments: List[str], task: Task) -> List[str]:
    """A program's arguments with `{job_name}`, `{task_index}`, `{ps_hosts}`, `{worker_hosts}` and `{chief_hosts}` filled in."""
    words = {"{job_name}": task.job, "{task_index}": str(task.number)}
    for job in _JOBS:
        hosts = task.cluster.get(job, FrozenMapping())
        words["{%s_hosts}" % job] = ",".join(hosts[number] for number in sorted(hosts))
    found = []
    for argument in arguments:
        for word, text in words.items():
            argument = argument.replace(word, text)
        found.append(argument)
    return found


@click.command(cls=_Launch, options_metavar="[OPTIONS]")
@click.option("--profile", "profiles", metavar="PROFILE", multiple=True, help="A profile for servers and sessions; of several, later ones win.")
@options.variant
@options.overrides
@click.option("--ps", default=0, show_default=True, type=click.IntRange(0, 64), help="Parameter servers.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(0, 256), help="Workers.")
@click.option("--chief", is_flag=True, help="A chief beside the workers, as Estimator wants one.")
@click.option("--evaluator", is_flag=True, help="An evaluator, which is outside of the cluster.")
@click.option("--native", is_flag=True, help="The program is no TensorFlow 1 program, or imports tf1compat_gpu.tf1: python runs it as it is.")
@click.option("--grace", default=10.0, show_default=True, type=click.FloatRange(0), help="Seconds between asking a process to end and ending it.")
@click.pass_context
def command(
    ctx: click.Context,
    profiles: Tuple[str, ...],
    variant: Optional[str],
    overrides: Dict[str, str],
    ps: int,
    workers: int,
    chief: bool,
    evaluator: bool,
    native: bool,
    grace: float,
) -> Any:
    """Start a job on this machine, a process for each task: SCRIPT, -m MODULE, -c CODE.

    Each process gets TF_CONFIG, with loopback ports that are free, and its ranks (LOCAL_RANK, RANK, LOCAL_WORLD_SIZE), of which
    chief and workers have the lowest. Each line of output starts with the task. The job ends when all tasks but the parameter
    servers have ended, or one has failed: its status is the command's, and no process is left, nor after Ctrl-C.

    In the program's arguments {job_name}, {task_index}, {ps_hosts}, {worker_hosts} and {chief_hosts} are filled in.
    """
    python, program = ctx.meta["python"], ctx.meta["program"]
    if not program or program[0] == "-":
        raise click.UsageError("what is to be run? Write a script, -m MODULE or -c CODE")
    if os.name != "posix":
        raise click.UsageError("launch needs process groups, which this system has not")
    counts = {"ps": ps, "worker": workers, "chief": int(chief), "evaluator": int(evaluator)}
    if not workers and not chief:
        raise click.UsageError("nothing computes: give --workers or --chief")
    all_tasks = tasks(counts)
    children = []
    for rank, task in enumerate(all_tasks):
        environ = environment_of(task, rank, len(all_tasks), dict(os.environ))
        line = _line(profiles, variant, overrides, native, python, fill(program, task), environ)
        children.append(Child("%s %d" % (task.job, task.number), line, environ, task.job in _SERVING))
    return run_all(children, grace)


def _line(
    profiles: Tuple[str, ...], variant: Optional[str], overrides: Dict[str, str], native: bool, python: List[str], program: List[str], environ: Dict[str, str]
) -> List[str]:
    """The command of a task. Its profile is read here first: what is wrong in it is said once, before anything starts."""
    from tf1compat_gpu.profiles.reader import load_profile

    if native:
        if profiles or overrides:
            set_profile(environ, list(profiles), variant, overrides)
        return [sys.executable] + python + program
    if profiles or overrides:
        load_profile(list(profiles) if profiles else {}, variant, overrides or None, environ=environ)
    own = [part for profile in profiles for part in ("--profile", profile)] + (["--variant", variant] if variant else [])
    own += [part for name, value in overrides.items() for part in ("--set", "%s=%s" % (name, value))]
    return [sys.executable, "-m", "tf1compat_gpu", "run"] + own + python + ["--"] + program
