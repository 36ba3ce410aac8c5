"""Profile: field paths to values, each with its place. Everything that makes one ends here, everything else begins."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, Mapping, NamedTuple, Optional, Tuple, TypeVar, Union

from tf1compat_gpu.diagnostics import Diagnostic, Span
from tf1compat_gpu.profiles import fields

K = TypeVar("K")
V = TypeVar("V")


class FrozenMapping(Mapping[K, V]):
    """A mapping that can't be changed, can be hashed and pickled, and keeps its order (equality ignores it)."""

    __slots__ = ("_items",)

    def __init__(self, items: Union[Mapping[K, V], Tuple[Tuple[K, V], ...]] = ()) -> None:
        self._items: Dict[K, V] = dict(items)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> Tuple[Any, ...]:
        return FrozenMapping, (tuple(self._items.items()),)


#: bool, int, float, text (an enum's value is its member name), bytes; a tuple for a list; a FrozenMapping for a map
#: and for each message in a list; an empty FrozenMapping for a sub-message that is present and has no field set.
Value = Union[bool, int, float, str, bytes, Tuple[Any, ...], FrozenMapping[Any, Any]]


class Entry(NamedTuple):
    """One field of a profile.

    Attributes:
        value: Its value (see `Value`).
        span: Where it was written.
        items: For a map: where each key was written.
        variables: The environment variables and ranks that the value was made from.
    """

    value: Value
    span: Span
    items: FrozenMapping[Any, Span] = FrozenMapping()
    variables: Tuple[str, ...] = ()


class Settings(NamedTuple):
    """The profile section, as far as it is not used up by composing.

    Attributes:
        description: Free text.
        environment: Environment variables that must be set before TensorFlow starts.
        gpu_per_process: "local_rank" or None.
        gpu_memory_limit: Bytes of each card that the process may take, or None.
        numerics: "tf1" (TF32 and oneDNN off, as TensorFlow 1.15 had them), "native", or None.
    """

    description: str = ""
    environment: FrozenMapping[str, str] = FrozenMapping()
    gpu_per_process: Optional[str] = None
    gpu_memory_limit: Optional[int] = None
    numerics: Optional[str] = None

    @property
    def asks_for_nothing(self) -> bool:
        """Whether there is nothing to apply beside the ConfigProto: a description at most."""
        return self._replace(description="") == _NO_SETTINGS


_NO_SETTINGS = Settings()


class Profile:
    """A session configuration: ConfigProto's fields that were written, and the profile section's settings.

    Immutable, picklable, and equal to another profile that sets the same fields to the same values, wherever they
    were written. Made by `load_profile`.

    Attributes:
        name: What it was made from: a path, `<dict>`, `<ConfigProto>`.
        entries: Field path to Entry, in the proto's order.
        settings: The profile section.
        setting_spans: Where each setting was written; a variable of the environment block as `environment.NAME`.
        variant: The name of the variant that was laid over it, or None.
        variants: The names of the variants that it has.
        diagnostics: Warnings and notes of reading it; never errors.
        files: Every file that was read, in order.
        overlays: What those variants say (layers, by name), so that one can be laid over it later; empty once one was.
    """

    __slots__ = ("name", "entries", "settings", "setting_spans", "variant", "variants", "diagnostics", "files", "overlays")

    def __init__(
        self,
        entries: Mapping[str, Entry],
        settings: Settings = _NO_SETTINGS,
        *,
        name: str = "<profile>",
        setting_spans: Mapping[str, Span] = FrozenMapping(),
        variant: Optional[str] = None,
        variants: Tuple[str, ...] = (),
        diagnostics: Tuple[Diagnostic, ...] = (),
        files: Tuple[str, ...] = (),
        overlays: Mapping[str, Tuple[Any, ...]] = FrozenMapping(),
    ) -> None:
        order = {path: index for index, path in enumerate(fields.paths())}
        known = sorted(entries.items(), key=lambda item: order[item[0]])
        present = tuple((path, entry) for path, entry in known if entry.value != FrozenMapping() or not any(other.startswith(path + ".") for other in entries))
        values = {
            "name": name, "entries": FrozenMapping(present), "settings": settings, "setting_spans": FrozenMapping[str, Span](setting_spans), "variant": variant,
            "variants": variants, "diagnostics": diagnostics, "files": files, "overlays": FrozenMapping[str, Tuple[Any, ...]](overlays),
        }  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, value)

    name: str
    entries: FrozenMapping[str, Entry]
    settings: Settings
    setting_spans: FrozenMapping[str, Span]
    variant: Optional[str]
    variants: Tuple[str, ...]
    diagnostics: Tuple[Diagnostic, ...]
    files: Tuple[str, ...]
    overlays: FrozenMapping[str, Tuple[Any, ...]]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Profile can't be changed; make another with load_profile(profile, overrides={...})")

    def __getitem__(self, path: str) -> Value:
        """The value of a field path (or its top-level shorthand).

        Raises:
            KeyError: The profile does not set it.
        """
        return self.entries[fields.shorthands().get(path, path)].value

    def get(self, path: str, default: Any = None) -> Any:
        """The value of a field path (or its top-level shorthand), or the default where the profile does not set it."""
        entry = self.entries.get(fields.shorthands().get(path, path))
        return default if entry is None else entry.value

    def __contains__(self, path: str) -> bool:
        return fields.shorthands().get(path, path) in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def only(self, wanted: Callable[[str], bool]) -> Profile:
        """The same with those fields alone whose path is wanted."""
        kept = {path: entry for path, entry in self.entries.items() if wanted(path)}
        return self.with_entries(kept)

    def with_entries(self, entries: Mapping[str, Entry], settings: Optional[Settings] = None) -> Profile:
        """The same with other entries, and other settings where some are given."""
        rest = {name: getattr(self, name) for name in self.__slots__ if name not in ("entries", "settings")}
        return Profile(entries, self.settings if settings is None else settings, **rest)

    def values(self) -> Dict[str, Value]:
        """Field path to value, in the proto's order."""
        return {path: entry.value for path, entry in self.entries.items()}

    def to_dict(self) -> Dict[str, Any]:
        """The fields as nested plain Python values, as YAML would hold them (enum members by name)."""
        tree: Dict[str, Any] = {}
        for path, entry in self.entries.items():
            at = tree
            for part in path.split(".")[:-1]:
                at = at.setdefault(part, {})
            at[path.split(".")[-1]] = _plain(entry.value)
        return tree

    def to_yaml(self) -> str:
        """The profile as YAML that reads back to an equal one."""
        from tf1compat_gpu.profiles.writer import to_yaml

        return to_yaml(self)

    def digest(self) -> str:
        """Ten hexadecimal digits that are equal for equal profiles: for logs."""
        import hashlib

        return hashlib.sha256(self.to_yaml().encode("utf-8")).hexdigest()[:10]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self.values() == other.values() and self.settings == other.settings

    def __hash__(self) -> int:
        return hash((FrozenMapping(self.values()), self.settings))

    def __repr__(self) -> str:
        shown = self.name + ("#" + self.variant if self.variant else "")
        return "<Profile %s: %s>" % (shown, ", ".join("%s=%r" % item for item in self.values().items()) or "all defaults")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore, tuple(getattr(self, name) for name in self.__slots__)


def _restore(name: str, entries: Any, settings: Any, *rest: Any) -> Profile:
    return Profile(entries, settings, name=name, **dict(zip(Profile.__slots__[3:], rest)))


def _plain(value: Value) -> Any:
    if isinstance(value, FrozenMapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
