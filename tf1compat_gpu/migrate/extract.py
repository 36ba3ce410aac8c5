"""Profiles from the configs of a code base, each named by where it is used; equal ones are one, near ones extend another.

What the source does not tell stays in the code: a flag's value, what stands under a condition. It is listed with the profile,
and never written as if it were certain.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import yaml

from tf1compat_gpu.diagnostics import Diagnostic, Span
from tf1compat_gpu.migrate.configs import PER_PROCESS
from tf1compat_gpu.migrate.finding import Finding, Report
from tf1compat_gpu.migrate.profile_files import sealed
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.python_values import as_field
from tf1compat_gpu.profiles.reader import try_load_profile

_HEADER = "# Extracted by tf1compat; it stands for:"
#: A profile extends another from so many shared fields on.
_SHARED = 2


class Place(NamedTuple):
    """A config of the code base that a profile stands for.

    Attributes:
        span: Where it is built.
        dynamic: Field path -> why its value is not in the profile.
    """

    span: Span
    dynamic: Mapping[str, str]


class Extracted(NamedTuple):
    """One profile.

    Attributes:
        name: The file's name, without its folder.
        profile: What is certain.
        places: The configs it stands for.
        options: Field path -> the name and the default of the flag that decides it: `${NAME:-default}` in the file.
        base: The profile that the file extends, or None.
    """

    name: str
    profile: Profile
    places: Tuple[Place, ...]
    options: Mapping[str, Tuple[str, Any]] = {}
    base: Optional[Extracted] = None

    def text(self) -> str:
        """The file: where it comes from, what stays in the code, the profile."""
        lines = [_HEADER]
        for place in self.places:
            lines.append("#   %s" % str(place.span))
            lines += ["#     %s %s: %s" % (path, self._told(path), why) for path, why in place.dynamic.items()]
        return sealed("\n".join(lines) + "\n", self._body())

    def _told(self, path: str) -> str:
        return "can be set by %s" % self.options[path][0] if path in self.options else "stays in the code"

    def _body(self) -> str:
        profile, head = self.profile, ""
        if self.base is not None:
            head = "profile:\n  extends: %s\n" % self.base.name
            if profile.settings.gpu_per_process:
                head += "  gpu_per_process: %s\n" % profile.settings.gpu_per_process
            entries = {path: entry for path, entry in profile.entries.items() if path not in self.base.profile or self.base.profile[path] != entry.value}
            profile = Profile(entries)
        if self.options:
            written = yaml.safe_load(profile.to_yaml()) or {}
            _merge(written, tree({path: "${%s:-%s}" % (name, _shown(default)) for path, (name, default) in self.options.items()}))
            return head + str(yaml.safe_dump(written, sort_keys=False))
        body = profile.to_yaml() if len(profile) or profile.settings.gpu_per_process else ""
        return head + body or "{}\n"


def _shown(default: Any) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _merge(into: Dict[str, Any], other: Mapping[str, Any]) -> None:
    for name, value in other.items():
        if isinstance(value, Mapping) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value


def tree(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Field paths and values as a nested dictionary, as load_profile takes it."""
    found: Dict[str, Any] = {}
    for path, value in values.items():
        at = found
        parts = path.split(".")
        for part in parts[:-1]:
            at = at.setdefault(part, {})
            if not isinstance(at, dict):
                break
        else:
            at[parts[-1]] = list(value) if isinstance(value, tuple) else value
    return found


def profile_of(values: Mapping[str, Any]) -> Tuple[Optional[Profile], Tuple[Diagnostic, ...]]:
    """The profile of certain values, and what is wrong in them."""
    fields = {path: as_field(path, value) for path, value in values.items() if path != PER_PROCESS}
    profile, diagnostics = try_load_profile(tree(fields), environ={})
    if profile is not None and PER_PROCESS in values:
        # Not read as a setting: it would be resolved to this process's own GPU.
        profile = Profile(profile.entries, profile.settings._replace(gpu_per_process=values[PER_PROCESS]))
    return profile, diagnostics


def _stem(found: Finding) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.splitext(os.path.basename(found.span.source.name))[0]).strip("-") or "config"


def numbered(stem: str, number: int) -> str:
    """The name of the so-and-so-many-th profile of a stem: `train.yaml`, `train-2.yaml`."""
    return "%s%s.yaml" % (stem, "" if number == 1 else "-%d" % number)


class _Group(NamedTuple):
    profile: Profile
    options: Mapping[str, Tuple[str, Any]]
    findings: List[Finding]


def extract(reports: Iterable[Report], flags: bool = False, ranked: bool = True) -> Tuple[List[Extracted], List[Tuple[Finding, str]]]:
    """The profiles of a scan, and the configs that give none, with the reason.

    Args:
        reports: A scan's.
        flags: Whether a field that a flag with a default decides is written as `${NAME:-default}`, instead of being left
            in the code.
        ranked: Whether hvd.local_rank() is written as `gpu_per_process: local_rank`, instead of being left in the code.
    """
    groups: Dict[Tuple[str, str], _Group] = {}
    left: List[Tuple[Finding, str]] = []
    for report in reports:
        for found in report.findings:
            if found.code != "config":
                continue
            options = {path: option for path, option in found.defaults.items() if flags and _fits(path, option[1])}
            profile, diagnostics = profile_of({path: value for path, value in found.fields.items() if ranked or path != PER_PROCESS})
            if profile is None:
                left.append((found, "; ".join(each.message for each in diagnostics if each.is_error)))
            else:
                groups.setdefault((profile.digest(), repr(options)), _Group(profile, options, [])).findings.append(found)
    return _named(list(groups.values())), left


def _fits(path: str, default: Any) -> bool:
    return profile_of({path: default})[0] is not None


def _named(groups: Sequence[_Group]) -> List[Extracted]:
    taken: Dict[str, int] = {}
    result: List[Extracted] = []
    for profile, options, findings in groups:
        stem = _stem(findings[0])
        taken[stem] = taken.get(stem, 0) + 1
        name = numbered(stem, taken[stem])
        result.append(Extracted(name, profile, tuple(Place(each.span, each.dynamic) for each in findings), options))
    return [each._replace(base=_base(each, result)) for each in result]


def _base(each: Extracted, others: Sequence[Extracted]) -> Optional[Extracted]:
    """The profile that this one adds least to, of those that set nothing that it does not set; it has fewer fields."""
    values = each.profile.values()
    near = []
    for at, other in enumerate(others):
        known = other.profile.values()
        equal = sum(values.get(path) == value for path, value in known.items())
        smaller = len(known) < len(values) and set(known) <= set(values)
        if smaller and equal >= _SHARED and not other.options and not other.profile.settings.gpu_per_process:
            near.append((len(values) - equal, at))
    return others[min(near)[1]] if near else None


def recorded(lines: Sequence[str], name: str) -> List[Extracted]:
    """Profiles from a record of `tf1compat run --record`.

    Raises:
        ValueError: A line is not of a record.
    """
    from tf1compat_gpu.diagnostics import Source
    from tf1compat_gpu.profiles.protos import profile_from_bytes

    groups: Dict[str, _Group] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            profile = profile_from_bytes(bytes.fromhex(line["bytes"]))
            span = Span(Source(line["file"]), int(line["line"]), 1)
        except (ValueError, KeyError, TypeError):
            raise ValueError("%s:%d:1: this is no line of `tf1compat run --record`" % (name, number))
        found = groups.setdefault(profile.digest(), _Group(profile, {}, [])).findings
        if all(str(each.span) != str(span) for each in found):
            found.append(Finding("config", span, "recorded"))
    return _named(list(groups.values()))
