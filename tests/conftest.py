"""What every test starts from: no launcher's, TensorFlow's or this package's variables; TensorFlow where it is needed."""

from __future__ import annotations

import importlib.util
import os

import pytest

from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.runtime.variables import START, VARIABLES

REQUIRE_ALL = os.environ.get("TF1COMPAT_REQUIRE_ALL") == "1"
_KEPT = ("TF1COMPAT_REQUIRE_ALL", "TF1COMPAT_PYTHON_")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("tensorflow") and importlib.util.find_spec("tensorflow") is None:
        reason = "TensorFlow is not installed"
        if REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {name for row in launchers.LAUNCHERS for name in (row.local, row.world, row.local_size)}
    names |= {variable.name for variable in VARIABLES if variable.deadline != START} | {"TF_CONFIG", "HOSTNAME"}
    names |= {name for name in os.environ if name.startswith("TF1COMPAT_") and not name.startswith(_KEPT)}
    for name in names:
        monkeypatch.delenv(name, raising=False)
