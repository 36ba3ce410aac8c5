"""Rung "import": `import tensorflow as tf` becomes `import tf1compat_gpu.tf1 as tf`, in every spelling."""

from __future__ import annotations

import ast
import re
from typing import List, Tuple

from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.fix import Fix, Positions
from tf1compat_gpu.migrate.page import Page

FACADE = "tf1compat_gpu.tf1"
#: Namespaces of TensorFlow that are the same for a file that was migrated, or say which TensorFlow they want.
_LEFT_ALONE = ("tensorflow.compat", "tensorflow._api")
_SPACE = r"(?:[ \t\f]|\\\r?\n)*"
_MODULE = r"(?P<module>tensorflow(?:%s\.%s\w+)*)" % (_SPACE, _SPACE)
_FROM = re.compile(r"from" + _SPACE + _MODULE)
_ALIAS = re.compile(_MODULE + r"(?:" + _SPACE + r"(?:\s)" + _SPACE + r"as\s+(?P<name>\w+))?")


def _target(module: str) -> str:
    return FACADE + module[len("tensorflow") :]


def _is_ours(module: str) -> bool:
    return (module == "tensorflow" or module.startswith("tensorflow.")) and not module.startswith(_LEFT_ALONE)


def propose(page: Page) -> Tuple[List[Fix], List[Finding]]:
    """A fix for each import of TensorFlow, wherever it stands, and a finding for what no import can reach."""
    nodes, positions = page.nodes, page.positions
    fixes: List[Fix] = []
    found: List[Finding] = []
    for node in nodes.of(ast.Import):
        if any(_is_ours(alias.name) for alias in node.names):
            fixes += _plain(node, positions)
    for origin in nodes.of(ast.ImportFrom):
        if origin.level == 0 and origin.module and _is_ours(origin.module):
            start, end = positions.span(origin)
            match = _FROM.match(positions.text, start, end)
            if match is not None:
                if origin.module == "tensorflow" and [alias.name for alias in origin.names] == ["compat"]:
                    continue
                fixes.append(Fix(match.start("module"), match.end("module"), _target(origin.module)))
    for call in nodes.of(ast.Call):
        symbol = page.names.symbol(call.func) or ""
        if symbol in ("importlib.import_module", "__import__") and call.args and isinstance(call.args[0], ast.Constant):
            if isinstance(call.args[0].value, str) and _is_ours(call.args[0].value):
                message = "%s(%r) gives TensorFlow 2's names" % (symbol, call.args[0].value)
                found.append(page.finding("hidden", call, message, "write an import, or run it by tf1compat run"))
    return fixes, found


def _plain(node: ast.Import, positions: Positions) -> List[Fix]:
    """`import a, tensorflow.x as b`: each part by itself. What binds `tensorflow` goes on binding it."""
    start, end = positions.span(node)
    at = start + len("import")
    fixes = []
    for alias in node.names:
        pattern = re.compile(re.escape(alias.name).replace(r"\.", _SPACE + r"\." + _SPACE) + r"(?![\w.])")
        match = pattern.search(positions.text, at, end)
        if match is None:
            continue
        at = match.end()
        if not _is_ours(alias.name):
            continue
        if alias.asname:
            new = _target(alias.name)
        elif alias.name == "tensorflow":
            new = "%s as tensorflow" % FACADE
        else:
            new = "%s as tensorflow, %s" % (FACADE, _target(alias.name))
        fixes.append(Fix(match.start(), match.end(), new))
    return fixes
