"""How the facade comes up: the active profile's environment, TensorFlow, v2 behaviour off, sessions, submodules."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import re
import sys
from types import ModuleType
from typing import Any, Dict, List, Optional

from tf1compat_gpu.errors import TensorFlowError
from tf1compat_gpu.runtime import active, eager_context, keras_choice, seeds, tensorflow, wrapping
from tf1compat_gpu.tf1 import _keras, _moved

PACKAGE = "tf1compat_gpu.tf1"


def namespace() -> Any:
    """The TensorFlow 1 namespace of the installed release: TensorFlow 1.15 itself, or tf.compat.v1."""
    module = tensorflow.tensorflow()
    return module if tensorflow.release() < (2, 0) else module.compat.v1


def start(facade: ModuleType) -> Any:
    """Load TensorFlow with the active profile's environment and v2 behaviour off; returns the namespace.

    Raises:
        TensorFlowError: TensorFlow has run operations eagerly already: they can't be used in graphs.
    """
    profile = active.active_profile()
    if profile is not None and not active.STATE.wrapped:  # install() has done this, and has said what there was to say
        active.install(profile)
    if not tensorflow.loaded():
        keras_choice.choose(os.environ)
    if tensorflow.loaded() and eager_context.started() and tensorflow.tensorflow().executing_eagerly():
        raise TensorFlowError(
            "TensorFlow has run operations eagerly before `import tf1compat_gpu.tf1`: tensors made so far can't be used in "
            "a TensorFlow 1 graph. Import tf1compat_gpu.tf1 first, before any module that builds something with TensorFlow"
        )
    found = namespace()
    if tensorflow.release() >= (2, 0):
        _without_advice(found.disable_v2_behavior)
        _moved.install()
        _keras.install_aliases()
        seeds.install()
    wrapping.wrap_sessions()
    if not any(isinstance(finder, _Submodules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Submodules())
    return found


def _without_advice(call: Any) -> None:
    """Call without TensorFlow's advice that reference variables have no future: it is what was asked for."""
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        call()
    finally:
        logger.setLevel(level)


#: Names of tf.compat.v1 that the facade does not hold itself, because what they are depends on when they are asked for.
LOOKED_UP = ("Tensor",)


def own_names() -> Dict[str, Any]:
    """What the facade has instead of TensorFlow 2's own."""
    if tensorflow.release() < (2, 0):
        return {}
    from tf1compat_gpu.tf1 import _eager

    return {"enable_eager_execution": _eager.enable_eager_execution}


def _tensor() -> Any:
    """tf.Tensor: in graphs the class that tensors are of, as in 1.15, where `type(x) is tf.Tensor` is how programs ask.

    From 2.14 on a graph's tensors are of a subclass, SymbolicTensor (tensorflow/python/framework/ops.py).
    """
    module = tensorflow.tensorflow()
    if module.executing_eagerly() or module.compat.v1.executing_eagerly_outside_functions():
        return module.Tensor
    from tensorflow.python.framework import ops

    return getattr(ops, "SymbolicTensor", module.Tensor)


def attribute(name: str) -> Any:
    """A name of the facade that was not there when it was made: lazily loaded ones, and contrib."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "Tensor" and tensorflow.release() >= (2, 0):
        return _tensor()
    found = getattr(namespace(), name, None)
    if found is not None:
        return found
    if name == "estimator":
        from tf1compat_gpu.tf1 import _estimator

        return _estimator.estimator
    submodule = "%s.%s" % (PACKAGE, name)
    if importlib.util.find_spec(submodule) is not None:
        return importlib.import_module(submodule)
    raise AttributeError("tf.%s is not in tf.compat.v1 of TensorFlow %s" % (name, tensorflow.tensorflow().__version__))


def _targets(name: str) -> List[str]:
    """Where a submodule of TensorFlow 1 lives in the installed release, likeliest first."""
    if tensorflow.release() < (2, 0):
        return ["tensorflow." + name]
    return ["tensorflow.compat.v1." + name, "tensorflow." + name]


def _itself(module: ModuleType) -> ModuleType:
    """The module behind a proxy that loads when it is touched, as tensorflow.contrib is in 1.15: importlib can't use the proxy."""
    if type(module) is ModuleType:
        return module
    dir(module)
    return sys.modules.get(module.__name__, module)


class _Submodules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes `tf1compat_gpu.tf1.X` the module X of TensorFlow 1: the very module, not a copy."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if not fullname.startswith(PACKAGE + ".") or fullname.startswith(PACKAGE + "._"):
            return None
        name = fullname[len(PACKAGE) + 1 :]
        if name.split(".")[0] == "contrib" and tensorflow.release() >= (2, 0):
            return None  # our own package
        if self._resolve(name) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def _resolve(self, name: str) -> Optional[ModuleType]:
        if name.startswith("python.keras") and tensorflow.release() >= (2, 0) and (name + ".").startswith("python.keras."):
            # tensorflow.python.keras is another copy of Keras, with a session of its own; to 1.9 its modules lay below _impl.
            return _keras.module(re.sub(r"^\._impl(\.keras)?", "", name[len("python.keras") :]).lstrip("."))
        for target in _targets(name):
            try:
                return _itself(importlib.import_module(target))
            except ModuleNotFoundError as problem:
                if problem.name is not None and not (target + ".").startswith(problem.name + "."):
                    raise  # the module is there, and something that it imports is not
        moved = _moved.gone_module(name[len("python.") :]) if name.startswith("python.") and tensorflow.release() >= (2, 0) else None
        if moved is not None:
            return moved
        # Some modules are attributes that load lazily, and no entries of sys.modules (tf.keras from 2.6 on).
        found: Any = namespace()
        for part in name.split("."):
            found = getattr(found, part, None)
        return _itself(found) if isinstance(found, ModuleType) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        module = self._resolve(spec.name[len(PACKAGE) + 1 :])
        assert module is not None
        spec.loader_state = module.__dict__.get("__spec__")
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            # importlib has put our spec on TensorFlow's module; its own belongs there.
            module.__spec__ = spec.loader_state
