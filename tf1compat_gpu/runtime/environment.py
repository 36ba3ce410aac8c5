"""Environment variables that a profile asks for, set only where they can still act."""

from __future__ import annotations

import os
import shlex
from typing import Dict, List, Mapping, MutableMapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error, warning
from tf1compat_gpu.plans.numerics import ONEDNN, ONEDNN_SINCE
from tf1compat_gpu.plans.variables import START, find
from tf1compat_gpu.profiles.placement import VISIBLE as _VISIBLE
from tf1compat_gpu.profiles.placement import narrows
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile
from tf1compat_gpu.runtime import eager_context, tensorflow

_GROWTH, _GROWTH_VARIABLE = "gpu_options.allow_growth", "TF_FORCE_GPU_ALLOW_GROWTH"
_PASSED = {
    "start": "the interpreter has started already",
    "import": "TensorFlow is imported already",
    "cuda": "TensorFlow has looked for GPUs already",
    "device": "TensorFlow has made its devices already",
}


class EnvironmentPlan(NamedTuple):
    """What to set, and what there is to report."""

    changes: Dict[str, str]
    diagnostics: Tuple[Diagnostic, ...]


def _passed(deadline: str) -> bool:
    """Whether it is too late for a variable of that deadline."""
    if deadline == START:
        return True
    if not tensorflow.loaded():
        return False
    made = tensorflow.sessions_made() > 0 or eager_context.started()
    return {"import": True, "cuda": made or eager_context.devices_listed(), "device": made}[deadline]


def wanted(profile: Profile) -> Dict[str, str]:
    """The variables that a profile asks for: its environment block, and what `numerics: tf1` needs."""
    variables = dict(profile.settings.environment)
    if profile.settings.numerics == "tf1" and ONEDNN not in variables:
        old = tensorflow.loaded() and tensorflow.release() < ONEDNN_SINCE
        if not old:
            variables[ONEDNN] = "0"
    return variables


def cuda_started() -> bool:
    """Whether CUDA has started as far as TensorFlow goes: CUDA_VISIBLE_DEVICES has been read then."""
    return _passed("cuda")


def forced_growth(profile: Profile, environ: Optional[Mapping[str, str]] = None) -> List[Diagnostic]:
    """A warning where TF_FORCE_GPU_ALLOW_GROWTH decides otherwise than the profile, or is spelled so that it decides nothing.

    gpu_bfc_allocator.cc, GPUBFCAllocator::GetAllowGrowthValue: exactly `true` and `false` are read (1.12 and later).
    """
    value = (os.environ if environ is None else environ).get(_GROWTH_VARIABLE)
    entry = profile.entries.get(_GROWTH)
    if not value or entry is None:
        return []
    shown = "%s=%s" % (_GROWTH_VARIABLE, value)
    if value not in ("true", "false"):
        return [warning("environment", "%s is ignored by TensorFlow, which logs an error" % shown, entry.span, "write exactly true or false, or unset it")]
    if (value == "true") == bool(entry.value):
        return []
    text = "allow_growth is %s: %s overrides the profile's %s" % (value, shown, str(bool(entry.value)).lower())
    return [warning("environment", text, entry.span, "unset the variable to let the profile decide")]


def plan(profile: Profile, environ: Optional[Mapping[str, str]] = None, extra: Mapping[str, str] = FrozenMapping()) -> EnvironmentPlan:
    """What the profile's variables, and extra ones, come to in this process; changes nothing."""
    environ = os.environ if environ is None else environ
    changes: Dict[str, str] = {}
    found: List[Diagnostic] = []
    for name, value in dict(wanted(profile), **extra).items():
        now = environ.get(name)
        key = "numerics" if name not in profile.settings.environment else "environment." + name
        span = profile.setting_spans.get(key, Span(Source(profile.name)))
        if now == value:
            continue
        if now is not None and not (name == _VISIBLE and narrows(now, value)):
            found.append(
                warning("environment", "%s=%s is set already and wins over %s in the profile" % (name, now, value), span, "unset it to let the profile decide")
            )
            continue
        known = find(name)
        deadline = known.deadline if known else None
        if deadline is not None and _passed(deadline):
            help = "start the program with `%s=%s python ...`" % (name, shlex.quote(value))
            if deadline != START:
                help += ", or call tf1compat_gpu.install(...) before TensorFlow is imported"
            found.append(error("environment", "%s=%s comes too late: %s" % (name, value, _PASSED[deadline]), span, help))
        else:
            changes[name] = value
    return EnvironmentPlan(changes, tuple(found))


class Applied:
    """Variables that were set, and how to take that back."""

    def __init__(self, changes: Mapping[str, str], environ: Optional[MutableMapping[str, str]] = None) -> None:
        self.environ = os.environ if environ is None else environ
        self.before = {name: self.environ.get(name) for name in changes}
        self.environ.update(changes)

    def undo(self) -> None:
        """Put every variable back as it was."""
        for name, value in self.before.items():
            if value is None:
                self.environ.pop(name, None)
            else:
                self.environ[name] = value
