"""Compiles the pretend GPUs for the TensorFlow of an interpreter, and runs programs on them."""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from typing import Any, Dict, List, Mapping, Optional, Sequence

import pytest

from tests import conftest
from tests.programs import reports

_FOLDER = pathlib.Path(__file__).parent
SOURCES = ("device.cc", "kernels.cc")
_FLAGS = """
import tensorflow as tf
report(compile=tf.sysconfig.get_compile_flags(), link=tf.sysconfig.get_link_flags(), version=tf.__version__)
"""
#: What a program starts with to have the pretend GPUs.
PREAMBLE = """
import os
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import load_library
load_library.load_pluggable_device_library(os.environ["SIMULATED_GPU_LIBRARY"])
v1 = tf.compat.v1
"""


@lru_cache(maxsize=None)
def library(python: str = sys.executable) -> str:
    """The path of the plug-in, compiled for an interpreter's TensorFlow; kept outside of the repository.

    Skips the test where there is no g++, and fails it where everything is required.
    """
    compiler = shutil.which("g++")
    if compiler is None:
        reason = "pretend GPUs need g++, which was not found"
        if conftest.REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)
    flags = reports(_FLAGS, python=python)
    digest = hashlib.sha256(b"".join((_FOLDER / name).read_bytes() for name in SOURCES) + repr(sorted(flags.items())).encode()).hexdigest()[:16]
    made = pathlib.Path(tempfile.gettempdir()) / ("tf1compat-simulated-gpu-%s.so" % digest)
    if not made.exists():
        # Renamed into place at the end: several test processes may do this at once.
        handle, temporary = tempfile.mkstemp(suffix=".so", dir=str(made.parent))
        os.close(handle)
        command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", *(str(_FOLDER / name) for name in SOURCES), "-o", temporary]
        done = subprocess.run(command + flags["compile"] + flags["link"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        os.replace(temporary, str(made))
    return str(made)


def on_gpus(
    code: str, memory_mib: Sequence[int], folder: pathlib.Path, python: str = sys.executable, env: Optional[Mapping[str, str]] = None
) -> Dict[str, Any]:
    """What a program reports that runs on pretend GPUs with so much memory.

    Beside that, `reserved`: bytes by device; and `order`: the devices in the order in which they were first reserved on.
    """
    log = folder / ("reservations-%d" % len(list(folder.iterdir())))
    log.touch()
    variables = {"SIMULATED_GPU_MEMORY_MIB": ",".join(str(size) for size in memory_mib), "SIMULATED_GPU_LOG": str(log)}
    variables["SIMULATED_GPU_LIBRARY"] = library(python)
    found = reports(PREAMBLE + code, env=dict(variables, **(env or {})), python=python, cwd=str(folder))
    reserved: List[int] = [0] * len(memory_mib)
    order: List[int] = []
    for line in log.read_text().splitlines():
        device, size = (int(part) for part in line.split())
        reserved[device] += size
        order += [device] if device not in order else []
    return dict(found, reserved=reserved, order=order)
