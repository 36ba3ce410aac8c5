"""Interpreters with other TensorFlow releases, for tests that compare releases.

TF1COMPAT_PYTHON_1_15, TF1COMPAT_PYTHON_2_4 and TF1COMPAT_PYTHON_2_21 name them; the running interpreter serves for its
own release. What is missing is skipped with its reason, and is a failure under TF1COMPAT_REQUIRE_ALL=1.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import lru_cache

import pytest

from tests.conftest import REQUIRE_ALL
from tf1compat_gpu.profiles.fields import format_release, parse_release
from tf1compat_gpu.runtime.distributions import TENSORFLOW, installed


@lru_cache(maxsize=None)
def own_release() -> str:
    """The release of the running interpreter's TensorFlow, as 2.21; "" without one."""
    if importlib.util.find_spec("tensorflow") is None:
        return ""
    return next((format_release(parse_release(version)) for name, version in installed().items() if name in TENSORFLOW), "")


def interpreter(release: str) -> str:
    """The path of a Python with that TensorFlow release; skips or fails the test where there is none."""
    name = "TF1COMPAT_PYTHON_" + release.replace(".", "_")
    if release == own_release():
        return sys.executable
    if os.environ.get(name):
        return os.environ[name]
    reason = "no interpreter with TensorFlow %s: set %s" % (release, name)
    if REQUIRE_ALL:
        pytest.fail(reason)
    pytest.skip(reason)
