"""TensorFlow 1's names where no tool can follow them: getattr, and code in strings."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding

_CODE = re.compile(r"\btf\.(ConfigProto|Session|InteractiveSession|GPUOptions)\(")
_NAMES = ("ConfigProto", "Session", "InteractiveSession", "GPUOptions")


def check(facts: Facts) -> Iterator[Finding]:
    """Each getattr(tf, "ConfigProto") and the like, and each string that holds such code (strings that stand by themselves are documentation)."""
    documents = {id(statement.value) for statement in facts.nodes.of(ast.Expr)}
    for call in facts.nodes.of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) >= 2:
            name = call.args[1]
            if facts.names.symbol(call.args[0]) == "tensorflow" and isinstance(name, ast.Constant) and name.value in _NAMES:
                yield Finding("hidden", facts.span(call), "getattr(tf, %r) is not followed" % name.value, "write the name itself", finding.RUN)
    for node in facts.nodes.of(ast.Constant):
        if isinstance(node.value, str) and id(node) not in documents and _CODE.search(node.value):
            yield Finding("hidden", facts.span(node), "a string holds TensorFlow 1 code, which is not followed", "look at it by hand", finding.RUN)
