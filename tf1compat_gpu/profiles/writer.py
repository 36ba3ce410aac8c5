"""A profile as YAML that reads back to an equal profile."""

from __future__ import annotations

import base64
from typing import Any, Dict, Iterable, List, Tuple

import yaml

from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.interpolation import escape
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile, Settings, Value
from tf1compat_gpu.profiles.scalars import format_float, size_text

_STR, _MAP, _SEQ = "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


class _Dumper(yaml.SafeDumper):
    """Writes every scalar plain where YAML's syntax allows it: the reader goes by the field's type, not by the look."""

    yaml_implicit_resolvers: Dict[str, Any] = {}

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)


def _text(value: str, variables: bool = True) -> yaml.Node:
    shown = escape(value) if variables else value
    looks_null = value in ("", "~", "null", "Null", "NULL")
    return yaml.ScalarNode(_STR, shown, style='"' if looks_null or shown != value else None)


def _scalar(value: Any, type: str) -> yaml.Node:
    if type == "bool":
        return yaml.ScalarNode(_STR, "true" if value else "false")
    if type in ("float", "double"):
        return yaml.ScalarNode(_STR, format_float(value, type))
    if type == "bytes":
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if text is None or not text.isprintable():
            return yaml.ScalarNode("tag:yaml.org,2002:binary", base64.b64encode(value).decode("ascii"), style='"')
        return _text(text)
    return _text(value) if isinstance(value, str) else yaml.ScalarNode(_STR, str(value))


def _mapping(pairs: Iterable[Tuple[yaml.Node, yaml.Node]], flow: bool = False) -> yaml.Node:
    return yaml.MappingNode(_MAP, list(pairs), flow_style=flow)


def _value(value: Any, field: fields.Field) -> yaml.Node:
    if field.is_map:
        single = field._replace(key_type="")
        return _mapping(((_text(str(key), False), _value(value[key], single)) for key in sorted(value)), flow=field.is_scalar)
    if isinstance(value, tuple):
        items = [_value(item, field._replace(repeated=False)) for item in value]
        return yaml.SequenceNode(_SEQ, items, flow_style=not field.is_message or not items)
    if isinstance(value, FrozenMapping):
        inner = fields.messages()[field.type]
        return _mapping(((_text(name, False), _value(item, inner[name])) for name, item in value.items()), flow=not value)
    return _scalar(value, field.type)


def _nest(tree: Dict[str, Any]) -> yaml.Node:
    return _mapping((_text(name, False), _nest(item) if isinstance(item, dict) else item) for name, item in tree.items())


def _section(settings: Settings) -> Dict[str, Any]:
    section: Dict[str, Any] = {}
    for key, value in settings._asdict().items():
        if key == "environment":
            if value:
                section[key] = {name: yaml.ScalarNode(_STR, escape(text), style='"') for name, text in sorted(value.items())}
        elif value:
            section[key] = _text(size_text(value)) if key == "gpu_memory_limit" else _text(value, key != "description")
    return section


def to_yaml(profile: Profile) -> str:
    """The profile as YAML: the profile section first, then the fields, nested, in the proto's order."""
    tree: Dict[str, Any] = {}
    section = _section(profile.settings)
    if section:
        tree["profile"] = section
    for path, entry in profile.entries.items():
        at = tree
        parts: List[str] = path.split(".")
        for part in parts[:-1]:
            at = at.setdefault(part, {})
        at[parts[-1]] = _value(entry.value, fields.paths()[path].field)
    if not tree:
        return "{}\n"
    text: str = yaml.serialize(_nest(tree), Dumper=_Dumper, allow_unicode=True, width=100)
    return text


def value_text(path: str, value: Value) -> str:
    """One field's value as YAML on one line."""
    node = _value(value, fields.paths()[path].field)
    if isinstance(node, yaml.CollectionNode):
        node = _flowing(node)
    text: str = yaml.serialize(node, Dumper=_Dumper, allow_unicode=True, width=float("inf"))
    return text[: -len("...\n")].rstrip() if text.endswith("...\n") else text.rstrip()


def _flowing(node: yaml.CollectionNode) -> yaml.CollectionNode:
    """The same node with everything in it on one line."""
    node.flow_style = True
    for item in node.value:
        for part in item if isinstance(item, tuple) else (item,):
            if isinstance(part, yaml.CollectionNode):
                _flowing(part)
    return node
