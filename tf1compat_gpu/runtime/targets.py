"""What of a profile counts in a session with a target, and where the rest of it belongs."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, warning
from tf1compat_gpu.profiles import clusters, fields
from tf1compat_gpu.profiles.clusters import Task
from tf1compat_gpu.profiles.messages import unpack
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping, Profile, Value
from tf1compat_gpu.runtime import ledger, reachable

FILTERS, TIMEOUT, CLUSTER = "device_filters", "operation_timeout_in_ms", "cluster_def"


class Target(NamedTuple):
    """What a session connects to, as far as this process knows.

    Attributes:
        address: As the session takes it: `grpc://host:port`.
        task: This process's task where the target is its own server, or None.
        served: The fields of that server's config, or None where it is not in this process.
    """

    address: str
    task: Optional[Task]
    served: Optional[Mapping[str, Value]]


#: Those of this process by their targets. They last: a program may let go of its tf.train.Server, as train_and_evaluate does,
#: and the server goes on (server_lib.py, Server: it can't be shut down).
_SERVERS: Dict[str, Target] = {}


def note_server(server: Any) -> None:
    """Remember a server of this process, by its target and by its task's address, which is what Estimator connects to."""
    definition = server.server_def
    jobs = {job.name: FrozenMapping({int(number): str(address) for number, address in job.tasks.items()}) for job in definition.cluster.job}
    task = Task(FrozenMapping(jobs), str(definition.job_name), int(definition.task_index))
    config = unpack(definition.default_session_config, Source("<server>"))
    known = Target(str(server.target), task, {path: entry.value for path, entry in config.entries.items()})
    _SERVERS["%s://%s" % (known.address.partition("://")[0], task.address)] = known
    _SERVERS[known.address] = known


def _known(target: str) -> Optional[Target]:
    """The server of this process with that target; one that the program made itself is found too."""
    module = sys.modules.get("tensorflow.python.training.server_lib") or sys.modules.get("tensorflow_core.python.training.server_lib")
    if target not in _SERVERS and module is not None:
        for thing in gc.get_objects():
            if type(thing) is module.Server:
                note_server(thing)
    return _SERVERS.get(target)


def look_at(target: str) -> Target:
    """What this process knows of a target; touches no network."""
    known = _known(target)
    if known is not None:
        return known._replace(address=target)
    own = clusters.task_of(os.environ)
    if own is not None and own.address != target.rpartition("://")[2]:
        own = None  # another task's server: its session is that task's
    return Target(target, own, None)


def environ_of(target: str) -> Dict[str, str]:
    """The environment that chooses the variant of a session with that target: where its server is in this process, that
    one's job does, else TF_CONFIG's."""
    place = look_at(target)
    return dict(os.environ) if place.served is None or place.task is None else place.task.environ(os.environ)


def for_session(profile: Profile, target: Target) -> Tuple[Profile, List[Diagnostic]]:
    """The part of a profile that a session with a target takes, and what there is to say of the rest.

    Where the profile has no device_filters, those of `clusters.default_filters` are added.
    """

    def counts(path: str) -> bool:
        if clusters.owner(path) in (clusters.SERVER, clusters.NONE):
            return False
        # The server has its cluster: sent again, it would make worker sessions of their own.
        return path.split(".")[0] != CLUSTER or target.served is None

    kept = profile.only(counts)
    if FILTERS not in profile and target.task is not None:
        filters = clusters.default_filters(target.task)
        if filters:
            kept = kept.with_entries(dict(kept.entries, **{FILTERS: Entry(filters, Span(Source("<default of %s>" % str(target.task))))}))
    return kept, _without_effect(profile, target) + _refused(profile)


def _without_effect(profile: Profile, target: Target) -> List[Diagnostic]:
    lost = []
    for path, entry in profile.entries.items():
        if clusters.owner(path) != clusters.SERVER or (path == ledger.VISIBLE and ledger.LEDGER.reordered):
            continue
        default: Any = fields.default(path)
        if target.served is None or target.served.get(path, FrozenMapping() if default is None else default) != entry.value:
            lost.append(path)
    if not lost:
        return []
    message = "%s: no effect in a session with a target; the server at %s has made its devices and threads" % (", ".join(lost), target.address)
    if target.served is None:
        help = "it belongs in that server's process: make_server(profile), or tf.train.Server(config=make_config(profile))"
    else:
        help = "make that server from this profile: make_server(profile), or tf.train.Server(config=make_config(profile))"
    return [warning("target", message, profile.entries[lost[0]].span, help)]


def _refused(profile: Profile) -> List[Diagnostic]:
    found = [path for path in profile.entries if path in clusters.REFUSED and profile.entries[path].value]
    if not found:
        return []
    message = "%s: left out, because TensorFlow refuses thread pools of a session's own where it has a target" % ", ".join(found)
    return [warning("target", message, profile.entries[found[0]].span, "write inter_op_parallelism_threads in the server's profile")]


def await_servers(profile: Profile, target: Target) -> None:
    """Wait for the servers that a session needs, as long as the profile's operation_timeout_in_ms says; not at all without one.

    Args:
        profile: The session's, as `for_session` gives it.
        target: What it connects to.

    Raises:
        ClusterError: One is not there in that time; its address is in the message.
    """
    milliseconds = profile.get(TIMEOUT, 0)
    if milliseconds <= 0:
        return
    whose = "%s of %s" % (TIMEOUT, profile.entries[TIMEOUT].span)
    if target.task is None:
        if "://" in target.address:  # other targets are engines of TensorFlow's own
            reachable.wait_for([("the session's target", target.address)], milliseconds, whose)
        return
    servers = clusters.awaited(target.task, profile.get(FILTERS, ()))
    own = (str(target.task), target.task.address or "")
    reachable.wait_for([server for server in servers if server != own or target.served is None], milliseconds, whose)
