"""What needs a second interpreter is skipped where there is none, and never where all are required."""

from __future__ import annotations

import sys

import pytest

from tests import conftest
from tests.interpreters import interpreter, release_of


@pytest.fixture(autouse=True)
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF1COMPAT_PYTHON_1_0", raising=False)


def test_own_release_needs_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    release = release_of(sys.executable)
    if not release:
        pytest.skip("TensorFlow is not installed")
    monkeypatch.setenv("TF1COMPAT_PYTHON_" + release.replace(".", "_"), "/no/such/python")
    assert interpreter(release) == sys.executable


def test_missing_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "REQUIRE_ALL", False)
    with pytest.raises(pytest.skip.Exception, match="no interpreter with TensorFlow 1.0: set TF1COMPAT_PYTHON_1_0"):
        interpreter("1.0")


def test_missing_fails_where_all_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "REQUIRE_ALL", True)
    with pytest.raises(pytest.fail.Exception, match="set TF1COMPAT_PYTHON_1_0"):
        interpreter("1.0")


def test_wrong_release_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF1COMPAT_PYTHON_1_0", sys.executable)
    with pytest.raises(pytest.fail.Exception, match="TF1COMPAT_PYTHON_1_0 names"):
        interpreter("1.0")
