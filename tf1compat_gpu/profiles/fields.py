"""The fields of ConfigProto: facts read from the generated config_proto.json, and look-ups over them.

A field path is written as in the proto with `[]` after a repeated message:
`gpu_options.experimental.virtual_devices[].memory_limit_mb`. Nothing here knows what a field does.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

Release = Tuple[int, int]

ROOT = "tensorflow.ConfigProto"
SCALARS = ("bool", "int32", "int64", "uint32", "uint64", "float", "double", "string", "bytes")
#: Releases on which profiles can be run; older ones are known for `check` and `convert` alone.
FIRST_SUPPORTED: Tuple[Release, ...] = ((1, 15), (2, 1))
_ATTR_VALUE = "tensorflow.AttrValue"
_DATA = os.path.join(os.path.dirname(__file__), "config_proto.json")


def parse_release(text: str) -> Release:
    """'1.15.5' -> (1, 15).

    Raises:
        ValueError: The text does not start with two numbers.
    """
    match = re.match(r"(\d+)\.(\d+)", text.strip())
    if match is None:
        raise ValueError("not a TensorFlow release: %r; write one as 1.15 or 2.21" % text)
    return int(match.group(1)), int(match.group(2))


def format_release(release: Release) -> str:
    return "%d.%d" % release


class Member(NamedTuple):
    """An enum member and the releases that have it under this number."""

    name: str
    number: int
    first: Release
    last: Release


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        name: Its name in the proto.
        number: Its field number.
        type: A scalar type of proto3, or the full name of an enum or message; of a map, that of its values.
        key_type: The key type of a map, else "".
        repeated: Whether it is a list. A map is not.
        first: The first release that has it, as far as facts go (1.1 and 2.0 are not among them).
        last: The last release that has it.
        oneof: The oneof that it is a member of, else "".
        renamed_to: The field path that took its place, else "".
        retyped: The type it had before, and the last release that had that; ("", (0, 0)) for most.
    """

    name: str
    number: int
    type: str
    key_type: str
    repeated: bool
    first: Release
    last: Release
    oneof: str
    renamed_to: str
    retyped: Tuple[str, Release]

    @property
    def is_map(self) -> bool:
        return bool(self.key_type)

    @property
    def is_scalar(self) -> bool:
        return self.type in SCALARS

    @property
    def is_enum(self) -> bool:
        return self.type in enums()

    @property
    def is_message(self) -> bool:
        return self.type in messages()

    @property
    def is_group(self) -> bool:
        """Whether it is a plain sub-message, whose fields have field paths of their own."""
        return self.is_message and not self.repeated and not self.is_map


class PathField(NamedTuple):
    """A field at its place in ConfigProto: first and last hold for the path, not only for the message."""

    path: str
    field: Field
    first: Release
    last: Release


@lru_cache(maxsize=None)
def _data() -> Dict[str, Dict[str, Dict[str, Dict[str, object]]]]:
    with open(_DATA, encoding="ascii") as file:
        data: Dict[str, Dict[str, Dict[str, Dict[str, object]]]] = json.load(file)
    return data


@lru_cache(maxsize=None)
def releases() -> Tuple[Release, ...]:
    """Every release that the facts know, oldest first."""
    return tuple(parse_release(text) for text in _data()["releases"])


def supported_releases() -> Tuple[Release, ...]:
    """The releases that sessions and plans are made for: 1.15, and 2.1 up to the newest known."""
    return tuple(r for r in releases() if r == (1, 15) or r >= (2, 1))


@lru_cache(maxsize=None)
def enums() -> Dict[str, Tuple[Member, ...]]:
    """Members by the enum's full name, those of the newest release first where a number changed."""
    table: Dict[str, Tuple[Member, ...]] = {}
    for name, rows in _data()["enums"].items():
        members = [Member(str(r["name"]), int(str(r["number"])), parse_release(str(r["first"])), parse_release(str(r["last"]))) for r in _rows(rows)]
        table[name] = tuple(sorted(members, key=lambda m: (tuple(-part for part in m.last), m.number)))
    return table


def _rows(rows: object) -> List[Dict[str, object]]:
    assert isinstance(rows, list)
    return rows


def _field(name: str, row: Dict[str, object]) -> Field:
    type, key_type = str(row["type"]), ""
    if type.startswith("map<"):
        key_type, type = type[4:-1].split(",")
    retyped = row.get("retyped")
    before = (str(retyped[0]), parse_release(str(retyped[1]))) if isinstance(retyped, list) else ("", (0, 0))
    return Field(
        name, int(str(row["number"])), type, key_type, bool(row["repeated"]), parse_release(str(row["first"])), parse_release(str(row["last"])),
        str(row.get("oneof", "")), str(row.get("renamed_to", "")), before,
    )  # fmt: skip


@lru_cache(maxsize=None)
def messages() -> Dict[str, Dict[str, Field]]:
    """Fields by name, by the message's full name."""
    return {name: {field: _field(field, row) for field, row in rows.items()} for name, rows in _data()["messages"].items()}


def _walk(message: str, prefix: str, first: Release, last: Release) -> Iterator[PathField]:
    for field in messages()[message].values():
        path = prefix + field.name
        since, until = max(first, field.first), min(last, field.last)
        yield PathField(path, field, since, until)
        if field.is_message and not field.is_map:
            yield from _walk(field.type, path + ("[]." if field.repeated else "."), since, until)


@lru_cache(maxsize=None)
def paths() -> Dict[str, PathField]:
    """Every field path of every release, by path, in the proto's order."""
    return {entry.path: entry for entry in _walk(ROOT, "", releases()[0], releases()[-1])}


@lru_cache(maxsize=None)
def paths_by_name() -> Dict[str, Tuple[str, ...]]:
    """Field paths by their last component, for "did you mean"."""
    table: Dict[str, Tuple[str, ...]] = {}
    for path, entry in paths().items():
        table[entry.field.name] = table.get(entry.field.name, ()) + (path,)
    return table


def find(path: str) -> Optional[PathField]:
    """The field of a path (list indexes and map keys in brackets are ignored), or None."""
    return paths().get(re.sub(r"\[[^\]]*\]", "[]", path)) or paths().get(re.sub(r"\[[^\]]*\]$", "", path))


@lru_cache(maxsize=None)
def shorthands() -> Dict[str, str]:
    """Names that are accepted at the top level for a gpu_options field: every one of them but `experimental`."""
    return {name: "gpu_options." + name for name in messages()["tensorflow.GPUOptions"] if name != "experimental"}


def member_names(enum: str) -> Tuple[str, ...]:
    """The enum's member names, by today's number."""
    return tuple(dict.fromkeys(member.name for member in sorted(enums()[enum], key=lambda m: (m.last < releases()[-1], m.number))))


def member_by_name(enum: str, name: str) -> Optional[Member]:
    """The newest member of that name, or None."""
    return next((member for member in enums()[enum] if member.name == name), None)


def member_by_number(enum: str, number: int) -> Optional[Member]:
    """The newest member of that number, or None."""
    return next((member for member in enums()[enum] if member.number == number), None)


_DEFAULTS: Dict[str, Union[bool, int, float, str]] = {"bool": False, "string": "", "bytes": "", "float": 0.0, "double": 0.0}


@lru_cache(maxsize=None)
def default(path: str) -> Union[bool, int, float, str, Tuple[()], Dict[Any, Any], None]:
    """The value that a field has where it is unset; None for a message, which has none."""
    field = paths()[path].field
    if field.is_map:
        return {}
    if field.repeated:
        return ()
    if field.is_enum:
        zero = member_by_number(field.type, 0)
        return zero.name if zero else ""
    if field.is_message:
        return None
    return _DEFAULTS.get(field.type, 0)


def had(first: Release, last: Release) -> str:
    """The releases from first to last, in words: '2.5 and later', '1.2 to 1.4', '1.11 alone'."""
    if last == releases()[-1]:
        return "%s and later" % format_release(first)
    if first == last:
        return "%s alone" % format_release(first)
    return "%s to %s" % (format_release(first), format_release(last))


__all__ = [
    "FIRST_SUPPORTED", "Field", "Member", "PathField", "ROOT", "Release", "default", "enums", "find",
    "format_release", "had", "member_by_name", "member_by_number",
    "member_names", "messages", "parse_release", "paths", "paths_by_name", "releases", "shorthands", "supported_releases",
]  # fmt: skip
