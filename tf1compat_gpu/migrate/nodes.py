"""The nodes of a tree by their kind, from one walk: rules ask for what they look at, and nobody walks again."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Type, TypeVar

Kind = TypeVar("Kind", bound=ast.AST)
_KINDS = (ast.Import, ast.ImportFrom, ast.Call, ast.Attribute, ast.Name, ast.Assign, ast.Constant, ast.Dict, ast.Expr, ast.Global, ast.Nonlocal, ast.ClassDef)
#: They have nothing below them, and there are many.
_LEAVES = frozenset((ast.Load, ast.Store, ast.Del))


class Nodes:
    """The nodes of a tree."""

    def __init__(self, tree: ast.AST) -> None:
        kinds: Dict[type, List[Any]] = {kind: [] for kind in _KINDS}
        todo: List[Any] = [tree]
        ast_type = ast.AST
        while todo:
            node = todo.pop()
            kept = kinds.get(node.__class__)
            if kept is not None:
                kept.append(node)
            # Much faster than ast.iter_child_nodes, which asks each node for the names of its fields.
            for value in node.__dict__.values():
                if value.__class__ is list:
                    todo.extend([item for item in value if isinstance(item, ast_type)])  # Global holds names, Constant may be None
                elif isinstance(value, ast_type) and value.__class__ not in _LEAVES:
                    todo.append(value)
        self._kinds = kinds

    def of(self, kind: Type[Kind]) -> List[Kind]:
        """All nodes of a kind, in no particular order."""
        return self._kinds[kind]
