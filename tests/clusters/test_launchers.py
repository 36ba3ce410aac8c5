"""E4: the ranks that launchers give their processes, in the words of each; one card for each process on pretend GPUs."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest

from tests.interpreters import interpreter
from tests.programs import reports
from tests.simulated_gpu.build import on_gpus
from tf1compat_gpu import ProfileError, load_profile
from tf1compat_gpu.profiles import clusters, launchers
from tf1compat_gpu.profiles.clusters import Task, from_hosts

#: What process 5 of 8 on two hosts finds: the second one (local rank 1) of four on the second host. The names of Horovod
#: 0.28.1, Open MPI 5.0.11, MPICH 5.0.2 and Intel MPI 2021.18 were taken from processes that horovodrun and their mpirun
#: started; the others are documented (see `Launcher.source`).
ENVIRONMENTS: Dict[str, Dict[str, str]] = {
    "Horovod": {
        "HOROVOD_HOSTNAME": "b", "HOROVOD_RANK": "5", "HOROVOD_SIZE": "8", "HOROVOD_LOCAL_RANK": "1", "HOROVOD_LOCAL_SIZE": "4", "HOROVOD_CROSS_RANK": "1",
        "HOROVOD_CROSS_SIZE": "2", "HOROVOD_CONTROLLER": "gloo", "HOROVOD_CPU_OPERATIONS": "gloo", "HOROVOD_GLOO_IFACE": "eth0",
    },
    "Open MPI": {
        "OMPI_ARGV": "train.py", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "4", "OMPI_COMM_WORLD_NODE_RANK": "1",
        "OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8", "OMPI_UNIVERSE_SIZE": "8", "OMPI_WORLD_LOCAL_SIZE": "4", "OMPI_WORLD_SIZE": "8",
        "PMIX_RANK": "5",
    },
    "MPICH or Intel MPI (Hydra)": {
        "MPI_LOCALNRANKS": "4", "MPI_LOCALRANKID": "1", "PMI_FD": "11", "PMI_HOSTNAME": "b", "PMI_RANK": "5", "PMI_SIZE": "8", "I_MPI_PIN_INFO": "1",
    },
    "torchrun": {
        "LOCAL_RANK": "1", "RANK": "5", "GROUP_RANK": "1", "ROLE_RANK": "5", "LOCAL_WORLD_SIZE": "4", "WORLD_SIZE": "8", "ROLE_WORLD_SIZE": "8",
        "MASTER_ADDR": "a", "MASTER_PORT": "29400", "TORCHELASTIC_RESTART_COUNT": "0",
    },
    "Slurm": {
        "SLURM_PROCID": "5", "SLURM_LOCALID": "1", "SLURM_NODEID": "1", "SLURM_NTASKS": "8", "SLURM_NTASKS_PER_NODE": "4", "SLURM_NNODES": "2",
        "SLURM_STEP_TASKS_PER_NODE": "4(x2)", "SLURM_JOB_ID": "77",
    },
}  # fmt: skip
PER_PROCESS: Dict[str, Any] = {"profile": {"gpu_per_process": "local_rank"}}
RANKS = {"experimental": {"session_metadata": {"name": "${rank.local} ${rank.global} ${rank.local_size}"}}}
VISIBLE = "gpu_options.visible_device_list"


def test_every_launcher_has_its_test() -> None:
    assert list(ENVIRONMENTS) == [row.name for row in launchers.LAUNCHERS]


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_ranks(name: str) -> None:
    environ = ENVIRONMENTS[name]
    profile = load_profile(RANKS, environ=environ)
    assert profile["experimental.session_metadata.name"] == "1 5 4" and profile.diagnostics == ()
    assert load_profile(PER_PROCESS, environ=environ)[VISIBLE] == "1"
    assert load_profile(PER_PROCESS, environ=dict(environ, CUDA_VISIBLE_DEVICES="2,3"))[VISIBLE] == "1"
    assert load_profile(PER_PROCESS, environ=dict(environ, CUDA_VISIBLE_DEVICES="3"))[VISIBLE] == "0"  # chosen already
    assert VISIBLE not in load_profile(PER_PROCESS, environ=dict(environ, CUDA_VISIBLE_DEVICES=""))
    row = next(row for row in launchers.LAUNCHERS if row.name == name)
    with pytest.raises(ProfileError, match="%s=4, but CUDA_VISIBLE_DEVICES leaves 2 GPUs" % row.local):
        load_profile(PER_PROCESS, environ=dict(environ, **{row.local: "4", "CUDA_VISIBLE_DEVICES": "0,1"}))


@pytest.mark.parametrize("first, second", [(a, b) for i, a in enumerate(ENVIRONMENTS) for b in list(ENVIRONMENTS)[i + 1 :]])
def test_one_launcher_inside_another(first: str, second: str) -> None:
    """The earlier one of the table counts, whatever order they are set in, and the one that says otherwise is named."""
    rows = {row.name: row for row in launchers.LAUNCHERS}
    environ = dict(ENVIRONMENTS[second], **{rows[second].local: "0"})
    environ.update(ENVIRONMENTS[first])
    profile = load_profile(PER_PROCESS, environ=environ)
    assert profile[VISIBLE] == "1"
    (problem,) = profile.diagnostics
    assert problem.code == "rank-conflict"
    assert "%s=1 is taken" % rows[first].local in problem.message and "%s=0" % rows[second].local in problem.message


def test_a_default_of_0_under_a_launcher_is_named() -> None:
    """Eight processes on one card."""
    profile = load_profile({"visible_device_list": "${HOROVOD_LOCAL_RANK:-0}"}, environ=ENVIRONMENTS["Open MPI"])
    assert any("every process gets the same value" in problem.message for problem in profile.diagnostics)


def test_a_parameter_server_needs_no_card() -> None:
    """Its rank may be beyond the last GPU."""
    environ = {"LOCAL_RANK": "2", "CUDA_VISIBLE_DEVICES": "0,1"}
    assert VISIBLE not in load_profile(dict(PER_PROCESS, device_count={"GPU": 0}), environ=environ)


@pytest.mark.parametrize(
    "block, now, rank, wanted",
    [("4,5", None, "1", "1"), ("${LOCAL_RANK}", None, "3", "0"), ("${LOCAL_RANK}", "0,1,2,3", "3", "0"), ("7", "0,1,2,3", "3", "3"), ("", "0,1", "1", None)],
)
def test_the_profiles_own_visible_cards_count(block: str, now: Any, rank: str, wanted: Any) -> None:
    """They are set before TensorFlow starts, unless they would widen what is visible."""
    profile = {"profile": {"gpu_per_process": "local_rank", "environment": {"CUDA_VISIBLE_DEVICES": block}}}
    environ = {"LOCAL_RANK": rank, **({} if now is None else {"CUDA_VISIBLE_DEVICES": now})}
    assert load_profile(profile, environ=environ).get(VISIBLE) == wanted


def test_cards_of_the_profile_that_are_too_few() -> None:
    profile = {"profile": {"gpu_per_process": "local_rank", "environment": {"CUDA_VISIBLE_DEVICES": "4,5"}}}
    with pytest.raises(ProfileError, match="LOCAL_RANK=2, but CUDA_VISIBLE_DEVICES leaves 2 GPUs"):
        load_profile(profile, environ={"LOCAL_RANK": "2"})


@pytest.mark.parametrize("environ, words", [({}, "no launcher has set a local rank"), ({"HOROVOD_LOCAL_RANK": "one"}, "HOROVOD_LOCAL_RANK='one' is no rank")])
def test_no_rank(environ: Dict[str, str], words: str) -> None:
    """Never a silent 0."""
    with pytest.raises(ProfileError, match=words):
        load_profile(PER_PROCESS, environ=environ)
    with pytest.raises(ProfileError, match=r"no launcher has set a rank(?s:.*)SLURM_LOCALID"):
        load_profile({"inter_op_parallelism_threads": "${rank.local}"}, environ=environ)
    with pytest.raises(ProfileError, match=r"no launcher has set the number of processes on the host(?s:.*)LOCAL_WORLD_SIZE"):
        load_profile({"inter_op_parallelism_threads": "${rank.local_size}"}, environ=environ)


@pytest.mark.tensorflow
@pytest.mark.interpreters
def test_four_processes_reserve_on_four_gpus(tmp_path: pathlib.Path) -> None:
    """On 2.16, where plug-in devices obey gpu_options: each process makes a session and runs one operation."""
    python = interpreter("2.16")
    program = """
from tf1compat_gpu import make_session
with tf.Graph().as_default(), make_session("p.yaml") as session, tf.device("/gpu:0"):
    x = v1.placeholder(tf.float32, [2, 2])
    report(answer=session.run(tf.matmul(x, x), {x: np.ones([2, 2])}).tolist())
"""
    (tmp_path / "p.yaml").write_text("profile: {gpu_per_process: local_rank}\nper_process_gpu_memory_fraction: 0.25\n")
    orders: List[List[int]] = []
    for rank in range(4):
        found = on_gpus(program, (256, 256, 256, 256), tmp_path, python, {"LOCAL_RANK": str(rank), "RANK": str(rank), "LOCAL_WORLD_SIZE": "4"})
        assert found["answer"] == [[2.0, 2.0], [2.0, 2.0]]
        assert [size >> 20 for size in found["reserved"]] == [64 if device == rank else 0 for device in range(4)]
        orders.append(found["order"])
    assert orders == [[0], [1], [2], [3]]


@pytest.mark.tensorflow
@pytest.mark.interpreters
def test_an_id_beyond_the_last_gpu_names_its_variable(tmp_path: pathlib.Path) -> None:
    """R53: the rank in the whole job, taken for the one on the host; for a session and for a server."""
    found = on_gpus(
        """
import warnings
warnings.simplefilter("ignore")
from tf1compat_gpu import make_server, make_session
os.environ["OMPI_COMM_WORLD_RANK"] = "9"
profile = {"visible_device_list": "${OMPI_COMM_WORLD_RANK}"}
report(session=raised(make_session, profile), server=raised(make_server, profile, {"worker": ["127.0.0.1:1"]}, "worker", 0))
report(plain=raised(make_session, {"visible_device_list": "2"}), hidden=raised(make_session, dict(profile, device_count={"GPU": 0})))
""",
        (256, 256),
        tmp_path,
        interpreter("2.16"),
    )
    for name in ("session", "server"):
        kind, message = found[name]
        assert kind == "ProfileError" and "names GPU 9 (made from OMPI_COMM_WORLD_RANK), and TensorFlow sees 2: 0 to 1" in message
    assert "names GPU 2, and TensorFlow sees 2" in found["plain"][1]
    assert found["hidden"] is None
    assert found["order"] == []


def test_default_filters() -> None:
    """R75: those of Estimator's RunConfig (tensorflow_estimator 1.15, run_config.py)."""
    hosts = from_hosts({"chief": ["h:1"], "worker": ["h:2", "h:3"], "ps": ["h:4"], "master": ["h:5"]})
    assert clusters.default_filters(Task(hosts, "worker", 1)) == ("/job:ps", "/job:worker/task:1")
    assert clusters.default_filters(Task(hosts, "chief", 0)) == ("/job:ps", "/job:chief")
    assert clusters.default_filters(Task(hosts, "master", 0)) == ("/job:ps", "/job:master")
    assert clusters.default_filters(Task(hosts, "ps", 0)) == ("/job:ps", "/job:worker", "/job:chief", "/job:master")
    assert clusters.default_filters(Task(hosts, "evaluator", 0)) == ()
    assert clusters.default_filters(Task(from_hosts({"worker": ["h:1", "h:2"]}), "worker", 0)) == ()


@pytest.mark.tensorflow
@pytest.mark.interpreters
@pytest.mark.parametrize("job", ["chief", "worker", "ps"])
def test_default_filters_are_estimators_own(job: str) -> None:
    hosts = {"chief": ["h:1"], "worker": ["h:2"], "ps": ["h:4"]}
    found = reports(
        "import tensorflow as tf\nreport(filters=list(tf.estimator.RunConfig().session_config.device_filters))",
        env={"TF_CONFIG": json.dumps({"cluster": hosts, "task": {"type": job, "index": 0}})},
        python=interpreter("1.15"),
    )
    assert tuple(found["filters"]) == clusters.default_filters(Task(from_hosts(hosts), job, 0))


def test_who_is_waited_for() -> None:
    hosts = from_hosts({"worker": ["h:2", "h:3"], "ps": ["h:4"]})
    names = ["/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"]
    task = Task(hosts, "worker", 0)
    assert [name for name, _ in clusters.awaited(task, ())] == names
    assert [name for name, _ in clusters.awaited(task, ["/job:ps"])] == ["/job:worker/task:0", "/job:ps/task:0"]
    assert clusters.awaited(task, ["/job:worker/replica:0/task:1/device:CPU:0"]) == [("/job:worker/task:0", "h:2"), ("/job:worker/task:1", "h:3")]
