"""make_server, and sessions that have a target: what goes where, default filters, and servers that are not there."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List, Tuple

import pytest

from tests.interpreters import interpreter
from tests.programs import reports, run
from tf1compat_gpu.cli.ports import free_ports

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]
PRELUDE = """
import json, os, threading, time, warnings
import tf1compat_gpu.tf1 as tf
from tf1compat_gpu import make_config, make_server, make_session
def cpus(session, job="worker", task=0):
    return sum(device.name.startswith("/job:%s/replica:0/task:%d/" % (job, task)) and device.device_type == "CPU" for device in session.list_devices())
def said(call, *arguments, **keywords):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call(*arguments, **keywords)
    return made, [str(w.message) for w in caught if w.category.__name__ == "Tf1CompatWarning"]
"""
PROFILE = """\
device_count: {CPU: 3}
allow_soft_placement: true
log_device_placement: true
rpc_options: {compression_algorithm: gzip}
profile: {variants: {ps: {device_count: {CPU: 1}}, worker: {device_count: {CPU: 2}}}}
"""


def cluster(**jobs: int) -> Dict[str, Any]:
    ports = iter(free_ports(sum(jobs.values())))
    return {job: ["127.0.0.1:%d" % next(ports) for _ in range(count)] for job, count in jobs.items()}


def test_each_part_goes_where_it_counts() -> None:
    """F10: a session's device_count and threads have no effect where it has a target, and the server's have."""
    found = reports(
        PRELUDE
        + """
profile = {"device_count": {"CPU": 3}, "inter_op_parallelism_threads": 2, "allow_soft_placement": True, "rpc_options": {"compression_algorithm": "gzip"}}
server = make_server(profile, %r, "worker", 0)
served = server.server_def.default_session_config
report(served=sorted(field.name for field, _ in served.ListFields()), type=type(server) is tf.train.Server)
session, warned = said(make_session, profile, target=server.target)
report(warned=warned, cpus=cpus(session), config=sorted(field.name for field, _ in session._config.ListFields()))
report(computed=float(session.run(tf.constant(2.0) * 3)))
other, warned = said(make_session, dict(profile, device_count={"CPU": 2}), target=server.target)
report(other=warned, other_cpus=cpus(other))
pools, warned = said(make_session, {"use_per_session_threads": True, "session_inter_op_thread_pool": [{"num_threads": 2}]}, target=server.target)
report(pools=warned, pools_run=float(pools.run(tf.constant(1.0))))
report(strict=raised(make_session, {"intra_op_parallelism_threads": 3}, target=server.target, strict=True))
plain = tf.train.Server({"local": [%r]}, job_name="local", task_index=0, config=make_config({"device_count": {"CPU": 2}}))
session, warned = said(make_session, {"device_count": {"CPU": 2}}, target=plain.target)
report(own=warned, own_cpus=cpus(session, "local"))
report(away=said(make_config, {"gpu_options": {"allow_growth": True}}, target="grpc://127.0.0.1:1")[1])
"""
        % (cluster(worker=1), cluster(local=1)["local"][0])
    )
    assert found["type"] is True and found["served"] == ["device_count", "inter_op_parallelism_threads", "rpc_options"]
    assert found["warned"] == [] and found["cpus"] == 3 and found["computed"] == 6.0
    assert found["config"] == ["allow_soft_placement", "rpc_options"]
    (other,) = found["other"]
    assert "device_count: no effect in a session with a target" in other and "make_server(profile)" in other and "inter_op" not in other
    assert found["other_cpus"] == 3
    (pools,) = found["pools"]
    assert "use_per_session_threads" in pools and "session_inter_op_thread_pool" in pools and "left out" in pools
    assert found["pools_run"] == 1.0
    assert found["strict"][0] == "ProfileError" and "intra_op_parallelism_threads" in found["strict"][1]
    assert found["own"] == [] and found["own_cpus"] == 2
    (away,) = found["away"]
    assert "gpu_options.allow_growth" in away and "grpc://127.0.0.1:1" in away and "that server's process" in away


def test_a_sessions_own_config_has_no_such_effect() -> None:
    """F10, without this package: what the split rests on."""
    found = reports(
        PRELUDE
        + """
from tensorflow.core.protobuf import config_pb2
server = tf.train.Server({"worker": [%r]}, job_name="worker", task_index=0)
session = tf.Session(server.target, config=tf.ConfigProto(device_count={"CPU": 3}, inter_op_parallelism_threads=11))
report(cpus=cpus(session))
pool = tf.ConfigProto(session_inter_op_thread_pool=[config_pb2.ThreadPoolOptionProto(num_threads=2)])
report(pool=raised(tf.Session(server.target, config=pool).list_devices), own=raised(tf.Session(server.target, config=tf.ConfigProto(use_per_session_threads=True)).list_devices))
"""
        % cluster(worker=1)["worker"][0]
    )
    assert found["cpus"] == 1
    for refused in (found["pool"], found["own"]):
        assert refused[0] == "InvalidArgumentError" and "does not support session thread pool options" in refused[1]


def test_tf_config_cluster_def_and_variants(tmp_path: pathlib.Path) -> None:
    (tmp_path / "job.yaml").write_text(PROFILE)
    hosts = cluster(ps=1, worker=2)
    jobs = [{"name": name, "tasks": dict(enumerate(addresses))} for name, addresses in cluster(ps=1, chief=1).items()]
    found = reports(
        PRELUDE
        + """
def made(*arguments, **keywords):
    server = make_server("job.yaml", *arguments, **keywords)
    definition = server.server_def
    session = make_session("job.yaml", target=server.target)
    config = session._config
    return [definition.job_name, definition.task_index, definition.default_session_config.device_count["CPU"], list(config.device_filters), config.HasField("cluster_def")]
hosts, jobs = %r, %r
os.environ["TF_CONFIG"] = json.dumps({"cluster": hosts, "task": {"type": "worker", "index": 1}})
report(tf_config=made())
(server, warned) = said(make_server, "job.yaml", job_name="ps", overrides={"cluster_def.job": jobs})
report(both=[warned, sorted(job.name for job in server.server_def.cluster.job)])
del os.environ["TF_CONFIG"]
report(by_arguments=made(hosts, "worker", 0), by_spec=made(tf.train.ClusterSpec({"worker": {3: %r}}), "worker", 3))
server = make_server("job.yaml", job_name="chief", overrides={"cluster_def.job": jobs})
definition = server.server_def
session = make_session("job.yaml", target=server.target, overrides={"cluster_def.job": jobs})
report(cluster_def=[definition.job_name, definition.default_session_config.device_count["CPU"], list(session._config.device_filters), session._config.HasField("cluster_def")])
report(silent=list(make_config({"device_filters": []}, target=server.target).device_filters), own=list(make_config({"device_filters": ["/job:ps"]}, target=server.target).device_filters))
"""
        % (hosts, jobs, cluster(worker=1)["worker"][0]),
        cwd=str(tmp_path),
    )
    assert found["tf_config"] == ["worker", 1, 2, ["/job:ps", "/job:worker/task:1"], False]
    (warned,), names = found["both"]
    assert "TF_CONFIG's cluster is taken" in warned and names == ["ps", "worker"]
    assert found["by_arguments"] == ["worker", 0, 2, ["/job:ps", "/job:worker/task:0"], False]
    assert found["by_spec"] == ["worker", 3, 2, [], False]  # no parameter server: no filters
    assert found["cluster_def"] == ["chief", 3, ["/job:ps", "/job:chief"], False]
    assert (found["silent"], found["own"]) == ([], ["/job:ps"])


def test_a_server_that_is_not_there() -> None:
    """Its address within operation_timeout_in_ms, for each way to a session; TensorFlow itself waits without end for a peer."""
    hosts = cluster(ps=1, worker=2)
    found = reports(
        PRELUDE
        + """
hosts, profile = %r, {"operation_timeout_in_ms": 300}
server = make_server(profile, hosts, "worker", 0)
def monitored():
    with tf.train.MonitoredTrainingSession(master=server.target, config=make_config(profile, target=server.target)):
        pass
report(session=raised(make_session, profile, target=server.target), monitored=raised(monitored), wrapped=raised(tf.Session, server.target, config=profile))
report(all=raised(make_session, dict(profile, device_filters=[]), target=server.target))
report(target=raised(make_session, profile, target="grpc://" + hosts["ps"][0]), name=raised(make_session, profile, target="grpc://no-such-host.invalid:1"))
later = threading.Timer(0.2, lambda: tf.train.Server(hosts, job_name="ps", task_index=0))
later.start()
session = make_session({"operation_timeout_in_ms": 60000}, target=server.target)
report(late=float(session.run(tf.constant(4.0))))
"""
        % hosts
    )
    ps, other = hosts["ps"][0], hosts["worker"][1]
    for way in ("session", "monitored", "wrapped"):
        kind, message = found[way]
        assert kind == "ClusterError" and "/job:ps/task:0 at %s: connection refused" % ps in message and "300 ms (operation_timeout_in_ms" in message
        assert other not in message  # the filters let it be
    assert ps in found["all"][1] and "/job:worker/task:1 at %s" % other in found["all"][1]
    assert found["target"][0] == "ClusterError" and ps in found["target"][1]
    assert found["name"][0] == "ClusterError" and "no-such-host.invalid" in found["name"][1]
    assert found["late"] == 4.0


#: make_server's arguments after the profile, TF_CONFIG, and words of what is said.
UNCLEAR: List[Tuple[str, Any, str]] = [
    ("", None, "there is no cluster"),
    ("%r" % {"a": ["h:1", "h:2"]}, None, "which task is this? The cluster has a (2)"),
    ("%r, 'a'" % {"a": ["h:1", "h:2"]}, None, "give task_index"),
    ("%r, 'b'" % {"a": ["h:1"]}, None, "no job 'b'; it has a (1)"),
    ("%r, 'a', 5" % {"a": ["h:1"]}, None, "no task 5; it has 0"),
    ("%r, 'a', 0" % {"a": [1]}, None, "takes a list of addresses"),
    ("3, 'a', 0", None, "can't be read"),
    ("", {"cluster": {"worker": ["h:1"]}, "task": {"type": "evaluator", "index": 0}}, "needs no server"),
    ("", "{", "TF_CONFIG can't be read"),
    ("", [1], "TF_CONFIG takes"),
    ("", {"cluster": {"worker": ["h:1"]}, "task": {"type": "worker", "index": "x"}}, "the task's index 'x' is no number"),
]


def test_what_can_not_be_made_out() -> None:
    program = PRELUDE
    for number, (arguments, tf_config, _) in enumerate(UNCLEAR):
        text = None if tf_config is None else tf_config if isinstance(tf_config, str) else json.dumps(tf_config)
        program += "os.environ.pop('TF_CONFIG', None)\n" if text is None else "os.environ['TF_CONFIG'] = %r\n" % text
        program += "report(case%d=raised(make_server, {}, %s))\n" % (number, arguments)
    found = reports(program)
    for number, (_, _, words) in enumerate(UNCLEAR):
        kind, message = found["case%d" % number]
        assert kind == "ClusterError" and words in message


def test_a_port_that_is_taken() -> None:
    found = reports(
        PRELUDE
        + """
import socket
taken = socket.socket()
taken.bind(("127.0.0.1", 0))
taken.listen(1)
address = "127.0.0.1:%d" % taken.getsockname()[1]
report(address=address, problem=raised(make_server, {}, {"worker": [address]}, "worker", 0))
"""
    )
    kind, message = found["problem"]
    assert kind == "ClusterError" and found["address"] in message and "/job:worker/task:0" in message and "port taken" in message


def test_a_server_settles_the_process() -> None:
    found = reports(
        PRELUDE
        + """
server = make_server({"intra_op_parallelism_threads": 2}, {"worker": [%r]}, "worker", 0)
report(warned=said(make_session, {"intra_op_parallelism_threads": 5})[1])
"""
        % cluster(worker=1)["worker"][0]
    )
    (warned,) = found["warned"]
    assert "intra_op_parallelism_threads: 5 has no effect, this process has 2 since the server made at" in warned


def test_an_environment_that_comes_too_late_makes_no_server() -> None:
    done = run(PRELUDE + "make_server({'profile': {'environment': {'TF_DISABLE_MKL': '1'}}}, {'worker': [%r]}, 'worker', 0)" % cluster(worker=1)["worker"][0])
    assert done.returncode == 1 and "TF_DISABLE_MKL=1 comes too late" in done.stderr


def test_a_program_makes_its_server_of_any_definition() -> None:
    """tf.train.Server takes a dictionary, a ClusterSpec, a ClusterDef or a ServerDef, of which the last may have a config."""
    found = reports(
        """
        import tensorflow.compat.v1 as tf
        import tf1compat_gpu
        tf1compat_gpu.install({"device_count": {"CPU": 2}})
        hosts = %r
        spec = tf.train.ClusterSpec({"worker": hosts})
        task = tf.train.ServerDef(cluster=spec.as_cluster_def(), job_name="worker", task_index=3, protocol="grpc")
        servers = [tf.train.Server(cluster, job_name="worker", task_index=number) for number, cluster in enumerate([{"worker": hosts}, spec, spec.as_cluster_def()])]
        report(counts=[server.server_def.default_session_config.device_count["CPU"] for server in servers + [tf.train.Server(task)]])
        """
        % (cluster(worker=4)["worker"],)
    )
    assert found["counts"] == [2, 2, 2, 2]


_JOB = """\
allow_soft_placement: true
inter_op_parallelism_threads: 5
profile: {variants: {ps: {device_count: {CPU: 1}}, worker: {device_count: {CPU: 2}, inter_op_parallelism_threads: 3}}}
"""


@pytest.mark.interpreters
@pytest.mark.parametrize("release", ["1.15", "2.21"])
def test_a_program_that_makes_its_servers_itself(tmp_path: pathlib.Path, release: str) -> None:
    """Its flags are no TF_CONFIG: a server's job_name chooses the variant, for its sessions too."""
    (tmp_path / "job.yaml").write_text(_JOB)
    found = reports(
        PRELUDE
        + """
import tf1compat_gpu
hosts = %r
profile = tf1compat_gpu.install("job.yaml")
def served(server):
    return [server.server_def.default_session_config.device_count["CPU"], server.server_def.default_session_config.inter_op_parallelism_threads]
ps, warned = said(tf.train.Server, hosts, job_name="ps", task_index=0)
worker = tf.train.Server(hosts, job_name="worker", task_index=0)
other = tf.train.Server(tf.train.ClusterSpec({"other": {0: %r}}))
definition = tf.train.ServerDef(cluster=tf.train.ClusterSpec(hosts).as_cluster_def(), job_name="worker", task_index=1, protocol="grpc")
report(warned=warned, ps=served(ps), worker=served(worker), other=served(other), definition=served(tf.train.Server(definition)))
session, warned = said(tf.Session, worker.target)
report(session=[cpus(session), list(session._config.device_filters), session._config.allow_soft_placement, session._config.inter_op_parallelism_threads], quiet=warned)
report(file=served(tf.train.Server(hosts, job_name="worker", task_index=2, config="job.yaml")), made=served(make_server(None, hosts, "worker", 3)))
config, warned = said(make_config, None, target=worker.target)
report(config=[config.allow_soft_placement, len(config.device_count)], quiet_config=warned)
os.environ["TF_CONFIG"] = json.dumps({"cluster": hosts, "task": {"type": "worker", "index": 4}})  # only now, after the profile was read
report(late=served(make_server()), explicit=served(make_server(profile, variant="ps", task_index=5)))
"""
        % (cluster(ps=1, worker=6), cluster(other=1)["other"][0]),
        cwd=str(tmp_path),
        python=interpreter(release),
    )
    assert found["warned"] == [] and found["quiet"] == [] and found["quiet_config"] == []
    assert (found["ps"], found["worker"], found["other"], found["definition"]) == ([1, 5], [2, 3], [0, 5], [2, 3])
    assert found["session"] == [2, ["/job:ps", "/job:worker/task:0"], True, 0]
    assert (found["file"], found["made"], found["config"]) == ([2, 3], [2, 3], [True, 0])
    assert (found["late"], found["explicit"]) == ([2, 3], [1, 5])


@pytest.mark.slow
@pytest.mark.parametrize("mode, served", [("program", [0, 7, True]), ("merge", [2, 3, True]), ("profile", [2, 3, False])])
def test_a_servers_own_config(tmp_path: pathlib.Path, mode: str, served: Any) -> None:
    """`--config` counts for servers as it does for sessions, and a server that keeps its own says so once."""
    (tmp_path / "job.yaml").write_text(_JOB)
    found = reports(
        PRELUDE
        + """
import tf1compat_gpu
hosts = %r
tf1compat_gpu.install("job.yaml")
config = tf.ConfigProto(inter_op_parallelism_threads=7, log_device_placement=True)
made, warned = [], []
for number, given in enumerate([dict(config=config), None]):
    definition = tf.train.ServerDef(cluster=tf.train.ClusterSpec(hosts).as_cluster_def(), job_name="worker", task_index=number, protocol="grpc")
    if given is None:
        definition.default_session_config.CopyFrom(config)
    server, said_here = said(tf.train.Server, definition, **(given or {}))
    served = server.server_def.default_session_config
    made.append([served.device_count["CPU"], served.inter_op_parallelism_threads, served.log_device_placement])
    warned += said_here
report(made=made, warned=warned, own=str(config))
"""
        % cluster(worker=2),
        cwd=str(tmp_path),
        env={"TF1COMPAT_CONFIG": mode},
    )
    first, second = found["made"]
    assert first == served
    assert second == (served if mode != "profile" else [2, 3, True])  # TensorFlow lays a config over that of a ServerDef
    assert found["own"].split() == ["inter_op_parallelism_threads:", "7", "log_device_placement:", "true"]
    if mode != "program":
        assert found["warned"] == []
        return
    (warned,) = found["warned"]
    assert "this server's own config wins over the profile job.yaml" in warned and "allow_soft_placement" not in warned
    assert "device_count is {} there, {'CPU': 2} in the profile; inter_op_parallelism_threads is 7 there, 3 in the profile" in warned


@pytest.mark.slow
def test_a_server_that_the_program_has_let_go_of() -> None:
    """It goes on serving, and what its sessions lack is still known; by its task's address too, which Estimator connects to."""
    (address,) = cluster(worker=1)["worker"]
    found = reports(
        PRELUDE
        + """
import gc
profile, address = {"device_count": {"CPU": 2}}, %r
target = make_server(profile, {"worker": [address]}, "worker", 0).target
gc.collect()
sessions = [said(make_session, profile, target=name) for name in (target, "grpc://" + address)]
report(cpus=[cpus(session) for session, _ in sessions], warned=[warned for _, warned in sessions])
"""
        % address
    )
    assert (found["cpus"], found["warned"]) == ([2, 2], [[], []])
