"""What `tensorflow` means in a program's own files: the TensorFlow 1 facade, under TensorFlow's name."""

from __future__ import annotations

import contextlib
import importlib
import os
from types import ModuleType
from typing import Any, Dict, List, Optional, Tuple

#: What tf.__version__ reads in a program's files: the release that its names are those of.
VERSION = "1.15.5"
_FACADE = "tf1compat_gpu.tf1"
#: Modules that are the same for everyone, and whose files are written for both releases.
_SHARED = ("tensorflow.compat", "tensorflow.core", "tensorflow.tools", "tensorflow.lite")
_began: List[bool] = []
_view: List[ModuleType] = []


def _begin() -> None:
    """What comes before TensorFlow's first import in this process."""
    if _began:
        return
    _began.append(True)
    from tf1compat_gpu.runtime import keras_choice

    keras_choice.choose(os.environ)


class _View(ModuleType):
    """The facade as a program's files see it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__path__", "__all__"):
            from tf1compat_gpu.runtime import tensorflow

            return getattr(tensorflow.tensorflow(), name)  # __git_version__, __compiler_version__ and the like
        return getattr(_facade(), name)

    def __dir__(self) -> List[str]:
        return sorted(set(self.__dict__) | set(dir(_facade())))


def _facade() -> ModuleType:
    return importlib.import_module(_FACADE)


def view() -> ModuleType:
    """The module that `import tensorflow` gives to a program's own files."""
    if not _view:
        facade = _facade()
        from tf1compat_gpu.runtime import tensorflow

        if tensorflow.release() < (2, 0):
            _view.append(tensorflow.tensorflow())
            return _view[0]
        made = _View("tensorflow")
        real = tensorflow.tensorflow()
        kept: Dict[str, Any] = {name: value for name, value in vars(facade).items() if not (name.startswith("__") or name in ("annotations", "TYPE_CHECKING"))}
        made.__dict__.update(kept)
        made.__dict__.update(__version__=VERSION, VERSION=VERSION, __file__=real.__file__, __path__=list(real.__path__), __spec__=real.__spec__)
        made.__dict__["__all__"] = sorted(
            name for name in set(kept) | set(dir(facade)) | {"contrib", "estimator", "Tensor"} if not name.startswith("_") and name not in _NOT_STARRED
        )
        _view.append(made)
    return _view[0]


#: Names of the facade's own module that `from tensorflow import *` has no use for.
_NOT_STARRED = frozenset(("TYPE_CHECKING", "Any", "List", "annotations", "sys"))


def imported(name: str, fromlist: Tuple[str, ...], own: bool) -> Optional[ModuleType]:
    """What an import gives, where the shim has to do with it; None where Python's own way is right.

    Args:
        name: The module's full name.
        fromlist: What is wanted from it; empty for `import a.b`, which gives `a`.
        own: Whether the importing file is the program's own.
    """
    top = name.partition(".")[0]
    _begin()
    _prepare_sessions()
    if top == "keras":
        if not own:
            return None
        from tf1compat_gpu.shim import importing, keras_names

        return keras_names.imported(name, fromlist, importing.owners().is_own_file)
    if not own or name.startswith(_SHARED):
        return _top_is_view(name, fromlist) if own else None
    from tf1compat_gpu.runtime import tensorflow

    _facade()
    if tensorflow.release() < (2, 0):
        return None
    if name == "tensorflow":
        for wanted in fromlist:
            if wanted != "*" and not hasattr(view(), wanted):
                _submodule(wanted)
        return view()
    module = _submodule(name.partition(".")[2])
    if fromlist:
        for wanted in fromlist:
            if wanted != "*" and not hasattr(module, wanted) and not _plant(module, wanted):
                with contextlib.suppress(ImportError):  # Python says what is missing
                    _submodule("%s.%s" % (name.partition(".")[2], wanted))
        return module
    _bind(name)
    return view()


def _plant(module: ModuleType, name: str) -> bool:
    """A name of tf.contrib that is gone may be imported: the error comes where it is used. Whether it is such a one.

    Below `python` programs import modules, whose names are looked up in turn.
    """
    from tf1compat_gpu.tf1._contrib import gone, modules

    if not isinstance(module, modules.LegacyModule) or "python" in module._path.split(".") or name == "python":
        return False
    setattr(module, name, gone.placeholder(module._path, name))
    return True


def _prepare_sessions() -> None:
    from tf1compat_gpu.shim import sessions

    sessions.prepare()


def _top_is_view(name: str, fromlist: Tuple[str, ...]) -> Optional[ModuleType]:
    """`import tensorflow.compat.v1` binds `tensorflow`, which is the view in a program's files."""
    if fromlist:
        return None
    importlib.import_module(name)
    from tf1compat_gpu.runtime import tensorflow

    return None if tensorflow.release() < (2, 0) else view()


def _submodule(name: str) -> ModuleType:
    return importlib.import_module("%s.%s" % (_FACADE, name))


def _bind(name: str) -> None:
    """Let `tensorflow.a.b` be reached from the view, as importing a.b does."""
    at: Any = view()
    parts = name.split(".")[1:]
    for index, part in enumerate(parts):
        if not hasattr(at, part):
            try:
                setattr(at, part, _submodule(".".join(parts[: index + 1])))
            except (AttributeError, TypeError):
                return
        at = getattr(at, part)
