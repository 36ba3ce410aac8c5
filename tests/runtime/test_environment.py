"""profile.environment and numerics: set where they can still act, an error where they can't."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.programs import reports
from tf1compat_gpu import load_profile
from tf1compat_gpu.diagnostics import WARNING
from tf1compat_gpu.runtime import environment

pytestmark = pytest.mark.tensorflow


def planned(variables: Dict[str, str], environ: Dict[str, str]) -> Any:
    """The plan in a process that has not loaded TensorFlow: this one."""
    return environment.plan(load_profile({"profile": {"environment": variables}}), environ)


def test_unset_variables_are_set() -> None:
    plan = planned({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "MY_OWN": "1"}, {})
    assert (plan.changes, plan.diagnostics) == ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "MY_OWN": "1"}, ())


def test_a_value_that_is_set_wins_with_a_warning() -> None:
    plan = planned({"TF_FORCE_GPU_ALLOW_GROWTH": "true"}, {"TF_FORCE_GPU_ALLOW_GROWTH": "false"})
    assert plan.changes == {}
    assert [d.severity for d in plan.diagnostics] == [WARNING]
    assert "TF_FORCE_GPU_ALLOW_GROWTH=false is set already" in plan.diagnostics[0].message


def test_the_same_value_is_no_news() -> None:
    plan = planned({"MY_OWN": "1"}, {"MY_OWN": "1"})
    assert (plan.changes, plan.diagnostics) == ({}, ())


@pytest.mark.parametrize(
    "now, wanted, taken",
    [
        ("0,1,2", "1", True),
        ("0,1,2", "2,0", True),
        ("0,1", "-1", True),
        ("0,1", "2", False),
        ("0,1", "0,1,2", False),
        ("1", "0", False),
        ("-1", "0", False),
        ("", "0", False),
    ],
)
def test_cuda_visible_devices_may_be_narrowed_only(now: str, wanted: str, taken: bool) -> None:
    plan = planned({"CUDA_VISIBLE_DEVICES": wanted}, {"CUDA_VISIBLE_DEVICES": now})
    assert (plan.changes == {"CUDA_VISIBLE_DEVICES": wanted}) is taken
    assert bool(plan.diagnostics) is not taken


def test_what_the_interpreter_reads_at_its_start_is_always_too_late() -> None:
    plan = planned({"LD_LIBRARY_PATH": "/opt/cuda/lib64"}, {})
    assert plan.changes == {}
    assert "the interpreter has started already" in plan.diagnostics[0].message
    assert plan.diagnostics[0].help == "start the program with `LD_LIBRARY_PATH=/opt/cuda/lib64 python ...`"


def test_too_late_is_an_error_by_each_variables_deadline() -> None:
    found = reports(
        """
        import os
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        from tf1compat_gpu import make_session
        def with_variable(name, value):
            return raised(make_session, {"profile": {"environment": {name: value}}})
        report(log_level=with_variable("TF_USE_LEGACY_KERAS", "1"))
        report(not_half=raised(make_session, {"profile": {"environment": {"MY_OWN": "1", "TF_USE_LEGACY_KERAS": "1"}}}), own=os.environ.get("MY_OWN"))
        # TensorFlow is imported, no session has been made: in time for what the first device reads.
        report(threads_before=with_variable("TF_NUM_INTRAOP_THREADS", "3"), set=os.environ.get("TF_NUM_INTRAOP_THREADS"))
        report(threads_after=with_variable("TF_NUM_INTEROP_THREADS", "3"), cuda_after=with_variable("CUDA_VISIBLE_DEVICES", "0"), unknown_after=with_variable("MY_OWN", "2"))
        report(failed_profile=raised(make_session, {"profile": {"environment": {"NEVER_SET": "1"}}, "allow_grwoth": True}), never=os.environ.get("NEVER_SET"))
        """
    )
    kind, message = found["log_level"]
    assert kind == "ProfileError"
    assert "TF_USE_LEGACY_KERAS=1 comes too late: TensorFlow is imported already" in message
    assert "TF_USE_LEGACY_KERAS=1 python" in message and "install" in message
    assert found["not_half"][0] == "ProfileError" and found["own"] is None
    assert (found["threads_before"], found["set"]) == (None, "3")
    assert "TensorFlow has made its devices already" in found["threads_after"][1]
    assert "TensorFlow has looked for GPUs already" in found["cuda_after"][1]
    assert found["unknown_after"] is None
    assert found["failed_profile"][0] == "ProfileError" and found["never"] is None


_NUMERICS = """
import os
from tf1compat_gpu import install, make_session
{first}
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
report(failed=raised(make_session, {{"profile": {{"numerics": "tf1"}}}}))
session = make_session({{"device_count": {{"CPU": 1}}}})
a = tf.placeholder(tf.float32, [2, 2])
out = tf.nn.relu(tf.nn.bias_add(tf.matmul(a, tf.ones([2, 2])), tf.ones([2])))
metadata = tf.RunMetadata()
session.run(out, {{a: [[1, 2], [3, 4]]}}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
ops = sorted({{node.op for graph in metadata.partition_graphs for node in graph.node if "MatMul" in node.op}})
tensorflow = __import__("sys").modules["tensorflow"]
tf32 = getattr(tensorflow.config.experimental, "tensor_float_32_execution_enabled", lambda: None)()
version = tuple(int(part) for part in tensorflow.__version__.split(".")[:2])
report(ops=ops, tf32=tf32, variable=os.environ.get("TF_ENABLE_ONEDNN_OPTS"), version=version)
"""


def test_numerics_tf1_installed_first_turns_onednn_and_tf32_off() -> None:
    found = reports(_NUMERICS.format(first='install({"profile": {"numerics": "tf1"}})'))
    assert found["failed"] is None
    assert found["ops"] == ["_FusedMatMul"]
    assert found["tf32"] in (False, None)
    assert (found["tf32"] is None) == (found["version"] < [2, 4])
    assert found["variable"] == "0"


def test_numerics_tf1_after_the_import_is_an_error_only_where_onednn_is_on() -> None:
    found = reports(_NUMERICS.format(first=""))
    if found["version"] < [2, 9]:
        assert found["failed"] is None and found["variable"] is None
    else:
        assert found["failed"][0] == "ProfileError" and "TF_ENABLE_ONEDNN_OPTS=0 comes too late" in found["failed"][1]


def test_make_session_alone_sets_the_environment_before_it_imports_tensorflow() -> None:
    found = reports(
        """
        import os, sys
        from tf1compat_gpu import make_session
        session = make_session({"profile": {"numerics": "tf1", "environment": {"TF_NUM_INTRAOP_THREADS": "2"}}})
        report(variable=os.environ.get("TF_ENABLE_ONEDNN_OPTS"), threads=os.environ.get("TF_NUM_INTRAOP_THREADS"), kind=type(session).__name__)
        """
    )
    assert found == {"variable": "0", "threads": "2", "kind": "Session"}
