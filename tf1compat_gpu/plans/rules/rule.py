"""What a rule is: the judgement about one ConfigProto field, as plain data, and short ways to write one down.

How a value is lowered to steps is not here: the functions that do that are kept by field path, or by `group` where
fields act together, so that the judgement can be read, printed and tested without them.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles.fields import Release


class Fidelity(Enum):
    """How faithfully TF2 can do what a TF1 session does with a field."""

    EXACT = "exact"
    CARRIED = "carried"
    ENVIRONMENT = "environment"
    APPROXIMATE = "approximate"
    SESSION_ONLY = "session only"
    NO_EFFECT = "no effect"
    UNAVAILABLE = "unavailable"

    def __str__(self) -> str:
        return str(self.value)


#: One line a fidelity, for legends.
MEANINGS = {
    Fidelity.EXACT: "a public TF2 call has the same effect",
    Fidelity.CARRIED: "no public call does it, but the eager context obeys the field when its base ConfigProto has it",
    Fidelity.ENVIRONMENT: "only an environment variable does it, set before TensorFlow starts",
    Fidelity.APPROXIMATE: "the nearest TF2 setting differs in the way the reason gives",
    Fidelity.SESSION_ONLY: "it means something for a session alone",
    Fidelity.NO_EFFECT: "nothing reads it",
    Fidelity.UNAVAILABLE: "TF2 can't do it; the reason says what to do instead",
}


class Rule(NamedTuple):
    """The judgement about one field.

    Attributes:
        path: The field path.
        fidelity: The best that can be had in TF2, carrying included. Single values may do worse: see `traps`.
        tf1: What a TF1 session does with the field.
        tf2: What a TF2 program uses instead, or what happens there.
        reason: Why it is not exact and what to do about it; "" where it is exact.
        traps: What goes wrong in practice, value by value.
        source: Release and place in TensorFlow that say so, or where it was seen to run.
        call: The public TF2 call that the field comes down to, or None.
        call_since: The first release in which that call does this; None without a call.
        without_carry: The fidelity where the base ConfigProto is left alone, as in printed Python.
        variable: The environment variable that does it instead, as `NAME=value`, or "".
        group: Fields of one group are lowered together; "" for a field that stands alone.
    """

    path: str
    fidelity: Fidelity
    tf1: str
    tf2: str
    reason: str
    traps: Tuple[str, ...]
    source: str
    call: Optional[str] = None
    call_since: Optional[Release] = None
    without_carry: Fidelity = Fidelity.UNAVAILABLE
    variable: str = ""
    group: str = ""


def exact(path: str, call: str, since: Release, tf1: str, tf2: str, source: str, traps: Tuple[str, ...] = (), variable: str = "", group: str = "") -> Rule:
    """A field with a public call of the same effect."""
    return Rule(path, Fidelity.EXACT, tf1, tf2, "", traps, source, call, since, Fidelity.EXACT, variable, group)


def carried(
    path: str,
    tf1: str,
    tf2: str,
    source: str,
    reason: str = "",
    traps: Tuple[str, ...] = (),
    without: Optional[Fidelity] = None,
    variable: str = "",
    call: Optional[str] = None,
    since: Optional[Release] = None,
    group: str = "",
) -> Rule:
    """A field that only the base ConfigProto brings to TF2; without it, an environment variable or nothing."""
    instead = Fidelity.ENVIRONMENT if variable else Fidelity.UNAVAILABLE
    if not reason:
        reason = "No public TF2 call sets it. Let configure() carry it%s." % (", or set %s before TensorFlow starts" % variable if variable else "")
    return Rule(path, Fidelity.CARRIED, tf1, tf2, reason, traps, source, call, since, without or instead, variable, group)


def approximate(
    path: str, tf1: str, tf2: str, reason: str, source: str, traps: Tuple[str, ...] = (), call: Optional[str] = None, since: Optional[Release] = None
) -> Rule:
    """A field whose nearest TF2 setting differs."""
    instead = Fidelity.APPROXIMATE if call else Fidelity.UNAVAILABLE
    return Rule(path, Fidelity.APPROXIMATE, tf1, tf2, reason, traps, source, call, since, instead)


def _flat(fidelity: Fidelity, path: str, tf1: str, tf2: str, reason: str, source: str, traps: Tuple[str, ...]) -> Rule:
    return Rule(path, fidelity, tf1, tf2, reason, traps, source, without_carry=fidelity)


def session_only(path: str, tf1: str, tf2: str, reason: str, source: str, traps: Tuple[str, ...] = ()) -> Rule:
    """A field that means something for a session alone."""
    return _flat(Fidelity.SESSION_ONLY, path, tf1, tf2, reason, source, traps)


def no_effect(path: str, tf1: str, reason: str, source: str, tf2: str = "Nothing happens.", traps: Tuple[str, ...] = ()) -> Rule:
    """A field that nothing reads in TF2, and mostly not in TF1 either."""
    return _flat(Fidelity.NO_EFFECT, path, tf1, tf2, reason, source, traps)


def unavailable(path: str, tf1: str, tf2: str, reason: str, source: str, traps: Tuple[str, ...] = ()) -> Rule:
    """A field that TF2 can't honour."""
    return _flat(Fidelity.UNAVAILABLE, path, tf1, tf2, reason, source, traps)


def container(path: str, holds: str, source: str = "config.proto of 1.0 to 2.21: a message without a meaning of its own", traps: Tuple[str, ...] = ()) -> Rule:
    """A message that only holds other fields: its presence alone changes nothing."""
    return no_effect(
        path,
        "A group: it holds %s. Its presence alone has no effect." % holds,
        "Its fields are judged one by one; an empty one changes nothing.",
        source,
        "Nothing of its own; each of its fields goes its own way.",
        traps,
    )
