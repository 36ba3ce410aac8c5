"""Calls that start TensorFlow 2's devices: what is configured after them comes too late.

Seen by running them on 2.21: `context.context()._initialized` after each.
"""

from __future__ import annotations

import ast
from typing import Iterator, Tuple

from tf1compat_gpu.migrate.moving import within
from tf1compat_gpu.migrate.page import Page

#: Calls that start the eager context (context.py, Context.ensure_initialized).
STARTING = frozenset(
    "tensorflow." + name
    for name in (
        "constant", "convert_to_tensor", "zeros", "ones", "range", "add", "matmul", "Variable", "random.uniform", "random.normal", "device",
        "config.list_logical_devices", "config.experimental.list_logical_devices", "data.Dataset.range", "data.Dataset.from_tensor_slices",
        "distribute.MirroredStrategy", "summary.create_file_writer",
    )
)  # fmt: skip


def started_before(page: Page, statement: ast.stmt) -> Iterator[Tuple[ast.Call, str]]:
    """The calls that start the devices above a statement, in the module's own body or in the statement's function.

    Yields:
        The call and its name, `tf.constant`.
    """
    for function in (page.tree, *(node for node in ast.walk(page.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))):
        body = function.body
        if function is not page.tree and not within(statement, function):
            continue
        for earlier in body:
            if earlier.lineno >= statement.lineno or isinstance(earlier, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            for node in ast.walk(earlier):
                symbol = page.names.symbol(node.func) if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Call) and symbol in STARTING and node.lineno < statement.lineno:
                    yield node, str(symbol).replace("tensorflow.", "tf.", 1)
