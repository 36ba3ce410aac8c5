"""What a module's names are bound to, as far as that is certain wherever they are read."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Set

from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: Values that can change while the name that they are bound to stays the same.
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.Call, ast.ListComp, ast.DictComp)
#: Methods and functions that only read a list or a dictionary that they are called on or given.
_READING_METHODS = ("get", "items", "keys", "values", "copy", "index", "count")
_READING_FUNCTIONS = ("len", "print", "str", "repr", "bool", "list", "tuple", "dict", "set", "sorted", "enumerate", "zip", "isinstance", "type", "any", "all")


class Scope(NamedTuple):
    """What is known of names where an expression stands.

    Attributes:
        single: Names that one assignment binds, in this function, in one around it or in the module, and to what.
        parameters: Parameters of the function and of those around it, and their defaults (None where there is none).
        flags: Command line options of the module, and their defaults.
        names: The module's imports.
        elsewhere: From the full name of a constant of another module to its value, or None where it is not known.
        hidden: Names that are bound in a way that is not certain.
        stored: Attributes that the module writes, of whatever it writes them.
    """

    single: Mapping[str, ast.expr]
    parameters: Mapping[str, Optional[ast.expr]]
    flags: Mapping[str, ast.expr]
    names: Names
    elsewhere: Callable[[str], Any]
    hidden: FrozenSet[str] = frozenset()
    stored: FrozenSet[str] = frozenset()

    def within(self, bound: Mapping[str, Optional[ast.expr]], parameters: Mapping[str, Optional[ast.expr]]) -> Scope:
        """That of a function inside: what it binds hides what is around it, also where its own value is not certain."""
        single = {name: value for name, value in self.single.items() if name not in bound and name not in parameters}
        single.update((name, value) for name, value in bound.items() if value is not None and name not in parameters)
        around = {name: default for name, default in self.parameters.items() if name not in bound}
        hidden = (self.hidden - set(bound)) | {name for name, value in bound.items() if value is None}
        return self._replace(single=single, parameters={**around, **parameters}, hidden=hidden)


def assigned(body: Iterable[ast.AST]) -> Dict[str, Optional[ast.expr]]:
    """Names that a scope binds: to what, where one plain assignment does, or None where that is not certain."""
    found: Dict[str, Optional[ast.expr]] = {}
    todo: List[ast.AST] = list(body)
    imported: Set[str] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            if not isinstance(node, ast.Lambda):
                found[node.name] = None
            continue
        if isinstance(node, ast.alias):
            imported.add(node.asname or node.name.partition(".")[0])
            continue
        if isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and node.value is not None:  # type: ignore[attr-defined]
            value: ast.expr = node.value  # type: ignore[attr-defined]
            found[target.id] = None if target.id in found else value
            todo.append(value)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found[node.id] = None
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(dict.fromkeys(node.names))
        todo.extend(ast.iter_child_nodes(node))
    found.update(dict.fromkeys(name for name in found if name in imported))  # one of the two
    return found


class Bindings:
    """The names of one module's scopes.

    Args:
        tree: The module.
        nodes: Its nodes.
        names: Its imports.
    """

    def __init__(self, tree: ast.Module, nodes: Nodes, names: Names) -> None:
        self._tree, self._names, self._nodes = tree, names, nodes
        #: Names that a function binds in a scope around it.
        declared: List[Any] = [*nodes.of(ast.Global), *nodes.of(ast.Nonlocal)]
        self.rebound = frozenset(name for node in declared for name in node.names)

    @cached_property
    def _module(self) -> Dict[str, Optional[ast.expr]]:
        return self.of(self._tree.body)

    @cached_property
    def top(self) -> Dict[str, ast.expr]:
        """The module's own names that one assignment binds."""
        return {name: value for name, value in self._module.items() if value is not None}

    @cached_property
    def hidden(self) -> FrozenSet[str]:
        """The module's own names that are bound in a way that is not certain."""
        return frozenset(name for name, value in self._module.items() if value is None) | self.rebound

    @cached_property
    def stored(self) -> FrozenSet[str]:
        """Attributes that the module writes, of whatever it writes them."""
        return frozenset(node.attr for node in self._nodes.of(ast.Attribute) if not isinstance(node.ctx, ast.Load))

    def of(self, body: Iterable[ast.AST]) -> Dict[str, Optional[ast.expr]]:
        """As `assigned`, and not certain either where another function binds the name, or something may change its value."""
        found = assigned(body)
        for name, value in found.items():
            if name in self.rebound or isinstance(value, _CONTAINERS) and name in self._changed:
                found[name] = None
        return found

    @cached_property
    def _changed(self) -> FrozenSet[str]:
        """Names by which a list or a dictionary may be changed: they are used otherwise than for reading it."""
        reading: Set[int] = set()
        used: List[ast.Name] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                used.append(node)
            else:
                reading.update(id(name) for name in self._read(node))
        return frozenset(name.id for name in used if id(name) not in reading)

    def _read(self, node: ast.AST) -> List[Any]:
        """Of a node's parts those that it only reads, where they are names."""
        if isinstance(node, ast.Subscript):
            return [node.value] if isinstance(node.ctx, ast.Load) else []
        if isinstance(node, ast.Attribute):
            return [node.value] if node.attr in _READING_METHODS else []
        if isinstance(node, ast.keyword):
            return [node.value] if node.arg is None else []
        if isinstance(node, ast.Call):
            symbol = self._names.symbol(node.func) or ""
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if symbol in _READING_FUNCTIONS or method in ("join", "format", "extend", "update", "CopyFrom", "MergeFrom") or symbol.startswith("tensorflow."):
                return [*node.args, *(keyword.value for keyword in node.keywords)]
            return []
        if isinstance(node, ast.Dict):  # {**defaults, ...}
            return [value for key, value in zip(node.keys, node.values) if key is None]
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Starred, ast.FormattedValue, ast.Expr)):
            return list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            return [node.iter]
        return [node.test] if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)) else []
