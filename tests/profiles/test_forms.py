"""The forms that configs travel in, and the JSON Schema against the reader."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
import yaml

from tests.programs import ROOT, environment
from tf1compat_gpu import ProfileError, load_profile, profile_from_bytes, profile_from_text
from tf1compat_gpu.profiles import formats
from tf1compat_gpu.profiles.json_schema import json_schema
from tf1compat_gpu.profiles.protos import to_text
from tf1compat_gpu.profiles.reader import try_load_profile

#: R102's config.
CONFIG = {"allow_soft_placement": True, "gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.1}}
HEX = "320b099a9999999999b93f20013801"


def test_hex_and_ffmpegs_reversed_hex() -> None:
    """R102."""
    profile = load_profile(CONFIG)
    assert formats.write(profile, "hex") == HEX.encode() + b"\n"
    backwards = "".join(HEX[at : at + 2] for at in range(len(HEX) - 2, -1, -2))
    assert formats.write(profile, "ffmpeg-hex") == b"0x" + backwards.encode() + b"\n"
    assert formats.read(b"0x" + backwards.encode(), "ffmpeg-hex", "x") == profile


@pytest.mark.parametrize("form", ["textproto", "bytes", "hex", "base64", "ffmpeg-hex", "c-array"])
def test_there_and_back(form: str) -> None:
    profile = load_profile(CONFIG)
    data = formats.write(profile, form)
    guessed = formats.guess(data, "config")
    assert formats.read(data, "hex" if form == "c-array" else form, "config") == profile
    assert formats.read(data, guessed, "config") == profile


@pytest.mark.parametrize(
    "text",
    [
        HEX,
        HEX.upper(),
        " ".join(HEX[at : at + 2] for at in range(0, len(HEX), 2)),
        ", ".join("0x" + HEX[at : at + 2] for at in range(0, len(HEX), 2)),
        "".join("\\x" + HEX[at : at + 2] for at in range(0, len(HEX), 2)),
    ],
)
def test_pasted_hex(text: str) -> None:
    assert formats.read(text.encode(), formats.guess(text.encode(), "-"), "-") == load_profile(CONFIG)


def test_text_that_is_passed_for_bytes_is_told() -> None:
    """R101."""
    with pytest.raises(ProfileError, match="not a serialized ConfigProto") as caught:
        profile_from_bytes(b"intra_op_parallelism_threads: 4")
    assert "textproto" in str(caught.value)


def test_text_proto_is_plain_config_proto() -> None:
    """R106: what TensorFlow Serving's --tensorflow_session_config_file reads."""
    text = to_text(load_profile(CONFIG))
    assert text == "gpu_options {\n  per_process_gpu_memory_fraction: 0.1\n  allow_growth: true\n}\nallow_soft_placement: true\n"
    assert profile_from_text(text) == load_profile(CONFIG)
    with pytest.raises(ProfileError, match=r"<text proto>:1:1.*no_such"):
        profile_from_text("no_such: 1\n")


@pytest.mark.parametrize(
    "data, place", [(b"\xf8\x3f\x01", "field number 1023 of ConfigProto, at byte 0"), (b"\x32\x03\xf8\x3f\x01", "field number 1023 of GPUOptions, at byte 2")]
)
def test_unknown_numbers_are_errors_with_their_offset(data: bytes, place: str) -> None:
    with pytest.raises(ProfileError) as caught:
        profile_from_bytes(data)
    assert place in str(caught.value)


def test_bytes_are_the_same_in_every_process(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yaml").write_text("device_count: {A: 1, B: 2, C: 3, D: 4, GPU: 5}\npluggable_device_options: {}\n")
    found = set()
    for seed in ("0", "1", "2"):
        arguments = [sys.executable, "-m", "tf1compat_gpu", "convert", "p.yaml", "--to", "bytes"]
        found.add(subprocess.run(arguments, cwd=str(tmp_path), env=environment({"PYTHONHASHSEED": seed}), stdout=subprocess.PIPE, check=True).stdout)  # noqa: UP022
    assert len(found) == 1 and found.pop()


def test_json_reads_back_as_yaml(tmp_path: pathlib.Path) -> None:
    profile = load_profile(dict(CONFIG, profile={"numerics": "tf1", "environment": {"A": "1"}}))
    (tmp_path / "p.json").write_bytes(formats.write(profile, "json"))
    assert load_profile(tmp_path / "p.json") == profile
    assert json.loads((tmp_path / "p.json").read_text())["gpu_options"]["allow_growth"] is True


class _Core(yaml.SafeLoader):
    """Resolves scalars as YAML 1.2's core schema does, which is what editors read."""

    yaml_implicit_resolvers: Any = {}


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.nan|\.NaN|\.NAN", "-+.0123456789"),
):
    import re

    for _character in _first:
        _Core.yaml_implicit_resolvers.setdefault("" if _character == "\0" else _character, []).append(
            ("tag:yaml.org,2002:" + _tag, re.compile("(?:%s)\\Z" % _pattern))
        )
_Core.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
_Core.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value, 0) if node.value.lstrip("+-")[:2] in ("0x", "0o") else int(node.value))

CORPUS = ROOT / "tests" / "data" / "profiles"


def _schema_accepts(path: pathlib.Path) -> bool:
    validator = jsonschema.Draft7Validator(json_schema())
    tree = yaml.load(path.read_text(encoding="utf-8"), Loader=_Core)
    return bool(validator.is_valid({} if tree is None else tree))


def _reader_accepts(path: pathlib.Path) -> bool:
    return try_load_profile(path, environ={"NAME": "1"})[0] is not None


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*.yaml")), ids=lambda path: "%s/%s" % (path.parent.name, path.stem))
def test_schema_and_reader_judge_alike(path: pathlib.Path) -> None:
    expected = path.parent.name == "valid"
    assert (_reader_accepts(path), _schema_accepts(path)) == (expected, expected)


def test_the_corpus_is_there() -> None:
    assert len(list(CORPUS.glob("valid/*.yaml"))) >= 20 and len(list(CORPUS.glob("invalid/*.yaml"))) >= 20


def test_generated_facts_are_current() -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "config_proto" / "generate.py"), "--check"], check=True)
