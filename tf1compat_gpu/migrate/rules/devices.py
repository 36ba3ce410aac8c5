"""Calls that make devices with default options, and so settle threads and GPU memory before the configured session."""

from __future__ import annotations

import ast
from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding

_CALLS = {
    "tensorflow.python.client.device_lib.list_local_devices": "list_local_devices(session_config=make_config(PROFILE))",
    "tensorflow.test.is_gpu_available": "tf.config.list_physical_devices('GPU')",
    "tensorflow.test.gpu_device_name": "tf.config.list_physical_devices('GPU')",
}

_NAMES = {name.rpartition(".")[2] for name in _CALLS}


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def check(facts: Facts) -> Iterator[Finding]:
    """Each such call without a config of its own."""
    for node in facts.nodes.of(ast.Call):
        if _last(node.func) in _NAMES:
            instead = _CALLS.get(facts.names.symbol(node.func) or "")
            if instead and not node.args and not any(keyword.arg == "session_config" for keyword in node.keywords):
                name = (facts.names.symbol(node.func) or "").rpartition(".")[2]
                yield Finding(
                    "device-listing",
                    facts.span(node),
                    "%s() makes devices with default options: the threads and GPU memory of the process are settled then" % name,
                    "write " + instead,
                    finding.SESSION,
                )
