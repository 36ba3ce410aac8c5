"""What a launcher tells each process of its job: the rank on its host, in the job, and how many share the host."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Tuple


class Launcher(NamedTuple):
    """A launcher's environment variables.

    Attributes:
        name: What people call it.
        local: The variable with the rank among the processes of this host.
        world: The variable with the rank in the whole job.
        local_size: The variable with the number of processes on this host.
        source: Where these names are documented.
    """

    name: str
    local: str
    world: str
    local_size: str
    source: str


#: In the order in which they are asked. SLURM comes last: SLURM_LOCALID is 0 in the batch script itself, and every
#: process that mpirun starts from there inherits it.
LAUNCHERS: Tuple[Launcher, ...] = (
    Launcher("Horovod", "HOROVOD_LOCAL_RANK", "HOROVOD_RANK", "HOROVOD_LOCAL_SIZE", "Horovod 0.19, horovod/run/gloo_run.py, slot_env_vars"),
    Launcher("Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "Open MPI 4.1, mpirun(1), section Environment"),
    Launcher("MPICH or Intel MPI (Hydra)", "MPI_LOCALRANKID", "PMI_RANK", "MPI_LOCALNRANKS", "MPICH 4, hydra, src/pm/hydra/proxy/pmip_cb.c"),
    Launcher("torchrun", "LOCAL_RANK", "RANK", "LOCAL_WORLD_SIZE", "PyTorch, torch.distributed.run, section Environment Variables"),
    Launcher("Slurm", "SLURM_LOCALID", "SLURM_PROCID", "SLURM_NTASKS_PER_NODE", "Slurm, srun(1), section Output Environment Variables"),
)
_KINDS = {"local": "local", "global": "world", "local_size": "local_size"}


class Rank(NamedTuple):
    """A number that a launcher gave, and the variable it came from.

    Attributes:
        value: The number.
        variable: The variable that said it.
        disagreeing: Other launchers' variables that say something else, as `NAME=value`.
    """

    value: int
    variable: str
    disagreeing: Tuple[str, ...]


def _number(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def present(environ: Mapping[str, str]) -> List[Launcher]:
    """The launchers whose local or global rank is set."""
    return [row for row in LAUNCHERS if row.local in environ or row.world in environ]


def variables(kind: str) -> Tuple[str, ...]:
    """The variables of `kind` ("local", "global" or "local_size"), in the order in which they are asked."""
    return tuple(getattr(row, _KINDS[kind]) for row in LAUNCHERS)


def rank(kind: str, environ: Mapping[str, str]) -> Optional[Rank]:
    """What the launcher says of `kind` ("local", "global" or "local_size"), or None where none says it."""
    said = [(name, _number(environ.get(name))) for name in variables(kind)]
    known = [(variable, value) for variable, value in said if value is not None]
    if not known:
        return None
    variable, value = known[0]
    return Rank(value, variable, tuple("%s=%d" % (name, other) for name, other in known[1:] if other != value))


def rank_variables() -> Tuple[str, ...]:
    """Every variable of the table that holds a rank."""
    return tuple(name for row in LAUNCHERS for name in (row.local, row.world))


def table() -> str:
    """The table of launchers as Markdown, in the order in which they are asked."""
    rows = ["| launcher | local rank | global rank | processes on the host |", "|---|---|---|---|"]
    rows += ["| %s | `%s` | `%s` | `%s` |" % row[:4] for row in LAUNCHERS]
    return "\n".join(rows) + "\n"
