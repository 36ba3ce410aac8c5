"""The forms in which configs travel: YAML, JSON, text proto, bytes, and bytes written out as hex, base64 or C."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Callable, Dict, Optional

from tf1compat_gpu.diagnostics import Source, Span, error
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.profile import Profile

_HEX_LIST = re.compile(r"\s*[\[{(]?\s*((0x[0-9a-fA-F]{1,2}|\\x[0-9a-fA-F]{2})[\s,;]*)+[\]})]?\s*;?\s*\Z")
_PLAIN_HEX = re.compile(r"\s*([0-9a-fA-F]{2}[\s:]*)+\Z")
_C_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.S)


def _json(profile: Profile) -> str:
    def plain(value: object) -> object:
        if isinstance(value, bytes):
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError:
                raise ProfileError([error("format", "JSON can't hold bytes that are not UTF-8", None, "use --to yaml, textproto or bytes")])
        raise TypeError(type(value))

    tree = profile.to_dict()
    settings = {key: value for key, value in section(profile).items() if value}
    return json.dumps(dict({"profile": settings}, **tree) if settings else tree, indent=2, default=plain, ensure_ascii=False) + "\n"


def section(profile: Profile) -> Dict[str, object]:
    """The profile section, settings that are not set included."""
    from tf1compat_gpu.profiles.scalars import size_text

    found: Dict[str, object] = dict(profile.settings._asdict(), environment=dict(profile.settings.environment))
    if profile.settings.gpu_memory_limit:
        found["gpu_memory_limit"] = size_text(profile.settings.gpu_memory_limit)
    return found


def _bytes(profile: Profile) -> bytes:
    from tf1compat_gpu.profiles.protos import to_bytes

    return to_bytes(profile)


def _text(profile: Profile) -> str:
    from tf1compat_gpu.profiles.protos import to_text

    return to_text(profile)


def _c_array(profile: Profile) -> str:
    data = _bytes(profile)
    rows = [", ".join("0x%02x" % byte for byte in data[at : at + 12]) for at in range(0, len(data), 12)]
    # An array of no elements is no C; the length says 0.
    body = ",\n".join("    " + row for row in rows) or "    0"
    return (
        "/* A serialized ConfigProto for TF_SetConfig(options, config, config_length, status). */\n"
        "static const unsigned char config[] = {\n%s\n};\nstatic const size_t config_length = %d;\n" % (body, len(data))
    )


#: What each form of `--to` writes; `python` needs a release and is made by `write`.
_WRITERS: Dict[str, Callable[[Profile], str]] = {
    "yaml": lambda profile: profile.to_yaml(),
    "json": _json,
    "textproto": _text,
    "hex": lambda profile: _bytes(profile).hex() + "\n",
    "base64": lambda profile: base64.b64encode(_bytes(profile)).decode("ascii") + "\n",
    "c-array": _c_array,
    # FFmpeg's dnn_backend_tf.c reads its sess_config option from the last byte to the first.
    "ffmpeg-hex": lambda profile: "0x" + bytes(reversed(_bytes(profile))).hex() + "\n",
}
OUTPUTS = tuple(_WRITERS) + ("bytes", "python")
INPUTS = ("yaml", "textproto", "bytes", "hex", "base64", "ffmpeg-hex")
#: Forms that hold a ConfigProto alone, without the profile section.
PROTO_ONLY = ("textproto", "bytes", "hex", "base64", "c-array", "ffmpeg-hex", "python")


def write(profile: Profile, form: str, release: Optional[fields.Release] = None) -> bytes:
    """The profile in one of the forms of `OUTPUTS`.

    Args:
        profile: The profile.
        form: The form.
        release: For `python`, the TensorFlow release to write for; the newest known by default.

    Raises:
        ProfileError: The form can't hold it.
    """
    if form == "bytes":
        return _bytes(profile)
    if form == "python":
        from tf1compat_gpu.profiles.python_code import python_code

        return python_code(profile, release or fields.releases()[-1]).encode("utf-8")
    return _WRITERS[form](profile).encode("utf-8")


def guess(data: bytes, name: str) -> str:
    """The form of an input, by its name's ending and then by what is in it."""
    ending = name.rpartition(".")[2].lower()
    by_ending = {
        "yaml": "yaml",
        "yml": "yaml",
        "json": "yaml",
        "pbtxt": "textproto",
        "textproto": "textproto",
        "prototxt": "textproto",
        "pb": "bytes",
        "bin": "bytes",
    }
    if ending in by_ending:
        return by_ending[ending]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes"
    if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", text):
        return "bytes"
    if _HEX_LIST.match(_array_body(text)) or (_PLAIN_HEX.match(text) and len(text.strip()) > 3):
        return "hex"
    if re.match(r"\s*0x[0-9a-fA-F]{4,}\s*\Z", text):
        return "ffmpeg-hex"
    if re.search(r"^\s*[a-z_]+\s*\{", text, re.M):
        return "textproto"
    if ":" not in text and re.match(r"\s*[A-Za-z0-9+/\s]+=*\s*\Z", text):
        return "base64"
    return "yaml"


def _array_body(text: str) -> str:
    """What stands between the braces of a C array, without comments; other text as it is."""
    text = _C_COMMENTS.sub("", text)
    body = re.search(r"=\s*\{([^}]*)\}", text)
    return body.group(1) if body else text


def decode(text: str, form: str, name: str) -> bytes:
    """The bytes that hex, base64 or FFmpeg's hex stand for.

    Raises:
        ProfileError: The text is none.
    """
    span = Span(Source(name))
    try:
        if form == "base64":
            return base64.b64decode("".join(text.split()), validate=True)
        if form == "ffmpeg-hex":
            return bytes(reversed(bytes.fromhex(re.sub(r"^\s*0x", "", text).strip())))
        listed = re.findall(r"(?:0x|\\x)([0-9a-fA-F]{1,2})(?![0-9a-fA-F])", _array_body(text))
        if listed:
            return bytes(int(part, 16) for part in listed)
        return bytes.fromhex(re.sub(r"[\s:]|^0x", "", text.strip()))
    except (ValueError, binascii.Error) as problem:
        help = {
            "hex": "write 320b09... or 0x32, 0x0b, 0x09",
            "base64": "write it as base64 does; if it is something else, --from says what",
            "ffmpeg-hex": "write 0x and the bytes in reversed order",
        }[form]
        raise ProfileError([error("format", "not %s: %s" % (form, problem), span, help)])


def read(data: bytes, form: str, name: str) -> Profile:
    """A profile from one of the forms of `INPUTS` but yaml, which `load_profile` reads.

    Raises:
        ProfileError: It is not of that form, or holds what no profile can.
    """
    from tf1compat_gpu.profiles import protos

    if form == "bytes":
        return protos.profile_from_bytes(data, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ProfileError([error("encoding", "%s is not text" % name, Span(Source(name)), "use --from bytes")])
    if form == "textproto":
        return protos.profile_from_text(text, name)
    return protos.profile_from_bytes(decode(text, form, name), name)
