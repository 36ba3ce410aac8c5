"""tf.estimator: TensorFlow 2.16 removed it."""

from __future__ import annotations

import ast
from typing import Iterator, Set

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding


def check(facts: Facts) -> Iterator[Finding]:
    """The first use of each name of tf.estimator; ModeKeys alone is none."""
    seen: Set[str] = set()
    if "estimator" not in facts.source.text:
        return
    nodes = [*facts.nodes.of(ast.Attribute), *facts.nodes.of(ast.Name)]
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset)):
        symbol = facts.names.symbol(node)
        if symbol and symbol.startswith("tensorflow.estimator."):
            name = symbol.split(".")[2]
            if name not in seen and name != "ModeKeys":
                seen.add(name)
                yield Finding(
                    "estimator",
                    facts.span(node),
                    "tf.estimator.%s is in TensorFlow to 2.15" % name,
                    "keep TensorFlow at 2.15, or write the training loop",
                    finding.RUN,
                )
