"""What a module's own functions do with a config that they are given."""

from __future__ import annotations

import ast
from typing import Dict, List, Optional, Union

from tf1compat_gpu.migrate.consumers import config_argument

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Functions:
    """A module's functions by name; where two share one, neither is known."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._known: Optional[Dict[str, Optional[Function]]] = None

    def has(self, name: str) -> bool:
        """Whether one or more have that name."""
        self.named(name)
        return self._known is not None and name in self._known

    def named(self, name: str) -> Optional[Function]:
        if self._known is None:
            self._known = {}
            for node in ast.walk(self.tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._known[node.name] = None if node.name in self._known else node
        return self._known.get(name)

    def only_passes_on(self, call: ast.Call, given: ast.expr) -> bool:
        """Whether a call is of a function of this module that does no more with that argument than give it to sessions."""
        called = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
        function = self.named(called)
        if function is None:
            return False
        parameter = _parameter(function, call, given)
        return parameter is not None and _only_consumed(function, parameter)


def _parameter(function: Function, call: ast.Call, given: ast.expr) -> Optional[str]:
    """The parameter that an argument becomes."""
    for keyword in call.keywords:
        if keyword.value is given:
            return keyword.arg
    names = [argument.arg for argument in function.args.posonlyargs + function.args.args]
    if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
        names = names[1:]
    for name, argument in zip(names, call.args):
        if isinstance(argument, ast.Starred):
            return None
        if argument is given:
            return name
    return None


def _only_consumed(function: Function, parameter: str) -> bool:
    fine: List[int] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            symbol = ast.unparse(node.func)
            use = config_argument(node, "tensorflow." + symbol.rpartition(".")[2], node.func.attr if isinstance(node.func, ast.Attribute) else "")
            if use is not None and use[1] is not None:
                fine.append(id(use[1]))
        elif isinstance(node, (ast.Compare, ast.BoolOp)):
            fine += [id(child) for child in ast.walk(node)]
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == parameter]
    return all(isinstance(node.ctx, ast.Load) and id(node) in fine for node in names)
