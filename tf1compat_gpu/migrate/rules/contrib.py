"""tf.contrib: where each name is today, or that it has no home."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Set

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding
from tf1compat_gpu.migrate.names import dotted

_NOT_IN_V1 = "nor has tf.compat.v1, in any release: write `import tensorflow as tf`; "


def check(facts: Facts) -> Iterator[Finding]:
    """Each import of tf.contrib, and the first use of each of its modules."""
    seen: Set[str] = set()
    if "contrib" not in facts.source.text:
        return
    called = {name for name, bound in facts.names.bound.items() if _is_contrib(bound)}
    nodes: List[Any] = [*facts.nodes.of(ast.Import), *facts.nodes.of(ast.ImportFrom), *facts.nodes.of(ast.Attribute)]
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names if _is_contrib(alias.name)]
        elif isinstance(node, ast.ImportFrom) and (_is_contrib(node.module or "") or node.module == "tensorflow"):
            found = ["%s.%s" % (node.module, alias.name) for alias in node.names]
            found = [name for name in found if _is_contrib(name)]
        elif isinstance(node, ast.Attribute) and (getattr(node.value, "attr", "") == "contrib" or getattr(node.value, "id", "") in called):
            symbol = facts.names.symbol(node) or ""
            parts = symbol.split(".")
            key = ".".join(parts[:3])
            found = [key] if _is_contrib(symbol) and len(parts) == 3 and key not in seen else []
            seen.update(found)
        else:
            continue
        old = isinstance(node, ast.Attribute) and _under_v1(facts, node)
        for name in found:
            yield Finding(
                "contrib",
                facts.span(node),
                "%s: TensorFlow 2 has no contrib" % name.replace("tensorflow.", "tf.", 1),
                (_NOT_IN_V1 if old else "") + "the runner and tf1compat_gpu.tf1 know where its names are, or say why one is gone",
                finding.IMPORT,
            )


def _under_v1(facts: Facts, node: ast.Attribute) -> bool:
    """Whether it is reached through tf.compat.v1."""
    first, _, rest = (dotted(node) or "").partition(".")
    return (facts.names.bound.get(first, first) + "." + rest).partition(".contrib")[0].endswith("compat.v1")


def _is_contrib(name: str) -> bool:
    return name == "tensorflow.contrib" or name.startswith("tensorflow.contrib.")
