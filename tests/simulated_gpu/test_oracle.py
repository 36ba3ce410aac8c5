"""B2 where there are GPUs: what the eager context's ConfigProto says of GPU fields, by configure() and by printed Python."""

from __future__ import annotations

import json
import pathlib
from typing import Any, List, Tuple

import pytest

from tests.interpreters import interpreter
from tests.profiles.test_every_field import _BY_HAND, tree_of
from tests.runtime.oracle import PROGRAM
from tests.simulated_gpu.build import on_gpus

pytestmark = [pytest.mark.tensorflow, pytest.mark.interpreters]

_VIRTUAL = "gpu_options.experimental.virtual_devices[]"
#: For two GPUs: the field that is looked at, and what is set.
ROWS: List[Tuple[str, List[Tuple[str, Any]]]] = [
    ("gpu_options.allow_growth", [("gpu_options.allow_growth", True)]),
    ("gpu_options.per_process_gpu_memory_fraction", [("gpu_options.per_process_gpu_memory_fraction", 0.4)]),
    ("gpu_options.per_process_gpu_memory_fraction", [("gpu_options.per_process_gpu_memory_fraction", 1.5)]),
    ("gpu_options.per_process_gpu_memory_fraction", [("gpu_options.per_process_gpu_memory_fraction", 0.4), ("gpu_options.allow_growth", True)]),
    ("gpu_options.allow_growth", [("gpu_options.per_process_gpu_memory_fraction", 0.4), ("gpu_options.allow_growth", True)]),
    ("gpu_options.visible_device_list", [("gpu_options.visible_device_list", "0")]),
    ("gpu_options.visible_device_list", [("gpu_options.visible_device_list", "1")]),
    ("gpu_options.visible_device_list", [("gpu_options.visible_device_list", "0,1")]),
    ("device_count", [("device_count", {"GPU": 0})]),
    ("device_count", [("device_count", {"GPU": 1})]),
    ("gpu_options.allow_growth", [("device_count", {"CPU": 3}), ("gpu_options.allow_growth", True)]),
    (_VIRTUAL + ".memory_limit_mb", [("gpu_options.visible_device_list", "1"), (_VIRTUAL + ".memory_limit_mb", [100.0, 200.5])]),
    ("gpu_options.allow_growth", [("gpu_options.visible_device_list", "0"), (_VIRTUAL + ".memory_limit_mb", [50.0]), ("gpu_options.allow_growth", True)]),
    (_VIRTUAL + ".priority", [("gpu_options.visible_device_list", "0"), (_VIRTUAL + ".memory_limit_mb", [100.0, 200.0]), (_VIRTUAL + ".priority", [0, -1])]),
    (
        _VIRTUAL + ".device_ordinal",
        [("gpu_options.visible_device_list", "0"), (_VIRTUAL + ".memory_limit_mb", [100.0, 200.0]), (_VIRTUAL + ".device_ordinal", [1, 0])],
    ),
    ("gpu_options.force_gpu_compatible", [("gpu_options.force_gpu_compatible", True)]),
    ("gpu_options.experimental.timestamped_allocator", [("gpu_options.experimental.timestamped_allocator", True)]),
]


@pytest.mark.parametrize("release", ["2.16", "2.21"])
def test_gpu_fields(release: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps([(path, tree_of(settings), settings) for path, settings in ROWS]))
    found = on_gpus(_BY_HAND + PROGRAM, (256, 256), tmp_path, interpreter(release))
    print("TensorFlow %s: %d pairs agree by configure(), %d by printed Python" % (release, *found["agreed"].values()))
    assert found["wrong"] == [] and found["refused"] == [] and found["started"] is False
    assert found["agreed"]["configure"] == len(ROWS)
    assert set(found["paths"]["configure"]) == {path for path, _ in ROWS}
    assert {"gpu_options.allow_growth", "gpu_options.visible_device_list", "device_count", _VIRTUAL + ".priority"} <= set(found["paths"]["printed"])
