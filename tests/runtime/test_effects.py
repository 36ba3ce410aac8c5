"""B5: what a profile does, seen on the running TensorFlow: in a session, and in a tf.function after configure()."""

from __future__ import annotations

import sys
from typing import Any, Dict

import pytest

from tests.interpreters import release_of
from tests.programs import reports
from tf1compat_gpu.profiles import fields

pytestmark = pytest.mark.tensorflow


#: `observe(session_effect, function_effect)`: the same profile by configure() and by make_session, in one process.
@pytest.fixture(autouse=True)
def tensorflow_2() -> None:
    if release_of(sys.executable) == "1.15":
        pytest.skip("effects are compared in TF2")


_PRELUDE = """
import glob, re, tempfile, warnings
warnings.simplefilter("ignore")
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tf1compat_gpu import configure, make_session
from tf1compat_gpu.runtime.tensorflow import release
v1 = tf.compat.v1
TWO = not tf.__version__.startswith("1.")
if not TWO:
    v1.enable_eager_execution()

def in_session(profile, build, traced=None):
    with tf.Graph().as_default():
        fetches = build(v1.placeholder(tf.float32, [2, 2]))
        with make_session(profile) as session:
            x = [op for op in session.graph.get_operations() if op.type == "Placeholder"][0].outputs[0]
            def call():
                return session.run(fetches, {x: np.ones([2, 2], np.float32)})
            return call() if traced is None else traced(call)

def in_function(profile, build, traced=None):
    configure(profile)
    built = tf.function(build, input_signature=[tf.TensorSpec([2, 2], tf.float32)])
    def call():
        return tf.nest.map_structure(lambda one: one.numpy(), built(tf.ones([2, 2])))
    return call() if traced is None else traced(call)

def in_graph(profile, build):
    # What grappler left of a function, as the context collects it.
    context.context().enable_graph_collection()
    in_function(profile, build)
    graphs = context.context().export_run_metadata().partition_graphs
    context.context().disable_graph_collection()
    return [node.op for graph in graphs for node in list(graph.node) + [n for f in graph.library.function for n in f.node_def]]

def ran(run, profile, build):
    # The ops that ran, as `name:type`, after the compiler's own passes too.
    folder = tempfile.mkdtemp()
    def traced(call):
        call()  # the first call compiles, and folding runs ops as well
        tf.profiler.experimental.start(folder)
        call()
        tf.profiler.experimental.stop()
    run(profile, build, traced)
    (trace,) = glob.glob(folder + "/**/*.xplane.pb", recursive=True)
    return set(re.findall("([A-Za-z_0-9/]+:[A-Za-z_0-9]+)", open(trace, "rb").read().decode("latin-1")))
"""


def observed(profile: Dict[str, Any], body: str, timeout: int = 180) -> Dict[str, Any]:
    return reports(_PRELUDE + "profile = %r\n" % profile + body, timeout=timeout)


_MEETING = """
import threading
# Two ops that wait for each other: they meet if both run at once, and give up if one has to end before the other begins.
gate = threading.Barrier(2)
def wait(x):
    try:
        gate.wait(timeout=2)
        return np.float32(1)
    except threading.BrokenBarrierError:
        return np.float32(0)
def build(x):
    # Stateless, or automatic control dependencies would put them in line; each its own, or they would be merged.
    return [v1.py_func(lambda x: wait(x), [x], tf.float32, stateful=False) for _ in range(2)]
def met(run):
    gate.reset()
    return [float(value) for value in run(profile, build)]
report(function=met(in_function), session=met(in_session))
"""


@pytest.mark.parametrize("threads, met", [(1, [0.0, 0.0]), (2, [1.0, 1.0])])
def test_inter_op_threads(threads: int, met: Any) -> None:
    found = observed({"inter_op_parallelism_threads": threads}, _MEETING)
    assert found == {"function": met, "session": met}


def test_cpu_devices() -> None:
    found = observed(
        {"device_count": {"CPU": 4}},
        """
def build(x):
    with tf.device("/cpu:3"):
        return tf.matmul(x, x)
report(function=float(in_function(profile, build)[0][0]), session=float(in_session(profile, build)[0][0]))
listed = tf.config.experimental.list_logical_devices("CPU")
with tf.device("/cpu:3"):
    placed = (tf.ones([2, 2]) + 1).device
report(listed=len(listed), placed=placed.split("/")[-1])
""",
    )
    assert found == {"function": 2.0, "session": 2.0, "listed": 4, "placed": "device:CPU:3"}


#: Common subexpressions, constants to fold: what grappler's passes leave differs with them.
_GRAPH = """
def build(x):
    folded = tf.exp(tf.constant([[1.0, 2.0], [3.0, 4.0]])) + tf.exp(tf.constant([[4.0, 3.0], [2.0, 1.0]]))
    return tf.matmul(x, folded) + tf.reduce_sum(folded)
def left(run):
    return len([name for name in ran(run, profile, build) if name.endswith(":Exp")])
report(function=left(in_function), session=left(in_session), graph=in_graph(profile, build).count("Exp"))
"""


@pytest.mark.parametrize(
    "options, left, in_graph",
    [
        ({}, 0, 0),
        ({"rewrite_options": {"constant_folding": "OFF"}}, 0, 2),
        ({"rewrite_options": {"constant_folding": "OFF"}, "optimizer_options": {"opt_level": "L0"}}, 2, 2),
        ({"rewrite_options": {"disable_meta_optimizer": True}, "optimizer_options": {"opt_level": "L0"}}, 2, 2),
        ({"rewrite_options": {"optimizers": ["pruning"]}, "optimizer_options": {"opt_level": "L0"}}, 2, 2),
        ({"rewrite_options": {"disable_meta_optimizer": True}}, 0, 2),
        ({"rewrite_options": {"disable_meta_optimizer": True}, "optimizer_options": {"max_folded_constant_in_bytes": 1}}, 2, 2),
    ],
    ids=str,
)
def test_passes(options: Dict[str, Any], left: int, in_graph: int) -> None:
    """A pass that is off really leaves the graph: how many Exp of constants run, and how many grappler left."""
    assert observed({"graph_options": options}, _GRAPH) == {"function": left, "session": left, "graph": in_graph}


@pytest.mark.parametrize("cpu", [True, False])
def test_xla(cpu: bool) -> None:
    """XLA makes clusters of CPU ops where cpu_global_jit says so (2.7 and later)."""
    if fields.parse_release(release_of(sys.executable)) < (2, 7):
        pytest.skip("cpu_global_jit came with 2.7")
    found = observed(
        {"graph_options": {"optimizer_options": {"global_jit_level": "ON_1", "cpu_global_jit": cpu}}},
        """
def build(x):
    for _ in range(8):
        x = tf.tanh(tf.matmul(x, x) + x * 0.5)
    return x
def clusters(run):
    return any("xla" in name.lower() for name in ran(run, profile, build))
report(function=clusters(in_function), session=clusters(in_session))
""",
    )
    assert found == {"function": cpu, "session": cpu}


@pytest.mark.parametrize("soft", [True, False])
def test_soft_placement(soft: bool) -> None:
    found = observed(
        {"allow_soft_placement": soft},
        """
def build(x):
    with tf.device("/gpu:0"):
        return tf.matmul(x, x)
def outcome(run):
    try:
        return float(run(profile, build)[0][0])
    except tf.errors.InvalidArgumentError as problem:
        return "InvalidArgumentError"
report(function=outcome(in_function), session=outcome(in_session))
""",
    )
    assert found == dict.fromkeys(("function", "session"), 2.0 if soft else "InvalidArgumentError")


def test_log_device_placement() -> None:
    from tests.programs import run

    done = run(_PRELUDE + "configure({'log_device_placement': True})\nprint(float(tf.reduce_sum(tf.ones([3]))))\n", env={"TF_CPP_MIN_LOG_LEVEL": "0"})
    assert "3.0" in done.stdout
    assert "Executing op Sum in device" in done.stderr + done.stdout
