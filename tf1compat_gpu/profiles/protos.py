"""ConfigProto without TensorFlow: its bytes and its text, through protobuf and a private descriptor pool.

protobuf is imported when one of these functions runs, never before. The pool's descriptors are made from the
generated facts; a field that went and whose number another one took is not in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, List, Mapping, Optional

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.checks import check
from tf1compat_gpu.profiles.messages import MissingFieldError, fill, unpack
from tf1compat_gpu.profiles.profile import Entry, Profile, Settings
from tf1compat_gpu.profiles.suggestions import nearest
from tf1compat_gpu.profiles.wire import Malformed, unknown_fields

_TYPES = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8, "string": 9, "bytes": 12, "uint32": 13}


def _declare(descriptor: Any, full_name: str, field: fields.Field, oneofs: Dict[str, int]) -> None:
    added = descriptor.field.add(name=field.name, number=field.number, label=3 if field.repeated or field.is_map else 1)
    if field.is_map:
        entry = descriptor.nested_type.add(name="".join(part.capitalize() for part in field.name.split("_")) + "Entry")
        entry.options.map_entry = True
        for number, (name, type) in enumerate((("key", field.key_type), ("value", field.type)), 1):
            _set_type(entry.field.add(name=name, number=number, label=1), type)
        added.type, added.type_name = 11, ".%s.%s" % (full_name, entry.name)
        return
    _set_type(added, field.type)
    if field.oneof:
        if field.oneof not in oneofs:
            oneofs[field.oneof] = len(oneofs)
            descriptor.oneof_decl.add(name=field.oneof)
        added.oneof_index = oneofs[field.oneof]


def _set_type(added: Any, type: str) -> None:
    if type in _TYPES:
        added.type = _TYPES[type]
    else:
        added.type, added.type_name = (14 if type in fields.enums() else 11), "." + type


@lru_cache(maxsize=None)
def _message_class() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="tf1compat_gpu/config.proto", package="tensorflow", syntax="proto3")
    made: Dict[str, Any] = {}

    def message(name: str) -> Any:
        if name not in made:
            outer, _, short = name.rpartition(".")
            made[name] = (file.message_type if outer == "tensorflow" else message(outer).nested_type).add(name=short)
        return made[name]

    for name, table in fields.messages().items():
        descriptor = message(name)
        newest: Dict[int, fields.Field] = {}
        for field in table.values():
            if field.number not in newest or newest[field.number].last < field.last:
                newest[field.number] = field
        oneofs: Dict[str, int] = {}
        for field in newest.values():
            _declare(descriptor, name, field, oneofs)
    for name, members in fields.enums().items():
        outer, _, short = name.rpartition(".")
        enum = (file.enum_type if outer == "tensorflow" else message(outer).enum_type).add(name=short)
        today = {member.number: member for member in reversed(members)}
        for member in sorted(today.values(), key=lambda m: (m.number != 0, m.number)):
            enum.value.add(name=member.name, number=member.number)
    # Any: the calls differ between protobuf 3.9 and today's, and their stubs know one of them.
    pool: Any = descriptor_pool.DescriptorPool()
    factory: Any = message_factory
    pool.Add(file) if not hasattr(pool, "AddSerializedFile") else pool.AddSerializedFile(file.SerializeToString())
    root = pool.FindMessageTypeByName(fields.ROOT)
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(root)
    return factory.MessageFactory(pool).GetPrototype(root)  # protobuf before 4.22


def new_message() -> Any:
    """An empty ConfigProto of the private pool: every field of every release."""
    return _message_class()()


def to_message(profile: Profile) -> Any:
    """The profile as a ConfigProto of the private pool.

    Raises:
        ProfileError: A field that went, and whose number another one has now.
    """
    message = new_message()
    try:
        fill(message, profile.entries)
    except MissingFieldError as problem:
        renamed = fields.paths()[problem.path].field.renamed_to if problem.path in fields.paths() else ""
        span = profile.entries[problem.path].span if problem.path in profile.entries else None
        raise ProfileError([error("release", problem.what + " any more", span, "write %s" % renamed if renamed else None)])
    return message


def to_bytes(profile: Profile) -> bytes:
    """The serialized ConfigProto; the same profile always gives the same bytes."""
    data: bytes = to_message(profile).SerializeToString(deterministic=True)
    return data


def to_text(profile: Profile) -> str:
    """The ConfigProto in protobuf's text format, as TensorFlow Serving's --tensorflow_session_config_file reads it."""
    from google.protobuf import text_format

    return str(text_format.MessageToString(to_message(profile)))


def _checked(entries: Mapping[str, Entry], diagnostics: List[Diagnostic], source: Source) -> Profile:
    diagnostics = diagnostics + list(check(entries, Settings()))
    if any(d.is_error for d in diagnostics):
        raise ProfileError(diagnostics)
    return Profile(entries, name=source.name, diagnostics=tuple(diagnostics))


def profile_from_bytes(data: bytes, name: str = "<bytes>") -> Profile:
    """The profile of a serialized ConfigProto.

    Raises:
        ProfileError: The bytes are no ConfigProto, hold a field number that no release has (named with its byte
            offset), or a value that is out of range.
    """
    from google.protobuf.message import DecodeError

    source = Source(name)
    try:
        unknown = list(unknown_fields(data))
        message = new_message()
        message.ParseFromString(data)
    except Malformed as problem:
        raise ProfileError([error("not-a-config", "not a serialized ConfigProto: %s" % problem, Span(source), "text goes through --from textproto or yaml")])
    except DecodeError as problem:
        raise ProfileError([error("not-a-config", "not a serialized ConfigProto: %s" % problem, Span(source))])
    rows = [
        error(
            "unknown-field",
            "field number %d of %s, at byte %d, is no field of any TensorFlow from 1.0 to %s"
            % (u.number, u.message.split(".", 1)[1], u.offset, fields.format_release(fields.releases()[-1])),
            Span(source),
        )
        for u in unknown
    ]
    entries, problems = unpack(message, source)
    return _checked(entries, rows + list(problems), source)


def profile_from_config(config: Any, name: str = "<ConfigProto>") -> Profile:
    """The profile of a ConfigProto object, of any TensorFlow.

    Raises:
        ProfileError: It holds fields that this package does not know, or values that are out of range.
    """
    source = Source(name)
    unknown = [
        error("unknown-field", "field number %d of %s is not known" % (u.number, u.message.split(".", 1)[1]), Span(source))
        for u in unknown_fields(config.SerializeToString())
    ]
    entries, problems = unpack(config, source)
    # What `unpack` names by path need not be named by number too.
    return _checked(entries, list(problems) or unknown, source)


def profile_from_text(text: str, name: str = "<text proto>") -> Profile:
    """The profile of a ConfigProto in protobuf's text format.

    Raises:
        ProfileError: With line and column of what is no text proto of a ConfigProto.
    """
    from google.protobuf import text_format

    source = Source(name, text)
    message = new_message()
    try:
        text_format.Parse(text, message)
    except text_format.ParseError as problem:
        line, column = problem.GetLine() or 1, problem.GetColumn() or 1
        words = str(problem)
        prefix = "%s:%s : " % (problem.GetLine(), problem.GetColumn())
        words = words[len(prefix) :] if words.startswith(prefix) else words
        raise ProfileError([error("text-proto", words, Span(source, line, column, column + 1), _old_name(words) or _near_name(words, message))])
    entries, problems = unpack(message, Source(name))
    return _checked(entries, list(problems), source)


def _near_name(words: str, message: Any) -> Optional[str]:
    """The names of the message that are near the one that it lacks, from protobuf's own words (text_format.py, _MergeField)."""
    found = re.match(r'Message type "([\w.]+)" has no field named "(\w+)"', words)
    if found is None:
        return None
    near = nearest(found.group(2), [field.name for field in message.DESCRIPTOR.file.pool.FindMessageTypeByName(found.group(1)).fields])
    return "did you mean %s?" % " or ".join(near) if near else None


def _old_name(words: str) -> Optional[str]:
    for path, known in fields.paths().items():
        if known.field.renamed_to and '"%s"' % known.field.name in words:
            return "%s is called %s now" % (path, known.field.renamed_to)
    return None
