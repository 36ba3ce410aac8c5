"""Interpreters with other TensorFlow releases, for tests that compare releases.

TF1COMPAT_PYTHON_1_15, TF1COMPAT_PYTHON_2_4, TF1COMPAT_PYTHON_2_10, TF1COMPAT_PYTHON_2_16 and TF1COMPAT_PYTHON_2_21 name them; the running interpreter serves for its
own release. What is missing is skipped with its reason, and is a failure under TF1COMPAT_REQUIRE_ALL=1.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache

import pytest

from tests import conftest
from tests.programs import reports

_RELEASE = """
from tf1compat_gpu.profiles.fields import format_release, parse_release
from tf1compat_gpu.runtime.distributions import installed, tensorflows
found = installed()
report(release=next((format_release(parse_release(found[name])) for name in tensorflows(found)), ""))
"""


@lru_cache(maxsize=None)
def release_of(python: str) -> str:
    """The release of an interpreter's TensorFlow, as 2.21; "" without one."""
    release = reports(_RELEASE, python=python)["release"]
    assert isinstance(release, str)
    return release


def interpreter(release: str) -> str:
    """The path of a Python with that TensorFlow release; skips or fails the test where there is none.

    A variable that names a Python with another release fails the test: it would compare a release with itself.
    """
    if release == release_of(sys.executable):
        return sys.executable
    name = "TF1COMPAT_PYTHON_" + release.replace(".", "_")
    python = os.environ.get(name)
    if python:
        if release_of(python) != release:
            pytest.fail("%s names %s, whose TensorFlow is %s" % (name, python, release_of(python) or "missing"))
        return python
    reason = "no interpreter with TensorFlow %s: set %s" % (release, name)
    if conftest.REQUIRE_ALL:
        pytest.fail(reason)
    pytest.skip(reason)
