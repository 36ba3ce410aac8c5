"""Whose a file is: the program's own files see TensorFlow 1's names, installed libraries keep what they have."""

from __future__ import annotations

import os
import sysconfig
from typing import Any, Dict, FrozenSet, Mapping, Tuple

_INSTALLED = ("site-packages", "dist-packages")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _library_folders() -> Tuple[str, ...]:
    paths = sysconfig.get_paths()
    found = {paths[name] for name in ("stdlib", "platstdlib") if name in paths}
    base = os.path.dirname(os.__file__)
    return tuple(os.path.realpath(path) + os.sep for path in found | {base})


class Owners:
    """Tells a program's own files from installed ones.

    Installed are files under site-packages or dist-packages (looked at first: a virtual environment may lie in the
    program's folder) and those of the standard library. Everything else is the program's, an editable install too.
    """

    def __init__(self, packages: Tuple[str, ...] = ()) -> None:
        self.packages: FrozenSet[str] = frozenset(packages)
        self._library = _library_folders()
        self._known: Dict[str, bool] = {}

    def is_own_file(self, file: str) -> bool:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._look(file)
        return known

    def _look(self, file: str) -> bool:
        if file.startswith("<"):
            return True
        path = os.path.abspath(file)
        if path.startswith(_PACKAGE):
            return False
        parts = path.replace("\\", "/").split("/")
        if any(part in _INSTALLED or part.endswith((".egg",)) for part in parts):
            return False
        real = os.path.realpath(path)
        return not real.startswith(self._library)

    def is_own(self, namespace: Mapping[str, Any]) -> bool:
        """Whether the module with these globals is the program's own; one without a file is, unless it is built in."""
        name = str(namespace.get("__name__") or "")
        if self.packages and name.split(".")[0] in self.packages:
            return True
        file = namespace.get("__file__")
        if file is None:
            file = getattr(namespace.get("__spec__"), "origin", None)
        if file is None:
            return True
        return str(file) not in ("built-in", "frozen") and self.is_own_file(str(file))
