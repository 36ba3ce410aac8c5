"""Properties that hold for every profile and for every input."""

from __future__ import annotations

import tracemalloc
from typing import Any, Dict, Tuple

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.profiles.test_every_field import tree_of
from tf1compat_gpu import Profile, load_profile, profile_from_bytes
from tf1compat_gpu.diagnostics import Source
from tf1compat_gpu.profiles import fields, nodes
from tf1compat_gpu.profiles.protos import to_bytes
from tf1compat_gpu.profiles.reader import Text, try_load_profile
from tf1compat_gpu.profiles.scalars import to_float32

_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
#: Fields whose values are checked further; each has tests of its own.
_CHECKED = (
    "visible_device_list",
    "per_process_gpu_memory_fraction",
    "allocator_type",
    "device_count",
    "intra_op_parallelism_threads",
    "num_threads",
    "version",
)
_MARKERS = st.text(st.characters(blacklist_categories=("Cs", "Cc"), max_codepoint=0x2FFF), max_size=12)

_WRITTEN = _MARKERS.filter(bool)


def _scalars(type: str) -> st.SearchStrategy[Any]:
    if type == "bool":
        return st.booleans()
    if type == "string":
        return _MARKERS | st.sampled_from(
            ["null", "~", "true", "010", "a: b", " x ", "${A}", "$$", "#", "- a", "&a", "*a", "!t", "'", '"', "%", "\u2028", "1e3"]
        )
    if type in ("float", "double"):
        return st.floats(0.01, 1e6, allow_nan=False).map(to_float32 if type == "float" else float)
    if type in fields.enums():
        newest = fields.releases()[-1]
        return st.sampled_from([m.name for m in fields.enums()[type] if m.last == newest])
    return st.integers(*_RANGES[type])


def _strategies() -> Dict[str, st.SearchStrategy[Any]]:
    table: Dict[str, st.SearchStrategy[Any]] = {}
    newest = fields.releases()[-1]
    for path, known in fields.paths().items():
        field = known.field
        if known.last < newest or field.is_message or field.is_map or "[]" in path or path.endswith(_CHECKED):
            continue
        table[path] = st.lists(_scalars(field.type), min_size=1, max_size=3) if field.repeated else _scalars(field.type)
    table["device_count"] = st.fixed_dictionaries({"GPU": st.integers(0, 8)})
    table["cluster_def.job"] = st.lists(
        st.fixed_dictionaries({"name": _WRITTEN, "tasks": st.dictionaries(st.integers(0, 99), _WRITTEN, min_size=1, max_size=3)}), min_size=1, max_size=2
    )
    return table


_TABLE = _strategies()
_SETTINGS = st.lists(st.sampled_from(sorted(_TABLE)), unique=True, max_size=12).flatmap(
    lambda paths: st.tuples(*(st.tuples(st.just(path), _TABLE[path]) for path in paths))
)
few = settings(max_examples=40, derandomize=True, deadline=None, database=None)
many = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def made(pairs: Tuple[Tuple[str, Any], ...]) -> Profile:
    """A profile with the values as they are: `$` means nothing in a dict's text that YAML escapes."""
    from tf1compat_gpu.profiles.interpolation import escape

    def escaped(value: Any) -> Any:
        if isinstance(value, str):
            return escape(value)
        if isinstance(value, list):
            return [escaped(item) for item in value]
        return {key: escaped(item) for key, item in value.items()} if isinstance(value, dict) else value

    return load_profile(tree_of([(path, escaped(value)) for path, value in pairs]), environ={})


@few
@given(_SETTINGS)
def test_yaml_and_back(pairs: Tuple[Tuple[str, Any], ...]) -> None:
    profile = made(pairs)
    assert load_profile(Text("again.yaml", profile.to_yaml().encode("utf-8")), environ={}) == profile


@few
@given(_SETTINGS)
def test_proto_and_back(pairs: Tuple[Tuple[str, Any], ...]) -> None:
    """Up to values that are the default, which proto3 does not write."""
    profile = made(pairs)
    again = profile_from_bytes(to_bytes(profile)).values()
    for path, value in profile.values().items():
        field = fields.paths()[path].field
        default = [m.name for m in fields.enums()[field.type] if m.number == 0] if field.is_enum else [False, 0, "", ()]
        if value not in default:
            assert again[path] == value, path
    assert set(again) - set(profile.values()) <= {path for path, known in fields.paths().items() if known.field.is_message}


def judged(data: bytes) -> None:
    """A Profile or diagnostics with an error, never an exception; little memory; both parsers alike."""
    profile, found = try_load_profile(Text("x.yaml", data), environ={"A": "1"})
    assert isinstance(profile, Profile) or any(d.is_error for d in found)
    try:
        source = Source("x.yaml", data.decode("utf-8"))
    except UnicodeDecodeError:
        return
    assert nodes.parse(source, True) == nodes.parse(source, False)


@many
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    judged(data)


_PIECES = st.sampled_from(
    ["a", "allow_growth", "gpu_options", "profile", "extends", ":", ": ", "- ", "\n", "\n  ", "\n    ", "{", "}", "[", "]", ", ", "true", "1", "0.5", "#", " #c", "&a ", "*a", "<<", "? ",
     "|", ">", "'", '"', "!!int ", "!x ", "---", "...", "%", "@", "`", "\t", "~", "null", "${A}", "${B:-1}", "\\", "\r\n", "\x07", "\ufeff", "é", "\U0001f600"]
)  # fmt: skip


@many
@given(st.lists(_PIECES, max_size=30).map("".join))
def test_random_yaml_text(text: str) -> None:
    judged(text.encode("utf-8"))


_KEYS = st.sampled_from(
    ["gpu_options", "allow_growth", "graph_options", "profile", "variants", "device_count", "CPU", "experimental", "virtual_devices", "environment", "x"]
) | st.integers(0, 3)
_TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.dates() | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@many
@given(st.dictionaries(_KEYS, _TREES, max_size=4))
def test_random_yaml_trees(tree: Any) -> None:
    judged(yaml.safe_dump(tree, allow_unicode=True).encode("utf-8"))


def test_deep_and_wide_input_is_bounded() -> None:
    texts = [
        "[" * 5000,
        "{a: " * 3000 + "1" + "}" * 3000,
        "a: [" + "1, " * 60000 + "]",
        "\n".join("k%d: 1" % n for n in range(20000)),
        "- " * 20000 + "a",
        "a: " + "x" * 250000,
    ]
    for text in texts:
        for libyaml in (True, False):
            tracemalloc.start()
            node, found = nodes.parse(Source("x.yaml", text), libyaml)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert found or node is not None
            assert peak < 64 << 20
