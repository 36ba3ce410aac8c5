"""Did you mean: the nearest right spelling for a name that is no field where it stands."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles import fields

#: Keys of the profile section, with the type that the schema gives them.
SETTINGS = ("description", "extends", "environment", "gpu_per_process", "gpu_memory_limit", "numerics", "variants")
#: What other tools call a field.
_ALIASES: Dict[str, str] = {
    "gpu_memory_fraction": "gpu_options.per_process_gpu_memory_fraction",
    "memory_fraction": "gpu_options.per_process_gpu_memory_fraction",
    "memory_growth": "gpu_options.allow_growth",
    "set_memory_growth": "gpu_options.allow_growth",
    "memory_limit": "gpu_options.experimental.virtual_devices[].memory_limit_mb",
    "visible_devices": "gpu_options.visible_device_list",
    "visible_gpus": "gpu_options.visible_device_list",
    "gpus": "gpu_options.visible_device_list",
    "intra_op_threads": "intra_op_parallelism_threads",
    "inter_op_threads": "inter_op_parallelism_threads",
    "num_threads": "intra_op_parallelism_threads",
    "soft_placement": "allow_soft_placement",
    "soft_device_placement": "allow_soft_placement",
    "jit": "graph_options.optimizer_options.global_jit_level",
    "xla": "graph_options.optimizer_options.global_jit_level",
}


class Suggestion(NamedTuple):
    """What is wrong with the name, and what to write."""

    code: str
    message: str
    help: Optional[str]


def snake_case(name: str) -> str:
    """`allowGrowth` -> `allow_growth`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


def outline(path: str) -> str:
    """A path as the YAML that reaches it, on one line."""
    text = path.split(".")[-1].replace("[]", "") + ": ..."
    for part in reversed(path.split(".")[:-1]):
        text = "%s: %s" % (part.replace("[]", ""), "[{%s}]" % text if part.endswith("[]") else "{%s}" % text)
    return text


def _candidates(prefix: str) -> List[str]:
    """The names that may stand under a message (prefix "" is the top level)."""
    if prefix == "":
        return [p for p in fields.paths() if "." not in p] + list(fields.shorthands()) + ["profile"]
    return [p[len(prefix) :] for p in fields.paths() if p.startswith(prefix) and "." not in p[len(prefix) :]]


def nearest(name: str, names: Iterable[str]) -> List[str]:
    from difflib import get_close_matches

    return get_close_matches(name, list(dict.fromkeys(names)), 3, 0.72)


def _somewhere(name: str) -> Tuple[str, ...]:
    """Paths whose last component has that name; the ones under pluggable_device_options only if nothing else has it."""
    found = fields.paths_by_name().get(name, ())
    return tuple(p for p in found if not p.startswith("pluggable_device_options.")) or found


def _put(paths: Tuple[str, ...], prefix: str) -> str:
    if len(paths) > 1:
        return "did you mean one of %s?" % ", ".join(paths)
    path = paths[0]
    short = path.split(".")[-1]
    if fields.shorthands().get(short) == path and prefix:
        return "write %s, or %s at the top level" % (outline(path), short)
    return "write %s" % outline(path)


def unknown_field(name: str, prefix: str) -> Suggestion:
    """For a name that is no field of the message at `prefix` ("" or "gpu_options.")."""
    place = "ConfigProto" if not prefix else prefix.rstrip(".")
    message = "'%s' is not a field of %s" % (name, place)
    snake = snake_case(name)
    if re.search(r":\S", name) and not name.startswith("$"):
        key, _, value = name.partition(":")
        return Suggestion("missing-blank", "a blank is missing after the colon in '%s'" % name, "write %s: %s" % (key, value))
    if "." in name:
        path = name if prefix == "" else prefix + name
        found = fields.find(path) or fields.find(fields.shorthands().get(path, ""))
        return Suggestion("unknown-field", message + ": a dot does not nest", "write " + outline(found.path) if found else None)
    if snake != name:
        if snake in _candidates(prefix):
            return Suggestion("unknown-field", message, "ConfigProto's names are in snake_case: write %s" % snake)
        if _somewhere(snake):
            return Suggestion("unknown-field", message, _put(_somewhere(snake), prefix))
    if prefix == "" and name in SETTINGS:
        return Suggestion("misplaced-field", message, "write profile: {%s: ...}" % name)
    if _somewhere(name):
        return Suggestion("misplaced-field", message + "; it belongs elsewhere", _put(_somewhere(name), prefix))
    close = nearest(snake, _candidates(prefix))
    if close:
        return Suggestion("unknown-field", message, "did you mean %s?" % " or ".join(close))
    if snake in _ALIASES:
        return Suggestion("unknown-field", message, _put((_ALIASES[snake],), prefix))
    elsewhere = nearest(snake, fields.paths_by_name())
    if elsewhere:
        return Suggestion("unknown-field", message, "did you mean %s?" % " or ".join(_somewhere(elsewhere[0])))
    return Suggestion("unknown-field", message, "`tf1compat explain` lists the fields")


def unknown_setting(name: str) -> Suggestion:
    """For a name that is no key of the profile section."""
    message = "'%s' is not a key of the profile section" % name
    close = nearest(snake_case(name), SETTINGS)
    if close:
        return Suggestion("unknown-setting", message, "did you mean %s?" % " or ".join(close))
    if _somewhere(name) or name in fields.shorthands():
        return Suggestion("misplaced-field", message, "fields of ConfigProto stand at the top level, beside `profile:`")
    return Suggestion("unknown-setting", message, "its keys are " + ", ".join(SETTINGS))
