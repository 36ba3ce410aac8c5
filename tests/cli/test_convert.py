"""`tf1compat convert` and `schema`: forms of configs, and the files they are written to."""

from __future__ import annotations

import os
import pathlib
from typing import List

import pytest

from tests.cli.conftest import Tf1compat
from tf1compat_gpu import load_profile
from tf1compat_gpu.profiles.json_schema import schema_text

pytestmark = pytest.mark.usefixtures("train_files")


def test_convert(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "c.yaml").write_text("allow_soft_placement: true\ngpu_options: {per_process_gpu_memory_fraction: 0.1, allow_growth: true}\n")
    assert tf1compat("convert", "c.yaml", "--to", "hex").out == "320b099a9999999999b93f20013801\n"
    text = tf1compat("convert", "c.yaml", "--to", "textproto").out
    assert text == "gpu_options {\n  per_process_gpu_memory_fraction: 0.1\n  allow_growth: true\n}\nallow_soft_placement: true\n"
    assert tf1compat("convert", "-", "--to", "yaml", stdin=text.encode()).out == tf1compat("convert", "c.yaml", "--to", "yaml").out
    assert tf1compat("convert", "-", "--to", "yaml", stdin=b"0x32, 0x02, 0x20, 0x01").out == "gpu_options:\n  allow_growth: true\n"
    assert tf1compat("convert", "-", "--to", "yaml", "--variant", "b", stdin=b"profile: {variants: {b: {allow_growth: true}}}").out.endswith(
        "allow_growth: true\n"
    )
    python = tf1compat("convert", "c.yaml", "--to", "python", "--tensorflow", "1.4")
    assert python.out.startswith("import tensorflow as tf\n\nconfig = tf.ConfigProto()\n")


def test_convert_to_a_file(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    assert tf1compat("convert", "base.yaml", "-o", "out.pbtxt").status == 0
    before = (tmp_path / "out.pbtxt").read_text()
    assert before == "intra_op_parallelism_threads: 4\ngpu_options {\n  allow_growth: true\n}\n"
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "out.pbtxt").status == 2
    assert (tmp_path / "out.pbtxt").read_text() == before
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "out.pbtxt", "--force").status == 0
    assert (tmp_path / "out.pbtxt").read_text() == "100432022001\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base.yaml", "out.pbtxt", "train.yaml"]
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "no/such/folder.hex").status == 2


def test_convert_says_what_a_proto_cannot_hold(tf1compat: Tf1compat) -> None:
    result = tf1compat("convert", "train.yaml", "--to", "bytes")
    assert (result.status, "profile.environment" in result.err, "description" in result.err) == (0, True, False)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"\x32\x02\x20\x01\xf8\x3f\x01", ["field number 1023 of ConfigProto", "byte 4"]),
        (b"\x32\xff", ["not a serialized ConfigProto"]),
    ],
)
def test_convert_errors(tf1compat: Tf1compat, data: bytes, words: List[str]) -> None:
    result = tf1compat("convert", "-", "--from", "bytes", "--to", "yaml", stdin=data)
    assert (result.status, result.out) == (1, "")
    for word in words:
        assert word in result.err


def test_convert_usage(tf1compat: Tf1compat) -> None:
    assert tf1compat("convert", "base.yaml").status == 2
    assert tf1compat("convert", "missing.yaml", "--to", "hex").status == 2
    assert tf1compat("convert", "base.yaml", "--to", "xml").status == 2
    assert tf1compat("convert", "base.yaml", "--to", "python", "--tensorflow", "1.4,1.5").status == 2


def test_schema(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    assert tf1compat("schema").out == schema_text()
    assert tf1compat("schema", "-o", "schema.json").status == 0
    assert (tmp_path / "schema.json").read_text() == schema_text()


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_new_files_have_usual_permissions(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    mask = os.umask(0o027)
    try:
        tf1compat("convert", "base.yaml", "-o", "out.hex")
    finally:
        os.umask(mask)
    assert (tmp_path / "out.hex").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("form", ["bytes", "hex", "base64", "ffmpeg-hex", "textproto", "yaml", "json", "c-array"])
def test_every_form_converts_back(tf1compat: Tf1compat, tmp_path: pathlib.Path, form: str) -> None:
    (tmp_path / "c.yaml").write_text("device_count: {CPU: 1, GPU: 0}\ngpu_options: {per_process_gpu_memory_fraction: 0.1, allow_growth: true}\n")
    first, again = tf1compat("convert", "c.yaml", "--to", form, "-o", "x"), tf1compat("convert", "c.yaml", "--to", form, "-o", "y")
    assert (first.status, again.status, first.out, first.err) == (0, 0, "", "")
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
    assert tf1compat("convert", "x", "--to", "yaml", "-o", "back.yaml").status == 0
    assert load_profile(str(tmp_path / "back.yaml")) == load_profile(str(tmp_path / "c.yaml"))
    if form not in ("json", "c-array"):
        assert tf1compat("convert", "x", "--from", form, "--to", "hex").out == tf1compat("convert", "c.yaml", "--to", "hex").out


def test_a_dash_is_standard_output(tf1compat: Tf1compat) -> None:
    assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", "-").out == "100432022001\n"
    assert tf1compat("schema", "-o", "-").out == schema_text()
    assert not os.path.exists("-")


def test_python_is_for_a_release(tf1compat: Tf1compat) -> None:
    new = tf1compat("convert", "base.yaml", "--to", "python")
    assert new.status == 0 and "allow_growth = True" in new.out
    compile(new.out, "new", "exec")
    pathlib.Path("late.yaml").write_text("experimental: {use_tfrt: true}\n")
    wrong = tf1compat("convert", "late.yaml", "--to", "python", "--tensorflow", "1.12")
    assert (wrong.status, wrong.out) == (1, "") and "2.5 and later" in wrong.err


def test_variants_and_overrides_are_converted(tf1compat: Tf1compat) -> None:
    assert tf1compat("convert", "train.yaml#ps", "--to", "textproto").out.startswith("device_count {")
    # proto3 has no zero and no false on the wire; the message that held them is there.
    zeros = tf1compat("convert", "base.yaml", "--to", "hex", "--set", "allow_growth=false", "--set", "intra_op_parallelism_threads=0")
    assert zeros.out == "3200\n"


def test_output_is_never_a_folder_and_a_link_stays_one(tf1compat: Tf1compat, tmp_path: pathlib.Path) -> None:
    (tmp_path / "folder").mkdir()
    for arguments in (("folder",), ("folder", "--force")):
        assert tf1compat("convert", "base.yaml", "--to", "hex", "-o", *arguments).status == 2
    (tmp_path / "real.hex").write_text("")
    (tmp_path / "link.hex").symlink_to("real.hex")
    assert tf1compat("convert", "base.yaml", "-o", "link.hex").status == 2
    assert tf1compat("convert", "base.yaml", "-o", "link.hex", "--force").status == 0
    assert (tmp_path / "link.hex").is_symlink() and (tmp_path / "real.hex").read_text() == "100432022001\n"


@pytest.mark.parametrize(
    "data, form", [(b"zz", "hex"), (b"\xff", "hex"), (b"!!", "base64"), (b"gpu_options {", "textproto"), (b"a: b", "textproto"), (b"\xff\xff", "bytes")]
)
def test_input_of_another_form_is_an_error(tf1compat: Tf1compat, data: bytes, form: str) -> None:
    result = tf1compat("convert", "-", "--from", form, "--to", "yaml", stdin=data)
    assert (result.status, result.out) == (1, "") and "error[" in result.err and "Traceback" not in result.err


def test_a_misspelt_field_of_a_text_proto_is_told_the_nearest(tf1compat: Tf1compat) -> None:
    result = tf1compat("convert", "-", "--to", "yaml", stdin=b"gpu_options { allow_grwth: true }")
    assert result.status == 1 and result.err.splitlines()[-1] == "  help: did you mean allow_growth?"
    far = tf1compat("convert", "-", "--to", "yaml", stdin=b"gpu_options { quux: true }")
    assert far.status == 1 and "quux" in far.err and "did you mean" not in far.err


def test_a_guess_that_was_wrong_says_how_to_name_the_form(tf1compat: Tf1compat) -> None:
    result = tf1compat("convert", "-", "--to", "yaml", stdin=b"hello world")
    assert result.status == 1 and "not base64" in result.err and "--from says what" in result.err


def test_input_that_is_too_large_is_not_read_on(tf1compat: Tf1compat) -> None:
    assert tf1compat("convert", "-", "--to", "yaml", stdin=b"a" * ((1 << 20) + 1)).status == 2
