"""A session without a config, or with one in the place of its target. Without one it takes TensorFlow's defaults, or the profile's."""

from __future__ import annotations

import ast
from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding


def check(facts: Facts) -> Iterator[Finding]:
    """Each call that makes a session without a config, or hands it one as target."""
    for use in facts.module.uses:
        if use.consumer.name in ("Session", "InteractiveSession") and use.given is None and use.node.args and _is_config(facts, use.node.args[0]):
            message = "the config is in the place of %s's target: a TypeError in every TensorFlow" % use.consumer.name
            yield Finding("session", facts.span(use.node), message, "write config=...", finding.NOWHERE)
        elif use.consumer.makes_session and use.given is None and not any(keyword.arg is None for keyword in use.node.keywords):
            yield Finding(
                "session", facts.span(use.node), "%s without a config" % use.consumer.name, "under a profile it gets the profile's", finding.SESSION, False
            )


def _is_config(facts: Facts, node: ast.expr) -> bool:
    """Whether an argument is a ConfigProto, or a name that the module gives one."""
    if isinstance(node, ast.Call):
        return (facts.names.symbol(node.func) or "") == "tensorflow.ConfigProto"
    made = [config.node for config in facts.module.configs if config.message == "ConfigProto"]
    assigned = [each for each in facts.nodes.of(ast.Assign) if any(each.value is config for config in made)]
    return isinstance(node, ast.Name) and any(isinstance(target, ast.Name) and target.id == node.id for each in assigned for target in each.targets)
