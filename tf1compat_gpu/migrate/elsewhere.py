"""Constants of other modules of the repository: `from settings import FRACTION`, `settings.FRACTION`."""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional

from tf1compat_gpu.migrate import files, old_python
from tf1compat_gpu.migrate.evaluate import Unknown, Value, evaluate
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scopes import Bindings, Scope

#: How many folders above a file its repository's root may be.
_ABOVE = 6
#: How many modules are followed from one to the next.
_MOST_STEPS = 4


class _Constants(NamedTuple):
    single: Dict[str, ast.expr]
    names: Names
    hidden: FrozenSet[str]
    stored: FrozenSet[str]


@lru_cache(maxsize=256)
def _constants(path: str) -> Optional[_Constants]:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    text = files.decode(path, data)
    tree = None if isinstance(text, files.Skipped) else old_python.tree_of(text.text)
    if tree is None:
        return None
    nodes = Nodes(tree)
    names = Names(nodes)
    bindings = Bindings(tree, nodes, names)
    return _Constants(bindings.top, names, bindings.hidden, bindings.stored)


def _candidates(path: str, module: str) -> List[str]:
    """The files that a module named in `path` may be: relative, or below one of the folders that hold it."""
    folder = os.path.dirname(os.path.abspath(path))
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module.lstrip(".").split(".") if part]
    if dots:
        roots = [os.path.normpath(os.path.join(folder, *[os.pardir] * (dots - 1)))]
    else:
        roots = [os.path.normpath(os.path.join(folder, *[os.pardir] * above)) for above in range(_ABOVE)]
    stems = [os.path.join(root, *parts) for root in roots]
    return [stem + ending for stem in stems for ending in (".py", os.sep + "__init__.py")]


def constants_from(path: str, steps: int = 0) -> Callable[[str], Optional[Value]]:
    """What finds constants by their full names as a file at `path` writes them; None for what is not known.

    Only a value that one assignment gives, and that its source tells, is known.
    """

    def find(symbol: str) -> Optional[Value]:
        module, _, name = symbol.rpartition(".")
        if not module or not name or steps >= _MOST_STEPS or module.partition(".")[0] in ("tensorflow", "os", "sys", "numpy", "keras"):
            return None
        for candidate in _candidates(path, module):
            found = _constants(candidate) if os.path.isfile(candidate) else None
            if found is None:
                continue
            further = constants_from(candidate, steps + 1)
            if name in found.single:
                value = evaluate(found.single[name], Scope(found.single, {}, {}, found.names, further, found.hidden, found.stored))
                return None if isinstance(value, Unknown) else value
            certain = name in found.names.bound and name not in found.hidden and name not in found.names.several
            return further(found.names.bound[name]) if certain else None
        return None

    return find
