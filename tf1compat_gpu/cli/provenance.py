"""Where each value of a profile came from: rows for `tf1compat show`, with secrets masked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Set, Tuple

from tf1compat_gpu.diagnostics import Span
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.composing import Composer, ProfileLike, stack
from tf1compat_gpu.profiles.formats import section
from tf1compat_gpu.profiles.interpolation import substitute
from tf1compat_gpu.profiles.layers import RawMap
from tf1compat_gpu.profiles.nodes import Scalar
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile
from tf1compat_gpu.profiles.reader import split_variant
from tf1compat_gpu.profiles.scalars import Unreadable
from tf1compat_gpu.profiles.secrets import MASK, is_secret
from tf1compat_gpu.profiles.writer import value_text

#: What the reader calls the source of overrides.
OVERRIDES = "<overrides>"


class Row(NamedTuple):
    """A field, a key of a map field, or a setting.

    Attributes:
        path: The field path; a key of a map as `device_count[GPU]`, a setting as `profile.numerics`.
        value: Its value as plain data, or the mask.
        text: Its value as YAML, or the mask.
        span: Where it was written, None where that is not known.
        variables: The environment variables and ranks that it was made from.
        variant: The variant that it stands in, or "".
    """

    path: str
    value: Any
    text: str
    span: Optional[Span]
    variables: Tuple[str, ...]
    variant: str

    @property
    def place(self) -> str:
        """`base.yaml:3:7, variant ps, from ${RANK}`."""
        parts = [str(self.span)] if self.span else []
        parts += ["variant " + self.variant] if self.variant else []
        parts += ["from " + ", ".join("${%s}" % name for name in self.variables)] if self.variables else []
        return ", ".join("--set" if part == OVERRIDES else part for part in parts)


class Places(NamedTuple):
    """What a profile itself does not remember of its sources.

    Attributes:
        overlay: The places that stand in the overlay of its variant.
        variables: For the place of a setting: the environment variables that its value is made from.
    """

    overlay: FrozenSet[Span]
    variables: Mapping[Span, Tuple[str, ...]]


def places(sources: List[ProfileLike], variant: Optional[str], environ: Mapping[str, str]) -> Places:
    """Read the sources once more for what `Places` holds."""
    composer = Composer(environ)
    stacked = stack([composer.source(split_variant(source)[0]) for source in sources])
    above = stacked.variants.get(variant or "", ())
    overlay: Set[Span] = set()
    for layer in above:
        for raw in list(layer.fields.values()) + list(layer.settings.values()):
            overlay.add(raw.span)
            if isinstance(raw, RawMap):
                overlay.update(key.span for key, _ in raw.items.values())
    variables: Dict[Span, Tuple[str, ...]] = {}
    for layer in stacked.layers + above:
        for key, setting in layer.settings.items():
            if isinstance(setting, Scalar) and key != "description":
                with suppress(Unreadable):
                    variables[setting.span] = substitute(setting.text, environ).variables
    return Places(frozenset(overlay), variables)


def setting_variables(profile: Profile, name: str, known: Places) -> Tuple[str, ...]:
    """The environment variables that a setting is made from; one of the environment block counts as its own."""
    span = profile.setting_spans.get(name)
    return known.variables.get(span, ()) if span else ()


def is_secret_setting(profile: Profile, name: str, known: Places) -> bool:
    """Whether the value of a setting is masked: `environment.API_KEY`, or one made from ${API_KEY}."""
    own = (name[len("environment.") :],) if name.startswith("environment.") else ()
    return is_secret(own + setting_variables(profile, name, known))


def plain(value: Any) -> Any:
    """A field's value as JSON can hold it."""
    if isinstance(value, FrozenMapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _map_rows(path: str, profile: Profile, known: Places) -> List[Row]:
    entry = profile.entries[path]
    found = []
    value: Any = entry.value
    for key in sorted(value):
        one = value_text(path, FrozenMapping({key: value[key]}))
        span = entry.items.get(key, entry.span)
        text = one[1:-1].partition(": ")[2] if one.startswith("{") else one
        variant = profile.variant or "" if span in known.overlay else ""
        found.append(Row("%s[%s]" % (path, key), plain(value[key]), text, span, entry.variables, variant))
    return found


def _setting_rows(profile: Profile, known: Places) -> List[Row]:
    found: List[Row] = []
    for key, value in section(profile).items():
        items: Dict[str, Any] = {"environment." + name: text for name, text in value.items()} if isinstance(value, dict) else {key: value} if value else {}
        for name, text in items.items():
            shown = MASK if is_secret_setting(profile, name, known) else str(text)
            span = profile.setting_spans.get(name)
            variant = profile.variant or "" if span in known.overlay else ""
            found.append(Row("profile." + name, shown, shown, span, setting_variables(profile, name, known), variant))
    return found


def rows(profile: Profile, known: Places) -> List[Row]:
    """The profile section's settings, then the fields in the proto's order, map fields key by key."""
    found = _setting_rows(profile, known)
    for path, entry in profile.entries.items():
        variant = profile.variant or "" if entry.span in known.overlay else ""
        if is_secret(entry.variables):
            found.append(Row(path, MASK, MASK, entry.span, entry.variables, variant))
        elif fields.paths()[path].field.is_map and entry.value:
            found += _map_rows(path, profile, known)
        else:
            found.append(Row(path, plain(entry.value), value_text(path, entry.value), entry.span, entry.variables, variant))
    return found
