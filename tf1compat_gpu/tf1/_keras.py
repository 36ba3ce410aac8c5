"""Old modules and names of Keras -> where they are in the Keras that TensorFlow 1 programs can use today.

From TensorFlow 2.16 on that is tf_keras ("legacy Keras", the code of Keras 2), which TensorFlow takes as tf.keras when
TF_USE_LEGACY_KERAS=1 is set before its import. Targets are paths below tf.keras of tf.compat.v1, or `module:` for a
module. Sources: the modules of Keras 2.0 to 2.3 and of tf.keras in 1.15, and `tf_keras/api/_v1` of 2.21.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, Dict, List, Optional, Tuple, cast

from tf1compat_gpu.runtime import tensorflow
from tf1compat_gpu.runtime.keras_choice import VARIABLE

#: Module below `keras` -> the modules below tf.keras that have its names; "" is tf.keras itself.
MODULES: Dict[str, Tuple[str, ...]] = {
    "backend.tensorflow_backend": ("backend",),
    "backend.common": ("backend",),
    "engine": ("layers", "", "models", "utils"),
    "engine.topology": ("layers", "", "models", "utils"),
    "engine.base_layer": ("layers", ""),
    "engine.input_layer": ("layers", ""),
    "engine.training": ("models", ""),
    "engine.network": ("models", "utils", ""),
    "engine.sequential": ("models", ""),
    "engine.saving": ("models",),
    "initializations": ("initializers",),
    "legacy": (),
    "legacy.layers": ("layers",),
    "layers.advanced_activations": ("layers",),
    "layers.convolutional": ("layers",),
    "layers.convolutional_recurrent": ("layers",),
    "layers.core": ("layers",),
    "layers.cudnn_recurrent": ("layers",),
    "layers.embeddings": ("layers",),
    "layers.local": ("layers",),
    "layers.merge": ("layers",),
    "layers.noise": ("layers",),
    "layers.normalization": ("layers",),
    "layers.pooling": ("layers",),
    "layers.recurrent": ("layers",),
    "layers.wrappers": ("layers",),
    "objectives": ("losses",),
    "preprocessing.image": ("preprocessing.image",),
    "preprocessing.text": ("preprocessing.text",),
    "preprocessing.sequence": ("preprocessing.sequence",),
    "utils.np_utils": ("utils",),
    "utils.generic_utils": ("utils",),
    "utils.data_utils": ("utils",),
    "utils.vis_utils": ("utils",),
    "utils.visualize_util": ("utils",),
    "utils.layer_utils": ("utils",),
    "utils.io_utils": ("utils",),
    "utils.conv_utils": ("utils",),
    "utils.training_utils": ("utils",),
    "utils.multi_gpu_utils": ("utils",),
}
#: (module below keras, name) -> where it is, or what stands in for it: `own:` names one of `_keras_stand_ins`.
NAMES: Dict[Tuple[str, str], str] = {
    ("backend", "tf"): "own:tensorflow_names",
    ("backend", "image_dim_ordering"): "own:image_dim_ordering",
    ("backend", "set_image_dim_ordering"): "own:set_image_dim_ordering",
    ("engine", "Container"): "models.Model",
    ("engine", "Network"): "models.Model",
    ("engine", "merge"): "own:merge",
    ("layers", "merge"): "own:merge",
    ("layers", "Merge"): "own:merge",
    ("utils", "multi_gpu_model"): "own:multi_gpu_model",
    ("utils", "plot"): "utils.plot_model",
    ("losses", "mse"): "losses.mean_squared_error",
    ("initializers", "normal"): "initializers.RandomNormal",
    ("initializers", "uniform"): "initializers.RandomUniform",
}
#: Shapes of layers that Keras 1 spelled otherwise, below layers.
LAYER_NAMES = {
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution3D": "Conv3D",
    "Deconvolution2D": "Conv2DTranspose",
    "AtrousConvolution2D": "Conv2D",
}


class KerasError(ImportError):
    """A program needs the Keras of TensorFlow 1's time, and it is not installed."""

    says_next_step = True


def pip_line() -> str:
    """What installs legacy Keras beside the TensorFlow that is installed, without a second TensorFlow."""
    return 'pip install --no-deps "tf_keras==%d.%d.*"' % tensorflow.release()[:2]


#: Modules of legacy Keras that TensorFlow itself imports by a path that tf_keras has no longer
#: (tensorflow/python/layers/normalization.py of 2.16 to 2.21 asks for the first; tf_slim's batch_norm needs it).
ALIASES = {"tf_keras.legacy_tf_layers": "tf_keras.src.legacy_tf_layers"}


class _Aliases:
    """Finds a module of ALIASES, or one below it, where its other path is; asked last of all finders."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        for old, _new in ALIASES.items():
            if (fullname + ".").startswith(old + "."):
                return importlib.machinery.ModuleSpec(fullname, cast(Any, self), is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        for old, new in ALIASES.items():
            if (spec.name + ".").startswith(old + "."):
                module = importlib.import_module(new + spec.name[len(old) :])
                spec.loader_state = module.__spec__
                return module
        raise ImportError(spec.name)

    def exec_module(self, module: Any) -> None:
        module.__spec__ = module.__spec__.loader_state


def install_aliases() -> None:
    if not any(isinstance(finder, _Aliases) for finder in sys.meta_path):
        finders: List[Any] = sys.meta_path
        finders.append(_Aliases())


def is_legacy() -> bool:
    """Whether tf.keras is the Keras of TensorFlow 1's time: before 2.16, or tf_keras."""
    if tensorflow.release() < (2, 16):
        return True
    return os.environ.get(VARIABLE) in ("1", "true", "True") and importlib.util.find_spec("tf_keras") is not None


def require(what: str) -> None:
    """Raise where tf.keras is Keras 3.

    Raises:
        KerasError: It is; the message has the pip line, or names the variable that keeps it so.
    """
    if is_legacy():
        return
    if importlib.util.find_spec("tf_keras") is None:
        raise KerasError("%s needs legacy Keras, and TensorFlow %s has Keras 3: %s" % (what, tensorflow.tensorflow().__version__, pip_line()), name="tf_keras")
    raise KerasError("%s needs legacy Keras: unset %s, or set it to 1, before TensorFlow is imported" % (what, VARIABLE), name="tf_keras")


def namespace() -> Any:
    """tf.keras of TensorFlow 1's names."""
    return tensorflow.tensorflow().compat.v1.keras


def _below(path: str) -> Any:
    found = namespace()
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


def places(path: str) -> Tuple[str, ...]:
    """The modules below tf.keras that a module below keras is made of."""
    if path in MODULES:
        return MODULES[path]
    first, _, rest = path.partition(".")
    if first == "engine":
        return MODULES["engine"]
    return (path,)


def look_up(path: str, name: str) -> Any:
    """`keras.<path>.<name>`.

    Raises:
        AttributeError: There is no such thing in legacy Keras either.
    """
    for place in places(path):
        if (place, name) in NAMES or (path, name) in NAMES:
            return _named(NAMES.get((path, name)) or NAMES[(place, name)])
        if place == "layers" and name in LAYER_NAMES:
            name = LAYER_NAMES[name]
        try:
            found = getattr(_below(place), name, None)
        except AttributeError:
            continue
        if found is not None:
            return found
    first = path.partition(".")[0]
    if first == "engine" and ("engine", name) in NAMES:
        return _named(NAMES[("engine", name)])
    found = _private(path, name)
    if found is not None:
        return found
    raise AttributeError("keras%s.%s is not in Keras %s" % ("." + path if path else "", name, getattr(namespace(), "__version__", "2")))


def _named(text: str) -> Any:
    if text.startswith("own:"):
        from tf1compat_gpu.tf1 import _keras_stand_ins

        return getattr(_keras_stand_ins, text[4:])
    return _below(text)


def _private(path: str, name: str) -> Optional[Any]:
    """A name of Keras' own sources, which programs of the time imported freely."""
    for prefix in ("tf_keras.src.", "keras.src.", "keras.") if tensorflow.release() >= (2, 6) else ("tensorflow.python.keras.",):
        if prefix.startswith("keras") and tensorflow.release() >= (2, 16):
            continue
        for module in ([path] if path else []) + ["%s.%s" % (path, name) if path else name]:
            try:
                found = importlib.import_module(prefix + module)
            except ImportError:
                continue
            if module != path:
                return found
            value = getattr(found, name, None)
            if value is not None:
                return value
    return None


class KerasModule(ModuleType):
    """`keras`, or a module below it, as a program of TensorFlow 1's time knows it."""

    def __init__(self, path: str) -> None:
        super().__init__("keras" + ("." + path if path else ""), "Keras under its old module paths.")
        self.__dict__["_path"] = path
        self.__dict__["__path__"] = []
        if not path:
            self.__dict__["__version__"] = getattr(namespace(), "__version__", None) or "2.3.1"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        path = self._path
        below = path + "." + name if path else name
        if is_module(below):
            return module(below)
        return look_up(path, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`from keras.layers import merge` was a function in Keras 1 and is a module in Keras 2: this is both."""
        if self._path != "layers.merge":
            raise TypeError("%r is a module, not callable" % self.__name__)
        return _named("own:merge")(*args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        # What a program sets (K.foo = ...) is meant for the module that everyone uses; modules are set by Python's import.
        for place in () if name.startswith("__") or isinstance(value, ModuleType) else places(self._path):
            try:
                setattr(_below(place), name, value)
            except AttributeError:
                continue
            break
        super().__setattr__(name, value)

    def __dir__(self) -> List[str]:
        found = set(self.__dict__)
        for place in places(self._path):
            try:
                found |= {name for name in dir(_below(place)) if not name.startswith("_")}
            except AttributeError:
                continue
        return sorted(found)


def is_module(path: str) -> bool:
    """Whether `keras.<path>` is a module: by the table, or in tf.keras."""
    if path in MODULES or any(known.startswith(path + ".") for known in MODULES):
        return True
    try:
        return isinstance(_below(path), ModuleType)
    except AttributeError:
        return False


_MADE: Dict[str, KerasModule] = {}


def module(path: str) -> KerasModule:
    """The module `keras.<path>`; the same one each time.

    Raises:
        KerasError: tf.keras is Keras 3.
        ModuleNotFoundError: No Keras of the time had such a module.
    """
    require("keras" + ("." + path if path else ""))
    if path not in _MADE:
        if path and not is_module(path) and not any(_exists(prefix + path) for prefix in ("tf_keras.src.", "keras.src.", "tensorflow.python.keras.")):
            raise ModuleNotFoundError("No module named 'keras.%s'" % path, name="keras." + path)
        _MADE[path] = KerasModule(path)
        _add_methods()
    return _MADE[path]


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _add_methods() -> None:
    """Methods that Sequential had to Keras 2.5 (predict_classes, predict_proba): a few lines each."""
    from tf1compat_gpu.tf1 import _keras_stand_ins

    kind = namespace().models.Sequential
    for name in ("predict_classes", "predict_proba"):
        if not hasattr(kind, name):
            setattr(kind, name, getattr(_keras_stand_ins, name))
