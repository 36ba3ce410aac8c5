"""The Markdown table of all fields for the migration guide, made from facts and rules."""

from __future__ import annotations

from typing import Dict, List

from tf1compat_gpu.plans.explain import type_text
from tf1compat_gpu.plans.rules import MEANINGS, Rule, all_rules, counts
from tf1compat_gpu.profiles import fields

_HEAD = ("| field | type | releases | TF2 | fidelity | notes |", "|---|---|---|---|---|---|")


def _cell(text: str) -> str:
    """Text that can't break out of its cell, nor be taken for HTML."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("\n", " ")


def _place(path: str) -> str:
    """The message a field stands in: the heading that its row goes under."""
    return path.rpartition(".")[0]


def _row(rule: Rule) -> str:
    entry = fields.paths()[rule.path]
    fidelity = str(rule.fidelity)
    if rule.without_carry is not rule.fidelity:
        fidelity += "; printed: %s" % rule.without_carry
    notes = " ".join((rule.reason,) + rule.traps).strip()
    cells = (type_text(entry.field), fields.had(entry.first, entry.last), rule.tf2, fidelity, notes)
    return "| `%s` | %s |" % (entry.field.name, " | ".join(_cell(cell) for cell in cells))


def field_table() -> str:
    """Counts by fidelity, then a table a message with its fields in the proto's order. The same each time; ends without a newline."""
    groups: Dict[str, List[str]] = {}
    for rule in all_rules():
        groups.setdefault(_place(rule.path), []).append(_row(rule))
    lines = ["| fidelity | fields | meaning |", "|---|---|---|"]
    lines += ["| %s | %d | %s |" % (fidelity, number, MEANINGS[fidelity]) for fidelity, number in counts().items()]
    for place, rows in groups.items():
        lines += ["", "#### %s" % ("`%s`" % place if place else "Top level"), ""] + list(_HEAD) + rows
    return "\n".join(lines)


if __name__ == "__main__":  # pragma: no cover
    print(field_table())
