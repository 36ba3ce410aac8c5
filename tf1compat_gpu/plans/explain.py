"""What a field is and does, as data and as text for a terminal. Knows no TensorFlow but by rules and facts."""

from __future__ import annotations

import textwrap
from typing import List, NamedTuple, Tuple

from tf1compat_gpu.plans.examples import example
from tf1compat_gpu.plans.lookup import find_path
from tf1compat_gpu.plans.profile_section import SETTINGS
from tf1compat_gpu.plans.rules import MEANINGS, Fidelity, rule_for
from tf1compat_gpu.profiles import fields

WIDTH = 100


class MemberFacts(NamedTuple):
    """An enum member; `releases` is "" where it is as old and as new as the enum."""

    name: str
    number: int
    releases: str


class Explanation(NamedTuple):
    """Everything known about a field, or about a key of the profile section (those leave most of it empty).

    Attributes:
        path: The field path, or `profile.KEY`.
        type: The type in words: `bool`, `list of float`, `map of string to int32`, `Toggle (enum)`.
        members: The members of an enum.
        releases: The releases that have the field, in words.
        history: Renames and changes of type, a sentence each.
        shorthand: The name that is accepted at the top level of a profile as well, or "".
        example: YAML that sets it.
        tf1, tf2, reason, traps, source: As in the field's rule.
        fidelity: The fidelity, as text; "" for a key of the profile section.
        meaning: The fidelity in a sentence.
        without_carry: The fidelity where the base ConfigProto is left alone; "" where that is the same.
        call: The public TF2 call, with the releases that have it, or "".
        variable: The environment variable that does it too, or "".
    """

    path: str
    type: str
    members: Tuple[MemberFacts, ...]
    releases: str
    history: Tuple[str, ...]
    shorthand: str
    example: str
    tf1: str
    tf2: str
    reason: str
    traps: Tuple[str, ...]
    source: str
    fidelity: str
    meaning: str
    without_carry: str
    call: str
    variable: str


def short_type(name: str) -> str:
    """A type without the packages and messages it stands in: `Toggle (enum)`, `GPUOptions (message)`, `int32`."""
    if name in fields.SCALARS:
        return name
    return "%s (%s)" % (name.split(".")[-1], "enum" if name in fields.enums() else "message")


def type_text(field: fields.Field) -> str:
    """The field's type in words."""
    if field.is_map:
        return "map of %s to %s" % (field.key_type, short_type(field.type))
    return ("list of " if field.repeated else "") + short_type(field.type)


def _members(enum: str) -> Tuple[MemberFacts, ...]:
    members = sorted(fields.enums().get(enum, ()), key=lambda m: (m.last < fields.releases()[-1], m.number))
    oldest = min((m.first for m in members), default=fields.releases()[0])
    newest = fields.releases()[-1]
    return tuple(MemberFacts(m.name, m.number, "" if (m.first, m.last) == (oldest, newest) else fields.had(m.first, m.last)) for m in members)


def _history(entry: fields.PathField) -> Tuple[str, ...]:
    notes: List[str] = []
    field = entry.field
    if field.retyped[0]:
        notes.append("Up to %s it was of type %s." % (fields.format_release(field.retyped[1]), short_type(field.retyped[0])))
    if field.renamed_to:
        notes.append("Since then it is called %s." % field.renamed_to)
    notes += ["Before that it was called %s (%s)." % (p, fields.had(e.first, e.last)) for p, e in fields.paths().items() if e.field.renamed_to == entry.path]
    return tuple(notes)


def _setting(path: str) -> Explanation:
    facts = SETTINGS[path.split(".")[1]]
    nested = "profile:\n" + textwrap.indent(facts.example, "  ")
    return Explanation(path, facts.type, (), "", (), "", nested, facts.text, "", "", facts.traps, "", "", "", "", "", "")


def explain(name: str) -> Explanation:
    """Everything known about a field.

    Args:
        name: A field path, a shorthand, an ending that one path has, or a key of the profile section (`profile.numerics`).

    Raises:
        ProfileError: No field is called that, or several are.
    """
    path = find_path(name)
    if path.startswith("profile."):
        return _setting(path)
    entry, rule = fields.paths()[path], rule_for(path)
    since = " (%s and later)" % fields.format_release(rule.call_since) if rule.call_since else ""
    differs = rule.without_carry is not rule.fidelity
    return Explanation(
        path=path,
        type=type_text(entry.field),
        members=_members(entry.field.type),
        releases=fields.had(entry.first, entry.last),
        history=_history(entry),
        shorthand=next((short for short, long in fields.shorthands().items() if long == path), ""),
        example=example(path),
        tf1=rule.tf1,
        tf2=rule.tf2,
        reason=rule.reason,
        traps=rule.traps,
        source=rule.source,
        fidelity=str(rule.fidelity),
        meaning=MEANINGS[rule.fidelity],
        without_carry=str(rule.without_carry) if differs else "",
        call=rule.call + since if rule.call else "",
        variable=rule.variable,
    )


def _wrapped(text: str, first: str, rest: str) -> List[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def _row(name: str, text: str) -> List[str]:
    return _wrapped(text, "  %-11s" % name, " " * 13) if text else []


def _section(title: str, text: str) -> List[str]:
    return ["", title] + _wrapped(text, "  ", "  ") if text else []


def render(explanation: Explanation) -> str:
    """The explanation as plain text of at most 100 columns."""
    e = explanation
    members = ", ".join("%s = %d%s" % (m.name, m.number, " (%s)" % m.releases if m.releases else "") for m in e.members)
    fidelity = "%s: %s" % (e.fidelity, e.meaning) if e.fidelity else ""
    printed = "%s, if the base ConfigProto is left alone" % e.without_carry if e.without_carry else ""
    lines = [e.path, ""]
    for name, text in (("type", e.type), ("members", members), ("releases", " ".join((e.releases,) + e.history)), ("shorthand", e.shorthand)):
        lines += _row(name, text)
    for name, text in (("fidelity", fidelity), ("", printed), ("TF2 call", e.call), ("variable", e.variable)):
        lines += _row(name, text)
    lines += _section("What TF1 does" if e.fidelity else "What it does", e.tf1) + _section("What TF2 does", e.tf2) + _section("What to do", e.reason)
    if e.traps:
        lines += ["", "Traps"]
        for trap in e.traps:
            lines += _wrapped(trap, "  - ", "    ")
    lines += ["", "In a profile"] + ["  " + line for line in e.example.split("\n")]
    return "\n".join(lines + _section("Source", e.source))


__all__ = ["WIDTH", "Explanation", "Fidelity", "MemberFacts", "explain", "render", "short_type", "type_text"]
