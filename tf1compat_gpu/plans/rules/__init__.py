"""One rule for each field path: what TF1 does with it, what TF2 can do, and how faithfully."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, Tuple

from tf1compat_gpu.plans.rules import cluster, experimental, gpu, gpu_experimental, grappler, optimizer, pluggable, process
from tf1compat_gpu.plans.rules.rule import MEANINGS, Fidelity, Rule
from tf1compat_gpu.profiles import fields


@lru_cache(maxsize=None)
def _rules() -> Dict[str, Rule]:
    on_gpus = gpu.RULES + gpu_experimental.RULES
    everything = process.RULES + on_gpus + optimizer.RULES + grappler.RULES + cluster.RULES + experimental.RULES + pluggable.derive(on_gpus)
    table: Dict[str, Rule] = {}
    for rule in everything:
        if rule.path in table:
            raise ValueError("two rules for %s" % rule.path)
        table[rule.path] = rule
    return table


def rule_for(path: str) -> Rule:
    """The rule of a field path; list indexes and map keys in brackets are ignored.

    Raises:
        KeyError: There is no such field, or no rule for it.
    """
    found = fields.find(path)
    return _rules()[found.path if found else path]


def all_rules() -> Tuple[Rule, ...]:
    """Every rule, those of fields in the proto's order first."""
    order = {path: i for i, path in enumerate(fields.paths())}
    return tuple(sorted(_rules().values(), key=lambda rule: order.get(rule.path, len(order))))


def counts() -> Dict[Fidelity, int]:
    """How many fields have each fidelity."""
    return {fidelity: sum(rule.fidelity is fidelity for rule in _rules().values()) for fidelity in Fidelity}


__all__ = ["MEANINGS", "Fidelity", "Rule", "all_rules", "counts", "rule_for"]
