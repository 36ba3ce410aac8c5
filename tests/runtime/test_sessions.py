"""make_config, make_session and every entry point that takes a config, on the running TensorFlow."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Dict

import pytest

from tests.programs import reports, run

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def basics() -> Dict[str, Any]:
    return reports(
        """
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import make_config, make_interactive_session, make_session, load_profile
        fields = {"device_count": {"CPU": 4}, "allow_soft_placement": True, "inter_op_parallelism_threads": 2}
        session = make_session(fields)
        report(type_is_real=type(session) is tf.Session, cpus=[d.name for d in session.list_devices() if d.device_type == "CPU"])
        by_hand = tf.ConfigProto(device_count={"CPU": 4}, allow_soft_placement=True, inter_op_parallelism_threads=2)
        report(received=session._config == by_hand)
        graph = tf.Graph()
        with graph.as_default():
            answer = tf.constant(6) * 7
        report(other_graph=int(make_session(fields, graph=graph).run(answer)), graph_is=make_session(fields, graph=graph).graph is graph)
        overridden = make_session(load_profile(fields), overrides={"allow_soft_placement": False, "device_count.CPU": 2})
        report(overridden=[overridden._config.allow_soft_placement, overridden._config.device_count["CPU"]])
        interactive = make_interactive_session(fields)
        report(interactive=type(interactive) is tf.InteractiveSession, evaluated=int((tf.constant(1) + 1).eval()), pruned=interactive._config.graph_options.place_pruned_graph)
        interactive.close()
        one, two = make_config(fields), make_config(fields)
        one.gpu_options.allow_growth = True
        report(own_copies=one != two, config_type=type(one) is tf.ConfigProto)
        report(no_argument=make_config() == tf.ConfigProto())
        report(bad=raised(make_session, {"allow_grwoth": True}), missing=raised(make_session, "no-such-profile.yaml"))
        """
    )


def test_session_is_the_real_class(basics: Dict[str, Any]) -> None:
    assert basics["type_is_real"] is True


def test_session_received_the_profile(basics: Dict[str, Any]) -> None:
    assert basics["received"] is True


def test_device_count_makes_cpu_devices(basics: Dict[str, Any]) -> None:
    assert basics["cpus"] == ["/job:localhost/replica:0/task:0/device:CPU:%d" % index for index in range(4)]


def test_graph_is_passed_on(basics: Dict[str, Any]) -> None:
    assert basics["other_graph"] == 42
    assert basics["graph_is"] is True


def test_overrides_win(basics: Dict[str, Any]) -> None:
    assert basics["overridden"] == [False, 2]


def test_interactive_session(basics: Dict[str, Any]) -> None:
    assert (basics["interactive"], basics["evaluated"], basics["pruned"]) == (True, 2, True)


def test_configs_are_independent_copies(basics: Dict[str, Any]) -> None:
    assert (basics["own_copies"], basics["config_type"], basics["no_argument"]) == (True, True, True)


def test_bad_profiles_raise_profile_errors(basics: Dict[str, Any]) -> None:
    kind, message = basics["bad"]
    assert kind == "ProfileError" and "did you mean allow_growth?" in message
    kind, message = basics["missing"]
    assert kind == "ProfileError" and "no such profile: no-such-profile.yaml" in message and "looked for /" in message


@pytest.fixture(scope="module")
def entry_points() -> Dict[str, Any]:
    return reports(
        """
        import os, tempfile
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import make_config
        fields = {"device_count": {"CPU": 3}, "allow_soft_placement": True}
        folder = tempfile.mkdtemp()
        def cpus(session):
            return len([d for d in session.list_devices() if d.device_type == "CPU"])
        def inner(monitored):
            return monitored._tf_sess()
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            with tf.train.MonitoredTrainingSession(config=make_config(fields)) as session:
                report(monitored=cpus(inner(session)))
            for name, creator in (("chief", tf.train.ChiefSessionCreator), ("worker", tf.train.WorkerSessionCreator)):
                if name == "worker":
                    continue  # waits for a chief
                with tf.train.MonitoredSession(session_creator=creator(config=make_config(fields))) as session:
                    report(**{name: cpus(inner(session))})
        server = tf.train.Server({"worker": ["localhost:0"]}, job_name="worker", task_index=0, config=make_config(fields))
        with tf.Session(server.target) as session:
            report(server=cpus(session))
        with tf.Graph().as_default():
            variable = tf.get_variable("v", [], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            chief = tf.train.ChiefSessionCreator(master=server.target, config=make_config(fields))
            with tf.train.MonitoredSession(session_creator=chief) as session:
                pass
            with tf.train.MonitoredSession(session_creator=tf.train.WorkerSessionCreator(master=server.target, config=make_config(fields))) as session:
                report(worker=cpus(inner(session)))
        with tf.Graph().as_default():
            tf.get_variable("v", [], initializer=tf.zeros_initializer())
            supervisor = tf.train.Supervisor(logdir=folder)
            with supervisor.managed_session(config=make_config(fields)) as session:
                report(managed=cpus(session))
        with tf.Graph().as_default():
            tf.get_variable("v", [], initializer=tf.zeros_initializer())
            supervisor = tf.train.Supervisor(logdir=folder)
            session = supervisor.prepare_or_wait_for_session(config=make_config(fields))
            report(prepared=cpus(session))
            supervisor.stop()
        with tf.Graph().as_default():
            variable = tf.get_variable("v", [], initializer=tf.zeros_initializer())
            manager = tf.train.SessionManager()
            session = manager.prepare_session("", init_op=tf.global_variables_initializer(), config=make_config(fields))
            report(manager=cpus(session))
        from tensorflow.python.client import device_lib
        report(listed=len([d for d in device_lib.list_local_devices(session_config=make_config(fields)) if d.device_type == "CPU"]))
        try:
            set_session = tf.keras.backend.set_session
        except AttributeError:
            report(keras="absent")
        else:
            with tf.Graph().as_default():
                set_session(tf.Session(config=make_config(fields)))
                report(keras=cpus(tf.keras.backend.get_session()))
        try:
            if tf.__version__.startswith("1."):
                from tensorflow.contrib import slim
            else:
                import tf_slim as slim
        except ImportError:
            report(slim="absent")
        else:
            with tf.Graph().as_default():
                variable = tf.get_variable("w", [], initializer=tf.ones_initializer())
                seen = []
                class Look(tf.train.SessionRunHook):
                    pass
                train = slim.learning.create_train_op(tf.square(variable), tf.train.GradientDescentOptimizer(0.1))
                def train_step(session, op, step, arguments):
                    seen.append(cpus(session))
                    return slim.learning.train_step(session, op, step, arguments)
                slim.learning.train(train, folder + "/slim", train_step_fn=train_step, number_of_steps=1, session_config=make_config(fields), log_every_n_steps=0)
                report(slim=seen[0])
        """
    )


@pytest.mark.parametrize("entry", ["monitored", "chief", "worker", "server", "managed", "prepared", "manager", "listed"])
def test_entry_point_gets_the_config(entry_points: Dict[str, Any], entry: str) -> None:
    assert entry_points[entry] == 3


@pytest.mark.parametrize("entry", ["keras", "slim"])
def test_entry_point_gets_the_config_where_it_exists(entry_points: Dict[str, Any], entry: str) -> None:
    if entry_points[entry] == "absent":
        pytest.skip("this TensorFlow has no %s" % entry)
    assert entry_points[entry] == 3


def test_run_config_keeps_its_device_filters() -> None:
    """R75: a session_config of one's own loses Estimator's default device filters."""
    found = reports(
        """
        import json, os
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"chief": ["localhost:1"], "ps": ["localhost:2"], "worker": ["localhost:3"]}, "task": {"type": "worker", "index": 0}})
        import tensorflow.compat.v1 as tf
        try:
            tf.estimator.RunConfig
        except AttributeError:
            from tf1compat_gpu import make_run_config
            report(absent=raised(make_run_config, {}))
        else:
            from tf1compat_gpu import make_config, make_run_config
            growth = {"gpu_options": {"allow_growth": True}}
            report(plain=list(tf.estimator.RunConfig(session_config=make_config(growth)).session_config.device_filters))
            made = make_run_config(growth, save_checkpoints_steps=7)
            report(kept=list(made.session_config.device_filters), growth=made.session_config.gpu_options.allow_growth, steps=made.save_checkpoints_steps, real=type(made) is tf.estimator.RunConfig)
            report(own=list(make_run_config({"device_filters": ["/job:ps"]}).session_config.device_filters))
        """
    )
    if "absent" in found:
        kind, message = found["absent"]
        assert kind == "TensorFlowError" and "2.15" in message
        return
    assert found["plain"] == []
    assert found["kept"] == ["/job:ps", "/job:worker/task:0"]
    assert (found["growth"], found["steps"], found["real"]) == (True, 7, True)
    assert found["own"] == ["/job:ps"]


def test_nothing_is_made_by_loading_so_that_a_fork_is_safe() -> None:
    """R17: a child that is forked after a session exists hangs; profiles and configs must make none."""
    found = reports(
        """
        import multiprocessing, sys
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import load_profile, make_config, make_session
        from tf1compat_gpu.runtime import eager_context, tensorflow
        profile = load_profile({"intra_op_parallelism_threads": 2})
        make_config(profile)
        report(sessions=tensorflow.sessions_made(), started=eager_context.started())
        def child(queue):
            with tf.Graph().as_default():
                queue.put(int(make_session(profile).run(tf.constant(20) + 1)))
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=child, args=(queue,))
        process.start()
        report(answer=queue.get(timeout=60))
        process.join(60)
        report(status=process.exitcode)
        """
    )
    assert found == {"sessions": 0, "started": False, "answer": 21, "status": 0}


def test_eager_execution_with_an_empty_graph_is_said_before_tensorflow_says_it() -> None:
    """R10: the names are converted, and session.run says that the graph is empty."""
    done = run(
        """
        import tensorflow.compat.v1 as tf
        from tf1compat_gpu import make_session
        tf.enable_eager_execution()
        a = tf.constant(5.0)
        session = make_session({})
        print(raised(session.run, a))
        """
    )
    assert done.returncode == 0, done.stderr
    warned = done.stderr.index("eager execution is on and the session's graph is empty")
    assert "tf.compat.v1.disable_v2_behavior()" in done.stderr[warned:]
    assert "The Session graph is empty" in done.stdout


def test_missing_tensorflow_says_what_to_install() -> None:
    done = run(
        """
        import sys
        sys.modules["tensorflow"] = None
        from tf1compat_gpu import load_profile, make_session
        load_profile({"allow_soft_placement": True})
        kind, message = raised(make_session, {})
        print(kind, message)
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("TensorFlowMissingError") and "pip install" in done.stdout


def test_many_sessions_from_one_file(tmp_path: pathlib.Path) -> None:
    """The second one is made without reading again, and is told everything that the first one was."""
    (tmp_path / "p.yaml").write_text("device_count: {CPU: 2}\n")
    (tmp_path / "gpu.yaml").write_text("gpu_options: {allow_growth: true}\n")
    for name in ("p.yaml", "gpu.yaml"):
        os.utime(str(tmp_path / name), (1e9, 1e9))
    found = reports(
        """
        import os
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import make_interactive_session, make_session
        sessions = [make_session("p.yaml") for _ in range(3)]
        report(counts=[session._config.device_count["CPU"] for session in sessions], apart=sessions[1]._config is not sessions[2]._config)
        with tf.Graph().as_default() as graph:
            six = tf.constant(6)
        report(graph=int(make_session("p.yaml", graph=graph).run(six)), interactive=type(make_interactive_session("p.yaml")) is tf.InteractiveSession)
        with open("p.yaml", "w") as file:
            file.write("device_count: {CPU: 3}")
        report(changed=make_session("p.yaml")._config.device_count["CPU"])
        make_session("gpu.yaml"), make_session("gpu.yaml")
        report(strict=raised(make_session, "gpu.yaml", strict=True))
        """,
        cwd=str(tmp_path),
    )
    assert found["counts"] == [2, 2, 2] and found["apart"] is True
    assert (found["graph"], found["interactive"], found["changed"]) == (6, True, 3)
    assert found["strict"][0] == "ProfileError" and "no GPU" in found["strict"][1]
