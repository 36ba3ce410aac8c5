"""The JSON Schema of profiles, for editors: made from the same facts as the reader goes by.

A schema sees values after an editor's YAML parser has typed them; what only the text shows (a leading zero, a
duplicate key, a tab) and what a look at two fields shows (a conflict) is left to `tf1compat check`.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List

from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.scalars import FLOAT32_MAX

_INTERPOLATED = {"type": "string", "pattern": r"\$"}
_NULL = {"type": "null"}
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1)}
_BOOL_WORDS = [word for pair in (("true", "false"), ("yes", "no"), ("on", "off")) for text in pair for word in (text, text.capitalize(), text.upper())]
_VISIBLE = r"^\s*([0-9]+\s*(,\s*[0-9]+\s*)*)?$"
_NON_NEGATIVE = ("intra_op_parallelism_threads", "num_threads", "per_process_gpu_memory_fraction")


def _scalar(field: fields.Field) -> Dict[str, Any]:
    if field.type == "bool":
        return {"anyOf": [{"type": "boolean"}, {"enum": _BOOL_WORDS}, _INTERPOLATED]}
    if field.type in _RANGES:
        low, high = _RANGES[field.type]
        low = 0 if field.name in _NON_NEGATIVE else low
        text = r"^[-+]?(0|[1-9][0-9]*)$" if low else r"^[+]?(0|[1-9][0-9]*)$"
        return {"anyOf": [{"type": "integer", "minimum": low, "maximum": high}, {"type": "string", "pattern": text}, _INTERPOLATED]}
    if field.type in ("float", "double"):
        number: Dict[str, Any] = {"type": "number"}
        if field.name in _NON_NEGATIVE:
            number["minimum"] = 0
        if field.type == "float":
            number["maximum"] = FLOAT32_MAX
        sign = "[+]?" if field.name in _NON_NEGATIVE else "[-+]?"
        return {"anyOf": [number, {"type": "string", "pattern": r"^%s([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$" % sign}, _INTERPOLATED]}
    if field.type in ("string", "bytes"):
        if field.name == "visible_device_list":
            ids: Dict[str, Any] = {"type": "array", "items": {"type": ["integer", "string"]}}
            return {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": _VISIBLE}, ids, _INTERPOLATED]}
        return {"type": ["string", "number", "boolean"]}
    return {"anyOf": [{"enum": list(fields.member_names(field.type))}, _INTERPOLATED]}


def _value(field: fields.Field) -> Dict[str, Any]:
    single = {"$ref": "#/definitions/" + field.type} if field.is_message else _scalar(field)
    if field.is_map:
        schema: Dict[str, Any] = {"type": "object", "additionalProperties": {"anyOf": [single, _NULL]}}
        if field.key_type != "string":
            schema["propertyNames"] = {"pattern": "^-?[0-9]+$"}
        if field.name == "device_count":
            counts = {
                "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**31 - 1}, {"type": "string", "pattern": "^[+]?(0|[1-9][0-9]*)$"}, _INTERPOLATED, _NULL]
            }
            schema["additionalProperties"] = counts
            # A session needs a CPU device.
            schema["properties"] = {"CPU": {"allOf": [counts, {"not": {"enum": [0, "0"]}}]}}
            schema["propertyNames"] = {"not": {"enum": ["cpu", "gpu", "Cpu", "Gpu", "tpu"]}}
        return {"anyOf": [schema, _NULL]}
    if field.repeated:
        return {"anyOf": [{"type": "array", "items": single}, _NULL]}
    return {"anyOf": [single, _NULL]}


def _described(path: str, first: fields.Release, last: fields.Release, schema: Dict[str, Any]) -> Dict[str, Any]:
    return dict(schema, description="%s (TensorFlow %s)" % (path, fields.had(first, last)))


def _message(name: str) -> Dict[str, Any]:
    properties = {
        field.name: dict(_value(field), description="TensorFlow " + fields.had(field.first, field.last))
        for field in fields.messages()[name].values()
        if field.last == fields.releases()[-1]
    }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _environment() -> Dict[str, Any]:
    return {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}


def _section(inner: bool) -> Dict[str, Any]:
    properties: Dict[str, Any] = {
        "description": {"type": ["string", "null"]},
        "environment": {"anyOf": [_environment(), _NULL], "description": "environment variables that must be set before TensorFlow starts"},
        "gpu_per_process": {"enum": ["local_rank", None], "description": "each process of a host takes the GPU of its local rank"},
        "gpu_memory_limit": {
            "anyOf": [{"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*[KMGTkmgt][iI][bB]?\s*$"}, _INTERPOLATED, _NULL],
            "description": "memory of each card that the process may take, as 8GiB",
        },
        "numerics": {"enum": ["tf1", "native", None], "description": "tf1: TF32 and oneDNN off, as TensorFlow 1.15 had them"},
    }
    if not inner:
        path = {"type": "string"}
        properties["extends"] = {
            "anyOf": [path, {"type": "array", "items": path}, _NULL],
            "description": "profiles to build on; a ? at the end makes one optional",
        }
        properties["variants"] = {"anyOf": [{"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/definitions/variant"}, _NULL]}}, _NULL]}
    return {"anyOf": [{"type": "object", "additionalProperties": False, "properties": properties}, _NULL]}


def _top(inner: bool) -> Dict[str, Any]:
    properties: Dict[str, Any] = {"profile": _section(inner)}
    for path, known in fields.paths().items():
        if "." not in path:
            properties[path] = _described(path, known.first, known.last, _value(known.field))
    for name, path in fields.shorthands().items():
        known = fields.paths()[path]
        properties[name] = _described(path, known.first, known.last, _value(known.field))
    both: List[Dict[str, Any]] = [
        {"required": [name, "gpu_options"], "properties": {"gpu_options": {"type": "object", "required": [name]}}} for name in fields.shorthands()
    ]
    return {"type": "object", "additionalProperties": False, "properties": properties, "not": {"anyOf": both}}


def json_schema() -> Dict[str, Any]:
    """The schema (draft 7, which yaml-language-server reads)."""
    definitions = {name: _message(name) for name in fields.messages() if name != fields.ROOT}
    definitions["variant"] = _top(inner=True)
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "tf1compat_gpu profile", "anyOf": [_top(inner=False), _NULL]}
    return dict(schema, definitions=definitions)


def schema_text() -> str:
    """The schema as the text of configs/config_proto.schema.json."""
    return json.dumps(json_schema(), indent=1) + "\n"
