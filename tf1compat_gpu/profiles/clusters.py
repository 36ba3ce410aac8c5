"""A job's cluster and this process's task in it, from TF_CONFIG or a profile's cluster_def; and whose the fields are there.

Knows no TensorFlow: `runtime.server` makes servers of it.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles.profile import FrozenMapping

#: Job -> task number -> host:port.
Cluster = FrozenMapping[str, FrozenMapping[int, str]]
#: Types of tasks that no server is made for: TF_CONFIG's cluster does not hold them (Estimator 1.15, run_config.py).
OUTSIDE = ("evaluator",)
#: Fields that a server's devices and threads are made by. In a session with a target they change nothing: the server was
#: made before. Seen running 1.15.5 and 2.21.0 for device_count and threads (a server with device_count CPU: 3 has three
#: devices, a session none more; 7 more threads for inter-op 9); the rest is read in grpc_server_lib.cc, GrpcServer::Init.
_SERVER = ("device_count", "intra_op_parallelism_threads", "inter_op_parallelism_threads")
_SERVER_GROUPS = ("gpu_options", "pluggable_device_options", "experimental.coordination_config")
_SERVER_EXPERIMENTAL = (
    "use_numa_affinity", "disable_thread_spinning", "recv_buf_max_chunk", "collective_nccl", "coordination_service", "backend_server_port",
)  # fmt: skip
#: Fields that both read: grpc_server_lib.cc, GrpcServer::Init, and grpc_session.cc, GrpcSession::Create.
_BOTH = ("rpc_options", "experimental.collective_group_leader")
#: "Distributed session does not support session thread pool options.": InvalidArgumentError, in the config of either one,
#: because a server's config is merged into its sessions' (seen running 1.15.5 and 2.21.0; master.cc).
REFUSED = ("use_per_session_threads", "session_inter_op_thread_pool")
SERVER, SESSION, BOTH, NONE = "server", "session", "both", "none"


class Task(NamedTuple):
    """One process of a job.

    Attributes:
        cluster: Who is in the job, and where.
        job: The name of the process's own job, as worker.
        number: Its number there.
    """

    cluster: Cluster
    job: str
    number: int

    def __str__(self) -> str:
        return "/job:%s/task:%d" % (self.job, self.number)

    @property
    def address(self) -> Optional[str]:
        """Its host:port, or None where the cluster has no such task."""
        return self.cluster.get(self.job, FrozenMapping()).get(self.number)

    def environ(self, environ: Mapping[str, str]) -> Dict[str, str]:
        """The environment that a process of this task has."""
        return dict(environ, TF_CONFIG=self.as_tf_config())

    def as_tf_config(self) -> str:
        """The task as TF_CONFIG has it; a job whose numbers have holes as a map."""
        jobs = {job: _as_list(tasks) for job, tasks in self.cluster.items()}
        return json.dumps({"cluster": jobs, "task": {"type": self.job, "index": self.number}})


def _as_list(tasks: Mapping[int, str]) -> Any:
    return [tasks[number] for number in sorted(tasks)] if sorted(tasks) == list(range(len(tasks))) else {str(k): v for k, v in tasks.items()}


def owner(path: str) -> str:
    """Whose a field is where a session has a target: SERVER, SESSION, BOTH, or NONE where both refuse it."""
    top = path.split(".")[0]
    if path in REFUSED:
        return NONE
    if path in _SERVER or top in _SERVER_GROUPS or path.startswith("experimental.coordination_config"):
        return SERVER
    if path.startswith("experimental.") and path.split(".")[1] in _SERVER_EXPERIMENTAL:
        return SERVER
    return BOTH if top in _BOTH or path in _BOTH else SESSION


def from_hosts(cluster: Mapping[str, Any]) -> Cluster:
    """A cluster from what tf.train.ClusterSpec takes: job -> a list of addresses, or task number -> address.

    Raises:
        ValueError: It is something else; the message says what to write.
    """
    found = {}
    for job, tasks in cluster.items():
        pairs: Iterable[Tuple[Any, Any]] = tasks.items() if isinstance(tasks, Mapping) else enumerate([tasks] if isinstance(tasks, str) else tasks)
        try:
            numbered = {int(number): address for number, address in pairs}
        except (TypeError, ValueError):
            numbered = {0: None}
        if not isinstance(job, str) or not all(isinstance(address, str) for address in numbered.values()):
            raise ValueError('job %r takes a list of addresses: {"%s": ["host:2222"]}' % (job, job))
        found[job] = FrozenMapping(numbered)
    return FrozenMapping(found)


def from_cluster_def(jobs: Iterable[Mapping[str, Any]]) -> Cluster:
    """A cluster from the value of `cluster_def.job`."""
    return FrozenMapping({str(job.get("name", "")): FrozenMapping({int(k): str(v) for k, v in job.get("tasks", {}).items()}) for job in jobs})


def read_tf_config(environ: Mapping[str, str]) -> Tuple[Optional[Cluster], Optional[str], Optional[int]]:
    """The cluster, the task's job and the task's number of TF_CONFIG; each None where it is not there.

    Raises:
        ValueError: TF_CONFIG is not what TensorFlow reads; the message says what is wrong with it.
    """
    text = environ.get("TF_CONFIG", "")
    if not text.strip():
        return None, None, None
    try:
        config = json.loads(text)
        task, cluster = config.get("task") or {}, config.get("cluster")
        job, index = task.get("type"), task.get("index")
        number = None if index is None else _as_number(index)
        found = None if not cluster else from_hosts(cluster)
    except ValueError as problem:
        raise ValueError("TF_CONFIG can't be read: %s" % problem) from None
    except (AttributeError, TypeError):
        raise ValueError('TF_CONFIG takes {"cluster": {"worker": ["host:2222"]}, "task": {"type": "worker", "index": 0}}') from None
    return found, job if isinstance(job, str) else None, number


def _as_number(index: Any) -> int:
    try:
        return int(index)
    except ValueError:
        raise ValueError("the task's index %r is no number" % index) from None


def task_type(environ: Mapping[str, str]) -> Optional[str]:
    """The task type of TF_CONFIG, or None; a TF_CONFIG that can't be read has none."""
    try:
        type = json.loads(environ.get("TF_CONFIG", ""))["task"]["type"]
    except (ValueError, KeyError, TypeError):
        return None
    return type if isinstance(type, str) else None


def task_of(environ: Mapping[str, str]) -> Optional[Task]:
    """The task that TF_CONFIG gives this process, or None where it gives none that is whole."""
    try:
        cluster, job, index = read_tf_config(environ)
    except ValueError:
        return None
    return None if cluster is None or job is None else Task(cluster, job, index or 0)


def default_filters(task: Task) -> Tuple[str, ...]:
    """The device filters of a session where its profile has no device_filters.

    Those of Estimator's RunConfig (tensorflow_estimator 1.15, run_config.py, _get_default_session_config_distributed): a
    worker sees itself and the parameter servers, so that it neither waits for other workers nor hangs when one is gone.
    Without parameter servers in the cluster there are none: one process may drive all the others then.
    """
    if "ps" not in task.cluster:
        return ()
    if task.job in ("chief", "master"):
        return ("/job:ps", "/job:%s" % task.job)
    if task.job == "worker":
        return ("/job:ps", "/job:worker/task:%d" % task.number)
    return ("/job:ps", "/job:worker", "/job:chief", "/job:master") if task.job == "ps" else ()


def awaited(task: Task, filters: Iterable[str]) -> List[Tuple[str, str]]:
    """The servers that a session of a task waits for before it starts, as (name, address): those that its filters let through.

    master.cc, DeviceFinder: a task without filters waits for all; its own task is always in.
    """
    kept = [part.split("/") for part in (text.strip("/") for text in filters) if part]
    found = []
    for job, tasks in task.cluster.items():
        for number, address in sorted(tasks.items()):
            names = {"job:%s" % job, "task:%d" % number, "replica:0"}
            own = (job, number) == (task.job, task.number)
            if own or not kept or any(all(part in names or part.startswith("device:") for part in parts) for parts in kept):
                found.append(("/job:%s/task:%d" % (job, number), address))
    return found
