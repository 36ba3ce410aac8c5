"""One source as the rungs see it: its tree, its names, its configs, and the places of their profiles."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Dict, List, Mapping, Optional, Set, Tuple

from tf1compat_gpu.diagnostics import Source, Span
from tf1compat_gpu.migrate import files, following
from tf1compat_gpu.migrate.configs import Config, Module
from tf1compat_gpu.migrate.finding import NOWHERE, Finding
from tf1compat_gpu.migrate.fix import Positions
from tf1compat_gpu.migrate.imported import NOBODY, Imported
from tf1compat_gpu.migrate.names import Names
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.parsing import parse

#: Line and column (from 1) of a ConfigProto -> its profile, from the module's own folder.
Profiles = Mapping[Tuple[int, int], str]
NO_PROFILES: Profiles = {}


class Page:
    """One source; what is made of it is made once, when it is first asked for.

    Attributes:
        text: Its text.
        tree: Its tree.
        profiles: The profiles of its configs.
        imported: What other files use of it.
        used: Those of the profiles that the fixes name.
    """

    def __init__(self, text: files.Text, tree: ast.Module, profiles: Profiles, imported: Imported = NOBODY) -> None:
        self.text, self.tree, self.profiles, self.imported = text, tree, profiles, imported
        self.source = Source(text.path, text.text)
        self.used: List[str] = []

    @cached_property
    def nodes(self) -> Nodes:
        return Nodes(self.tree)

    @cached_property
    def names(self) -> Names:
        return Names(self.nodes)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.text.text)

    @cached_property
    def module(self) -> Module:
        """Its configs and what they are for."""
        return following.walk(self.tree, self.names, self.nodes, self.text)

    def place(self, node: ast.AST) -> Tuple[int, int]:
        """Line and column (in characters) of a node, as a finding's span has them."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return line, self.positions.offset(line, offset) - self.positions.starts[line - 1] + 1

    def finding(self, code: str, node: ast.AST, message: str, help: str) -> Finding:
        line, column = self.place(node)
        return Finding(code, Span(self.source, line, column), message, help, NOWHERE)

    def written(self, node: ast.AST) -> str:
        """The text of a node, as it stands."""
        start, end = self.positions.span(node)
        return self.text.text[start:end]

    def profile(self, config: Config) -> Optional[str]:
        return self.profiles.get(self.place(config.node))

    def taken(self) -> Set[str]:
        """Every name that the module uses for anything."""
        found = set(self.names.bound) | {node.id for node in self.nodes.of(ast.Name)}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
        return found


def open_page(text: files.Text, profiles: Profiles, imported: Imported = NOBODY) -> Page | SyntaxError:
    """A source for the rungs, or what stopped the parser."""
    tree = parse(text.data, text.path)
    return tree if isinstance(tree, SyntaxError) else Page(text, tree, profiles, imported)


def blocks(tree: ast.AST) -> Dict[int, List[ast.stmt]]:
    """The block that each statement stands in, by the statement's id."""
    found: Dict[int, List[ast.stmt]] = {}
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                found.update(dict.fromkeys((id(statement) for statement in block), block))
    return found
