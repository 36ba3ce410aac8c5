"""tf.train.Server under a profile: what makes a process's devices and threads goes here, the rest to its sessions."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Sequence

from tf1compat_gpu.diagnostics import Diagnostic, Span, warning
from tf1compat_gpu.errors import ClusterError
from tf1compat_gpu.profiles import clusters
from tf1compat_gpu.profiles.clusters import Cluster, Task
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.protos import profile_from_config
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.runtime import active, environment, ledger, targets, tensorflow
from tf1compat_gpu.runtime.callers import caller
from tf1compat_gpu.runtime.gpu_memory import with_fraction
from tf1compat_gpu.runtime.reporting import report
from tf1compat_gpu.runtime.session import AnyProfile, beyond_the_last_gpu, config_here, set_numerics, without_gpu

_CALL = 'make_server(profile, {"ps": ["host:2222"], "worker": ["host:2223"]}, "worker", 0)'


def make_server(
    profile: AnyProfile = None,
    cluster: Any = None,
    job_name: Optional[str] = None,
    task_index: Optional[int] = None,
    *,
    variant: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    protocol: Optional[str] = None,
    start: bool = True,
    strict: bool = False,
) -> Any:
    """A tf.compat.v1.train.Server under a profile: what `tf.train.Server(cluster, job_name, task_index, config=...)` is.

    It gets the fields that a process's devices, threads and channels are made by: of those a session with a target takes
    none. The others stay with the session: `make_session(profile, target=server.target)`, or
    `MonitoredTrainingSession(master=server.target, config=make_config(profile, target=server.target))`. A server's config
    is merged into those of sessions that come from other processes (grpc_master_service.cc), so it gets nothing else.

    Args:
        profile: A path (`job.yaml`, `job.yaml#ps`), dict, Profile, or a list of these; the active profile by default.
        cluster: What tf.train.ClusterSpec takes, or one; by default TF_CONFIG's cluster, or else the profile's cluster_def.
        job_name: This process's job; by default TF_CONFIG's task type.
        task_index: Its number in that job; by default TF_CONFIG's, or 0 in a job of one task.
        variant: The variant to lay over the profile; by default the one with the job's name, if there is one.
        overrides: Field path to value, laid over everything else.
        protocol: As tf.train.Server takes it; "grpc" by default.
        start: Whether to start it.
        strict: Whether warnings are errors.

    Raises:
        ProfileError: Something is wrong in the profile, or it can't be had any more in this process.
        ClusterError: The cluster or the task is missing or contradictory, or the server can't start at its address.
        TensorFlowMissingError: TensorFlow is not installed.
    """
    try:
        given, own_job, own_index = clusters.read_tf_config(os.environ)
    except ValueError as problem:
        raise ClusterError(str(problem)) from None
    job = job_name or own_job
    number = task_index if task_index is not None or (job_name and job_name != own_job) else own_index
    loaded = loaded_as(profile, job, variant, overrides)
    found: List[Diagnostic] = list(loaded.diagnostics)
    whole, problems = _cluster(cluster, given, loaded)
    task = _task(whole, job, number)
    with Prepared(loaded, found + problems, strict) as prepared, active.BYPASS:
        server = _server(task, prepared.config, protocol, start)
    prepared.finish(server)
    return server


def loaded_as(profile: AnyProfile, job: Optional[str], variant: Optional[str] = None, overrides: Optional[Mapping[str, Any]] = None) -> Profile:
    """A profile (the active one where it is None) for a server of a job, whose name chooses the variant where none is named."""
    if profile is None:
        profile = active.active_profile()
    # As under a TF_CONFIG of that task, whose type chooses the variant of its name.
    return load_profile(profile, variant, overrides, environ=Task(Cluster(), job, 0).environ(os.environ) if job else None)


def _cluster(cluster: Any, given: Optional[Cluster], profile: Profile) -> Any:
    """The cluster that counts, and a warning where TF_CONFIG overrides the profile's."""
    jobs = profile.get("cluster_def.job", ())
    written = clusters.from_cluster_def(jobs) if jobs else None
    if cluster is not None:
        try:
            if hasattr(cluster, "as_cluster_def"):
                cluster = cluster.as_cluster_def()
            if hasattr(cluster, "job"):
                cluster = {job.name: dict(job.tasks) for job in cluster.job}
            return clusters.from_hosts(cluster), []
        except (ValueError, TypeError, AttributeError) as problem:
            raise ClusterError("the cluster can't be read: %s" % problem) from None
    if given is not None and written is not None and given != written:
        span: Span = profile.entries["cluster_def.job"].span
        return given, [warning("cluster", "TF_CONFIG's cluster is taken, and differs from cluster_def", span, "write one of them alone")]
    if given is None and written is None:
        raise ClusterError("there is no cluster: call %s, write cluster_def in the profile, or set TF_CONFIG" % _CALL)
    return given if given is not None else written, []


def _task(cluster: Cluster, job: Optional[str], number: Optional[int]) -> Task:
    jobs = ", ".join("%s (%d)" % (name, len(tasks)) for name, tasks in cluster.items())
    if not job:
        raise ClusterError("which task is this? The cluster has %s. Call %s, or set TF_CONFIG's task" % (jobs, _CALL))
    if job in clusters.OUTSIDE and job not in cluster:
        raise ClusterError("an %s is not in the cluster and needs no server: make its session without a target" % job)
    if job not in cluster:
        raise ClusterError("the cluster has no job %r; it has %s" % (job, jobs))
    if number is None and len(cluster[job]) > 1:
        raise ClusterError("which task of job %s is this? It has %d; give task_index, or set TF_CONFIG's task" % (job, len(cluster[job])))
    number = next(iter(cluster[job])) if number is None else number
    if number not in cluster[job]:
        raise ClusterError("job %s has no task %d; it has %s" % (job, number, ", ".join(str(n) for n in sorted(cluster[job]))))
    return Task(cluster, job, number)


class Prepared:
    """Everything that comes before a server and after it. `with Prepared(profile) as prepared:` make it of `prepared.config`.

    Where that raises, nothing of the environment is changed.

    Args:
        profile: The profile.
        found: What there is to report beside what is found here.
        strict: Whether warnings are errors.
        kept: A server's own ConfigProto, whose fields stay in it also where they are its sessions'; or None.
    """

    def __init__(self, profile: Profile, found: Sequence[Diagnostic] = (), strict: bool = False, kept: Any = None) -> None:
        self.profile, self.found, self.strict = profile, list(found), strict
        self.kept = () if kept is None else frozenset(profile_from_config(kept))

    def __enter__(self) -> Prepared:
        plan = environment.plan(self.profile)
        report([d for d in plan.diagnostics if d.is_error or self.strict], self.strict)
        self._applied = environment.Applied(plan.changes)
        try:
            found = self.found + list(plan.diagnostics)
            served = self.profile.only(lambda path: clusters.owner(path) in (clusters.SERVER, clusters.BOTH) or path in self.kept)
            limited, problems = with_fraction(served)
            found += problems
            if limited is not None:
                self.served = limited
                self.config = config_here(limited)
                found += ledger.LEDGER.conflict_diagnostics(limited) + environment.forced_growth(limited) + beyond_the_last_gpu(limited)
            if self.strict and not tensorflow.gpus_present():
                found += without_gpu(self.profile)
            report(found, self.strict)
        except BaseException:
            self._applied.undo()
            raise
        return self

    def __exit__(self, kind: Optional[type], *problem: object) -> None:
        if kind is not None:
            self._applied.undo()

    def finish(self, server: Any) -> None:
        """Remember the server, and what it has settled for this process."""
        set_numerics(self.profile)
        ledger.LEDGER.record(self.served.values(), "the server made at %s:%d" % caller())
        targets.note_server(server)


def _server(task: Task, config: Any, protocol: Optional[str], start: bool) -> Any:
    v1 = tensorflow.v1()
    spec = v1.train.ClusterSpec({job: dict(tasks) for job, tasks in task.cluster.items()})
    try:
        return v1.train.Server(spec, job_name=task.job, task_index=task.number, protocol=protocol, config=config, start=start)
    except v1.errors.OpError as problem:
        reason = str(problem.message).strip().splitlines()[0] if problem.message else type(problem).__name__
        raise ClusterError("the server of %s can't start at %s: %s. Is the port taken, or the address another host's?" % (task, task.address, reason)) from None
