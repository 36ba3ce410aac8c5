"""A variable that TensorFlow or CUDA reads, set in the program: in time, or too late."""

from __future__ import annotations

import ast
from typing import Iterator, Optional, Tuple

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.evaluate import text
from tf1compat_gpu.migrate.finding import Facts, Finding

_PREFIXES = ("CUDA_", "TF_", "NVIDIA_TF32", "OMP_NUM_THREADS", "KMP_")


def _written(node: ast.AST, facts: Facts) -> Optional[Tuple[str, str]]:
    """The variable and the value that a statement sets."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
        if facts.names.symbol(target.value) == "os.environ" and isinstance(target.slice, ast.Constant):
            return str(target.slice.value), text(node.value)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("putenv", "setdefault")
        and (facts.names.symbol(node.func) or "") in ("os.putenv", "os.environ.setdefault")
        and len(node.args) == 2
    ):
        if isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value), text(node.args[1])
    return None


def check(facts: Facts) -> Iterator[Finding]:
    """Each write of such a variable; one below the module's `import tensorflow` may come too late."""
    imported = min((node.lineno for node in facts.tree.body if _imports_tensorflow(node)), default=None)
    for node in [*facts.nodes.of(ast.Assign), *facts.nodes.of(ast.Call)]:
        found = _written(node, facts)
        if found is None or not found[0].startswith(_PREFIXES):
            continue
        name, value = found
        late = imported is not None and getattr(node, "lineno", 0) > imported and name.startswith(("TF_", "KMP_", "OMP_", "NVIDIA"))
        message = "%s is set to %s%s" % (name, value, ", after TensorFlow was imported, which may have read it already" if late else "")
        yield Finding("environment", facts.span(node), message, "profile: {environment: {%s: ...}} sets it in time" % name, finding.SESSION, late)


def _imports_tensorflow(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in ("tensorflow", "keras") for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("tensorflow", "keras")
