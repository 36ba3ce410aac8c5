"""What the first session fixes for the process, and what is said to a later profile that wants otherwise."""

from __future__ import annotations

import pytest

from tests.programs import reports

pytestmark = pytest.mark.tensorflow

#: Threads that a session may start beside its pools: the pools below are made large enough to tell.
_NOISE = 8

_PRELUDE = """
import os, warnings
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
from tf1compat_gpu import make_session
kept = []
def threads():
    return len(os.listdir("/proc/self/task"))
def added(call, *arguments, **keywords):
    # A session starts all threads of its pools at once. Beside them 1.15 starts up to NOISE others, one at a time.
    before = threads()
    kept.append(call(*arguments, **keywords))
    return threads() - before
def warned(*arguments, **keywords):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept.append(make_session(*arguments, **keywords))
    return [str(w.message) for w in caught if w.category.__name__ == "Tf1CompatWarning"]
"""


def test_later_threads_are_warned_of_and_have_no_effect() -> None:
    """R66: sessions (50, 70), then (110, 130), then with a pool of its own."""
    found = reports(
        _PRELUDE
        + """
first = added(make_session, {"intra_op_parallelism_threads": 50, "inter_op_parallelism_threads": 70})
report(first=first)
report(later=warned({"intra_op_parallelism_threads": 110, "inter_op_parallelism_threads": 130}))
report(later_threads=added(tf.Session, config=tf.ConfigProto(intra_op_parallelism_threads=110, inter_op_parallelism_threads=130)))
report(own=warned({"intra_op_parallelism_threads": 50, "inter_op_parallelism_threads": 30, "use_per_session_threads": True}))
report(own_threads=added(make_session, {"intra_op_parallelism_threads": 50, "inter_op_parallelism_threads": 30, "use_per_session_threads": True}))
report(same=warned({"intra_op_parallelism_threads": 50, "inter_op_parallelism_threads": 70}), unset=warned({"allow_soft_placement": True}))
report(strict=raised(make_session, {"intra_op_parallelism_threads": 110}, strict=True))
"""
    )
    assert found["first"] >= 50 + 70
    (message,) = found["later"]
    for part in (
        "intra_op_parallelism_threads: 110",
        "has 50",
        "inter_op_parallelism_threads: 130",
        "has 70",
        "the session made at ",
        "use_per_session_threads: true",
        "first session",
    ):
        assert part in message, part
    assert 0 <= found["later_threads"] <= _NOISE
    assert found["own"] == []
    assert 30 <= found["own_threads"] <= 30 + _NOISE
    assert (found["same"], found["unset"]) == ([], [])
    kind, message = found["strict"]
    assert kind == "ProfileError" and "intra_op_parallelism_threads: 110" in message


def test_an_earlier_unused_session_spoils_single_threading() -> None:
    """R71: tf.Session() first, then threads 1/1."""
    found = reports(
        _PRELUDE
        + """
tf.Session()
report(warned=warned({"intra_op_parallelism_threads": 1, "inter_op_parallelism_threads": 1}))
"""
    )
    (message,) = found["warned"]
    assert "intra_op_parallelism_threads: 1 has no effect" in message and "a session that was made without a profile" in message


def test_the_default_is_called_so() -> None:
    found = reports(_PRELUDE + 'make_session({})\nreport(warned=warned({"intra_op_parallelism_threads": 3}))\n')
    (message,) = found["warned"]
    assert "intra_op_parallelism_threads: 3 has no effect, this process has 0 (the default) since the session made at " in message


def test_an_eager_operation_before_the_session_is_named() -> None:
    found = reports(
        """
        import warnings
        import tensorflow as tf
        from tf1compat_gpu import make_session
        if tf.__version__.startswith("1."):
            tf.compat.v1.enable_eager_execution()
        tf.constant(1) + 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with tf.Graph().as_default():
                tf.constant(1)
                make_session({"intra_op_parallelism_threads": 3})
        report(warned=[str(w.message) for w in caught if w.category.__name__ == "Tf1CompatWarning"])
        """
    )
    (message,) = found["warned"]
    assert "intra_op_parallelism_threads: 3 has no effect" in message and "eager context" in message


def test_list_local_devices_before_the_session_is_named() -> None:
    """R46, where it can be known: the sessions are wrapped, so the listing is too."""
    found = reports(
        _PRELUDE
        + """
from tf1compat_gpu import install
install({})
from tensorflow.python.client import device_lib
device_lib.list_local_devices()
report(warned=warned({"intra_op_parallelism_threads": 3}))
"""
    )
    (message,) = found["warned"]
    assert "device_lib.list_local_devices() at " in message


def test_one_visible_list_serves_a_process() -> None:
    """R50: without a GPU a warning, with the cure; TensorFlow itself crashes or says nothing."""
    found = reports(
        _PRELUDE
        + """
make_session({"gpu_options": {"visible_device_list": "1"}})
report(other=warned({"gpu_options": {"visible_device_list": "0"}}), missing=warned({"gpu_options": {"allow_growth": False}}), none=warned({"device_count": {"GPU": 0}}))
report(further=warned({"gpu_options": {"visible_device_list": "1,2"}}))
from tf1compat_gpu.runtime import tensorflow
tensorflow.gpus_present = lambda: True  # no GPU here: what a host with one would answer
report(with_gpu=raised(make_session, {"gpu_options": {"visible_device_list": "0"}}))
"""
    )
    (message,) = found["other"]
    assert "gpu_options.visible_device_list: '0'" in message and "has '1'" in message and "CUDA_VISIBLE_DEVICES" in message
    (message,) = found["missing"]
    assert "gpu_options.visible_device_list: ''" in message
    assert found["none"] == found["further"] == []
    assert found["with_gpu"][0] == "ProfileError" and "visible_device_list" in found["with_gpu"][1]


def test_threads_from_the_environment_where_the_profile_leaves_them() -> None:
    """R45: the variables count where the field is 0 or unset, and the profile where it is set."""
    variables = {"TF_NUM_INTRAOP_THREADS": "90", "TF_NUM_INTEROP_THREADS": "40"}
    program = _PRELUDE + "report(added=added(make_session, %s))"
    unset = reports(program % "{}", variables)["added"]
    zero = reports(program % '{"intra_op_parallelism_threads": 0, "inter_op_parallelism_threads": 0}', variables)["added"]
    both = reports(program % '{"intra_op_parallelism_threads": 3, "inter_op_parallelism_threads": 2}', variables)["added"]
    assert abs(unset - zero) <= _NOISE
    assert unset >= 90 + 40
    assert both <= 3 + 3 + 2 + _NOISE  # 1.15 makes two pools of the first size
