"""A session without a config: it takes TensorFlow's defaults, or the profile's."""

from __future__ import annotations

from typing import Iterator

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding


def check(facts: Facts) -> Iterator[Finding]:
    """Each call that makes a session without a config."""
    for use in facts.module.uses:
        if use.consumer.makes_session and use.given is None and not any(keyword.arg is None for keyword in use.node.keywords):
            yield Finding(
                "session", facts.span(use.node), "%s without a config" % use.consumer.name, "under a profile it gets the profile's", finding.SESSION, False
            )
