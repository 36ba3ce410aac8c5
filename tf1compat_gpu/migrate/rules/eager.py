"""enable_eager_execution(config=...): TensorFlow 2 drops the config without a word."""

from __future__ import annotations

from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding


def check(facts: Facts) -> Iterator[Finding]:
    """Each such call that is given a config."""
    for use in facts.module.uses:
        if use.consumer.name == "enable_eager_execution" and use.given is not None:
            yield Finding(
                "eager-config",
                facts.span(use.node),
                "TensorFlow 2 ignores the config of enable_eager_execution",
                "configure(PROFILE) before the first operation takes its place",
                finding.TF2,
            )
