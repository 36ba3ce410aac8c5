"""Raw values read by the type of their field: text filled in, converted, and everything wrong reported."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Span, error, warning
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.interpolation import substitute
from tf1compat_gpu.profiles.layers import Present, Raw, RawMap, Removed
from tf1compat_gpu.profiles.nodes import Mapping as MappingNode
from tf1compat_gpu.profiles.nodes import Node, Scalar
from tf1compat_gpu.profiles.nodes import Sequence as SequenceNode
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping, Settings
from tf1compat_gpu.profiles.scalars import ScalarValue, Unreadable, read_scalar, read_size
from tf1compat_gpu.profiles.secrets import MASK, is_secret
from tf1compat_gpu.profiles.suggestions import nearest, snake_case

#: String fields that TensorFlow splits at commas: a list of scalars is joined.
_LISTS_IN_TEXT = ("visible_device_list",)


class Reading:
    """Reads raw values, and collects what is wrong and which variables were used."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.diagnostics: List[Diagnostic] = []
        self.variables: List[str] = []

    def fail(self, code: str, message: str, span: Span, help: Optional[str] = None) -> None:
        self.diagnostics.append(error(code, message, span, help))

    def text(self, node: Scalar, what: str) -> Optional[str]:
        """The scalar's text with its variables filled in."""
        try:
            done = substitute(node.text, self.environ)
        except Unreadable as problem:
            self.fail("interpolation", "%s: %s" % (what, problem.message), node.span, problem.help)
            return None
        self.variables += done.variables
        self.diagnostics += [
            warning("rank-default" if "in its place" in message else "rank-conflict", "%s: %s" % (what, message), node.span, help)
            for message, help in done.warnings
        ]
        return done.text

    def scalar(self, node: Node, type: str, what: str) -> Optional[ScalarValue]:
        if not isinstance(node, Scalar):
            found = "a list" if isinstance(node, SequenceNode) else "a mapping"
            self.fail("type", "%s takes one value, found %s" % (what, found), node.span, self.one_value_help(node, what))
            return None
        if node.is_null:
            self.fail("type", "%s: null can't stand here" % what, node.span)
            return None
        before = len(self.variables)
        text = node.text if node.binary else self.text(node, what)
        if text is None:
            return None
        try:
            return read_scalar(text, type, node.binary)
        except Unreadable as problem:
            made = " (from '%s')" % node.text if text != node.text else ""
            message, help = problem.message, problem.help or self.flow_help(node)
            if text and is_secret(self.variables[before:]):
                message, help = message.replace(text, MASK), None
            self.fail("type", "%s: %s%s" % (what, message, made), node.span, help)
            return None

    def one_value_help(self, node: Node, what: str) -> Optional[str]:
        if what.endswith("per_process_gpu_memory_fraction"):
            return (
                "one fraction serves every card; per-card limits are "
                "gpu_options.experimental.virtual_devices: [{memory_limit_mb: [4096]}, {memory_limit_mb: [2048]}]"
            )
        if isinstance(node, SequenceNode) and len(node.items) == 1 and isinstance(node.items[0], Scalar):
            return "write %s" % node.items[0].text
        return None

    def flow_help(self, node: Scalar) -> Optional[str]:
        return "a value with ' #' in it must be quoted" if "${" in node.text and "}" not in node.text else None

    def one(self, node: Node, field: fields.Field, what: str) -> Any:
        """One value of the field's type, or one message of a list of them."""
        if field.is_message:
            return self.message(node, field.type, what)
        if field.name in _LISTS_IN_TEXT and isinstance(node, SequenceNode):
            parts = [self.scalar(item, "string", what) for item in node.items]
            return None if None in parts else ",".join(str(part) for part in parts)
        return self.scalar(node, field.type, what)

    def message(self, node: Node, message: str, what: str) -> Optional[FrozenMapping[str, Any]]:
        """A message that has no field paths of its own: an item of a list, a value of a map, or inside one."""
        if not isinstance(node, MappingNode):
            names = ", ".join(fields.messages()[message])
            self.fail("type", "%s holds fields (%s)" % (what, names), node.span, "write {%s: ...}" % next(iter(fields.messages()[message])))
            return None
        values: Dict[str, Any] = {}
        chosen: Dict[str, str] = {}
        for key, inner in node.pairs:
            field = fields.messages()[message].get(key.text)
            if field is None:
                self.unknown(key, message, what)
            elif isinstance(inner, Scalar) and inner.is_null:
                continue
            elif field.oneof and field.oneof in chosen:
                self.fail("oneof", "%s holds one value: %s and %s exclude each other" % (what, chosen[field.oneof], field.name), key.span, "keep one of them")
            else:
                value = self.field_value(inner, field, "%s.%s" % (what, key.text))
                if value is not None:
                    values[key.text] = value
                    if field.oneof:
                        chosen[field.oneof] = field.name
        order = {name: index for index, name in enumerate(fields.messages()[message])}
        return FrozenMapping(tuple(sorted(values.items(), key=lambda item: order[item[0]])))

    def unknown(self, key: Scalar, message: str, what: str) -> None:
        names = list(fields.messages()[message])
        close = nearest(snake_case(key.text), names)
        help = "did you mean %s?" % " or ".join(close) if close else "its fields are " + ", ".join(names)
        self.fail("unknown-field", "%s: '%s' is not a field of %s" % (what, key.text, message.split(".", 1)[1]), key.span, help)

    def field_value(self, node: Node, field: fields.Field, what: str) -> Any:
        if field.is_map:
            if not isinstance(node, MappingNode):
                self.fail("type", "%s maps keys to values" % what, node.span)
                return None
            return self.map(RawMap({key.text: (key, item) for key, item in node.pairs}, node.span), field, what)[0]
        if field.repeated:
            return self.items(node, field, what)
        return self.one(node, field, what)

    def items(self, node: Node, field: fields.Field, what: str) -> Optional[Tuple[Any, ...]]:
        if not isinstance(node, SequenceNode):
            shown = node.text if isinstance(node, Scalar) else "..."
            self.fail(
                "type",
                "%s takes a list" % what,
                node.span,
                "write [%s]" % shown if isinstance(node, Scalar) else "write a list: each item on a line that begins with `- `",
            )
            return None
        read = [self.one(item, field, "%s[%d]" % (what, index)) for index, item in enumerate(node.items)]
        return None if None in read else tuple(read)

    def map(self, raw: RawMap, field: fields.Field, what: str) -> Tuple[Optional[FrozenMapping[Any, Any]], FrozenMapping[Any, Span]]:
        values: Dict[Any, Any] = {}
        spans: Dict[Any, Span] = {}
        for key, node in raw.items.values():
            name: Any = self.map_key(key, field, what)
            if name is None or (isinstance(node, Scalar) and node.is_null):
                continue
            value = self.one(node, field, "%s.%s" % (what, key.text))
            if value is not None:
                values[name], spans[name] = value, key.span
        return FrozenMapping(values), FrozenMapping(spans)

    def map_key(self, key: Scalar, field: fields.Field, what: str) -> Any:
        if field.key_type == "string":
            return key.text
        try:
            return read_scalar(key.text, field.key_type)
        except Unreadable as problem:
            self.fail("type", "a key of %s: %s" % (what, problem.message), key.span, problem.help)
            return None

    def entry(self, path: str, raw: Raw) -> Optional[Entry]:
        """The entry of a field path, or None where it can't be read."""
        self.variables = []
        field = fields.paths()[path].field
        items: FrozenMapping[Any, Span] = FrozenMapping()
        if isinstance(raw, Present):
            value: Any = FrozenMapping()
        elif isinstance(raw, RawMap):
            value, items = self.map(raw, field, path)
        else:
            assert not isinstance(raw, Removed)
            value = self.items(raw, field, path) if field.repeated else self.one(raw, field, path)
        return None if value is None else Entry(value, raw.span, items, tuple(dict.fromkeys(self.variables)))

    def settings(self, raw: Dict[str, Raw]) -> Tuple[Settings, Dict[str, Span]]:
        """The profile section from its raw values."""
        found: Dict[str, Any] = {}
        environment: Dict[str, str] = {}
        spans: Dict[str, Span] = {}
        for key, node in raw.items():
            spans[key] = node.span
            text = self.setting_text(key, node)
            if text is None:
                continue
            if key.startswith("environment."):
                self.environment_variable(key[len("environment.") :], text, node.span, environment)
            elif key == "gpu_memory_limit":
                try:
                    found[key] = read_size(text)
                except Unreadable as problem:
                    self.fail("type", "profile.gpu_memory_limit: " + problem.message, node.span, problem.help)
            elif key in _CHOICES and text not in _CHOICES[key]:
                self.fail("type", "profile.%s takes %s, found '%s'" % (key, " or ".join(_CHOICES[key]), text), node.span)
            else:
                found[key] = text
        return Settings(environment=FrozenMapping(tuple(sorted(environment.items()))), **found), spans

    def setting_text(self, key: str, node: Raw) -> Optional[str]:
        if not isinstance(node, Scalar):
            self.fail("type", "profile.%s takes one value" % key, node.span)
            return None
        return node.text if key == "description" else self.text(node, "profile." + key)

    def environment_variable(self, name: str, text: str, span: Span, into: Dict[str, str]) -> None:
        if not name or "=" in name or "\0" in name + text:
            self.fail("environment", "'%s' can't be the name of an environment variable" % name, span)
        else:
            into[name] = text


_CHOICES = {"gpu_per_process": ("local_rank",), "numerics": ("tf1", "native")}
