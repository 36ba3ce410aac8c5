"""Estimator's train_and_evaluate in a cluster: what of a profile reaches its servers and sessions."""

from __future__ import annotations

import pathlib
from typing import Any, Dict

import pytest

from tests.clusters.job import launch
from tests.interpreters import interpreter
from tests.programs import reports

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]
PROFILE = """\
operation_timeout_in_ms: 60000
intra_op_parallelism_threads: 2
profile: {variants: {ps: {device_count: {GPU: 0}}, worker: {device_count: {CPU: 3}}, chief: {device_count: {CPU: 2}}}}
"""
#: The worker has nothing to do but to serve: the chief alone trains, and sees its devices through no filter.
TRAIN = """
import json, sys
import numpy as np
import tensorflow as tf

def report(**values):
    print("@@report " + json.dumps(values), flush=True)

def model_fn(features, labels, mode):
    w = tf.get_variable("w", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(features["x"] * w - labels))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

def input_fn():
    return tf.data.Dataset.from_tensors(({"x": np.float32([[1.0], [2.0]])}, np.float32([[3.0], [6.0]]))).repeat(60)

class Seen(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        config = session._config
        report(
            filters=list(config.device_filters), soft=config.allow_soft_placement, timeout=config.operation_timeout_in_ms,
            optimizer=config.graph_options.rewrite_options.meta_optimizer_iterations, log=config.log_device_placement,
            devices=sorted(device.name.replace("/replica:0", "") for device in session.list_devices() if "XLA" not in device.name),
        )

config = tf.estimator.RunConfig(model_dir="model", **eval(sys.argv[1]))
if config.task_type == "chief":
    estimator = tf.estimator.Estimator(model_fn, config=config)
    tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(input_fn, max_steps=50, hooks=[Seen()]), tf.estimator.EvalSpec(input_fn, steps=1))
    report(loss=float(estimator.evaluate(input_fn, steps=1)["loss"]))
else:
    tf.estimator.train_and_evaluate(tf.estimator.Estimator(model_fn, config=config), tf.estimator.TrainSpec(input_fn), tf.estimator.EvalSpec(input_fn))
"""


@pytest.mark.parametrize("release", ["1.15", "2.10"])
@pytest.mark.parametrize("given", [False, True])
def test_train_and_evaluate_under_the_runner(tmp_path: pathlib.Path, release: str, given: bool) -> None:
    """A RunConfig without a session_config has one that nobody wrote: the profile is laid over it. Either way its server,
    which Estimator gives nothing but gpu_options, has the profile's devices."""
    (tmp_path / "job.yaml").write_text(PROFILE)
    (tmp_path / "train.py").write_text(TRAIN)
    own = "dict(session_config=tf.ConfigProto(log_device_placement=True))" if given else "{}"
    done = launch(["--profile", "job.yaml", "--ps", "1", "--chief", "--workers", "0", "train.py", own], tmp_path, interpreter(release))
    assert done.status == 0, done.err[-6000:]
    found = done.reports["chief 0"]
    assert found["devices"] == ["/job:chief/task:0/device:CPU:0", "/job:chief/task:0/device:CPU:1", "/job:ps/task:0/device:CPU:0"]
    assert found["loss"] < 1e-3
    if given:
        assert (found["filters"], found["soft"], found["timeout"], found["log"]) == ([], False, 0, True)
        assert "this session's own config wins over the profile" in done.err
    else:
        assert (found["filters"], found["soft"], found["timeout"], found["optimizer"]) == (["/job:ps", "/job:chief"], True, 60000, 1)
        assert "own-config" not in done.err
    assert "warning[target]" not in done.err and "this server's own config" not in done.err


def test_a_run_config_says_what_its_server_lacks() -> None:
    """Without an active profile nothing fills it in."""
    found: Dict[str, Any] = reports(
        """
        import json, os, warnings
        import tf1compat_gpu
        def said(profile):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                tf1compat_gpu.make_run_config(profile)
            return [str(w.message) for w in caught if w.category.__name__ == "Tf1CompatWarning"]
        profile = {"inter_op_parallelism_threads": 2, "gpu_options": {"allow_growth": True}, "allow_soft_placement": True}
        report(alone=said(profile))
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"chief": ["h:1"], "ps": ["h:2"]}, "task": {"type": "chief", "index": 0}})
        report(cluster=said(profile), growth=said({"gpu_options": {"allow_growth": True}}))
        tf1compat_gpu.install(profile)
        report(active=said(profile))
        """,
        python=interpreter("1.15"),
    )
    assert found["alone"] == found["growth"] == found["active"] == []
    (warned,) = found["cluster"]
    assert "inter_op_parallelism_threads: no effect in a cluster" in warned and "allow_growth" not in warned and "install(profile)" in warned
