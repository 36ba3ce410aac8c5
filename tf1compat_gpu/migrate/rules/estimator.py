"""tf.estimator: TensorFlow 2.16 removed it."""

from __future__ import annotations

import ast
from typing import Iterator, Set

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding

#: tensorflow_estimator 1.15 and 2.10, run_config.py, _get_default_session_config_distributed: it is made where session_config is None.
_FILTERS = "; a session_config of its own has none of Estimator's device filters: make_run_config(PROFILE) brings them"


def check(facts: Facts) -> Iterator[Finding]:
    """The first use of each name of tf.estimator; ModeKeys alone is none."""
    seen: Set[str] = set()
    if "estimator" not in facts.source.text:
        return
    configured = any(use.consumer.name == "RunConfig" and use.given is not None for use in facts.module.uses)
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
                    "keep TensorFlow at 2.15, or write the training loop" + (_FILTERS if name == "RunConfig" and configured else ""),
                    finding.RUN,
                )
