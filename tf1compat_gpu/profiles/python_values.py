"""Values as programs write them into a ConfigProto: an enum's number for its member, 1 for true.

Python's protobuf takes those (`tf.OptimizerOptions.ON_1` is the number 1), so dicts and overrides take them too; YAML does
not, where a number for an enum is more likely a mistake.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from tf1compat_gpu.profiles import fields


def as_field(path: str, value: Any) -> Any:
    """A value as its field has it; what the field can't have stays as it is, for the reader to report.

    Args:
        path: The field path.
        value: What a program gave it.
    """
    found = fields.find(path)
    if found is None or value is None:
        return value
    kind = found.field.type
    if isinstance(value, bytes) and kind == "string":
        return value.decode("utf-8", "replace")
    if not isinstance(value, int):
        return value
    if kind in fields.enums() and not isinstance(value, bool):
        member = fields.member_by_number(kind, value)
        return member.name if member else value
    if kind == "bool" and value in (0, 1):
        return bool(value)
    if kind in ("int32", "int64") and isinstance(value, bool):
        return int(value)
    return value


def as_fields(tree: Mapping[Any, Any], prefix: str = "") -> Dict[Any, Any]:
    """A nested dict with every value as its field has it."""
    found: Dict[Any, Any] = {}
    for name, value in tree.items():
        path = prefix + str(name)
        found[name] = as_fields(value, path + ".") if isinstance(value, Mapping) else as_field(path, value)
    return found
