"""From what a person calls a field to its path: shorthands, unique endings, and "did you mean"."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

from tf1compat_gpu.diagnostics import error
from tf1compat_gpu.errors import ProfileError
from tf1compat_gpu.plans import variables
from tf1compat_gpu.plans.profile_section import SETTINGS
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.suggestions import snake_case, unknown_field

_SECTION = "profile."


def _ending(name: str) -> Tuple[str, ...]:
    """Paths that end in the name; those under pluggable_device_options only if no others do."""
    bare = name.replace("[]", "")
    found = tuple(p for p in fields.paths() if ("." + p.replace("[]", "")).endswith("." + bare))
    return tuple(p for p in found if not p.startswith("pluggable_device_options.")) or found


def _spellings() -> Dict[str, str]:
    """Everything that may be asked for, with the path it stands for; an ending that several paths share stands for itself."""
    table = {_SECTION + key: _SECTION + key for key in SETTINGS}
    table.update({key: _SECTION + key for key in SETTINGS})
    for name, paths in fields.paths_by_name().items():
        table[name] = paths[0] if len(paths) == 1 else name
    table.update(fields.shorthands())
    table.update({path: path for path in fields.paths()})
    return table


def _help(name: str) -> str:
    from difflib import get_close_matches  # 5 ms that only a wrong name costs

    table = _spellings()
    snake = snake_case(name)
    if snake != name and snake in table:
        return "names are in snake_case: did you mean %s?" % table[snake]
    close: List[str] = list(dict.fromkeys(table[match] for match in get_close_matches(snake, table, 6, 0.72)))
    if close:
        return "did you mean %s?" % " or ".join(close[:3])
    return unknown_field(name, "").help or "`tf1compat explain` lists the fields"


def find_path(name: str) -> str:
    """The field path, or `profile.KEY`, that a name stands for.

    Args:
        name: A path, with or without list indexes; a shorthand; an ending that one path has; or a key of the profile section.

    Raises:
        ProfileError: No field is called that, or several are.
    """
    name = name.strip()
    key = name[len(_SECTION) :] if name.startswith(_SECTION) else name
    if key in SETTINGS:
        return _SECTION + key
    path = re.sub(r"\[[^\]]*\]", "[]", name)
    found = fields.find(name)
    if found:
        return found.path
    if path in fields.shorthands():
        return fields.shorthands()[path]
    matches = _ending(path) if path else ()
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ProfileError([error("ambiguous-field", "'%s' is the name of %d fields" % (name, len(matches)), help="write one of %s" % ", ".join(matches))])
    if name == "profile" or name.startswith(_SECTION):
        raise ProfileError([error("unknown-setting", "'%s' is not a key of the profile section" % name, help="its keys are %s" % ", ".join(SETTINGS))])
    variable = variables.find(name)
    if variable is not None:
        text = "'%s' is no field but an environment variable: %s" % (name, variable.effect)
        help = "a profile sets it by profile: {environment: {%s: ...}}" % name
        raise ProfileError([error("unknown-field", text, help=help + ("; `tf1compat explain %s` is its field" % variable.field if variable.field else ""))])
    raise ProfileError([error("unknown-field", "'%s' is not a field of ConfigProto" % name, help=_help(name))])
