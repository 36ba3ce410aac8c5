"""Keras' set_session: gone from Keras 3, and without effect in TensorFlow 2's eager mode."""

from __future__ import annotations

import ast
from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding


def check(facts: Facts) -> Iterator[Finding]:
    """Each call of set_session."""
    for node in facts.nodes.of(ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "set_session":
            symbol = facts.names.symbol(node.func) or ""
            if "keras" in symbol:
                yield Finding(
                    "keras-session",
                    facts.span(node),
                    "set_session configures Keras of TensorFlow 1 alone",
                    "configure(PROFILE) before the model is built takes its place",
                    finding.TF2,
                )
