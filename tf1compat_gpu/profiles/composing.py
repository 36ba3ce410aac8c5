"""What a profile is composed of: its file, what that extends, its variants, and overrides, as layers."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.profiles import nodes
from tf1compat_gpu.profiles.files import Text, decode, read_source
from tf1compat_gpu.profiles.layers import Layer, flatten, layer_of
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.python_values import as_fields
from tf1compat_gpu.profiles.recent import Signature, signature
from tf1compat_gpu.profiles.values import Reading

ProfileLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Profile, Text, None]
_MAX_FILES = 100


class Document(NamedTuple):
    """A file or dict with everything it extends: layers from the bottom up, and its variants' layers by name."""

    layers: Tuple[Layer, ...]
    variants: Dict[str, Tuple[Layer, ...]]


class Composer:
    """Collects documents with what they extend."""

    def __init__(self, environ: Mapping[str, str], signatures: Optional[Dict[str, Optional[Signature]]] = None) -> None:
        self.environ = environ
        self.diagnostics: List[Diagnostic] = []
        self.files: List[str] = []
        self.signatures: Dict[str, Optional[Signature]] = {} if signatures is None else signatures

    def file(self, path: str, chain: Tuple[str, ...], span: Optional[Span], optional: bool = False) -> Document:
        identity = os.path.realpath(path)
        if identity in chain:
            circle = " -> ".join(os.path.basename(p) for p in chain[chain.index(identity) :] + (identity,))
            self.diagnostics.append(error("cycle", "profile.extends goes in a circle: " + circle, span, "take one of these extends out"))
            return Document((), {})
        if len(self.files) >= _MAX_FILES:
            self.diagnostics.append(error("too-large", "more than %d files through profile.extends" % _MAX_FILES, span))
            return Document((), {})
        self.signatures.setdefault(path, signature(path))
        source, problem = read_source(path, span)
        if source is None:
            if problem is not None and not (optional and problem.code == "not-found"):
                self.diagnostics.append(problem)
            return Document((), {})
        self.files.append(path)
        node, problems = nodes.parse(source)
        self.diagnostics += problems
        if node is None and problems:
            return Document((), {})
        return self.document(node, os.path.dirname(path), chain + (identity,))

    def document(self, node: Optional[nodes.Node], folder: str, chain: Tuple[str, ...]) -> Document:
        layer, problems = flatten(node)
        self.diagnostics += problems
        documents = [self.extended(item, folder, chain) for item in self.extends(layer.extends)]
        documents.append(Document((layer,), {name: (overlay,) for name, (_, overlay) in layer.variants.items()}))
        return stack(documents)

    def extends(self, node: Optional[nodes.Node]) -> Sequence[nodes.Scalar]:
        if node is None or (isinstance(node, nodes.Scalar) and node.is_null):
            return ()
        items = node.items if isinstance(node, nodes.Sequence) else (node,)
        scalars = [item for item in items if isinstance(item, nodes.Scalar)]
        if len(scalars) != len(items):
            self.diagnostics.append(error("type", "profile.extends takes a path or a list of paths", node.span, "write extends: [base.yaml]"))
        return scalars

    def extended(self, item: nodes.Scalar, folder: str, chain: Tuple[str, ...]) -> Document:
        reading = Reading(self.environ)
        text = reading.text(item, "profile.extends")
        self.diagnostics += reading.diagnostics
        if text is None:
            return Document((), {})
        optional = text.endswith("?")
        return self.file(os.path.join(folder, text[:-1] if optional else text), chain, item.span, optional)

    def tree(self, value: Mapping[str, Any], span: Span) -> Optional[nodes.Node]:
        try:
            return nodes.from_python(value, span)
        except TypeError as problem:
            self.diagnostics.append(error("type", str(problem), span))
            return None

    def overrides(self, overrides: Mapping[str, Any]) -> Tuple[Layer, ...]:
        span = Span(Source("<overrides>"))
        node = self.tree(as_fields(override_tree(overrides)), span)
        if node is None:
            return ()
        layer, problems = flatten(node)
        self.diagnostics += problems
        if layer.extends is not None or layer.variants:
            self.diagnostics.append(error("misplaced-setting", "extends and variants can't be overridden", span))
        return (layer,)

    def source(self, source: ProfileLike) -> Document:
        if isinstance(source, Profile):
            self.files += source.files
            return Document((layer_of(source),), dict(source.overlays))
        if isinstance(source, Mapping):
            node = self.tree(as_fields(source), Span(Source("<dict>")))
            return self.document(node, "", ()) if node else Document((), {})
        if isinstance(source, Text):
            return self.text(source)
        assert source is not None
        return self.file(os.fspath(source), (), None)

    def text(self, text: Text) -> Document:
        source, problem = decode(text.data, text.name)
        if source is None:
            self.diagnostics += [problem] if problem else []
            return Document((), {})
        node, problems = nodes.parse(source)
        self.diagnostics += problems
        return Document((), {}) if node is None and problems else self.document(node, "", ())


def stack(documents: Sequence[Document]) -> Document:
    variants: Dict[str, Tuple[Layer, ...]] = {}
    for document in documents:
        for name, layers in document.variants.items():
            variants[name] = variants.get(name, ()) + layers
    return Document(tuple(layer for document in documents for layer in document.layers), variants)


def override_tree(overrides: Mapping[str, Any]) -> Dict[str, Any]:
    """{"gpu_options.allow_growth": x} -> {"gpu_options": {"allow_growth": x}}."""
    tree: Dict[str, Any] = {}
    for path, value in overrides.items():
        at, parts = tree, str(path).split(".")
        for part in parts[:-1]:
            inner = at.setdefault(part, {})
            at = inner if isinstance(inner, dict) else at.setdefault(".".join(parts), {})
        at[parts[-1]] = value
    return tree
