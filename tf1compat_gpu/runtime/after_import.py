"""What is to happen to a module once something has imported it. Light: interpreters under `tf1compat run` start with it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import warnings
from typing import Any, Callable, List, Optional


def when_loaded(name: str, then: Callable[[Any], None]) -> None:
    """Call `then(module)` once the module is loaded: now where it is, else right after its import."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    if not any(isinstance(finder, _AfterImport) and finder.name == name and finder.then is then for finder in sys.meta_path):
        finders: List[Any] = sys.meta_path
        finders.insert(0, _AfterImport(name, then))


class _AfterImport:
    """Finds one module through the other finders and calls a function once that module has loaded."""

    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self.name, self.then = name, then

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname != self.name:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                try:
                    self.then(module)
                except Exception as problem:  # the import must not fail for our sake
                    from tf1compat_gpu.errors import Tf1CompatWarning

                    warnings.warn("tf1compat_gpu could not prepare %s: %s" % (self.name, problem), Tf1CompatWarning, stacklevel=2)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
