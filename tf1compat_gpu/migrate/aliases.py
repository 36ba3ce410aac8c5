"""Names that may mean a config where the walk did not follow them: functions above it, other methods, the next round of a loop."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property
from typing import Dict, Iterator, List, Optional, Set, Tuple, Union

from tf1compat_gpu.migrate.configs import Bound, Config
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scopes import Bindings

_Named = Union[ast.Name, ast.Attribute]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Aliases:
    """The places of a module where a config is meant by name."""

    def __init__(self, tree: ast.Module, nodes: Nodes, names: Names, bindings: Bindings) -> None:
        self._tree, self._nodes, self._names, self._bindings = tree, nodes, names, bindings
        self._followed: Dict[int, Set[int]] = {}

    def follow(self, node: ast.AST, length: int, config: Config) -> None:
        """Note that the first `length` parts of a dotted name mean a config, and the walk knows it."""
        parts: List[ast.AST] = [node]
        while isinstance(parts[-1], ast.Attribute):
            parts.append(parts[-1].value)
        self._followed.setdefault(id(parts[len(parts) - length]), set()).add(id(config))

    def bound(self, target: ast.expr, body: Optional[List[ast.stmt]], in_class: bool) -> Bound:
        """A name that a config is bound to, in the function of these statements or in a class."""
        if isinstance(target, ast.Attribute):
            return Bound(target.attr, target, None)
        assert isinstance(target, ast.Name)
        return Bound(target.id, target, None if in_class else body)

    def called_once(self, name: str) -> bool:
        """Whether a function's name stands in the module but once, beside its definition."""
        return self._counts[name] <= 1

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter([*(node.id for node in self._nodes.of(ast.Name)), *(node.attr for node in self._nodes.of(ast.Attribute))])

    def not_followed(self, config: Config, given: Set[int]) -> Optional[ast.AST]:
        """A place that may mean a config without the walk's knowing; places that only give it to a session (`given`) don't count."""
        for where in config.names:
            if where.body is not None and where.name in self._bindings.rebound:
                other = next((node for node in self._nodes.of(ast.Name) if node.id == where.name and self._rebinds(node, where)), None)
                if other is not None:
                    return other
            for node in self._candidates(where, config.inherited):
                if isinstance(node.ctx, ast.Load) and id(node) not in given and id(config) not in self._followed.get(id(node), ()):
                    return node
        return None

    def _rebinds(self, node: ast.Name, where: Bound) -> bool:
        """Whether a name that functions share is given another value than this one, and not just None beforehand."""
        if isinstance(node.ctx, ast.Load) or node is where.target:
            return False
        return not any(each.targets == [node] and isinstance(each.value, ast.Constant) for each in self._nodes.of(ast.Assign))

    def _candidates(self, where: Bound, inherited: bool) -> Iterator[_Named]:
        if where.body is None:
            # Another class's attribute of the same name is followed by itself, unless the classes are related.
            for attribute in self._nodes.of(ast.Attribute):
                own = isinstance(attribute.value, ast.Name) and attribute.value.id in ("self", "cls") and id(attribute) in self._followed and not inherited
                if attribute.attr == where.name and not own and not (self._names.symbol(attribute) or "").startswith("tensorflow"):
                    yield attribute
        elif where.name in self._bindings.rebound:
            yield from (node for node in self._nodes.of(ast.Name) if node.id == where.name)
        else:
            for name, inner, loop in _names_in(where.body, where.name, self._bindings):
                early = (name.lineno, name.col_offset) < (where.target.lineno, where.target.col_offset)  # type: ignore[attr-defined]
                if inner or loop is not None and early and any(node is where.target for node in ast.walk(loop)):
                    yield name


def _names_in(body: List[ast.stmt], name: str, bindings: Bindings) -> Iterator[Tuple[ast.Name, bool, Optional[ast.AST]]]:
    """The places of a name in a scope: whether in a function inside (that has none of its own of that name), and the outermost loop."""
    todo: List[Tuple[ast.AST, bool, Optional[ast.AST]]] = [(statement, False, None) for statement in body]
    while todo:
        node, inner, loop = todo.pop()
        if isinstance(node, ast.Name):
            if node.id == name:
                yield node, inner, loop
            continue
        if isinstance(node, _FUNCTIONS):
            arguments = node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            own = any(argument is not None and argument.arg == name for argument in every)
            if own or not isinstance(node, ast.Lambda) and name in bindings.of(node.body):
                continue
            inner = True
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            loop = loop or node
        todo += [(child, inner, loop) for child in ast.iter_child_nodes(node)]
