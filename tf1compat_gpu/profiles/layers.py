"""One document as a layer of raw values by field path, and layers laid over one another.

Names are checked here (every layer is checked, also where another one overrides it); values are read after merging,
so that a variable that is overridden need not be set.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.nodes import Mapping, Node, Scalar, from_python
from tf1compat_gpu.profiles.nodes import Sequence as SequenceNode
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.scalars import size_text
from tf1compat_gpu.profiles.suggestions import SETTINGS, Suggestion, unknown_field, unknown_setting


class RawMap(NamedTuple):
    """A map field: its keys and values as written, None where the key is taken away."""

    items: Dict[str, Tuple[Scalar, Node]]
    span: Span


class Present(NamedTuple):
    """A sub-message that was written and holds no field."""

    span: Span


class Removed(NamedTuple):
    """`null`: takes an inherited value away."""

    span: Span


Raw = Union[Scalar, SequenceNode, Mapping, RawMap, Present, Removed]


class Layer(NamedTuple):
    """What one document says.

    Attributes:
        fields: Raw values by field path.
        settings: Raw values of the profile section by key; a variable of the environment block as `environment.NAME`.
        extends: The value of profile.extends, or None.
        variants: Overlays by name, with the place of the name.
    """

    fields: Dict[str, Raw]
    settings: Dict[str, Raw]
    extends: Optional[Node]
    variants: Dict[str, Tuple[Span, Layer]]


def _report(suggestion: Suggestion, span: Span) -> Diagnostic:
    return error(suggestion.code, suggestion.message, span, suggestion.help)


def _shown(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list"
    return "'%s'" % node.text if node.text else "nothing"


class _Flattening:
    def __init__(self) -> None:
        self.diagnostics: List[Diagnostic] = []
        self.fields: Dict[str, Raw] = {}
        self.settings: Dict[str, Raw] = {}
        self.extends: Optional[Node] = None
        self.variants: Dict[str, Tuple[Span, Layer]] = {}

    def document(self, node: Mapping, inner: bool) -> Layer:
        """Flatten the top level; `inner` says that it is a variant's overlay."""
        for key, value in node.pairs:
            if key.text == "profile":
                self.section(value, inner)
            elif key.text in fields.shorthands():
                self.shorthand(key, value)
            else:
                self.field(key, value, fields.ROOT, "")
        return Layer(self.fields, self.settings, self.extends, self.variants)

    def shorthand(self, key: Scalar, value: Node) -> None:
        path = fields.shorthands()[key.text]
        self.put(path, key, value, fields.paths()[path].field)

    def field(self, key: Scalar, value: Node, message: str, prefix: str) -> None:
        field = fields.messages()[message].get(key.text)
        if field is None or (field.is_message and prefix + key.text not in fields.paths()):
            self.diagnostics.append(_report(unknown_field(key.text, prefix), key.span))
            return
        self.put(prefix + key.text, key, value, field)

    def put(self, path: str, key: Scalar, value: Node, field: fields.Field) -> None:
        if path in self.fields:
            first = self.fields[path].span
            self.diagnostics.append(
                error(
                    "two-spellings",
                    "%s is written twice, at the top level and under gpu_options" % path,
                    key.span,
                    "keep one of the two",
                    ((first, "the other one"),),
                )
            )
        elif isinstance(value, Scalar) and value.is_null:
            self.fields[path] = Removed(key.span)
        elif field.is_group:
            self.group(path, key, value, field.type)
        elif field.is_map:
            self.map(path, value)
        else:
            self.fields[path] = value

    def group(self, path: str, key: Scalar, value: Node, message: str) -> None:
        if not isinstance(value, Mapping):
            help = "indent its fields under it:\n        %s:\n          field: value" % key.text
            self.diagnostics.append(error("type", "%s holds fields, found %s" % (path, _shown(value)), value.span, help))
            return
        if not value.pairs:
            self.fields[path] = Present(key.span)
        for inner_key, inner in value.pairs:
            self.field(inner_key, inner, message, path + ".")

    def map(self, path: str, value: Node) -> None:
        if not isinstance(value, Mapping):
            self.diagnostics.append(
                error(
                    "type",
                    "%s maps names to values, found %s" % (path, _shown(value)),
                    value.span,
                    "write %s: {CPU: 4}" % path if path == "device_count" else None,
                )
            )
            return
        items: Dict[str, Tuple[Scalar, Node]] = {}
        for key, item in value.pairs:
            before, colon, after = key.text.partition(":")
            if colon and after.strip() and not key.quoted and isinstance(item, Scalar) and item.is_null:
                message = "a blank is missing after the colon in '%s'" % key.text
                self.diagnostics.append(error("missing-blank", message, key.span, "write %s: %s" % (before, after)))
            else:
                items[key.text] = (key, item)
        self.fields[path] = RawMap(items, value.span)

    def section(self, node: Node, inner: bool) -> None:
        if isinstance(node, Scalar) and node.is_null:
            return
        if not isinstance(node, Mapping):
            self.diagnostics.append(error("type", "profile holds settings, found %s" % _shown(node), node.span, "its keys are " + ", ".join(SETTINGS)))
            return
        for key, value in node.pairs:
            if key.text not in SETTINGS:
                self.diagnostics.append(_report(unknown_setting(key.text), key.span))
            elif inner and key.text in ("extends", "variants"):
                self.diagnostics.append(
                    error("misplaced-setting", "%s can't stand in a variant" % key.text, key.span, "write it in the profile section of the file")
                )
            elif key.text == "extends":
                self.extends = value
            elif key.text == "variants":
                self.all_variants(value)
            elif key.text == "environment":
                self.environment(key, value)
            else:
                self.settings[key.text] = Removed(key.span) if isinstance(value, Scalar) and value.is_null else value

    def environment(self, key: Scalar, node: Node) -> None:
        if isinstance(node, Scalar) and node.is_null:
            self.settings["environment"] = Removed(key.span)
            return
        if not isinstance(node, Mapping):
            self.diagnostics.append(
                error(
                    "type",
                    "environment maps variable names to values, found %s" % _shown(node),
                    node.span,
                    "write environment: {CUDA_DEVICE_ORDER: PCI_BUS_ID}",
                )
            )
            return
        for name, value in node.pairs:
            self.settings["environment." + name.text] = Removed(name.span) if isinstance(value, Scalar) and value.is_null else value

    def all_variants(self, node: Node) -> None:
        if isinstance(node, Scalar) and node.is_null:
            return
        if not isinstance(node, Mapping):
            self.diagnostics.append(
                error("type", "variants maps names to overlays, found %s" % _shown(node), node.span, "write variants: {debug: {log_device_placement: true}}")
            )
            return
        for name, value in node.pairs:
            layer, problems = flatten(value, inner=True)
            self.diagnostics += problems
            self.variants[name.text] = (name.span, layer)


def flatten(node: Optional[Node], inner: bool = False) -> Tuple[Layer, List[Diagnostic]]:
    """A document's layer and what is wrong with its names.

    Args:
        node: The document, None for an empty one.
        inner: Whether it is a variant's overlay, which has neither extends nor variants.
    """
    work = _Flattening()
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return Layer({}, {}, None, {}), []
    if not isinstance(node, Mapping):
        text = node.text if isinstance(node, Scalar) else ""
        help = "write `field: value` lines"
        if ":" in text and " " not in text:
            help = "write %s, with a blank after the colon" % text.replace(":", ": ", 1)
        return Layer({}, {}, None, {}), [error("type", "a profile is a mapping of fields to values, found %s" % _shown(node), node.span, help)]
    return work.document(node, inner), work.diagnostics


def _merge_fields(below: Dict[str, Raw], above: Dict[str, Raw]) -> Dict[str, Raw]:
    merged = dict(below)
    for path, raw in above.items():
        old = merged.get(path)
        if isinstance(raw, Removed):
            for inherited in [p for p in merged if p == path or p.startswith(path + ".")]:
                del merged[inherited]
        elif isinstance(raw, RawMap) and isinstance(old, RawMap):
            merged[path] = RawMap(dict(old.items, **raw.items), raw.span)
        elif not (isinstance(raw, Present) and path in merged):
            merged[path] = raw
    return merged


def merge(layers: Iterable[Layer]) -> Tuple[Dict[str, Raw], Dict[str, Raw]]:
    """Fields and settings of several layers: later ones win, maps by key, lists whole; null takes away.

    Never by the proto's MergeFrom, which can't set anything to false or 0 and appends to lists.
    """
    merged_fields: Dict[str, Raw] = {}
    settings: Dict[str, Raw] = {}
    for layer in layers:
        merged_fields = _merge_fields(merged_fields, layer.fields)
        settings = _merge_fields(settings, layer.settings)
    for path, raw in list(merged_fields.items()):
        if isinstance(raw, RawMap):
            kept = {key: item for key, item in raw.items.items() if not (isinstance(item[1], Scalar) and item[1].is_null)}
            if kept or not raw.items:
                merged_fields[path] = RawMap(kept, raw.span)
            else:
                del merged_fields[path]
    return merged_fields, settings


def layer_of(profile: Profile) -> Layer:
    """A profile as a layer that others can be laid over."""
    raw: Dict[str, Raw] = {}
    for path, entry in profile.entries.items():
        node = from_python(entry.value, entry.span, literal=True)
        if fields.paths()[path].field.is_map:
            assert isinstance(node, Mapping)
            spans = {str(key): span for key, span in entry.items.items()}
            raw[path] = RawMap({key.text: (key._replace(span=spans.get(key.text, key.span)), value) for key, value in node.pairs}, entry.span)
        else:
            raw[path] = Present(entry.span) if isinstance(node, Mapping) else node
    settings: Dict[str, Raw] = {}
    for key, value in profile.settings._asdict().items():
        if key == "environment":
            settings.update(
                ("environment." + name, Scalar(text.replace("$", "$$"), _setting_span(profile, "environment." + name), quoted=True))
                for name, text in value.items()
            )
        elif value:
            text = size_text(value) if key == "gpu_memory_limit" else value
            settings[key] = Scalar(text, _setting_span(profile, key), quoted=True)
    return Layer(raw, settings, None, {})


def _setting_span(profile: Profile, key: str) -> Span:
    return profile.setting_spans.get(key, Span(Source(profile.name)))
