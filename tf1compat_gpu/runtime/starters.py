"""Who started TensorFlow, as far as can be found out afterwards: tensors that modules hold were made by operations."""

from __future__ import annotations

import ast
import sys
from types import ModuleType
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

_LIBRARIES = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "tf_slim", "numpy", "tf1compat_gpu", "tensorflow_estimator")


class Holder(NamedTuple):
    """A module that holds a tensor or variable.

    Attributes:
        module: The module's name.
        name: What it calls the tensor.
        file: The module's file, or "".
        line: The line that assigns the name, or 0 where it can't be found.
    """

    module: str
    name: str
    file: str
    line: int

    def __str__(self) -> str:
        place = " (%s:%d)" % (self.file, self.line) if self.line else ""
        return "%s.%s%s" % (self.module, self.name, place)


def _is_made_by_an_op(value: Any) -> bool:
    """Whether a value is an eager tensor or a variable; looks at its classes alone, so that no attribute of it is run."""
    kinds = {cls.__name__ for cls in type(value).__mro__ if str(cls.__module__).split(".")[0] in ("tensorflow", "tensorflow_core")}
    return bool(kinds & {"EagerTensor", "ResourceVariable", "BaseResourceVariable", "DatasetV2"})


def _modules() -> Iterator[Tuple[str, ModuleType]]:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and name.split(".")[0] not in _LIBRARIES + ("__mp_main__",):
            yield name, module


def _line(module: ModuleType, name: str) -> int:
    try:
        with open(str(module.__file__), "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, AttributeError):
        return 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            return int(node.lineno)
    return 0


def holders() -> List[Holder]:
    """The module-level names of this program that hold what only a started TensorFlow can make."""
    found = []
    for module_name, module in _modules():
        for name, value in list(vars(module).items()):
            if _is_made_by_an_op(value):
                found.append(Holder(module_name, name, str(getattr(module, "__file__", "") or ""), _line(module, name)))
    return sorted(found)


def starter() -> Optional[str]:
    """Who seems to have started TensorFlow, in words; None where nothing tells."""
    found = holders()
    if not found:
        return None
    more = " and %d more" % (len(found) - 3) if len(found) > 3 else ""
    return "%s%s" % (", ".join(str(holder) for holder in found[:3]), more)
