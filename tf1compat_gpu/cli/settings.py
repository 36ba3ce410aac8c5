"""A project's own settings: [tool.tf1compat] of pyproject.toml, or [tf1compat] of setup.cfg.

They are defaults of the commands' options; what the command line says wins. The nearest file from the working directory up to
the repository's root counts, and paths in it are meant from its folder.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import click


def _as_it_is(value: Any) -> Any:
    return value


class _Setting(NamedTuple):
    """A setting.

    Attributes:
        several: Whether it is a list.
        path: Whether it is a path, from the file's folder.
        options: The commands that it is a default for, each with its option's parameter.
        given: From the value to what the option takes.
    """

    several: bool
    path: bool
    options: Tuple[Tuple[str, str], ...]
    given: Callable[[Any], Any] = _as_it_is


#: To add a setting, add its row.
SETTINGS: Dict[str, _Setting] = {
    "packages": _Setting(True, False, (("run", "packages"), ("launch", "packages"))),
    "profile": _Setting(False, True, (("run", "profiles"), ("launch", "profiles")), lambda value: [value]),
    "tensorflow": _Setting(True, False, (("check", "releases"),), ",".join),
    "exclude": _Setting(True, False, (("scan", "exclude"), ("extract", "exclude"), ("rewrite", "exclude"))),
    "select": _Setting(True, False, (("scan", "select"),)),
    "ignore": _Setting(True, False, (("scan", "ignore"),)),
    "baseline": _Setting(False, True, (("scan", "baseline"),)),
    "profiles": _Setting(False, True, (("extract", "out"), ("rewrite", "folder"))),
}


def default_map(folder: str) -> Dict[str, Dict[str, Any]]:
    """Command -> parameter -> default, as the project's settings have them.

    Args:
        folder: Where to look first.

    Raises:
        click.UsageError: The file can't be read, or a setting is unknown or of the wrong kind.
    """
    for place in _upwards(folder):
        for name, read in (("pyproject.toml", _toml), ("setup.cfg", _cfg)):
            path = os.path.join(place, name)
            values = read(path) if _mentions_us(path) else None
            if values is not None:
                return _defaults(path, values)
    return {}


def _upwards(folder: str) -> List[str]:
    found = [os.path.abspath(folder)]
    while not os.path.exists(os.path.join(found[-1], ".git")) and os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _mentions_us(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"tf1compat]" in file.read()
    except OSError:
        return False


def _toml(path: str) -> Optional[Dict[str, Any]]:
    # Python has a reader from 3.11 on; before, the one that it was made from.
    tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file).get("tool", {}).get("tf1compat")
    except ValueError as problem:
        raise click.UsageError("%s: %s" % (path, problem))
    return found if isinstance(found, dict) else None


def _cfg(path: str) -> Optional[Dict[str, Any]]:
    import configparser  # every command asks for settings, and few projects have some

    parser = configparser.RawConfigParser()
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as problem:
        raise click.UsageError("%s: %s" % (path, problem))
    if not parser.has_section("tf1compat"):
        return None
    found: Dict[str, Any] = {}
    for name, text in parser.items("tf1compat"):
        parts = [part.strip() for part in text.replace(",", "\n").splitlines() if part.strip()]
        found[name] = parts if name in SETTINGS and SETTINGS[name].several else text.strip()
    return found


def _defaults(path: str, values: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    found: Dict[str, Dict[str, Any]] = {}
    for name, value in values.items():
        setting = SETTINGS.get(name)
        if setting is None:
            raise click.UsageError("%s: tf1compat has no setting '%s'; it has %s" % (path, name, ", ".join(SETTINGS)))
        if setting.several and isinstance(value, str):
            value = [value]
        texts = all(isinstance(item, str) for item in value) if isinstance(value, list) else False
        if not (texts if setting.several else isinstance(value, str)):
            raise click.UsageError("%s: tf1compat's '%s' is %s" % (path, name, "a list of texts" if setting.several else "a text"))
        if setting.path:
            value = os.path.relpath(os.path.join(os.path.dirname(path), value))
        for command, parameter in setting.options:
            found.setdefault(command, {})[parameter] = setting.given(value)
    return found
