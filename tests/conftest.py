"""What every test starts from: no launcher's, TensorFlow's or this package's variables; TensorFlow where it is needed."""

from __future__ import annotations

import importlib.util
import os
from typing import Tuple

import pytest

from tf1compat_gpu.plans.variables import START, VARIABLES
from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.profiles.fields import parse_release
from tf1compat_gpu.runtime.distributions import installed, tensorflows

REQUIRE_ALL = os.environ.get("TF1COMPAT_REQUIRE_ALL") == "1"
_KEPT = ("TF1COMPAT_REQUIRE_ALL", "TF1COMPAT_PYTHON_")


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def installed_release() -> Tuple[int, ...]:
    """The installed TensorFlow's release; () without one."""
    found = installed()
    return next((parse_release(found[name]) for name in tensorflows(found)), ())


def pytest_runtest_setup(item: pytest.Item) -> None:
    release = installed_release()
    if item.get_closest_marker("tensorflow2") and release and release < (2, 0):
        pytest.skip("it is about TensorFlow 2")
    missing = None
    if item.get_closest_marker("tensorflow") and not _has("tensorflow"):
        missing = "TensorFlow is not installed"
    elif item.get_closest_marker("keras2") and release >= (2, 16) and not _has("tf_keras"):
        missing = 'tf_keras is not installed: pip install --no-deps "tf_keras==%d.%d.*"' % release[:2]
    elif item.get_closest_marker("slim") and release >= (2, 0) and not _has("tf_slim"):
        missing = "tf_slim is not installed"
    if missing and REQUIRE_ALL:
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {name for row in launchers.LAUNCHERS for name in (row.local, row.world, row.local_size)}
    names |= {variable.name for variable in VARIABLES if variable.deadline != START} | {"TF_CONFIG", "HOSTNAME"}
    names |= {name for name in os.environ if name.startswith("TF1COMPAT_") and not name.startswith(_KEPT)}
    for name in names:
        monkeypatch.delenv(name, raising=False)
