"""Print the ConfigProto schema of the TensorFlow that runs this script.

usage: python collect.py            JSON: {"release", "fields": [...], "enums": [...], "messages": {...}}

Run it under each new release and merge the answer with `generate.py --merge FILE`. The tests run it under every
TensorFlow at hand and compare its answer with the facts kept here.
"""

from __future__ import annotations

import json
import sys

#: AttrValue is a value type: it is described once, as a message, and not walked into field paths (it is recursive).
VALUE_TYPE = "tensorflow.AttrValue"
TYPES = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 12: "bytes", 13: "uint32"}


def is_repeated(field):
    """Whether a FieldDescriptor is repeated, on every protobuf from 3.8 to 7 (`label` left in protobuf 7)."""
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == 3


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def type_name(field):
    if is_map(field):
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        return "map<%s,%s>" % (type_name(key), type_name(value))
    if field.message_type is not None:
        return field.message_type.full_name
    if field.enum_type is not None:
        return field.enum_type.full_name
    return TYPES[field.type]


def describe(field):
    entry = {"name": field.name, "number": field.number, "type": type_name(field), "repeated": is_repeated(field) and not is_map(field)}
    if field.containing_oneof is not None:
        entry["oneof"] = field.containing_oneof.name
    return entry


def walk(message, prefix, fields, enums):
    for field in message.fields:
        path = prefix + field.name
        entry = describe(field)
        fields.append(dict(entry, path=path, message=message.full_name))
        if field.enum_type is not None:
            enums[field.enum_type.full_name] = {value.name: value.number for value in field.enum_type.values}
        if field.message_type is not None and not is_map(field):
            walk(field.message_type, path + ("[]." if entry["repeated"] else "."), fields, enums)


def closure(message, found):
    """Every message that AttrValue can hold, by full name, and the enums among their fields."""
    if message.full_name in found:
        return
    found[message.full_name] = [describe(field) for field in message.fields]
    for field in message.fields:
        inner = field.message_type.fields_by_name["value"] if is_map(field) else field
        if inner.message_type is not None:
            closure(inner.message_type, found)
        elif inner.enum_type is not None:
            found[inner.enum_type.full_name] = {value.name: value.number for value in inner.enum_type.values}


def main():
    import tensorflow as tf
    from tensorflow.core.framework import attr_value_pb2
    from tensorflow.core.protobuf import config_pb2

    fields, enums, messages = [], {}, {}
    walk(config_pb2.ConfigProto.DESCRIPTOR, "", fields, enums)
    closure(attr_value_pb2.AttrValue.DESCRIPTOR, messages)
    json.dump({"release": tf.__version__, "fields": fields, "enums": enums, "messages": messages}, sys.stdout, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
