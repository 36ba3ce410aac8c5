"""Serialized ConfigProtos looked at field by field, only to say where an unknown field stands.

protobuf itself parses; it keeps unknown fields without saying at which byte they were.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles import fields


class Unknown(NamedTuple):
    """A field number that a message does not have: its path so far, its number and its byte offset."""

    message: str
    number: int
    offset: int


class Malformed(ValueError):
    """The bytes are no protobuf message; `offset` is where reading stopped."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__("%s at byte %d" % (what, offset))
        self.offset = offset


def _varint(data: bytes, at: int, end: int) -> Tuple[int, int]:
    value = shift = 0
    for position in range(at, min(at + 10, end)):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, position + 1
        shift += 7
    raise Malformed("a number that does not end", at)


def _by_number(message: str) -> dict[int, fields.Field]:
    table: dict[int, fields.Field] = {}
    for field in fields.messages()[message].values():
        if field.number not in table or table[field.number].last < field.last:
            table[field.number] = field
    return table


def unknown_fields(data: bytes, message: str = fields.ROOT, start: int = 0, end: Optional[int] = None, depth: int = 0) -> Iterator[Unknown]:
    """Every field number that the message or one inside it does not have.

    Raises:
        Malformed: The bytes are no protobuf message.
    """
    end = len(data) if end is None else end
    known = _by_number(message)
    at = start
    while at < end:
        tag, after = _varint(data, at, end)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == 0:
            _, after = _varint(data, after, end)
        elif wire_type in (1, 5):
            after += 8 if wire_type == 1 else 4
        elif wire_type == 2:
            length, begin = _varint(data, after, end)
            after = begin + length
        else:
            raise Malformed("no field of a protobuf message", at)
        if after > end or number == 0:
            raise Malformed("a field that goes past the end" if number else "field number 0", at)
        field = known.get(number)
        if field is None:
            yield Unknown(message, number, at)
        elif wire_type == 2 and field.is_message and not field.is_map and depth < 60:
            yield from unknown_fields(data, field.type, begin, after, depth + 1)
        at = after
