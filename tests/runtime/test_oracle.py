"""B2: every rule that claims exact or carried, against the runtime's own ConfigProto."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from tests.interpreters import interpreter, release_of
from tests.profiles.test_every_field import _BY_HAND
from tests.programs import reports
from tests.runtime.oracle import PROGRAM, rows
from tf1compat_gpu.plans.rules import Fidelity, all_rules
from tf1compat_gpu.profiles import fields

pytestmark = pytest.mark.tensorflow


def prove(python: str, folder: pathlib.Path) -> None:
    release = fields.parse_release(release_of(python))
    (folder / "rows.json").write_text(json.dumps(rows(release)))
    found = reports(_BY_HAND + PROGRAM, python=python, cwd=str(folder), timeout=300)
    print("TensorFlow %s: %d field-value pairs agree by configure(), %d by printed Python" % (fields.format_release(release), *found["agreed"].values()))
    assert found["wrong"] == []
    assert found["refused"] == []
    assert found["started"] is False
    # Nothing that claims to be carried is left out, apart from what needs a GPU or a plug-in device.
    claimed = {rule.path for rule in all_rules() if rule.fidelity in (Fidelity.EXACT, Fidelity.CARRIED)}
    claimed = {path for path in claimed if fields.paths()[path].first <= release <= fields.paths()[path].last}
    unproved = claimed - set(found["paths"]["configure"])
    assert {path for path in unproved if not path.startswith(("gpu_options.experimental.virtual_devices", "pluggable_device_options"))} == set()


def test_this_release(tmp_path: pathlib.Path) -> None:
    prove(sys.executable, tmp_path)


@pytest.mark.interpreters
@pytest.mark.parametrize("release", ["2.10", "2.16"])
def test_other_releases(release: str, tmp_path: pathlib.Path) -> None:
    prove(interpreter(release), tmp_path)
