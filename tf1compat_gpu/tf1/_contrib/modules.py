"""The modules that `import tensorflow.contrib.X.Y` gives: names looked up in the table when they are asked for."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, List, Optional

from tf1compat_gpu.runtime import tensorflow
from tf1compat_gpu.tf1._contrib import gone
from tf1compat_gpu.tf1._contrib.homes import HOMES, PATHS, Home

PREFIX = "tf1compat_gpu.tf1.contrib."
_STAND_INS = "tf1compat_gpu.tf1._contrib."
#: What tf.contrib held in 1.15, packages that no row is about included: importing any of them is no error.
_OTHERS = """
all_reduce bayesflow bigtable boosted_trees cloud coder constrained_optimization copy_graph crf decision_trees deprecated eager ffmpeg
fused_conv grid_rnn hadoop hooks ignite image input_pipeline integrate kafka kernel_methods kinesis labeled_tensor legacy_seq2seq libsvm
linear_optimizer memory_stats meta_graph_transform model_pruning nearest_neighbor ndlstm opt optimizer_v2 periodic_resample py2tf quantize
receptive_field recurrent reduce_slice_ops remote_fused_graph resampler rpc sdca session_bundle solvers sparsemax specs stat_summarizer
tensor_forest text timeseries
"""
MODULES = frozenset(HOMES) | frozenset(_OTHERS.split())


def target(text: str) -> Any:
    """The module or the name that a row's target means.

    Raises:
        AttributeError, ImportError: It is not there in the TensorFlow that is installed.
    """
    if text.startswith(("tf.", "tf2.")):
        first, _, path = text.partition(".")
        module = tensorflow.tensorflow()
        found: Any = module.compat.v1 if first == "tf" else module
        for part in path.split("."):
            found = getattr(found, part)
        return found
    module_name, _, name = text.partition(":")
    module = importlib.import_module(module_name)
    return getattr(module, name) if name else module


def stand_ins(module: str) -> Optional[ModuleType]:
    """This package's own module of stand-ins for a contrib module, or None."""
    name = _STAND_INS + module
    if module in ("homes", "gone", "modules") or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def look_up(module: str, name: str) -> Any:
    """`tf.contrib.<module>.<name>`.

    Raises:
        GoneError: It has no home today; the message says why and what to do.
        ImportError: Its home is a package that is not installed; the message has the pip line.
    """
    home = HOMES.get(module, Home())
    own = stand_ins(module)
    if own is not None and name in own.__all__:
        return getattr(own, name)
    if name in home.names:
        return _target_of(module, home.names[name])
    missing: Optional[str] = None
    for place in home.modules:
        try:
            found = getattr(target(place), name, None)
        except AttributeError:
            continue
        except ImportError as problem:
            missing = missing or _package(place, problem)
            continue
        if found is not None and not _leaked(place, found):
            return found
    if missing:
        raise gone.HomeMissingError(gone.missing_package(module, missing), name=missing)
    raise gone.GoneError(gone.message(module, name))


def _leaked(place: str, found: Any) -> bool:
    """Whether it is a module that a home imports for itself, and no name of its own."""
    return isinstance(found, ModuleType) and place.startswith(("tf_slim", "tensorflow.")) and not found.__name__.startswith(place.partition(":")[0])


def _target_of(module: str, text: str) -> Any:
    try:
        return target(text)
    except AttributeError:
        raise gone.GoneError(gone.message(module, text.rpartition(".")[2].rpartition(":")[2])) from None
    except ImportError as problem:
        raise gone.HomeMissingError(gone.missing_package(module, _package(text, problem)), name=problem.name) from None


def _package(place: str, problem: ImportError) -> str:
    package = place.partition(".")[0].partition(":")[0]
    if problem.name != package:
        raise problem  # the home is there, and something that it imports is not
    return package


class LegacyModule(ModuleType):
    """A module of tf.contrib, or one below it, whose names come from the table."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, "tensorflow.contrib.%s of TensorFlow 1.15, where its names are today." % path)
        self.__dict__["_path"] = path
        self.__dict__["__path__"] = []

    def __getattr__(self, name: str) -> Any:
        path = self._path
        if name == "__all__":
            return [each for each in dir(self) if not each.startswith("_")]
        if name.startswith("__"):
            raise AttributeError(name)
        module = path.partition(".")[0]
        below = "%s.%s" % (path, name)
        if name == "python" or any((known + ".").startswith(below + ".") for known in PATHS):
            return importlib.import_module(PREFIX + below)
        found = look_up(module, name)
        self.__dict__[name] = found
        return found

    def __dir__(self) -> List[str]:
        module = self._path.partition(".")[0]
        found = set(self.__dict__) | set(HOMES.get(module, Home()).names)
        own = stand_ins(module)
        found |= set(own.__all__ if own is not None else ())
        for place in HOMES.get(module, Home()).modules:
            try:
                found |= {name for name in dir(target(place)) if not name.startswith("_")}
            except (AttributeError, ImportError):
                continue
        return sorted(found)


def home_path(path: str) -> Optional[str]:
    """The module that a path below tf.contrib is today, by the longest row that fits."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        found = PATHS.get(".".join(parts[:length]))
        if found is not None:
            return ".".join([found] + parts[length:])
    return None


class ContribFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tf1compat_gpu.tf1.contrib.X`, and anything below it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if not fullname.startswith(PREFIX):
            return None
        if fullname[len(PREFIX) :].partition(".")[0] not in MODULES:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        path = spec.name[len(PREFIX) :]
        home = home_path(path)
        if home is not None:
            try:
                found = importlib.import_module(home)
                spec.loader_state = found.__dict__.get("__spec__")
                return found
            except ImportError as problem:
                package = home.partition(".")[0]
                if problem.name == package:
                    raise gone.HomeMissingError(gone.missing_package(path, package), name=package) from None
                if problem.name is None or not (home + ".").startswith(problem.name + "."):
                    raise
        # A name of the table that is a module, imported as one: `import tensorflow.contrib.framework.nest`.
        above, _, last = path.rpartition(".")
        if above in HOMES and last in HOMES[above].names:
            try:
                named = look_up(path.partition(".")[0], last)
                if isinstance(named, ModuleType):
                    spec.loader_state = named.__dict__.get("__spec__")
                    return named
            except (AttributeError, ImportError):
                pass
        if path == "slim":
            # It is one package that became one package: programs rely on its being the same object everywhere.
            try:
                found = importlib.import_module("tf_slim")
            except ImportError as problem:
                if problem.name != "tf_slim":
                    raise
                raise gone.HomeMissingError(gone.missing_package("slim", "tf_slim"), name="tf_slim") from None
            spec.loader_state = found.__dict__.get("__spec__")
            return found
        return LegacyModule(spec.name, path)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader is self and not isinstance(module, LegacyModule):
            module.__spec__ = spec.loader_state


def install() -> None:
    if not any(isinstance(finder, ContribFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, ContribFinder())
