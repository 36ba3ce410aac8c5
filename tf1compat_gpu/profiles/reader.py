"""Profiles from files, dicts and other profiles: extends, variants, overrides, and all errors at once."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.profiles import fields, nodes
from tf1compat_gpu.profiles.checks import check, check_release
from tf1compat_gpu.profiles.layers import Layer, flatten, layer_of, merge
from tf1compat_gpu.profiles.placement import place_process
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.suggestions import nearest
from tf1compat_gpu.profiles.values import Reading

ProfileLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Profile, None]
_MAX_FILES = 100


class _Document(NamedTuple):
    """A file or dict with everything it extends: layers from the bottom up, and its variants' layers by name."""

    layers: Tuple[Layer, ...]
    variants: Dict[str, Tuple[Layer, ...]]


class _Composer:
    """Collects documents with what they extend."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.diagnostics: List[Diagnostic] = []
        self.files: List[str] = []

    def file(self, path: str, chain: Tuple[str, ...], span: Optional[Span], optional: bool = False) -> _Document:
        identity = os.path.realpath(path)
        if identity in chain:
            circle = " -> ".join(os.path.basename(p) for p in chain[chain.index(identity) :] + (identity,))
            self.diagnostics.append(error("cycle", "profile.extends goes in a circle: " + circle, span, "take one of these extends out"))
            return _Document((), {})
        if len(self.files) >= _MAX_FILES:
            self.diagnostics.append(error("too-large", "more than %d files through profile.extends" % _MAX_FILES, span))
            return _Document((), {})
        source, problem = read_source(path, span)
        if source is None:
            if problem is not None and not (optional and problem.code == "not-found"):
                self.diagnostics.append(problem)
            return _Document((), {})
        self.files.append(path)
        node, problems = nodes.parse(source)
        self.diagnostics += problems
        if node is None and problems:
            return _Document((), {})
        return self.document(node, os.path.dirname(path), chain + (identity,))

    def document(self, node: Optional[nodes.Node], folder: str, chain: Tuple[str, ...]) -> _Document:
        layer, problems = flatten(node)
        self.diagnostics += problems
        documents = [self.extended(item, folder, chain) for item in self.extends(layer.extends)]
        documents.append(_Document((layer,), {name: (overlay,) for name, (_, overlay) in layer.variants.items()}))
        return _stack(documents)

    def extends(self, node: Optional[nodes.Node]) -> Sequence[nodes.Scalar]:
        if node is None or (isinstance(node, nodes.Scalar) and node.is_null):
            return ()
        items = node.items if isinstance(node, nodes.Sequence) else (node,)
        scalars = [item for item in items if isinstance(item, nodes.Scalar)]
        if len(scalars) != len(items):
            self.diagnostics.append(error("type", "profile.extends takes a path or a list of paths", node.span, "write extends: [base.yaml]"))
        return scalars

    def extended(self, item: nodes.Scalar, folder: str, chain: Tuple[str, ...]) -> _Document:
        reading = Reading(self.environ)
        text = reading.text(item, "profile.extends")
        self.diagnostics += reading.diagnostics
        if text is None:
            return _Document((), {})
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
        node = self.tree(_override_tree(overrides), span)
        if node is None:
            return ()
        layer, problems = flatten(node)
        self.diagnostics += problems
        if layer.extends is not None or layer.variants:
            self.diagnostics.append(error("misplaced-setting", "extends and variants can't be overridden", span))
        return (layer,)

    def source(self, source: ProfileLike) -> _Document:
        if isinstance(source, Profile):
            return _Document((layer_of(source),), {})
        if isinstance(source, Mapping):
            node = self.tree(source, Span(Source("<dict>")))
            return self.document(node, "", ()) if node else _Document((), {})
        assert source is not None
        return self.file(os.fspath(source), (), None)  # type: ignore[arg-type]


def _stack(documents: Sequence[_Document]) -> _Document:
    variants: Dict[str, Tuple[Layer, ...]] = {}
    for document in documents:
        for name, layers in document.variants.items():
            variants[name] = variants.get(name, ()) + layers
    return _Document(tuple(layer for document in documents for layer in document.layers), variants)


def read_source(path: str, span: Optional[Span] = None) -> Tuple[Optional[Source], Optional[Diagnostic]]:
    """A file's text, or what is wrong with the file. `-` is standard input; `span` is the place that named it."""
    import sys

    name = "<stdin>" if path == "-" else path
    at = span or Span(Source(name))
    try:
        if path == "-":
            data = sys.stdin.buffer.read(nodes.MAX_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(nodes.MAX_BYTES + 1)
    except FileNotFoundError:
        return None, error("not-found", "no such profile: %s" % path, span, _near(path))
    except IsADirectoryError:
        return None, error("unreadable", "%s is a directory, not a profile" % path, span, "name a file in it")
    except (OSError, ValueError) as problem:
        return None, error("unreadable", "%s can't be read: %s" % (path, getattr(problem, "strerror", None) or problem), span)
    if len(data) > nodes.MAX_BYTES:
        return None, error("too-large", "%s is larger than %d KiB" % (name, nodes.MAX_BYTES // 1024), at, "a profile is a small file; is this the right one?")
    return _decode(data, name)


def _near(path: str) -> str:
    tried = os.path.abspath(path)
    try:
        names = [name for name in os.listdir(os.path.dirname(tried)) if name.endswith((".yaml", ".yml"))]
    except OSError:
        return "looked for %s" % tried
    close = nearest(os.path.basename(tried), names)
    return "looked for %s%s" % (tried, "; did you mean %s?" % " or ".join(close) if close else "")


def _decode(data: bytes, name: str) -> Tuple[Optional[Source], Optional[Diagnostic]]:
    for mark, encoding in ((b"\xef\xbb\xbf", ""), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            if encoding:
                return None, error("encoding", "%s is %s" % (name, encoding), Span(Source(name)), "save it as UTF-8")
            data = data[len(mark) :]
    try:
        return Source(name, data.decode("utf-8").replace("\r\n", "\n")), None
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        shown = Source(name, data.decode("utf-8", "replace"))
        return None, error("encoding", "not UTF-8: the byte 0x%02x" % data[problem.start], Span(shown, line, column, column + 1), "save the file as UTF-8")


def _split_variant(source: ProfileLike) -> Tuple[ProfileLike, Optional[str]]:
    """`train.yaml#ps` -> (`train.yaml`, `ps`), unless a file has that very name."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if "#" in text and not os.path.exists(text):
            path, _, variant = text.rpartition("#")
            return path, variant
    return source, None


def _task_type(environ: Mapping[str, str]) -> Optional[str]:
    """The task type of TF_CONFIG, or None."""
    try:
        config = json.loads(environ.get("TF_CONFIG", ""))
        type = config["task"]["type"]
    except (ValueError, KeyError, TypeError):
        return None
    return type if isinstance(type, str) else None


def _override_tree(overrides: Mapping[str, Any]) -> Dict[str, Any]:
    """{"gpu_options.allow_growth": x} -> {"gpu_options": {"allow_growth": x}}."""
    tree: Dict[str, Any] = {}
    for path, value in overrides.items():
        at, parts = tree, str(path).split(".")
        for part in parts[:-1]:
            inner = at.setdefault(part, {})
            at = inner if isinstance(inner, dict) else at.setdefault(".".join(parts), {})
        at[parts[-1]] = value
    return tree


def load_profile(
    source: Union[ProfileLike, Sequence[ProfileLike]],
    variant: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    environ: Optional[Mapping[str, str]] = None,
    release: Optional[fields.Release] = None,
) -> Profile:
    """Read a profile; nothing of TensorFlow is loaded or touched, so that a fork afterwards is safe.

    Args:
        source: A path (relative ones from the working directory; `file.yaml#variant` chooses a variant; `-` is
            standard input), a dict with the same structure, a Profile, or a list of these: later ones win.
        variant: The variant to lay over it. Where none is named, TF_CONFIG's task type chooses the variant of that
            name, if there is one.
        overrides: Field path to value, laid over everything else: `{"gpu_options.allow_growth": False}`.
        environ: What `${NAME}` looks up; os.environ by default.
        release: A TensorFlow release, as (1, 15): fields that it lacks are errors.

    Returns:
        The profile; its `diagnostics` hold warnings and notes.

    Raises:
        ProfileError: Something is wrong in it; the error holds everything that is.
    """
    profile, diagnostics = try_load_profile(source, variant, overrides, environ=environ, release=release)
    if profile is None:
        raise ProfileError(diagnostics)
    return profile


def try_load_profile(
    source: Union[ProfileLike, Sequence[ProfileLike]],
    variant: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    environ: Optional[Mapping[str, str]] = None,
    release: Optional[fields.Release] = None,
) -> Tuple[Optional[Profile], Tuple[Diagnostic, ...]]:
    """As `load_profile`, but returns what is wrong: the profile is None where one of the diagnostics is an error."""
    environ = os.environ if environ is None else environ
    sources = list(source) if isinstance(source, (list, tuple)) else [source]
    if len(sources) == 1 and isinstance(sources[0], Profile) and not variant and not overrides:
        return _released(sources[0], release)
    composer = _Composer(environ)
    documents: List[_Document] = []
    names: List[str] = []
    for item in sources:
        item, chosen = _split_variant({} if item is None else item)
        variant = chosen if variant is None else variant
        documents.append(composer.source(item))
        names.append(_name(item))
    stacked = _stack(documents)
    variant = variant if variant is not None or _task_type(environ) not in stacked.variants else _task_type(environ)
    layers = stacked.layers + _variant_layers(variant, stacked, names[-1], composer)
    if overrides:
        layers += composer.overrides(overrides)
    raw_fields, raw_settings = merge(layers)
    reading = Reading(environ)
    read = {path: reading.entry(path, raw) for path, raw in raw_fields.items()}
    entries = {path: entry for path, entry in read.items() if entry is not None}
    settings, spans = reading.settings(raw_settings)
    diagnostics = composer.diagnostics + reading.diagnostics
    if settings.gpu_per_process:
        entry, problems = place_process(entries.get("gpu_options.visible_device_list"), spans["gpu_per_process"], environ)
        diagnostics += problems
        if entry is not None:
            entries["gpu_options.visible_device_list"] = entry
            settings = settings._replace(gpu_per_process=None)
    diagnostics += check(entries, settings)
    if any(d.is_error for d in diagnostics):
        return None, tuple(diagnostics)
    profile = Profile(
        entries, settings, name=" + ".join(names), setting_spans=spans, variant=variant, variants=tuple(stacked.variants),
        diagnostics=tuple(diagnostics), files=tuple(dict.fromkeys(composer.files)),
    )  # fmt: skip
    return _released(profile, release)


def _name(source: ProfileLike) -> str:
    if isinstance(source, Profile):
        return source.name
    return "<dict>" if isinstance(source, Mapping) else "<stdin>" if source == "-" else os.fspath(source)  # type: ignore[arg-type]


def _variant_layers(variant: Optional[str], stacked: _Document, name: str, composer: _Composer) -> Tuple[Layer, ...]:
    if variant is None or variant in stacked.variants:
        return stacked.variants.get(variant or "", ())
    if not any(d.is_error for d in composer.diagnostics):
        known = ", ".join(stacked.variants) or "none"
        composer.diagnostics.append(error("variant", "%s has no variant '%s'" % (name, variant), Span(Source(name)), "its variants are: " + known))
    return ()


def _released(profile: Profile, release: Optional[fields.Release]) -> Tuple[Optional[Profile], Tuple[Diagnostic, ...]]:
    problems = list(check_release(profile.entries, release)) if release is not None else list(_gone(profile))
    if any(d.is_error for d in problems):
        return None, profile.diagnostics + tuple(problems)
    return profile, profile.diagnostics


def _gone(profile: Profile) -> List[Diagnostic]:
    """Where no release is asked for: fields that none of the supported releases has."""
    supported = fields.supported_releases()
    found = []
    for path, entry in profile.entries.items():
        known = fields.paths()[path]
        if not any(known.first <= r <= known.last for r in supported):
            help = "write %s" % known.field.renamed_to if known.field.renamed_to else None
            found.append(error("release", "%s is gone (%s had it)" % (path, fields.had(known.first, known.last)), entry.span, help))
    return found


__all__ = ["ProfileLike", "load_profile", "read_source", "try_load_profile"]
