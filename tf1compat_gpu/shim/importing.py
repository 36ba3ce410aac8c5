"""`import tensorflow` in a program's own files: builtins.__import__ and importlib.import_module, wrapped.

The importing file decides what a name means, so that sources and bytecode stay as they are.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from types import ModuleType
from typing import Any, Mapping, Optional, Tuple

from tf1compat_gpu.shim.owners import Owners

_import = builtins.__import__
_import_module = importlib.import_module
_owners: Optional[Owners] = None
#: Modules that the shim has something to say about, by the first part of their name.
WATCHED = frozenset(("tensorflow", "keras"))


def install(packages: Tuple[str, ...] = ()) -> None:
    """Wrap what imports, once."""
    global _owners
    first, _owners = _owners is None, Owners(packages)
    if first:
        builtins.__import__ = _wrapped_import
        importlib.import_module = _wrapped_import_module
        from tf1compat_gpu.shim import ending

        ending.install()


def owners() -> Owners:
    assert _owners is not None
    return _owners


def _wrapped_import(
    name: str, globals: Optional[Mapping[str, Any]] = None, locals: Optional[Mapping[str, Any]] = None, fromlist: Any = (), level: int = 0
) -> ModuleType:
    __tracebackhide__ = True  # pytest leaves this frame out
    if level == 0 and name.partition(".")[0] in WATCHED:
        from tf1compat_gpu.shim import names

        found = names.imported(name, tuple(fromlist or ()), _is_own(sys._getframe(1).f_globals if globals is None else globals))
        if found is not None:
            return found
    return _import(name, globals, locals, fromlist, level)


def _is_own(globals: Mapping[str, Any]) -> bool:
    owners = _owners
    assert owners is not None
    if globals.get("__file__") is None and getattr(globals.get("__spec__"), "origin", None) is None:
        # Code without a file: the nearest frame that has one decides.
        frame = sys._getframe(2)
        while frame is not None:
            file = frame.f_globals.get("__file__")
            if file is not None:
                return owners.is_own(frame.f_globals)
            frame = frame.f_back  # type: ignore[assignment]
        return True
    return owners.is_own(globals)


def _wrapped_import_module(name: str, package: Optional[str] = None) -> ModuleType:
    if not name.startswith(".") and name.partition(".")[0] in WATCHED and _is_own(sys._getframe(1).f_globals):
        from tf1compat_gpu.shim import names

        found = names.imported(name, ("__name__",), True)
        if found is not None:
            return found
    return _import_module(name, package)
