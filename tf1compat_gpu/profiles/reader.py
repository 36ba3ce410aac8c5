"""Profiles from files, dicts and other profiles: extends, variants, overrides, and all errors at once."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error, warning
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.checks import check, check_release
from tf1compat_gpu.profiles.clusters import read_tf_config, task_type
from tf1compat_gpu.profiles.composing import Composer, Document, ProfileLike, stack
from tf1compat_gpu.profiles.files import Text
from tf1compat_gpu.profiles.layers import Layer, merge
from tf1compat_gpu.profiles.placement import place_process
from tf1compat_gpu.profiles.profile import Entry, Profile
from tf1compat_gpu.profiles.recent import Signature, Watched, recall, remember, signature
from tf1compat_gpu.profiles.values import Reading


def split_variant(source: ProfileLike) -> Tuple[ProfileLike, Optional[str]]:
    """`train.yaml#ps` -> (`train.yaml`, `ps`), unless a file has that very name."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if "#" in text and not os.path.exists(text):
            path, _, variant = text.rpartition("#")
            return path, variant
    return source, None


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
    # hasattr, because a PathLike costs an instance check 1 us, and a session from a known file not much more in all.
    if environ is None and release is None and not overrides and (type(source) is str or hasattr(source, "__fspath__")) and source != "-":
        path = os.fspath(source)  # type: ignore[arg-type]
        known = recall(path, variant)
        return _load_file(path, variant) if known is None else known
    profile, diagnostics = try_load_profile(source, variant, overrides, environ=environ, release=release)
    if profile is None:
        raise ProfileError(diagnostics)
    return profile


def _load_file(path: str, variant: Optional[str]) -> Profile:
    """A profile from a file under this process's environment, for `recall` to know while nothing has changed."""
    watched, files = Watched(os.environ), {path: signature(path)}
    profile, diagnostics = _read([path], variant, None, watched, None, files)
    if profile is None:
        raise ProfileError(diagnostics)
    remember(path, variant, profile, watched, files)
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
    # A Text is a tuple too.
    sources: List[Any] = list(source) if isinstance(source, (list, tuple)) and not isinstance(source, Text) else [source]
    if len(sources) == 1 and isinstance(sources[0], Profile) and not variant and not overrides:
        # It was read under this process's TF_CONFIG, or its maker's choice; another environment may choose a variant.
        if environ is None or task_type(environ) not in sources[0].overlays:
            return _released(sources[0], release)
    return _read(sources, variant, overrides, os.environ if environ is None else environ, release, {})


def _read(
    sources: Sequence[Any],
    variant: Optional[str],
    overrides: Optional[Mapping[str, Any]],
    environ: Mapping[str, str],
    release: Optional[fields.Release],
    files: Dict[str, Optional[Signature]],
) -> Tuple[Optional[Profile], Tuple[Diagnostic, ...]]:
    """As `try_load_profile`; `files` takes the signature of every file that is looked for."""
    composer = Composer(environ, files)
    documents: List[Document] = []
    names: List[str] = []
    for item in sources:
        item, chosen = split_variant({} if item is None else item)
        variant = chosen if variant is None else variant
        documents.append(composer.source(item))
        names.append(_name(item))
    stacked = stack(documents)
    if variant is None and stacked.variants:
        job, problems = _job(environ)
        variant = job if job in stacked.variants else None
        composer.diagnostics += problems
    above = composer.overrides(overrides) if overrides else ()
    layers = stacked.layers + _variant_layers(variant, stacked, names[-1], composer) + above
    raw_fields, raw_settings = merge(layers)
    reading = Reading(environ)
    read = {path: reading.entry(path, raw) for path, raw in raw_fields.items()}
    entries = {path: entry for path, entry in read.items() if entry is not None}
    settings, spans = reading.settings(raw_settings)
    diagnostics = composer.diagnostics + reading.diagnostics
    if settings.gpu_per_process and _without_gpus(entries):
        settings = settings._replace(gpu_per_process=None)  # a parameter server among workers has a rank and needs no card
    elif settings.gpu_per_process:
        entry, problems = place_process(entries.get("gpu_options.visible_device_list"), spans["gpu_per_process"], environ, settings.environment)
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
        overlays={} if variant is not None else {name: layers + above for name, layers in stacked.variants.items()},
    )  # fmt: skip
    return _released(profile, release)


def _job(environ: Mapping[str, str]) -> Tuple[Optional[str], List[Diagnostic]]:
    """TF_CONFIG's task type, which chooses the variant of its name, and what there is to say where it can't be read."""
    try:
        return read_tf_config(environ)[1], []
    except ValueError as problem:
        help = "correct it, or unset it, or name the variant"
        return None, [warning("cluster", "%s; it chooses no variant" % problem, Span(Source("<environment>")), help)]


def _without_gpus(entries: Mapping[str, Entry]) -> bool:
    count = entries.get("device_count")
    return count is not None and isinstance(count.value, Mapping) and count.value.get("GPU") == 0


def variant_names(source: ProfileLike, environ: Mapping[str, str]) -> List[str]:
    """The names of the variants that a profile has, as far as it can be read."""
    return sorted(Composer(environ).source(source).variants)


def _name(source: ProfileLike) -> str:
    if isinstance(source, Profile):
        return source.name
    if isinstance(source, Text):
        return source.name
    return "<dict>" if isinstance(source, Mapping) else "<stdin>" if source == "-" else os.fspath(source)  # type: ignore[arg-type]


def _variant_layers(variant: Optional[str], stacked: Document, name: str, composer: Composer) -> Tuple[Layer, ...]:
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


__all__ = ["ProfileLike", "Text", "load_profile", "try_load_profile", "variant_names"]
