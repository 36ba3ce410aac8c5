"""Situations from the field that need a session to show."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.programs import reports, run

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def found() -> Dict[str, Any]:
    return reports(
        """
        import warnings
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import make_config, make_session
        def warned(*arguments, **keywords):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                make_session(*arguments, **keywords)
            return [[str(w.message), w.filename, w.lineno] for w in caught if w.category.__name__ == "Tf1CompatWarning"]
        gpu = {"gpu_options": {"allow_growth": True, "visible_device_list": "0"}}
        report(no_gpu=warned(gpu), again=warned(gpu), hidden=warned(dict(gpu, device_count={"GPU": 0})))
        report(strict=raised(make_session, gpu, strict=True))
        with tf.Graph().as_default() as graph:
            with tf.device("/GPU:0"):
                a = tf.constant(1.) * 2
        report(hard=raised(make_session({}, graph=graph).run, a))
        report(soft=float(make_session({"allow_soft_placement": True}, graph=graph).run(a)))
        report(plain=raised(tf.Session(graph=graph).run, a))
        with tf.Graph().as_default() as graph:
            with tf.device("/CPU:3"):
                b = tf.constant(1.) * 3
        four = {"device_count": {"CPU": 4}, "intra_op_parallelism_threads": 1}
        report(fourth=float(make_session(four, graph=graph).run(b)), one=raised(make_session({}, graph=graph).run, b))
        report(positional=raised(tf.Session, make_config({})))
        """
    )


def test_a_config_in_targets_place_is_tensorflows_type_error(found: Dict[str, Any]) -> None:
    """R18."""
    kind, message = found["positional"]
    assert kind == "TypeError" and "Session(config=config)" in message


def test_gpu_profile_without_a_gpu_is_one_warning(found: Dict[str, Any]) -> None:
    """R30."""
    ((message, filename, line),) = found["no_gpu"]
    assert "gpu_options.allow_growth" in message and "gpu_options.visible_device_list" in message and "no GPU" in message
    assert filename in ("<string>", "-c") and line > 0  # the program's own line
    assert (found["again"], found["hidden"]) == ([], [])


def test_gpu_profile_without_a_gpu_is_an_error_under_strict(found: Dict[str, Any]) -> None:
    """R30."""
    assert found["strict"][0] == "ProfileError" and "no GPU" in found["strict"][1]


def test_an_operation_pinned_to_a_missing_gpu(found: Dict[str, Any]) -> None:
    """R72: an error, as in TF1, unless the profile allows soft placement."""
    assert found["hard"][0] == "InvalidArgumentError" and "GPU:0" in found["hard"][1]
    assert found["soft"] == 2.0
    assert found["plain"][0] == "InvalidArgumentError"


def test_device_count_makes_devices(found: Dict[str, Any]) -> None:
    """R62, R68 (session part): four CPU devices, whatever the threads."""
    assert found["fourth"] == 3.0
    assert found["one"][0] == "InvalidArgumentError"


def test_a_tensor_that_was_made_eagerly() -> None:
    """R12: with the facade imported first, everything is built in the graph; after an eager op, the facade says so."""
    first = reports(
        """
        import tf1compat_gpu.tf1 as tf
        a = tf.constant(5.)
        with tf.Session() as session:
            report(answer=float(session.run(a * 2)))
        """
    )
    assert first["answer"] == 10.0
    done = run(
        """
        import tensorflow as native
        if native.__version__.startswith("1."):
            native.compat.v1.enable_eager_execution()
        a = native.constant(5.) + 1
        import tf1compat_gpu.tf1 as tf
        """
    )
    assert done.returncode == 1
    assert "before `import tf1compat_gpu.tf1`" in done.stderr


def test_control_flow_and_variables_are_those_of_tf1() -> None:
    """R14: Switch, Merge and Enter, and reference variables."""
    program = """
    {head}
    p = tf.placeholder(tf.bool)
    c = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    w = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    ops = {{op.type for op in tf.get_default_graph().get_operations()}}
    report(ops=sorted(ops & {{"Switch", "Merge", "Enter", "StatelessIf", "If", "StatelessWhile", "While", "VariableV2", "VarHandleOp"}}))
    with tf.Session() as session:
        report(values=[int(x) for x in session.run([c, w], {{p: False}})])
    """
    found = reports(program.format(head="import tf1compat_gpu.tf1 as tf"))
    assert found["ops"] == ["Enter", "Merge", "Switch", "VariableV2"]
    assert found["values"] == [2, 3]
