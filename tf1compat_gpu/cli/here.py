"""What TensorFlow says of itself when it is imported, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any, Dict, Optional, Tuple

from tf1compat_gpu.runtime.distributions import Problem

_MARK = "@@tf1compat "
_PROBE = """
import json
import tensorflow as tf
devices = tf.config.experimental.list_physical_devices()
build = getattr(getattr(tf, "sysconfig", None), "get_build_info", dict)()
print(%r + json.dumps({
    "version": tf.__version__, "file": tf.__file__, "cuda": bool(tf.test.is_built_with_cuda()),
    "cuda_version": str(build.get("cuda_version", "")), "devices": [device.name for device in devices],
}))
"""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def tensorflow_here(python: str = sys.executable) -> Tuple[Dict[str, Any], Optional[Problem]]:
    """Version, file, CUDA and devices of the TensorFlow that this interpreter imports; or what is wrong with it."""
    command = [python, "-c", _PROBE % _MARK]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)  # noqa: UP021, UP022
    marked = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if done.returncode == 0 and marked:
        found: Dict[str, Any] = json.loads(marked[-1][len(_MARK) :])
        return found, None
    if done.returncode < 0:
        text = "importing TensorFlow ended with %s" % _signal_name(-done.returncode)
        help = "this build may need instructions that this processor lacks: install another build or release"
        return {"error": text}, Problem(text, help)
    reason = (done.stderr.strip().splitlines() or ["exit status %d" % done.returncode])[-1]
    return {"error": reason}, Problem("TensorFlow can't be imported: %s" % reason, "run `%s -c 'import tensorflow'` to see all of it" % python)
