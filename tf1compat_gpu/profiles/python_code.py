"""A profile as the Python that builds its ConfigProto, for TensorFlow releases that this package can't run on."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple

from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile
from tf1compat_gpu.profiles.scalars import format_float

#: Messages whose classes TensorFlow exports beside ConfigProto (1.0 to 2.21, tensorflow/python/client/client_lib.py).
_EXPORTED = {"tensorflow.OptimizerOptions": "tf.OptimizerOptions"}
_MODULES = {
    "RewriterConfig": ("tensorflow.core.protobuf", "rewriter_config_pb2"),
    "VerifierConfig": ("tensorflow.core.protobuf", "verifier_config_pb2"),
    "ConfigProto": ("tensorflow.core.protobuf", "config_pb2"),
    "DataType": ("tensorflow.core.framework", "types_pb2"),
}


class _Code:
    def __init__(self, release: fields.Release) -> None:
        self.release = release
        self.modules: List[Tuple[str, str]] = []

    def enum(self, enum: str, name: str, path: str) -> str:
        retyped, last = fields.paths()[path].field.retyped if path in fields.paths() else ("", (0, 0))
        if retyped == "bool" and self.release <= last:
            return str(name == "ON")
        message = enum.rpartition(".")[0]
        if message in _EXPORTED:
            return "%s.%s" % (_EXPORTED[message], name)
        package, module = _MODULES[enum.split(".")[1]]
        if (package, module) not in self.modules:
            self.modules.append((package, module))
        inside = message.partition(".")[2]
        return ".".join([module] + ([inside] if inside else []) + [name])

    def scalar(self, value: Any, field: fields.Field, path: str) -> str:
        if field.is_enum:
            return self.enum(field.type, value, path)
        return format_float(value, field.type) if field.type in ("float", "double") else repr(value)

    def keywords(self, value: FrozenMapping[Any, Any], message: str, path: str) -> str:
        parts = []
        for name, item in value.items():
            field = fields.messages()[message][name]
            if isinstance(item, tuple) and not field.is_message:
                shown = "[%s]" % ", ".join(self.scalar(one, field, "%s[].%s" % (path, name)) for one in item)
            else:
                shown = self.scalar(item, field, "%s[].%s" % (path, name))
            parts.append("%s=%s" % (name, shown))
        return ", ".join(parts)

    def message(self, target: str, value: FrozenMapping[Any, Any], message: str, path: str) -> Iterator[str]:
        """Statements that fill the message at `target`."""
        for name, item in value.items():
            yield from self.statement("%s.%s" % (target, name), item, fields.messages()[message][name], "%s[].%s" % (path, name))

    def statement(self, target: str, value: Any, field: fields.Field, path: str) -> Iterator[str]:
        if field.is_map:
            for key in sorted(value):
                for line in self.item("%s[%r]" % (target, key), value[key], field, path):
                    yield line
        elif field.repeated and field.is_message:
            for item in value:
                for line in self.added(target, item, field, path):
                    yield line
        elif field.repeated:
            yield "%s.extend([%s])" % (target, ", ".join(self.scalar(item, field, path) for item in value))
        elif isinstance(value, FrozenMapping):
            yield "%s.SetInParent()" % target
            for line in self.message(target, value, field.type, path):
                yield line
        else:
            yield "%s = %s" % (target, self.scalar(value, field, path))

    def added(self, target: str, item: FrozenMapping[Any, Any], field: fields.Field, path: str) -> Iterator[str]:
        inner = fields.messages()[field.type]
        if any(inner[name].is_map or inner[name].is_message for name in item):
            yield "%s.add()" % target
            yield from self.message(target + "[-1]", item, field.type, path)
        else:
            yield "%s.add(%s)" % (target, self.keywords(item, field.type, path))

    def item(self, target: str, value: Any, field: fields.Field, path: str) -> Iterator[str]:
        if isinstance(value, FrozenMapping):
            yield from self.message(target, value, field.type, path)
        else:
            yield "%s = %s" % (target, self.scalar(value, field, path))


def python_code(profile: Profile, release: fields.Release) -> str:
    """Python source that builds `config` under a release, with the spelling of that release.

    Args:
        profile: The profile; its fields must exist in the release (`check_release`).
        release: The TensorFlow release, as (1, 12). From 1.13 on, which has it, tf.compat.v1 is used.
    """
    code = _Code(release)
    lines: List[str] = []
    for path, entry in profile.entries.items():
        if entry.value == FrozenMapping():
            lines.append("config.%s.SetInParent()" % path)
        else:
            lines += code.statement("config." + path, entry.value, fields.paths()[path].field, path)
    imports = ["import tensorflow as tf" if release < (1, 13) else "import tensorflow.compat.v1 as tf"]
    imports += ["from %s import %s" % pair for pair in sorted(code.modules)]
    return "\n".join(imports + ["", "config = tf.ConfigProto()"] + lines) + "\n"
