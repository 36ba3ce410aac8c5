"""A dictionary whose keys are paths of ConfigProto's fields, for code of the program's own to write into a config."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Optional, Tuple

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.evaluate import text
from tf1compat_gpu.migrate.finding import Facts, Finding
from tf1compat_gpu.profiles import fields

_HELP = "make_session(profile, overrides=%s) takes such a dictionary; what is the same in every run belongs in the profile"
Pairs = List[Tuple[str, ast.expr]]


def _path(node: Optional[ast.AST]) -> Optional[str]:
    """The field's path that a key is: one with a dot, because a plain name may be anything's."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value and fields.find(node.value) is not None:
        return node.value
    return None


def _displays(facts: Facts) -> Iterator[Tuple[ast.AST, str, Pairs]]:
    for node in facts.nodes.of(ast.Dict):
        pairs = [(path, value) for path, value in zip(map(_path, node.keys), node.values) if path is not None]
        if pairs:
            yield node, "{...}", pairs


def _items(facts: Facts) -> Iterator[Tuple[ast.AST, str, Pairs]]:
    """`options["gpu_options.allow_growth"] = True`; those that follow each other line by line are one."""
    found: Dict[Tuple[str, int], Tuple[ast.AST, str, Pairs]] = {}
    given = [(node, target) for node in facts.nodes.of(ast.Assign) for target in node.targets if isinstance(target, ast.Subscript)]
    written = [(node, target, path) for node, target in given for path in [_path(target.slice)] if path is not None]
    for node, target, path in sorted(written, key=lambda each: each[0].lineno):
        name = text(target.value)
        first, _, pairs = found.pop((name, node.lineno - 1), (node, name, []))
        found[name, node.lineno] = first, name, pairs + [(path, node.value)]
    yield from found.values()


def check(facts: Facts) -> Iterator[Finding]:
    """Each dictionary that is written out, and each that is given such items; what becomes of it is the program's affair."""
    for node, name, pairs in (*_displays(facts), *_items(facts)):
        shown = "; ".join("%s=%s" % (path, text(value)) for path, value in pairs)
        yield Finding("dotted", facts.span(node), "a dictionary of ConfigProto's fields: %s" % shown, _HELP % name, finding.IMPORT, False)
