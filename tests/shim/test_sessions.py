"""Which config each session of a program gets under a profile, however the session comes about."""

from __future__ import annotations

import json
import pathlib
import textwrap
from typing import Any, Dict, List, Mapping, Sequence

import pytest

from tests.shim.running import Done, runner

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

PROFILE = "intra_op_parallelism_threads: 3\nallow_soft_placement: true\ndevice_count: {CPU: 2}\n"
OWN = "tf.ConfigProto(log_device_placement=False, inter_op_parallelism_threads=4)"
FROM_PROFILE = {"intra_op_parallelism_threads": 3, "allow_soft_placement": True, "device_count": {"CPU": 2}}
MERGED = dict(FROM_PROFILE, inter_op_parallelism_threads=4)
#: How a program comes by a session without a config, in TensorFlow's own classes: each prints nothing and makes one.
IMPLICIT = {
    "Session": "tf.Session().close()",
    "InteractiveSession": "tf.InteractiveSession().close()",
    "positional": "tf.Session('', tf.get_default_graph()).close()",
    "subclass": "class S(tf.Session): pass\nS().close()",
    "MonitoredTrainingSession": "tf.train.get_or_create_global_step()\nwith tf.train.MonitoredTrainingSession(): pass",
    "SingularMonitoredSession": "tf.train.get_or_create_global_step()\nwith tf.train.SingularMonitoredSession(): pass",
    "Supervisor": "tf.Variable(1.0)\nsv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session(): pass",
    "SessionManager": "v = tf.Variable(1.0)\ntf.train.SessionManager().prepare_session('', init_op=tf.global_variables_initializer()).close()",
}
EXPLICIT = {
    "Session": "tf.Session(config={own}).close()",
    "InteractiveSession": "tf.InteractiveSession(config={own}).close()",
    "MonitoredTrainingSession": "tf.train.get_or_create_global_step()\nwith tf.train.MonitoredTrainingSession(config={own}): pass",
    "Supervisor": "tf.Variable(1.0)\nsv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session(config={own}): pass",
}


def recorded(folder: pathlib.Path, program: str, options: Sequence[str] = (), env: Mapping[str, str] = {}) -> List[Dict[str, Any]]:
    """The record of a program's sessions under PROFILE."""
    (folder / "profile.yaml").write_text(PROFILE)
    (folder / "p.py").write_text("import tensorflow as tf\n" + textwrap.dedent(program))
    record = folder / "record.jsonl"
    done = runner(["--profile", "profile.yaml", "--record", "record.jsonl"] + list(options) + ["p.py"], folder, env)
    assert done.status == 0, done.err[-3000:]
    lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    for line in lines:
        line["stderr"] = done.err
        if line["class"] == "InteractiveSession":
            assert line["config"].pop("graph_options.place_pruned_graph")  # InteractiveSession.__init__ sets it
    return lines


def _all(sources: Mapping[str, str]) -> str:
    """Every way in one program, each in a graph of its own."""
    parts = []
    for name, source in sources.items():
        parts.append("print(%r)\nwith tf.Graph().as_default():\n%s\n" % (name, textwrap.indent(source.format(own=OWN), "    ")))
    return "".join(parts)


def test_sessions_without_a_config_get_the_profile(tmp_path: pathlib.Path) -> None:
    lines = recorded(tmp_path, _all(IMPLICIT))
    assert len(lines) == len(IMPLICIT)
    for name, line in zip(IMPLICIT, lines):
        assert {path: line["config"].get(path) for path in FROM_PROFILE} == FROM_PROFILE, name
        assert line["profile"].endswith("profile.yaml") and line["file"].endswith("p.py"), name
        assert sum("device:CPU" in device for device in line["devices"]) == 2, name


def test_a_config_of_its_own_is_kept_and_that_is_said_once(tmp_path: pathlib.Path) -> None:
    lines = recorded(tmp_path, _all(EXPLICIT))
    assert [line["config"] for line in lines] == [{"inter_op_parallelism_threads": 4}] * 4
    said = [line for line in lines[0]["stderr"].splitlines() if "[own-config]" in line]
    assert len(said) == 1 and "p.py:4:1" in said[0]
    assert "intra_op_parallelism_threads is 0 there, 3 in the profile" in said[0] and "allow_soft_placement" in said[0] and "device_count" in said[0]


def test_merge_lays_the_profile_over_it(tmp_path: pathlib.Path) -> None:
    lines = recorded(tmp_path, _all(EXPLICIT), ["--config", "merge"])
    assert [line["config"] for line in lines] == [MERGED] * 4
    assert "[own-config]" not in lines[0]["stderr"]


def test_profile_replaces_it(tmp_path: pathlib.Path) -> None:
    lines = recorded(tmp_path, _all(EXPLICIT), ["--config=profile"])
    assert [line["config"] for line in lines] == [FROM_PROFILE] * 4


def test_a_config_that_agrees_is_no_news(tmp_path: pathlib.Path) -> None:
    lines = recorded(tmp_path, "tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=3, allow_soft_placement=True, device_count={'CPU': 2})).close()")
    assert "[own-config]" not in lines[0]["stderr"]


def test_a_test_session_is_the_tests_own(tmp_path: pathlib.Path) -> None:
    program = """
    class T(tf.test.TestCase):
        def test(self):
            with self.test_session() as s:
                self.assertEqual(s._config.intra_op_parallelism_threads, 0)
            with self.cached_session():
                pass
    tf.test.main()
    """
    lines = recorded(tmp_path, program, ["--config", "merge"])
    assert lines and all("intra_op_parallelism_threads" not in line["config"] for line in lines)


def test_r48_a_second_small_session_gets_the_profile_too(tmp_path: pathlib.Path) -> None:
    program = """
    with tf.Session(config={"intra_op_parallelism_threads": 3, "device_count": {"CPU": 4}}) as a:
        with tf.Session(graph=tf.Graph()) as b:
            pass
    """
    first, second = recorded(tmp_path, program)
    assert first["config"]["device_count"] == {"CPU": 4} and second["config"] == FROM_PROFILE


def test_set_lays_fields_over_the_profile(tmp_path: pathlib.Path) -> None:
    (line,) = recorded(tmp_path, "tf.Session().close()", ["--set", "device_count.CPU=3", "--set", "intra_op_parallelism_threads=3"])
    assert line["config"]["device_count"] == {"CPU": 3}


def test_children_get_the_profile(tmp_path: pathlib.Path) -> None:
    """R17: by spawn, where nothing of the parent's process is left."""
    program = """
    import multiprocessing
    def work():
        tf.Session().close()
    if __name__ == "__main__":
        child = multiprocessing.get_context("spawn").Process(target=work)
        child.start(); child.join()
        assert child.exitcode == 0
    """
    (line,) = recorded(tmp_path, program)
    assert line["config"] == FROM_PROFILE


@pytest.mark.keras2
def test_keras_own_session_counts_as_without_a_config(tmp_path: pathlib.Path) -> None:
    program = """
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    tf.keras.backend.get_session()
    tf.keras.backend.set_session(tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=4)))
    """
    first, second = recorded(tmp_path, program)
    assert first["config"] == FROM_PROFILE and second["config"] == {"inter_op_parallelism_threads": 4}
    assert "tensorflow" not in first["file"].rsplit("/", 2)[-2]


@pytest.mark.keras2
def test_r83_tf_keras_trains_in_graph_mode(tmp_path: pathlib.Path) -> None:
    program = """
    import numpy as np
    m = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    m.compile(tf.keras.optimizers.SGD(lr=0.1, decay=1e-3), "mse")
    m.fit(np.ones((4, 3)), np.ones((4, 2)), epochs=1, verbose=0)
    y = tf.layers.dense(tf.ones([1, 3]), 2)
    assert m.predict(np.ones((1, 3))).shape == (1, 2) and y.shape[1] == 2
    """
    assert recorded(tmp_path, program)[0]["config"] == FROM_PROFILE


def test_r07_enable_eager_execution_honours_its_config(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.py").write_text(
        textwrap.dedent(
            """
            import tensorflow as tf
            tf.enable_eager_execution(config=tf.ConfigProto(intra_op_parallelism_threads=2, device_count={"CPU": 3}))
            print(int(tf.constant(1) + 1), tf.executing_eagerly())
            from tensorflow.python.eager import context
            print(context.context().config.intra_op_parallelism_threads, len(context.context().devices()) - ("XLA" in str(context.context().devices())))
            """
        )
    )
    done: Done = runner(["p.py"], tmp_path)
    assert done.out.splitlines() == ["2 True", "2 3"], done.err[-3000:]


@pytest.mark.tensorflow2
def test_enable_eager_execution_without_a_config_gets_the_profile(tmp_path: pathlib.Path) -> None:
    program = """
    tf.enable_eager_execution()
    assert int(tf.constant(1) + 1) == 2
    from tensorflow.python.eager import context
    assert context.context().config.intra_op_parallelism_threads == 3
    """
    assert recorded(tmp_path, program) == []


@pytest.mark.tensorflow2
def test_install_does_the_same_from_within(tmp_path: pathlib.Path) -> None:
    (tmp_path / "profile.yaml").write_text(PROFILE)
    (tmp_path / "p.py").write_text(
        textwrap.dedent(
            """
            import tf1compat_gpu
            tf1compat_gpu.install("profile.yaml", record="record.jsonl")
            import tensorflow as tf
            print(tf.__version__, tf.contrib.training.HParams(a=1).a)
            tf.Session().close()
            """
        )
    )
    from tests.shim.running import plain

    done = plain(["p.py"], tmp_path)
    assert done.out == "1.15.5 1\n", done.err[-2000:]
    assert json.loads((tmp_path / "record.jsonl").read_text())["config"] == FROM_PROFILE


@pytest.mark.tensorflow2
def test_notebooks_load_it_as_an_extension(tmp_path: pathlib.Path) -> None:
    (tmp_path / "profile.yaml").write_text(PROFILE)
    (tmp_path / "p.py").write_text(
        textwrap.dedent(
            """
            import tf1compat_gpu
            class Shell:
                def register_magic_function(self, function, kind, name):
                    self.magic = function
            shell = Shell()
            tf1compat_gpu.load_ipython_extension(shell)
            shell.magic("profile.yaml")
            cell = "import tensorflow as tf\\nwith tf.Session() as s: print(s._config.intra_op_parallelism_threads)"
            exec(compile(cell, "<ipython-input-1>", "exec"), {"__name__": "__main__"})
            """
        )
    )
    from tests.shim.running import plain

    done = plain(["p.py"], tmp_path)
    assert done.out == "3\n", done.err[-2000:]


def test_two_records_are_compared_field_by_field(tmp_path: pathlib.Path) -> None:
    from tests.shim.running import RUN, execute

    one, other = tmp_path / "a", tmp_path / "b"
    for folder, extra in ((one, ""), (other, "inter_op_parallelism_threads: 5\n")):
        folder.mkdir()
        (folder / "profile.yaml").write_text(PROFILE + extra)
        (folder / "p.py").write_text("import tensorflow as tf\nx = tf.constant(1)\ntf.Session().close()\n")
        assert runner(["--profile", "profile.yaml", "--record", "r.jsonl", "--record-ops", "p.py"], folder).status == 0
    diff = RUN[:-1] + ["diff"]
    assert execute(diff + ["a/r.jsonl", "a/r.jsonl"], tmp_path).status == 0
    done = execute(diff + ["a/r.jsonl", "b/r.jsonl"], tmp_path)
    assert done.status == 1
    rows = [line.split() for line in done.out.splitlines()[1:]]
    assert rows == [["p.py:3", "inter_op_parallelism_threads", "0", "5"], ["p.py:3", "threads.inter", rows[1][2], "5"]]
    assert json.loads(execute(diff + ["a/r.jsonl", "b/r.jsonl", "--format", "json"], tmp_path).out)["changes"][0]["new"] == 5
    assert json.loads((one / "r.jsonl").read_text())["ops"] == {"": 1}
    wrong = execute(diff + ["a/p.py", "b/r.jsonl"], tmp_path)
    assert wrong.status == 2 and "a/p.py:1:1" in wrong.err
    assert execute(diff + ["a/none", "b/r.jsonl"], tmp_path).status == 2


def test_a_config_of_the_program_that_comes_too_late_is_told_so_once(tmp_path: pathlib.Path) -> None:
    """Threads belong to the process's first session; TensorFlow takes the others' without a word."""
    (tmp_path / "p.py").write_text(
        "import tensorflow as tf\n" + "".join("tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=%d)).close()\n" % count for count in (5, 5, 9, 7))
    )
    done = runner(["p.py"], tmp_path)
    assert done.status == 0, done.err[-3000:]
    said = [line for line in done.err.splitlines() if "[process-wide]" in line or "has no effect" in line]
    assert len(said) == 2 and "p.py:4:1" in said[0]
    assert "intra_op_parallelism_threads: 9 has no effect, this process has 5" in said[1] and "p.py:2;" in said[1]
