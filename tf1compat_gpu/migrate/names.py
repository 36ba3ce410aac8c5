"""What a name in a source means: TensorFlow's symbols, whatever they were imported as."""

from __future__ import annotations

import ast
from typing import Dict, Optional, Set

from tf1compat_gpu.migrate.nodes import Nodes

_ROOTS = {"tf": "tensorflow", "tensorflow": "tensorflow"}
#: What programs call TensorFlow where one of their own modules passes it on: `from .compat import tfv1`.
_PASSED_ON = (".tf", ".tensorflow", ".tfv1", ".tf1", ".tf_v1", ".tf_compat", ".tf_compat_v1")
#: Spellings of one namespace, longest first.
_SAME = (
    ("tensorflow.compat.v1.", "tensorflow."),
    ("tensorflow.compat.v2.compat.v1.", "tensorflow."),
    ("tensorflow._api.v1.", "tensorflow."),
    ("tf1compat_gpu.tf1.", "tensorflow."),
)


def normal(name: str) -> str:
    """One spelling for a symbol of TensorFlow: `tensorflow.X`, Keras' `tf` included."""
    for prefix, other in _SAME:
        if name.startswith(prefix):
            return other + name[len(prefix) :]
        if name == prefix[:-1]:
            return other[:-1]
    for backend in ("keras.backend.tf.", "keras.backend.tensorflow_backend.tf."):
        position = name.find(backend)
        if position >= 0:
            return "tensorflow." + name[position + len(backend) :]
    return name


def dotted(node: ast.AST) -> Optional[str]:
    """`a.b.c` as text, or None where the expression is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id] + parts[::-1])


class Names:
    """The imports of one module, wherever in it they stand."""

    def __init__(self, nodes: Nodes) -> None:
        self.bound: Dict[str, str] = {}
        self.star = False
        #: Names that imports bind to more than one thing.
        self.several: Set[str] = set()
        for node in nodes.of(ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.bound[alias.asname] = alias.name
                else:
                    first = alias.name.partition(".")[0]
                    self.bound[first] = first
        for origin in nodes.of(ast.ImportFrom):
            module = "." * origin.level + (origin.module or "")
            for alias in origin.names:
                if alias.name == "*":
                    self.star = self.star or module.partition(".")[0] in ("tensorflow", "tf1compat_gpu")
                else:
                    full = module + ("." if module and not module.endswith(".") else "") + alias.name
                    if self.bound.setdefault(alias.asname or alias.name, full) != full:
                        self.several.add(alias.asname or alias.name)
                    self.bound[alias.asname or alias.name] = full

    def symbol(self, node: ast.AST) -> Optional[str]:
        """The full name of what an expression names, as `tensorflow.ConfigProto`; None for what is no dotted name."""
        text = dotted(node)
        if text is None:
            return None
        first, dot, rest = text.partition(".")
        root = self.bound.get(first)
        if root is None or root.startswith(".") or root.endswith(_PASSED_ON):
            # A module of the repository that passes TensorFlow on, or a star import: `tf` is still called tf.
            root = "tensorflow" if root is not None and root.endswith(_PASSED_ON) else _ROOTS.get(first, root or first)
        if self.star and first not in self.bound and not dot:
            root = "tensorflow." + first
        return normal(root + dot + rest)
