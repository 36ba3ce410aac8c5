"""Libraries of the TensorFlow 1 era: their last release for it needs TensorFlow 1 itself."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Set

from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Facts, Finding

#: Module -> the last distribution for TensorFlow 1 and what it needs, as seen in its wheel or its source: the requirement in
#: its metadata, or tf.contrib in its own files.
LIBRARIES: Dict[str, str] = {
    "stable_baselines": "stable-baselines 2.10.2 imports tf.contrib",
    "tflearn": "tflearn 0.5.0 imports tf.contrib",
    "edward": "edward 1.3.5 imports tf.contrib",
    "kfac": "kfac 0.2.4 imports tf.contrib",
    "tensorforce": "tensorforce 0.4.3 imports tf.contrib",
    "tensorlayer": "tensorlayer 1.11.1 requires tensorflow<1.13",
    "sonnet": "dm-sonnet 1.36 requires tensorflow<2",
    "gpflow": "gpflow 1.5.1 requires tensorflow<2",
    "tensor2tensor": "tensor2tensor 1.15.7 imports tf.contrib and requires tensorflow-probability 0.7",
}


def check(facts: Facts) -> Iterator[Finding]:
    """The first import of each library whose last TensorFlow 1 release needs TensorFlow 1."""
    seen: Set[str] = set()
    nodes: List[Any] = [*facts.nodes.of(ast.Import), *facts.nodes.of(ast.ImportFrom)]
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset)):
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if not node.level else []
        for name in named:
            root = name.partition(".")[0]
            if root in LIBRARIES and root not in seen:
                seen.add(root)
                message = "%s caps the TensorFlow release: %s" % (root, LIBRARIES[root])
                help = "tf1compat run --package %s gives it TensorFlow 1's names; its successor is another library to learn" % root
                yield Finding("library", facts.span(node), message, help, finding.RUN)
