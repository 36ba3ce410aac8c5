"""Every field path, with a value of its type: YAML to the running TensorFlow's ConfigProto and back, or the version error."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

import pytest

from tests.programs import ROOT, reports
from tf1compat_gpu.profiles import fields

pytestmark = pytest.mark.tensorflow

_SCALARS: Dict[str, Any] = {"bool": True, "int32": 3, "int64": 4, "uint32": 5, "uint64": 6, "float": 0.25, "double": 0.1, "string": "text", "bytes": "text"}
#: Where the checks of ranges and conflicts want something in particular.
_PARTICULAR: Dict[str, Any] = {
    "device_count": {"CPU": 1, "GPU": 2},
    "gpu_options.visible_device_list": "1,0",
    "pluggable_device_options.visible_device_list": "0",
    "cluster_def.job[].tasks": {0: "host:1", 1: "host:2"},
    "graph_options.rewrite_options.custom_optimizers[].parameter_map": {"level": {"i": 2}},
}


def value_of(path: str) -> Any:
    """A value for the field that is not its default, as YAML would hold it; an empty message for a message."""
    field = fields.paths()[path].field
    if path in _PARTICULAR:
        return _PARTICULAR[path]
    if path.endswith("allocator_type"):
        return "BFC"
    if field.is_map:
        raise AssertionError("give %s a value of its own" % path)
    if field.is_enum:
        newest = max(member.last for member in fields.enums()[field.type])
        one: Any = [member.name for member in fields.enums()[field.type] if member.last == newest and member.number][-1]
    elif field.is_message:
        one = {}
    else:
        one = _SCALARS[field.type]
    return [one] if field.repeated else one


def settings_of(path: str) -> List[Tuple[str, Any]]:
    """What to set to have the field: its value, and siblings that must be as long."""
    if path.endswith(("virtual_devices[].priority", "virtual_devices[].device_ordinal")):
        return [(path.rpartition(".")[0] + ".memory_limit_mb", [512.0]), (path, value_of(path))]
    return [(path, value_of(path))]


def tree_of(settings: List[Tuple[str, Any]]) -> Dict[str, Any]:
    tree: Dict[str, Any] = {}
    for path, value in settings:
        at: Any = tree
        parts = path.split(".")
        for part in parts[:-1]:
            if part.endswith("[]"):
                at = at.setdefault(part[:-2], [{}])[0]
            else:
                at = at.setdefault(part, {})
        at[parts[-1]] = value
    return tree


# The proto by hand: plain reflection, nothing of this package.
_BY_HAND = """
def build(config, settings):
    for path, value in settings:
        at, parts = config, path.split(".")
        for part in parts[:-1]:
            if part.endswith("[]"):
                items = getattr(at, part[:-2])
                at = items[0] if len(items) else items.add()
            else:
                at = getattr(at, part)
                at.SetInParent()
        name = parts[-1]
        field = at.DESCRIPTOR.fields_by_name[name]
        target = getattr(at, name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key_is_int = field.message_type.fields_by_name["key"].cpp_type == field.CPPTYPE_INT32
            for key, item in value.items():
                if isinstance(item, dict):
                    target[key].i = item["i"]
                else:
                    target[int(key) if key_is_int else key] = item
        elif field.message_type is not None:
            target.add() if isinstance(value, list) else target.SetInParent()
        elif isinstance(value, list):
            target.extend([number(field, item) for item in value])
        else:
            setattr(at, name, number(field, value))
    return config

def number(field, value):
    if field.enum_type is not None:
        return field.enum_type.values_by_name[value].number
    return value.encode() if field.type == field.TYPE_BYTES else value
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    import yaml

    folder = tmp_path_factory.mktemp("fields")
    rows = []
    for index, path in enumerate(fields.paths()):
        settings = settings_of(path)
        (folder / ("%d.yaml" % index)).write_text(yaml.safe_dump(tree_of(settings)))
        rows.append([path, settings, "%d.yaml" % index])
    (folder / "rows.json").write_text(json.dumps(rows))
    return reports(
        """
        import json
        import tensorflow.compat.v1 as tf
        from tf1compat_gpu import ProfileError, load_profile, profile_from_config
        from tf1compat_gpu.runtime.config import to_config
        from tf1compat_gpu.runtime.tensorflow import release
        """
        + _BY_HAND.replace("\n", "\n        ")
        + """
        equal, back, absent, wrong = [], [], {}, {}
        for path, settings, name in json.load(open("rows.json")):
            try:
                profile = load_profile(name)
                config = to_config(profile)
            except ProfileError as error:
                absent[path] = str(error)
                continue
            by_hand = build(tf.ConfigProto(), settings)
            if config == by_hand and config.SerializeToString(deterministic=True) == by_hand.SerializeToString(deterministic=True):
                equal.append(path)
            else:
                wrong[path] = [str(config), str(by_hand)]
            if profile_from_config(config) == profile:
                back.append(path)
        report(equal=equal, back=back, absent=absent, wrong=wrong, release=list(release()))
        """,
        cwd=str(folder),
    )


def test_every_path_is_covered(outcome: Dict[str, Any]) -> None:
    """212 of them, each either equal to the proto by hand, there and back, or absent from this release."""
    assert outcome["wrong"] == {}
    assert outcome["equal"] == outcome["back"]
    assert len(outcome["equal"]) + len(outcome["absent"]) == len(fields.paths()) == 212


def test_absent_are_those_that_the_release_lacks(outcome: Dict[str, Any]) -> None:
    running = tuple(outcome["release"])
    if running in fields.releases():
        lacking = set()
        for path, known in fields.paths().items():
            enum = fields.enums().get(known.field.type, ()) if known.field.is_enum else ()
            members = [m for m in enum if m.name in (value_of(path), value_of(path)[0])]
            if not known.first <= running <= known.last or (members and not any(m.first <= running <= m.last for m in members)):
                lacking.add(path)
        assert set(outcome["absent"]) == lacking
    for path, message in outcome["absent"].items():
        assert "error[release]" in message, path


def test_session_configs_of_real_programs_survive() -> None:
    """Text proto -> profile -> YAML -> ConfigProto, unchanged; some hold empty sub-messages."""
    texts = json.loads((ROOT / "tests" / "data" / "session_configs.json").read_text())
    assert len(texts) == 17
    found = reports(
        """
        import json, os
        import tensorflow.compat.v1 as tf
        from google.protobuf import text_format
        from tf1compat_gpu import load_profile, profile_from_text
        from tf1compat_gpu.runtime.config import to_config
        from tf1compat_gpu.profiles.reader import Text
        same, empty = 0, 0
        for text in json.load(open(os.environ["TEXTS"])):
            original = text_format.Parse(text, tf.ConfigProto())
            yaml = profile_from_text(text).to_yaml()
            made = to_config(load_profile(Text("config.yaml", yaml.encode())))
            same += made == original and made.SerializeToString(deterministic=True) == original.SerializeToString(deterministic=True)
            empty += "{ }" in " ".join(text.split())
        report(same=same, empty=empty)
        """,
        {"TEXTS": str(ROOT / "tests" / "data" / "session_configs.json")},
    )
    assert found["same"] == 17
    assert found["empty"] >= 2
