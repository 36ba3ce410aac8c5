"""Between a profile's entries and a ConfigProto message of any kind: TensorFlow's own, or one of the private pool.

Works by the message's own descriptor and imports neither protobuf nor TensorFlow.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping, Value


class MissingFieldError(Exception):
    """The message's release has no such field or enum member.

    Attributes:
        path: The field path as far as it goes.
        what: What is missing, in words.
    """

    def __init__(self, path: str, what: str) -> None:
        super().__init__("%s: %s" % (path, what))
        self.path, self.what = path, what


def fill(message: Any, entries: Mapping[str, Entry]) -> None:
    """Set every entry in a ConfigProto message.

    A sub-message that holds an entry becomes present even if the value is the default, as it does when a program
    assigns `config.gpu_options.allow_growth = False`.

    Raises:
        MissingFieldError: The message has no such field.
    """
    for path, entry in entries.items():
        parts = path.split(".")
        at = message
        for part in parts[:-1]:
            _descriptor(at, part, path)
            at = getattr(at, part)
            at.SetInParent()
        _set(at, parts[-1], entry.value, path)


def _descriptor(message: Any, name: str, path: str) -> Any:
    descriptor = message.DESCRIPTOR.fields_by_name.get(name)
    if descriptor is None:
        raise MissingFieldError(path, "%s has no field %s" % (message.DESCRIPTOR.full_name, name))
    return descriptor


def _number(descriptor: Any, value: Any, path: str) -> Any:
    if descriptor.enum_type is None:
        return value
    member = descriptor.enum_type.values_by_name.get(value)
    if member is None:
        raise MissingFieldError(path, "%s has no member %s" % (descriptor.enum_type.full_name, value))
    return member.number


def _set(message: Any, name: str, value: Value, path: str) -> None:
    descriptor = _descriptor(message, name, path)
    if isinstance(value, tuple):
        target = getattr(message, name)
        for item in value:
            if isinstance(item, FrozenMapping):
                _fill_message(target.add(), item, path)
            else:
                target.append(_number(descriptor, item, path))
    elif descriptor.message_type is not None and descriptor.message_type.GetOptions().map_entry:
        _set_map(getattr(message, name), descriptor.message_type.fields_by_name["value"], value, path)
    elif isinstance(value, FrozenMapping):
        inner = getattr(message, name)
        inner.SetInParent()
        _fill_message(inner, value, path)
    else:
        setattr(message, name, _number(descriptor, value, path))


def _set_map(target: Any, descriptor: Any, value: Any, path: str) -> None:
    for key, item in value.items():
        if isinstance(item, FrozenMapping):
            _fill_message(target[key], item, path)
        else:
            target[key] = _number(descriptor, item, path)


def _fill_message(message: Any, values: FrozenMapping[Any, Any], path: str) -> None:
    for name, value in values.items():
        _set(message, name, value, "%s.%s" % (path, name))


class Unpacked(NamedTuple):
    """What a message holds: entries by field path, and what can't be said in a profile."""

    entries: Dict[str, Entry]
    diagnostics: Tuple[Diagnostic, ...]


class _Unpacking:
    def __init__(self, source: Source) -> None:
        self.span = Span(source)
        self.diagnostics: List[Diagnostic] = []

    def walk(self, message: Any, prefix: str) -> Iterator[Tuple[str, Entry]]:
        for descriptor, value in message.ListFields():
            path = prefix + descriptor.name
            known = fields.paths().get(path)
            if known is None:
                self.unknown(path, "a field of a newer TensorFlow than this package knows")
            elif known.field.is_group:
                inner = list(self.walk(value, path + "."))
                yield from inner or [(path, Entry(FrozenMapping(), self.span))]
            else:
                yield path, Entry(self.value(descriptor, value, known.field, path), self.span)

    def unknown(self, path: str, why: str) -> None:
        self.diagnostics.append(error("unknown-field", "%s: %s" % (path, why), self.span))

    def value(self, descriptor: Any, value: Any, field: fields.Field, path: str) -> Value:
        if field.is_map:
            inner = descriptor.message_type.fields_by_name["value"]
            single = field._replace(key_type="")
            return FrozenMapping({key: self.value(inner, value[key], single, path) for key in sorted(value)})
        if field.repeated:
            return tuple(self.value(descriptor, item, field._replace(repeated=False), path) for item in value)
        if field.is_message:
            return FrozenMapping(tuple(self.message(value, field.type, path)))
        if field.is_enum:
            member = descriptor.enum_type.values_by_number.get(value)
            if member is None:
                self.unknown(path, "%d is no member of %s" % (value, field.type))
                return fields.member_names(field.type)[0]
            return str(member.name)
        plain: Value = value
        return plain

    def message(self, message: Any, name: str, path: str) -> Iterator[Tuple[str, Value]]:
        for descriptor, value in message.ListFields():
            inner = fields.messages()[name].get(descriptor.name)
            if inner is None:
                self.unknown("%s.%s" % (path, descriptor.name), "a field of a newer TensorFlow than this package knows")
            else:
                yield descriptor.name, self.value(descriptor, value, inner, "%s.%s" % (path, descriptor.name))


def unpack(message: Any, source: Source) -> Unpacked:
    """The entries of a ConfigProto message; every one has the source as its place."""
    work = _Unpacking(source)
    entries = dict(work.walk(message, ""))
    return Unpacked(entries, tuple(work.diagnostics))
