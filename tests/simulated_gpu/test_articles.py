"""C5: the programs that TensorFlow 1's guide to GPUs taught, as people have them: unmodified, under the runner.

Towers over four GPUs, a device that is missing, and a training in the manner of the CIFAR-10 tutorial.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List, Sequence

import pytest

from tests.interpreters import interpreter
from tests.shim.running import Done, execute, write
from tests.simulated_gpu.build import library

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]

#: Loads the pretend GPUs, and then runs the program that it is given, as that program.
WITH_GPUS = """
import os, runpy, sys
from tensorflow.python.framework import load_library
load_library.load_pluggable_device_library(os.environ["SIMULATED_GPU_LIBRARY"])
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
#: What a program prints of where its operations ran.
PLACES = """
def placed(session, fetch, feed):
    options = tf.RunOptions(output_partition_graphs=True)
    metadata = tf.RunMetadata()
    value = session.run(fetch, feed, options=options, run_metadata=metadata)
    found = {node.name: node.device.rsplit("device:", 1)[-1] for graph in metadata.partition_graphs for node in graph.node}
    print(json.dumps({"value": value.tolist(), "places": {name: found[name] for name in found if name in NAMES}}))
"""
TOWERS = (
    """
import json
import tensorflow as tf
c = []
for d in ["/device:GPU:0", "/device:GPU:1", "/device:GPU:2", "/device:GPU:3"]:
    with tf.device(d):
        a = tf.placeholder(tf.float32, [2, 3], name="a")
        b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name="b")
        c.append(tf.matmul(a, b))
with tf.device("/cpu:0"):
    sum = tf.add_n(c, name="sum")
NAMES = [t.op.name for t in c] + ["sum"]
sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
"""
    + PLACES
    + "placed(sess, sum, {t.op.inputs[0]: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] for t in c})\n"
)
MISSING = (
    """
import json, sys
import tensorflow as tf
with tf.device("/device:GPU:2"):
    a = tf.placeholder(tf.float32, [2, 2], name="a")
    b = tf.matmul(a, a, name="b")
NAMES = ["b"]
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=sys.argv[1] == "soft", log_device_placement=True))
"""
    + PLACES
    + "placed(sess, b, {a: [[1.0, 2.0], [3.0, 4.0]]})\n"
)
CIFAR = """
import json, sys
import numpy as np
import tensorflow as tf

SEED = None if sys.argv[1] == "graph" else 5
if SEED is None:
    tf.set_random_seed(5)
N_GPUS = 2

def variable(name, shape, initializer):
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)

def with_decay(name, shape, stddev, wd):
    var = variable(name, shape, tf.truncated_normal_initializer(stddev=stddev, dtype=tf.float32, seed=SEED))
    if wd:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(var), wd, name="weight_loss"))
    return var

def inference(images):
    with tf.variable_scope("conv1") as scope:
        kernel = with_decay("weights", [5, 5, 3, 8], 5e-2, None)
        conv = tf.nn.bias_add(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME"), variable("biases", [8], tf.constant_initializer(0.0)))
        conv1 = tf.nn.relu(conv, name=scope.name)
    pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
    norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
    with tf.variable_scope("local3") as scope:
        reshape = tf.reshape(norm1, [images.get_shape().as_list()[0], -1])
        weights = with_decay("weights", [reshape.get_shape()[1].value, 16], 0.04, 0.004)
        local3 = tf.nn.relu(tf.matmul(reshape, weights) + variable("biases", [16], tf.constant_initializer(0.1)), name=scope.name)
    with tf.variable_scope("softmax_linear"):
        weights = with_decay("weights", [16, 10], 1 / 16.0, None)
        return tf.add(tf.matmul(local3, weights), variable("biases", [10], tf.constant_initializer(0.0)), name="logits")

def tower_loss(scope, images, labels):
    logits = inference(images)
    tf.add_to_collection("losses", tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)))
    return tf.add_n(tf.get_collection("losses", scope), name="total_loss")

def average(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in pairs]
        averaged.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), pairs[0][1]))
    return averaged

with tf.Graph().as_default(), tf.device("/cpu:0"):
    if SEED is None:
        tf.set_random_seed(5)
    step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    opt = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(0.1, step, 10, 0.9, staircase=True))
    draw = np.random.RandomState(0)
    images, labels = tf.constant(draw.rand(4, 24, 24, 3), tf.float32), tf.constant(draw.randint(0, 10, 4), tf.int32)
    grads, losses = [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(N_GPUS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
                losses.append(tower_loss(scope, images, labels))
                tf.get_variable_scope().reuse_variables()
                grads.append(opt.compute_gradients(losses[-1]))
    apply = opt.apply_gradients(average(grads), global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.9, step)
    train = tf.group(apply, ema.apply(tf.trainable_variables()))
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    first = {v.op.name: float(sess.run(tf.reduce_sum(v))) for v in tf.trainable_variables()}
    history = [sess.run([train, losses[0]])[1] for _ in range(6)]
    print(json.dumps({"first": first, "losses": [float(x) for x in history]}))
"""


def _run(release: str, folder: pathlib.Path, arguments: Sequence[str], gpus: int = 0, shim: bool = True) -> Done:
    python = interpreter(release)
    command: List[str] = [python] + (["-m", "tf1compat_gpu", "run"] if shim else []) + (["with_gpus.py"] if gpus else []) + list(arguments)
    env: Dict[str, str] = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    if gpus:
        env = {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "SIMULATED_GPU_LIBRARY": library(python),
            "SIMULATED_GPU_MEMORY_MIB": ",".join(["256"] * gpus),
            "SIMULATED_GPU_LOG": str(folder / "log"),
        }
    return execute(command, folder, env)


def _report(done: Done) -> Dict[str, Any]:
    assert done.status == 0, done.err[-3000:]
    found: Dict[str, Any] = json.loads(next(line for line in done.out.splitlines() if line.startswith("{")))  # among what log_device_placement prints
    return found


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    write(tmp_path, {"with_gpus.py": WITH_GPUS, "towers.py": TOWERS, "missing.py": MISSING, "cifar.py": CIFAR})
    return tmp_path


@pytest.mark.parametrize("release", ["2.16", "2.21"])
def test_towers_over_four_gpus(release: str, folder: pathlib.Path) -> None:
    found = _report(_run(release, folder, ["towers.py"], gpus=4))
    assert found["value"] == [[88.0, 112.0], [196.0, 256.0]]  # four times [[22, 28], [49, 64]]
    assert found["places"] == {"MatMul": "GPU:0", "MatMul_1": "GPU:1", "MatMul_2": "GPU:2", "MatMul_3": "GPU:3", "sum": "CPU:0"}


@pytest.mark.parametrize("release", ["2.16", "2.21"])
def test_a_missing_gpu_with_and_without_soft_placement(release: str, folder: pathlib.Path) -> None:
    hard = _run(release, folder, ["missing.py", "hard"], gpus=2)
    assert hard.status == 1 and "InvalidArgumentError" in hard.err and "GPU:2" in hard.err
    soft = _report(_run(release, folder, ["missing.py", "soft"], gpus=2))
    assert soft["value"] == [[7.0, 10.0], [15.0, 22.0]] and soft["places"] == {"b": "GPU:0"}


def _expected(folder: pathlib.Path, seeds: str) -> Dict[str, Any]:
    return _report(_run("1.15", folder, ["cifar.py", seeds], shim=False))


@pytest.mark.keras2
def test_cifar_training_with_seeds_of_its_operations(folder: pathlib.Path) -> None:
    """Losses are 1.15.5's; on pretend GPUs soft placement moves to the CPU what they have no kernels for."""
    old = _expected(folder, "operations")
    on_cpu = _report(_run("2.21", folder, ["cifar.py", "operations"]))
    assert on_cpu["losses"] == pytest.approx(old["losses"], rel=1e-4) and on_cpu["first"] == pytest.approx(old["first"], rel=1e-4)
    on_gpus = _report(_run("2.16", folder, ["cifar.py", "operations"], gpus=2))
    assert on_gpus["losses"] == pytest.approx(old["losses"], rel=1e-4)
    assert old["losses"][-1] < old["losses"][0]


def test_cifar_training_with_a_graphs_seed_alone(folder: pathlib.Path) -> None:
    """Every initial value agrees: nothing in this program builds another number of operations before its variables."""
    old, new = _expected(folder, "graph"), _report(_run("2.21", folder, ["cifar.py", "graph"]))
    assert {name: new["first"][name] == pytest.approx(old["first"][name], rel=1e-4) for name in old["first"]} == dict.fromkeys(old["first"], True)
    assert new["losses"] == pytest.approx(old["losses"], rel=1e-3)
