"""The variables that hold configs and their parts: whether anything else needs them, and what leaves the code with them."""

from __future__ import annotations

import ast
from typing import Callable, Iterator, List, Optional

from tf1compat_gpu.migrate.configs import Config, Use
from tf1compat_gpu.migrate.moving import Move, within
from tf1compat_gpu.migrate.page import Page


def _assigned(page: Page, node: ast.AST) -> Optional[ast.Assign]:
    """The statement that gives a node to one plain name."""
    for statement in page.nodes.of(ast.Assign):
        if statement.value is node and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            return statement
    return None


def _scope(page: Page, node: ast.AST) -> ast.AST:
    """The innermost function that a node stands in, or the module."""
    found: ast.AST = page.tree
    for function in ast.walk(page.tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and within(node, function):
            if found is page.tree or within(function, found):
                found = function
    return found


def _names_in(page: Page, node: ast.AST, name: str) -> Iterator[ast.Name]:
    return (each for each in page.nodes.of(ast.Name) if each.id == name and (node is page.tree or within(each, node)))


def is_whole(page: Page, each: Move, takes: Callable[[Use], bool]) -> bool:
    """Whether a config's variable is needed for nothing but what `takes` accepts, so that it can leave the code altogether."""
    config = each.config
    assigned = _assigned(page, config.node)
    if assigned is None or each.kept or each.overrides or not config.uses or config.returned or config.part_of is not None:
        return False
    if not all(takes(use) and isinstance(use.given, ast.Name) for use in config.uses):
        return False
    given = {id(use.given) for use in config.uses}
    target = assigned.targets[0]
    assert isinstance(target, ast.Name)
    scope = _scope(page, assigned)
    if scope is page.tree and page.imported.has(page.text.path, target.id):
        return False
    for node in _names_in(page, scope, target.id):
        if node is not target and id(node) not in given and not any(within(node, statement) for statement in each.gone):
            return False
    return True


def gone_with(page: Page, moves: List[Move], whole: List[Move]) -> List[ast.stmt]:
    """All statements that leave the code: those of the moves, of variables that are no longer needed, and of parts."""
    # A statement that writes into several configs (branches made one each) stays while one of them needs it.
    leaving = {id(each.config): {id(statement) for statement in each.gone} for each in moves}
    needed = {
        id(write.statement)
        for config in page.module.configs
        for write in config.writes
        if config.message == "ConfigProto" and write.of is config and id(write.statement) not in leaving.get(id(config), ())
    }
    gone = [statement for each in moves for statement in each.gone if id(statement) not in needed]
    for each in whole:
        assigned = _assigned(page, each.config.node)
        assert assigned is not None
        gone.append(assigned)
    vanished: List[ast.AST] = [*gone, *(each.config.node for each in moves)]
    kept = " ".join(text for each in moves for text in each.overrides.values())
    for part in {id(part.config): part.config for each in moves for part in each.config.parts}.values():
        gone += _unneeded(page, part, vanished, kept)
    return list({id(statement): statement for statement in gone}.values())


def _unneeded(page: Page, part: Config, vanished: List[ast.AST], kept: str) -> List[ast.stmt]:
    """The statements that build a part, where nothing else needs it."""
    assigned = _assigned(page, part.node)
    if assigned is None:
        return []
    target = assigned.targets[0]
    assert isinstance(target, ast.Name)
    own = [write.statement for write in part.writes if write.statement is not None and write.of is part]
    fine = [*vanished, *own, assigned]
    inside = _names_in(page, _scope(page, assigned), target.id)
    if target.id in kept.replace(".", " ").split() or not all(any(within(node, other) for other in fine) for node in inside):
        return []
    return [assigned, *own]
