"""One scalar's text, read by the type of its field: never by YAML 1.1's guessing."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from typing import Optional, Union

from tf1compat_gpu.profiles import fields

ScalarValue = Union[bool, int, float, str, bytes]

_TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
_FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1)}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
_FRACTION = re.compile(r"\s*([-+]?[0-9.]+)\s*/\s*([0-9.]+)\s*\Z")
FLOAT32_MAX = 3.4028234663852886e38


class Unreadable(ValueError):
    """A text that is no value of the type: what was expected, and what to write instead."""

    def __init__(self, message: str, help: Optional[str] = None) -> None:
        super().__init__(message)
        self.message, self.help = message, help


def _found(text: str) -> str:
    return "found '%s'" % (text if len(text) <= 60 else text[:57] + "...")


def read_bool(text: str) -> bool:
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise Unreadable("expected true or false, %s" % _found(text), {"1": "write true", "0": "write false"}.get(text))


def _ambiguous(text: str) -> Optional[str]:
    """What to write for a spelling that YAML versions or people read differently."""
    sign = text[:1] if text[:1] in "+-" else ""
    digits = text[len(sign) :]
    if re.match(r"0[0-9]+\Z", digits):
        octal = " (%s%d if it is octal)" % (sign, int(digits, 8)) if re.match(r"0[0-7]+\Z", digits) else ""
        return "a leading zero is octal to some parsers and decimal to others; write %s%d%s" % (sign, int(digits), octal)
    if re.match(r"[0-9]+(:[0-5]?[0-9])+\Z", digits):
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
        return "YAML 1.1 reads this as base 60; write %s%d if that is what it means" % (sign, value)
    if re.match(r"[0-9][0-9_]*\Z", digits) and "_" in digits:
        return "write it without '_': %s" % (sign + digits.replace("_", ""))
    if re.match(r"0[xX][0-9a-fA-F]+\Z", digits):
        return "write it in decimal: %s%d" % (sign, int(digits, 16))
    if re.match(r"0[oO][0-7]+\Z", digits):
        return "write it in decimal: %s%d" % (sign, int(digits[2:], 8))
    if re.match(r"0[bB][01]+\Z", digits):
        return "write it in decimal: %s%d" % (sign, int(digits, 2))
    return None


def read_integer(text: str, type: str) -> int:
    low, high = _RANGES[type]
    if _INTEGER.match(text):
        if len(text) > 40:
            raise Unreadable("out of range: %s takes %d to %d" % (type, low, high))
        value = int(text)
        if not low <= value <= high:
            raise Unreadable("%d is out of range: %s takes %d to %d" % (value, type, low, high))
        return value
    help = _ambiguous(text)
    if help is None and _FLOAT.match(text) and math.isfinite(float(text)):
        number = float(text)
        help = "write %d" % number if number == int(number) and abs(number) < 2**53 else "the field takes whole numbers"
    raise Unreadable("expected a whole number, %s" % _found(text), help)


def read_float(text: str, type: str) -> float:
    help = _ambiguous(text)
    if help is None and _FLOAT.match(text):
        value = float(text)
        if math.isinf(value) or (type == "float" and abs(value) > FLOAT32_MAX):
            raise Unreadable("%s is out of range for a %s" % (text, type))
        return to_float32(value) if type == "float" else value
    if re.match(r"[-+]?\.?(nan|inf|infinity)\Z", text, re.I):
        raise Unreadable("expected a number, %s" % _found(text), "leave the field out for TensorFlow's default")
    division = _FRACTION.match(text)
    if division is not None:
        try:
            help = "YAML has no arithmetic; write %.6g" % (float(division.group(1)) / float(division.group(2)))
        except (ValueError, ZeroDivisionError):
            help = "YAML has no arithmetic"
    if re.match(r"[0-9.]+\s*%\Z", text):
        help = "write %.6g" % (float(text.rstrip("% ")) / 100) if text.count(".") < 2 else None
    raise Unreadable("expected a number, %s" % _found(text), help)


def read_enum(text: str, enum: str) -> str:
    if fields.member_by_name(enum, text) is not None:
        return text
    names = fields.member_names(enum)
    help: Optional[str] = None
    if re.match(r"[-+]?[0-9]+\Z", text):
        member = fields.member_by_number(enum, int(text))
        help = "write %s" % member.name if member else None
    if help is None and text.upper() in names:
        help = "write %s" % text.upper()
    if help is None:
        from difflib import get_close_matches

        close = get_close_matches(text.upper(), names, 1, 0.5)
        spelled = {"ON": "ON", "TRUE": "ON", "YES": "ON", "FALSE": "OFF", "NO": "OFF"}.get(text.upper())
        wanted = [n for n in names if spelled is not None and n.split("_")[0] == spelled]
        best = wanted or close
        help = "did you mean %s?" % " or ".join(best) if best else None
    raise Unreadable("expected one of %s, %s" % (", ".join(names), _found(text)), help)


def read_bytes(text: str, binary: bool) -> bytes:
    if not binary:
        return text.encode("utf-8")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("expected base64 after !!binary, %s" % _found(text))


def read_scalar(text: str, type: str, binary: bool = False) -> ScalarValue:
    """The value that a scalar's text means for a type of the proto (an enum's value is its member name).

    Raises:
        Unreadable: The text is no value of that type.
    """
    if binary and type != "bytes":
        raise Unreadable("!!binary is for bytes fields alone")
    if type == "bool":
        return read_bool(text)
    if type in _RANGES:
        return read_integer(text, type)
    if type in ("float", "double"):
        return read_float(text, type)
    if type == "string":
        return text
    if type == "bytes":
        return read_bytes(text, binary)
    return read_enum(text, type)


def to_float32(value: float) -> float:
    """The nearest float32, as a Python float: what a `float` field of the proto keeps."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def format_float(value: float, type: str) -> str:
    """The shortest decimal that reads back as the same double, or the same float32 for `float` fields."""
    if type == "float":
        for digits in range(6, 10):
            text = "%.*g" % (digits, value)
            if to_float32(float(text)) == value:
                return repr(float(text))
    return repr(value)


_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B|B|[KMGT]i?|)\Z", re.I)
_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def read_size(text: str) -> int:
    """A memory size with a binary unit, as 8GiB or 512MiB, in bytes.

    Raises:
        Unreadable: No unit, a decimal one (GB), or no size at all.
    """
    match = _SIZE.match(text.strip())
    if match is None:
        raise Unreadable("expected a memory size, %s" % _found(text), "write a number and a unit, as 8GiB or 512MiB")
    number, unit = match.group(1), match.group(2).lower().rstrip("b")
    if unit not in _UNITS:
        shown = "%sGiB or %sMiB" % (number, number) if not unit else "%s%siB (TensorFlow counts memory in powers of 1024)" % (number, unit.upper())
        raise Unreadable("expected a memory size with a binary unit, %s" % _found(text), "write " + shown)
    size = int(float(number) * _UNITS[unit])
    if size == 0:
        raise Unreadable("a memory limit of nothing", "leave gpu_memory_limit out for no limit")
    return size


def size_text(size: int) -> str:
    """Bytes as the largest binary unit that divides them."""
    for unit, factor in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size % factor == 0:
            return "%d%s" % (size // factor, unit)
    return "%d" % size


__all__ = ["ScalarValue", "Unreadable", "format_float", "read_scalar", "read_size", "size_text", "to_float32"]
