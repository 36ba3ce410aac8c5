"""A ConfigProto: what it sets, and what of that is certain."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Tuple

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.configs import Config, Write, resolved
from tf1compat_gpu.migrate.evaluate import Unknown
from tf1compat_gpu.migrate.finding import Facts, Finding
from tf1compat_gpu.profiles import fields


def why(write: Write) -> str:
    """Why a write's value is not certain."""
    value = write.value
    parts = []
    if isinstance(value, Unknown):
        default = "" if value.default is None else ", default %r" % (value.default,)
        parts.append("%s %s%s" % (value.kind, value.source, default))
    else:
        parts.append(repr(value))
    if write.condition:
        parts.append("under %s" % write.condition)
    return " ".join(parts)


def known(path: str) -> bool:
    """Whether ConfigProto has a field of this path; an item of a map counts as the map."""
    return fields.find(path) is not None or fields.find(path.rpartition(".")[0]) is not None and fields.paths()[path.rpartition(".")[0]].field.is_map


def _shown(value: Any) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, tuple) else str(value)


def _option(write: Write) -> Optional[Tuple[str, Any]]:
    """The name and the default of the flag that alone decides a field."""
    value = write.value
    if isinstance(value, Unknown) and not write.condition and value.name and value.default is not None:
        return value.name, value.default
    return None


def check(facts: Facts) -> Iterator[Finding]:
    """Each ConfigProto of the module."""
    for config in facts.module.configs:
        if config.message == "ConfigProto":
            yield found(facts, config)


def found(facts: Facts, config: Config) -> Finding:
    """The finding for one ConfigProto."""
    static, dynamic = resolved(config)
    parts = ["%s=%s" % (path, _shown(value)) for path, value in static.items()]
    parts += ["%s=%s" % (path, why(write)) for path, write in dynamic.items()]
    parts += ["and %s, which can't be followed" % text for text in config.unclear]
    uses = sorted({use.consumer.name for use in config.uses}) or (["what calls %s()" % config.function] if config.returned else [])
    message = "a config for %s: %s" % (", ".join(uses) or "a session", "; ".join(parts) or "all defaults")
    wrong = [path for path in list(static) + list(dynamic) if not known(path)]
    help, rung = "extract writes it as a profile", finding.SESSION
    if config.unclear:
        help, rung = "extract writes what is certain as a profile; the call is to be moved by hand", finding.IMPORT
    elif dynamic:
        help += "; what is not certain stays in the code, as overrides"
    if wrong:
        help = "%s: no release has such a field" % ", ".join(wrong)
    return Finding(
        "config", facts.span(config.node), message, help, finding.NOWHERE if wrong else rung, bool(wrong), static,
        dict({path: why(write) for path, write in dynamic.items()}, **dict.fromkeys(config.unclear, "can't be followed")),
        {path: option for path, option in ((path, _option(write)) for path, write in dynamic.items()) if option is not None},
    )  # fmt: skip
