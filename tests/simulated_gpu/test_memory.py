"""B3: what a session from a profile reserves on pretend GPUs, and what a TF2 program does after configure()."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List, Tuple

import pytest

from tests.interpreters import interpreter
from tests.simulated_gpu.build import on_gpus

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]

MIB = 1 << 20
MEMORY = (512, 512, 256)
#: Runs an op on every GPU, in the order in which TensorFlow numbers them: each makes its reservation then.
_PRELUDE = """
import warnings
warnings.simplefilter("ignore")
from tf1compat_gpu import configure, make_plan, make_session
def session(profile):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 2])
        with make_session(profile) as made:
            gpus = [device.name for device in made.list_devices() if device.device_type == "GPU"]
            for number in range(len(gpus)):
                with tf.device("/gpu:%d" % number):
                    y = tf.matmul(x, x)
                assert made.run(y, {x: np.ones([2, 2])}).tolist() == [[2.0, 2.0], [2.0, 2.0]]
def program(profile):
    plan = configure(profile)
    with tf.device("/cpu:0"):
        x = tf.ones([2, 2])
    for device in tf.config.list_logical_devices("GPU"):
        with tf.device(device.name):
            assert tf.matmul(x, x).numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
    report(gaps=[gap.path for gap in plan.gaps])
"""
CASES: Dict[str, Tuple[Dict[str, Any], Dict[str, str]]] = {
    "default": ({}, {}),
    "fraction 0.4": ({"per_process_gpu_memory_fraction": 0.4}, {}),
    "growth": ({"allow_growth": True}, {}),
    "growth and fraction": ({"allow_growth": True, "per_process_gpu_memory_fraction": 0.4}, {}),
    'visible "1"': ({"visible_device_list": "1"}, {}),
    'visible "0,2"': ({"visible_device_list": "0,2"}, {}),
    'visible "1,0"': ({"visible_device_list": "1,0"}, {}),
    "device_count 0": ({"device_count": {"GPU": 0}}, {}),
    "device_count 1": ({"device_count": {"GPU": 1}}, {}),
    "device_count 2": ({"device_count": {"GPU": 2}}, {}),
    "growth forced": ({"allow_growth": False}, {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}),
    "visible, growth, fraction": ({"visible_device_list": "0,2", "allow_growth": True, "per_process_gpu_memory_fraction": 0.5}, {}),
}


def compared(python: str, folder: pathlib.Path, profile: Dict[str, Any], env: Dict[str, str]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """What a session reserves, and what a TF2 program does."""
    return (
        on_gpus(_PRELUDE + "session(%r)" % profile, MEMORY, folder, python, env),
        on_gpus(_PRELUDE + "program(%r)" % profile, MEMORY, folder, python, env),
    )


def test_gpu_options(tmp_path: pathlib.Path) -> None:
    """On 2.16, where plug-in devices obey gpu_options."""
    python = interpreter("2.16")
    differing: List[str] = []
    rows = []
    for name, (profile, env) in CASES.items():
        session, program = compared(python, tmp_path, profile, env)
        rows.append((name, session, program))
        print("%-28s session %s in order %s; TF2 %s in order %s" % (name, *(part for one in (session, program) for part in (_mib(one), one["order"]))))
        same = session["order"] == program["order"] and all(abs(a - b) <= MIB for a, b in zip(session["reserved"], program["reserved"]))
        if not same:
            differing.append(name)
            assert program["gaps"], "%s: differs, and the plan did not say so" % name
    assert differing == ['visible "1,0"']
    seen = {name: (_mib(session), session["order"]) for name, session, _ in rows}
    assert seen["fraction 0.4"] == ([204, 204, 102], [0, 1, 2])
    assert seen['visible "1"'][1] == [1] and seen['visible "0,2"'][1] == [0, 2] and seen['visible "1,0"'][1] == [1, 0]
    assert [seen["device_count %d" % count][1] for count in (0, 1, 2)] == [[], [0], [0, 1]]
    for name in ("growth", "growth and fraction", "growth forced"):
        assert 0 < max(seen[name][0]) <= 4, name
    assert seen["default"][0][0] > 250


def _mib(found: Dict[str, Any]) -> List[int]:
    return [size // MIB for size in found["reserved"]]


def test_pluggable_device_options(tmp_path: pathlib.Path) -> None:
    """On 2.21, where plug-in devices read pluggable_device_options alone, and nothing copies gpu_options there."""
    python = interpreter("2.21")
    for fields, wanted in (
        ({"per_process_gpu_memory_fraction": 0.4}, ([204, 204, 102], [0, 1, 2])),
        ({"allow_growth": True}, None),
        ({"visible_device_list": "GPU:1"}, (None, [1])),
        ({"allow_growth": True, "per_process_gpu_memory_fraction": 0.4, "visible_device_list": "GPU:0,GPU:2"}, (None, [0, 2])),
    ):
        session, program = compared(python, tmp_path, {"pluggable_device_options": fields}, {})
        assert _mib(session) == _mib(program) and session["order"] == program["order"], fields
        assert program["gaps"] == [], fields
        if wanted is None:
            assert 0 < max(_mib(session)) <= 4
        else:
            assert wanted[0] in (None, _mib(session)) and wanted[1] == session["order"]
    session, _ = compared(python, tmp_path, {"per_process_gpu_memory_fraction": 0.4}, {})
    assert _mib(session)[0] > 0.5 * MEMORY[0], "gpu_options are not for a plug-in device there"


def test_cap_is_kept_under_growth(tmp_path: pathlib.Path) -> None:
    """R28: growth with a cap loses neither: the memory grows, and not past 0.4 of the card."""
    python = interpreter("2.16")
    program = (
        _PRELUDE
        + """
configure({"allow_growth": True, "per_process_gpu_memory_fraction": 0.4})
with tf.device("/cpu:0"):
    one, x = tf.ones([]), tf.zeros([2560, 1024])
with tf.device("/gpu:0"):
    kept = []
    try:
        for _ in range(40):
            kept.append(tf.add(x, one))  # 10 MiB each
        report(outcome="no end")
    except tf.errors.ResourceExhaustedError:
        report(outcome="ResourceExhaustedError", megabytes=10 * len(kept))
"""
    )
    found = on_gpus(program, MEMORY, tmp_path, python)
    assert found["outcome"] == "ResourceExhaustedError"
    assert found["reserved"][0] <= 0.4 * 512 * MIB + MIB
    assert found["reserved"][0] >= 0.4 * 512 * MIB - 12 * MIB


def test_who_comes_first_decides(tmp_path: pathlib.Path) -> None:
    """R33: eager code takes the card before a session with a fraction; configure() before it keeps the limit."""
    python = interpreter("2.16")
    op = "with tf.device('/cpu:0'):\n    x = tf.ones([2, 2])\nwith tf.device('/gpu:0'):\n    tf.matmul(x, x)\n"
    late = _PRELUDE + op + "print(raised(session, {}) or 'no conflict')\nsession({'per_process_gpu_memory_fraction': 0.25})"
    early = _PRELUDE + "configure({'per_process_gpu_memory_fraction': 0.25})\n" + late[len(_PRELUDE) :]
    assert _mib(on_gpus(late, MEMORY, tmp_path, python))[0] > 256
    assert _mib(on_gpus(early, MEMORY, tmp_path, python))[0] == 128


def test_unequal_cards(tmp_path: pathlib.Path) -> None:
    """R32: a fraction is one of each card's own total."""
    found = on_gpus(_PRELUDE + "program({'per_process_gpu_memory_fraction': 0.25})", (512, 256), tmp_path, interpreter("2.16"))
    assert _mib(found) == [128, 64]


def test_growth_is_for_every_gpu_that_is_used(tmp_path: pathlib.Path) -> None:
    """R25: growth on one of several would raise at the first op."""
    found = on_gpus(_PRELUDE + "program({'allow_growth': True})", MEMORY, tmp_path, interpreter("2.16"))
    assert found["order"] == [0, 1, 2] and max(_mib(found)) <= 4


def test_gpu_count_0(tmp_path: pathlib.Path) -> None:
    """R58: no device is made, and other GPU options ask for nothing."""
    profile = {"device_count": {"GPU": 0}, "allow_growth": True, "per_process_gpu_memory_fraction": 0.4}
    session, program = compared(interpreter("2.16"), tmp_path, profile, {})
    assert session["order"] == program["order"] == [] and program["gaps"] == []


def test_a_second_list_is_refused(tmp_path: pathlib.Path) -> None:
    """R52: visible by configure(), and a session with another list or with none."""
    found = on_gpus(
        _PRELUDE
        + """
configure({"visible_device_list": "1"})
report(missing=raised(session, {"allow_soft_placement": True}), other=raised(session, {"visible_device_list": "0"}), same=raised(session, {"visible_device_list": "1"}))
report(out_of_range=raised(configure, {"visible_device_list": "9"}))
""",
        MEMORY,
        tmp_path,
        interpreter("2.16"),
    )
    for name in ("missing", "other"):
        kind, message = found[name]
        assert kind == "ProfileError" and "visible_device_list" in message and "this process has '1' since configure() at " in message
    assert found["same"] is None and found["order"] == [1]
    kind, message = found["out_of_range"]
    assert kind == "ProfileError" and "names GPU 9, and TensorFlow sees 3: 0 to 2" in message
