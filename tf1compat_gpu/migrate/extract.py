"""Profiles from the configs of a code base, each named by where it is used; equal ones are one.

What the source does not tell stays in the code: a flag's value, what stands under a condition. It is listed with the profile,
and never written as if it were certain.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Span
from tf1compat_gpu.migrate.finding import Finding, Report
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.python_values import as_field
from tf1compat_gpu.profiles.reader import try_load_profile

_HEADER = "# Extracted by tf1compat; "
#: The line that tells whether a person has edited what follows.
_DIGEST = re.compile(r"^# tf1compat extract: (?P<digest>[0-9a-f]{16})$", re.M)


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
    """

    name: str
    profile: Profile
    places: Tuple[Place, ...]

    def text(self) -> str:
        """The file: where it comes from, what stays in the code, the profile."""
        lines = [_HEADER + "it stands for:"]
        for place in self.places:
            lines.append("#   %s" % str(place.span))
            lines += ["#     %s stays in the code: %s" % item for item in place.dynamic.items()]
        body = self.profile.to_yaml() if len(self.profile) else "{}\n"
        head = "\n".join(lines) + "\n"
        return "%s# tf1compat extract: %s\n%s" % (head, _digest(head + body), body)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


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
    return try_load_profile(tree({path: as_field(path, value) for path, value in values.items()}), environ={})


def _stem(found: Finding) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.splitext(os.path.basename(found.span.source.name))[0]).strip("-") or "config"


def extract(reports: Iterable[Report]) -> Tuple[List[Extracted], List[Tuple[Finding, str]]]:
    """The profiles of a scan, and the configs that give none, with the reason."""
    groups: Dict[str, List[Any]] = {}
    left: List[Tuple[Finding, str]] = []
    for report in reports:
        for found in report.findings:
            if found.code != "config":
                continue
            profile, diagnostics = profile_of(found.fields)
            if profile is None:
                left.append((found, "; ".join(each.message for each in diagnostics if each.is_error)))
            else:
                groups.setdefault(profile.digest(), [profile]).append(found)
    return _named(groups), left


def _named(groups: Dict[str, List[Any]]) -> List[Extracted]:
    taken: Dict[str, int] = {}
    result = []
    for group in groups.values():
        profile, findings = group[0], group[1:]
        stem = _stem(findings[0])
        taken[stem] = taken.get(stem, 0) + 1
        name = "%s%s.yaml" % (stem, "" if taken[stem] == 1 else "-%d" % taken[stem])
        result.append(Extracted(name, profile, tuple(Place(each.span, each.dynamic) for each in findings)))
    return result


def recorded(lines: Sequence[str], name: str) -> List[Extracted]:
    """Profiles from a record of `tf1compat run --record`.

    Raises:
        ValueError: A line is not of a record.
    """
    from tf1compat_gpu.diagnostics import Source
    from tf1compat_gpu.profiles.protos import profile_from_bytes

    groups: Dict[str, List[Any]] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            profile = profile_from_bytes(bytes.fromhex(line["bytes"]))
            span = Span(Source(line["file"]), int(line["line"]), 1)
        except (ValueError, KeyError, TypeError):
            raise ValueError("%s:%d:1: this is no line of `tf1compat run --record`" % (name, number))
        found = Finding("config", span, "recorded")
        group = groups.setdefault(profile.digest(), [profile])
        if all(str(each.span) != str(span) for each in group[1:]):
            group.append(found)
    return _named(groups)


class Written(NamedTuple):
    """What became of a profile's file.

    Attributes:
        path: The file.
        state: "new", "same", "updated", or "edited" (a person's edits are kept, the new one lies beside it).
        diff: What differs, for "edited".
    """

    path: str
    state: str
    diff: str = ""


def edited(text: str) -> bool:
    """Whether a person has changed an extracted profile, or wrote it altogether."""
    match = _DIGEST.search(text)
    if match is None:
        return True
    return _digest(text[: match.start()] + text[match.end() + 1 :]) != match.group("digest")


def write(found: Extracted, folder: str, dry_run: bool = False) -> Written:
    """Write a profile, unless a person has edited the file that is there: the new one then goes beside it, as NAME.new."""
    path, text = os.path.join(folder, found.name), found.text()
    try:
        with open(path, encoding="utf-8", newline="") as file:
            there: Optional[str] = file.read()
    except FileNotFoundError:
        there = None
    if there == text:
        return Written(path, "same")
    if there is not None and edited(there):
        new = path + ".new"
        diff = "".join(difflib.unified_diff(there.splitlines(True), text.splitlines(True), path, new))
        if not dry_run:
            _replace(new, text)
        return Written(new, "edited", diff)
    if not dry_run:
        os.makedirs(folder, exist_ok=True)
        _replace(path, text)
    return Written(path, "new" if there is None else "updated")


def _replace(path: str, text: str) -> None:
    """Write a file in one step: whole, or not at all."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".tf1compat-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
