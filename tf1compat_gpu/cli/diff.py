"""`tf1compat diff`: what changed between two recorded runs, field by field."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import click

from tf1compat_gpu.cli import options
from tf1compat_gpu.diagnostics import SCHEMA_VERSION
from tf1compat_gpu.profiles import fields


class Recorded(NamedTuple):
    """A session of a record: what it is called in the output, and its line."""

    key: Tuple[str, int, int]
    line: Dict[str, Any]


class Change(NamedTuple):
    """One thing that differs.

    Attributes:
        session: "train.py:12", and which one of several there.
        what: A field path, "devices", "threads.intra", "ops./device:GPU:0", "class", "target", or "session".
        old: What the first record has, or None.
        new: What the second has, or None.
    """

    session: str
    what: str
    old: Any
    new: Any


def read(path: str) -> List[Recorded]:
    """The sessions of a record, each named by its place and its turn there.

    Raises:
        click.UsageError: It is no record, or of a version that this release can't read.
    """
    turns: Dict[Tuple[str, int], int] = {}
    found = []
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except OSError as problem:
        raise click.UsageError("%s: %s" % (path, problem.strerror))
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            version = line["version"]
            place = (os.path.basename(line["file"]), int(line["line"]))
        except (ValueError, TypeError, KeyError):
            raise click.UsageError("%s:%d:1: this is no line of `tf1compat run --record`" % (path, number))
        if version != 1:
            raise click.UsageError("%s:%d:1: it was recorded by another release of tf1compat_gpu (version %r)" % (path, number, version))
        turns[place] = turns.get(place, 0) + 1
        found.append(Recorded(place + (turns[place],), line))
    return found


def _flat(line: Dict[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = dict(line.get("config", {}).items())
    found.update({"threads." + name: value for name, value in line.get("threads", {}).items()})
    found.update({"ops." + (device or "(any device)"): count for device, count in (line.get("ops") or {}).items()})
    # XLA_CPU and XLA_GPU are devices of 1.15 to 2.3 alone, and hold nothing of a program.
    found["devices"] = [name for name in line.get("devices", []) if "XLA_" not in name]
    found["class"], found["target"] = line.get("class"), line.get("target")
    return found


def changes(old: List[Recorded], new: List[Recorded]) -> List[Change]:
    """What differs, in the order of the first record."""
    before, after = {each.key: each.line for each in old}, {each.key: each.line for each in new}
    found: List[Change] = []
    for key in list(before) + [key for key in after if key not in before]:
        name = "%s:%d" % key[:2] + (" (%d)" % key[2] if key[2] > 1 else "")
        if key not in before or key not in after:
            found.append(Change(name, "session", "made" if key in before else None, "made" if key in after else None))
            continue
        one, other = _flat(before[key]), _flat(after[key])
        for what in sorted(set(one) | set(other)):
            a, b = (line.get(what, fields.default(what) if what in fields.paths() else None) for line in (one, other))
            if a != b:
                found.append(Change(name, what, a, b))
    return found


def _text(value: Any) -> str:
    return "-" if value is None else value if isinstance(value, str) and value else json.dumps(value)


def _releases(sessions: List[Recorded]) -> str:
    return ", ".join(sorted({str(each.line.get("tensorflow")) for each in sessions})) or "no session"


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.format("text", "json")
def command(old: str, new: str, format: str) -> Optional[int]:
    """Compare two records of `tf1compat run --record`: configs, devices, threads and operations of each session.

    Sessions are matched by the file's name and the line that made them. Exit status 1 where something differs.
    """
    first, second = read(old), read(new)
    found = changes(first, second)
    if format == "json":
        document = {"schema_version": SCHEMA_VERSION, "old": old, "new": new, "changes": [change._asdict() for change in found]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif found:
        from tf1compat_gpu.cli.tables import print_table

        headers = (
            "session",
            "what",
            "%s (TensorFlow %s)" % (os.path.basename(old), _releases(first)),
            "%s (TensorFlow %s)" % (os.path.basename(new), _releases(second)),
        )
        print_table([(change.session, change.what, _text(change.old), _text(change.new)) for change in found], headers)
    else:
        print("no difference in %d session%s" % (len(first), "" if len(first) == 1 else "s"), file=sys.stderr)
    return 1 if found else None
