"""`tf1compat launch`: the tasks of a job as processes of this machine, to try it before the cluster."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.cli.processes import Child, run_all
from tf1compat_gpu.cli.run import OWN_VALUED, ProgramCommand, Runner, runner_options, say, set_profile
from tf1compat_gpu.profiles import clusters, launchers
from tf1compat_gpu.profiles.clusters import Task
from tf1compat_gpu.profiles.profile import FrozenMapping

#: Jobs in the order of their ranks: those that compute come first, so that their local ranks are the GPUs' numbers.
_JOBS = ("chief", "worker", "ps", "evaluator")
#: Jobs that serve until they are stopped.
_SERVING = ("ps",)


class _Launch(ProgramCommand):
    valued = OWN_VALUED + ("--ps", "--workers", "--grace")


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


def fill(program: List[str], task: Task) -> List[str]:
    """A program, its arguments with `{job_name}`, `{task_index}`, `{ps_hosts}`, `{worker_hosts}` and `{chief_hosts}` filled in."""
    words = {"{job_name}": task.job, "{task_index}": str(task.number)}
    for job in _JOBS:
        hosts = task.cluster.get(job, FrozenMapping())
        words["{%s_hosts}" % job] = ",".join(hosts[number] for number in sorted(hosts))
    # What names the program stays, and so does the code of -c, where braces are Python's.
    first = 2 if program[0] in ("-m", "-c") else 1
    found = program[:first]
    for argument in program[first:]:
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
@runner_options
def command(
    profiles: Tuple[str, ...],
    variant: Optional[str],
    overrides: Dict[str, str],
    ps: int,
    workers: int,
    chief: bool,
    evaluator: bool,
    native: bool,
    grace: float,
    **runner: Any,
) -> Any:
    """Start a job on this machine, a process for each task: SCRIPT, -m MODULE, -c CODE.

    Each process gets TF_CONFIG, with loopback ports that are free, and its ranks (LOCAL_RANK, RANK, LOCAL_WORLD_SIZE), of which
    chief and workers have the lowest. Each line of output starts with the task. The job ends when all tasks but the parameter
    servers have ended, or one has failed: its status is the command's, and no process is left, nor after Ctrl-C.

    In the program's arguments {job_name}, {task_index}, {ps_hosts}, {worker_hosts} and {chief_hosts} are filled in.
    """
    meta = click.get_current_context().meta
    python, program = meta["python"], meta["program"]
    if not program or program[0] == "-":
        raise click.UsageError("what is to be run? Write a script, -m MODULE or -c CODE")
    if os.name != "posix":
        raise click.UsageError("launch needs process groups, which this system has not")
    counts = {"ps": ps, "worker": workers, "chief": int(chief), "evaluator": int(evaluator)}
    if not workers and not chief:
        raise click.UsageError("nothing computes: give --workers or --chief")
    how = Runner(**runner)
    if native and how._replace(packages=()) != Runner("program", "tf1", (), False, None, False):
        raise click.UsageError("--native starts the program without the runner, whose options are --config, --seeds, --python-compat and --record")
    all_tasks = tasks(counts)
    children, found = [], []
    for rank, task in enumerate(all_tasks):
        environ = environment_of(task, rank, len(all_tasks), dict(os.environ))
        if profiles or overrides:
            found += set_profile(environ, list(profiles), variant, overrides)
        if not native:
            how.into_environment(environ, python if rank == 0 else [])
        children.append(Child("%s %d" % (task.job, task.number), [sys.executable] + python + fill(program, task), environ, task.job in _SERVING))
    say(found)
    return run_all(children, grace)
