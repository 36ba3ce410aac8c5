"""What becomes of a profile in a parameter-server job: which fields a server takes, which its sessions, and their filters."""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles import clusters
from tf1compat_gpu.profiles.clusters import Cluster, Task
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile

_JOBS = ("ps", "worker", "chief", "master", "evaluator")
_FILTERS = "device_filters"
#: Said of a session whose task isn't known.
GENERAL = "/job:ps and a worker's or chief's own task, if the cluster has parameter servers"


class Serving(NamedTuple):
    """A profile as a server and its session share it.

    Attributes:
        task: This process's task, as /job:worker/task:0; "" where it isn't known.
        device_filters: Those of its session; () where there are none, or the task isn't known.
        by_default: Whether the profile has none of its own.
        server: The fields that the server takes.
        session: The fields that the session takes.
        refused: The fields that TensorFlow refuses in both.
    """

    task: str
    device_filters: Tuple[str, ...]
    by_default: bool
    server: Tuple[str, ...]
    session: Tuple[str, ...]
    refused: Tuple[str, ...]


def _task(profile: Profile, environ: Mapping[str, str]) -> Optional[Task]:
    task = clusters.task_of(environ)
    if task is not None:
        return task
    jobs = profile.get("cluster_def.job", ())
    cluster: Cluster = clusters.from_cluster_def(jobs) if jobs else FrozenMapping()
    only = profile.variant or ""
    return Task(cluster, only, next(iter(cluster[only]))) if len(cluster.get(only, FrozenMapping())) == 1 else None


def serving(profile: Profile, environ: Mapping[str, str]) -> Optional[Serving]:
    """How the profile is shared; None where nothing in it or in TF_CONFIG is about a cluster."""
    task = _task(profile, environ)
    about = task is not None or _FILTERS in profile or "cluster_def.job" in profile or any(name in _JOBS for name in profile.variants)
    if not about:
        return None
    own = profile.get(_FILTERS)
    filters = tuple(own) if own is not None else clusters.default_filters(task) if task is not None else ()

    def whose(*owners: str) -> Tuple[str, ...]:
        return tuple(path for path in profile if clusters.owner(path) in owners)

    server, session = whose(clusters.SERVER, clusters.BOTH), whose(clusters.SESSION, clusters.BOTH)
    return Serving("" if task is None else str(task), filters, own is None, server, session, whose(clusters.NONE))


def lines(part: Serving) -> Tuple[str, ...]:
    """The same as text, a line each."""
    filters = ", ".join(part.device_filters) or ("none" if part.task or not part.by_default else GENERAL)
    rows = ["device_filters: %s%s" % (filters, " (by default)" if part.by_default else "")]
    for name, paths in (("make_server takes", part.server), ("its sessions take", part.session), ("neither takes", part.refused)):
        rows += ["%s: %s" % (name, ", ".join(paths))] if paths else []
    return tuple(rows)
