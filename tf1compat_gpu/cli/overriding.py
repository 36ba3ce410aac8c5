"""What the environment variables that are set do to the fields of profiles."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.plans.variables import START, VARIABLES
from tf1compat_gpu.profiles.secrets import MASK, is_secret
from tf1compat_gpu.runtime.distributions import Problem


class Overriding(NamedTuple):
    """A variable that is set.

    Attributes:
        name: Its name.
        value: Its value, or a mask.
        field: The field path that it bears on, or "".
        effect: What it does with this value.
    """

    name: str
    value: str
    field: str
    effect: str


def _growth(value: str) -> Tuple[str, Optional[Problem]]:
    if value in ("true", "false"):
        return "allow_growth is %s for every session and context, whatever a profile says." % value, None
    message = "TF_FORCE_GPU_ALLOW_GROWTH=%s is ignored by TensorFlow, which logs an error" % value
    return "Nothing: it must be exactly `true` or `false`.", Problem(message, "write exactly true or false")


def _threads(name: str, field: str) -> Callable[[str], Tuple[str, Optional[Problem]]]:
    def said(value: str) -> Tuple[str, Optional[Problem]]:
        if re.match(r"\s*[+-]?[0-9]+\s*\Z", value):
            return "%s threads where %s is 0 or unset; the field wins where it is set." % (value.strip(), field), None
        return "Nothing: it is no number.", Problem("%s=%s is ignored by TensorFlow: it is no number" % (name, value), "write a number, or unset it")

    return said


def _visible(value: str) -> Tuple[str, Optional[Problem]]:
    if value.strip() == "" or value.split(",")[0].strip().startswith("-"):
        return "Hides every card from this process, whatever visible_device_list and device_count say.", None
    ids = [part.strip() for part in value.split(",")]
    if len(set(ids)) < len(ids):
        return "No card at all: CUDA takes no list that names one twice.", Problem("CUDA_VISIBLE_DEVICES=%s names a card twice" % value, "name each card once")
    cards = "%d card%s" % (len(ids), "" if len(ids) == 1 else "s")
    return "At most %s, in this order; 0 in visible_device_list is the first of them, %s." % (cards, ids[0]), None


#: For what depends on the value; the rest says what VARIABLES says of it.
_SAID: Dict[str, Callable[[str], Tuple[str, Optional[Problem]]]] = {
    "TF_FORCE_GPU_ALLOW_GROWTH": _growth,
    "TF_NUM_INTRAOP_THREADS": _threads("TF_NUM_INTRAOP_THREADS", "intra_op_parallelism_threads"),
    "TF_NUM_INTEROP_THREADS": _threads("TF_NUM_INTEROP_THREADS", "inter_op_parallelism_threads"),
    "CUDA_VISIBLE_DEVICES": _visible,
}


def overriding(environ: Mapping[str, str]) -> Tuple[List[Overriding], List[Problem]]:
    """The variables that are set and bear on TensorFlow, and what is wrong with their values."""
    rows: List[Overriding] = []
    problems: List[Problem] = []
    for variable in VARIABLES:
        value = environ.get(variable.name)
        if value is None or variable.deadline == START:
            continue
        effect, problem = _SAID[variable.name](value) if variable.name in _SAID else (variable.effect, None)
        rows.append(Overriding(variable.name, MASK if is_secret([variable.name]) else value, variable.field, effect))
        problems += [problem] if problem else []
    return rows, problems
