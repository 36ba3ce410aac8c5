"""TensorFlow's own modules that programs of its first time import, and that have moved or lost names since.

Found by comparing the names that 1.15.5 and 2.21.0 define under tensorflow.python: 143 moved under their own name, most
of them with their module. A name is only ever added to a module, where it is missing; nothing that is there changes.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Dict, List, Optional, Tuple

from tf1compat_gpu.runtime.after_import import when_loaded

_P = "tensorflow.python."
#: Module that is gone -> the modules that have its names.
MODULES: Dict[str, Tuple[str, ...]] = {
    "distribute.distribution_strategy_context": ("distribute.distribute_lib",),
    "eager.profiler": ("profiler.profiler_v2",),
    "eager.profiler_client": ("profiler.profiler_client",),
    "framework.composite_tensor_utils": ("framework.composite_tensor",),
    "framework.fast_tensor_util": ("framework.tensor_util",),
    "framework.tensor_like": ("framework.tensor", "types.core"),
    "ops.losses.loss_reduction": ("ops.losses.losses_impl",),
    "ops.linalg.registrations_util": ("ops.linalg.property_hint_util",),
    "ops.rnn_cell_wrapper_impl": ("keras.layers.legacy_rnn.rnn_cell_wrapper_impl",),
    "pywrap_tensorflow_internal": ("pywrap_tensorflow", "training.py_checkpoint_reader", "client.pywrap_tf_session"),
    "training.checkpointable": ("trackable",),
    "training.checkpointable.base": ("trackable.base", "checkpoint.restore"),
    "training.checkpointable.data_structures": ("trackable.data_structures",),
    "training.checkpointable.tracking": ("trackable.autotrackable", "trackable.resource"),
    "training.checkpointable.util": ("checkpoint.checkpoint", "checkpoint.util"),
    "training.distribute": ("distribute.distribute_lib",),
    "training.distribution_strategy_context": ("distribute.distribute_lib",),
    "training.saving.functional_saver": ("checkpoint.functional_saver",),
    "training.tensorboard_logging": ("platform.tf_logging",),
    "training.tracking": ("trackable",),
    "training.tracking.base": ("trackable.base", "checkpoint.restore"),
    "training.tracking.data_structures": ("trackable.data_structures",),
    "training.tracking.graph_view": ("checkpoint.graph_view",),
    "training.tracking.layer_utils": ("trackable.layer_utils",),
    "training.tracking.python_state": ("trackable.python_state",),
    "training.tracking.tracking": ("trackable.autotrackable", "trackable.resource"),
    "training.tracking.util": ("checkpoint.checkpoint", "checkpoint.util"),
    "training.training_ops": ("ops.gen_training_ops",),
    "util.compat_internal": ("util.compat",),
    "util.deprecation_wrapper": ("util.module_wrapper",),
}
#: Module that is there -> name it lost -> where that is: a module that has it, or module:other name.
NAMES: Dict[str, Dict[str, str]] = {
    "eager.def_function": {"UnliftedInitializerVariable": "eager.polymorphic_function.polymorphic_function"},
    "eager.tape": {"could_possibly_record": "eager.record", "record_operation": "eager.record", "stop_recording": "eager.record"},
    "feature_column.feature_column_v2": {"FeatureColumn": "feature_column.feature_column_v2_types"},
    "framework.graph_util_impl": {"convert_variables_to_constants": "framework.convert_to_constants"},
    "framework.ops": {
        "Tensor": "framework.tensor",
        "convert_to_tensor_v2": "framework.tensor_conversion",
        "default_session": "framework.stack",
        "disable_tensor_equality": "framework.tensor",
        "enable_tensor_equality": "framework.tensor",
    },
    "framework.tensor_util": {"maybe_set_static_shape": "ops.shape_util", "shape_tensor": "ops.shape_util"},
    "ops.custom_gradient": {"copy_handle_data": "ops.handle_data_util"},
    "ops.gradients_util": {"IsTrainable": "eager.backprop_util"},
    "ops.nn_impl": {"compute_average_loss": "ops.nn_impl_distribute", "scale_regularization_loss": "ops.nn_impl_distribute"},
    "ops.variable_scope": {
        "default_variable_creator": "ops.ref_variable",
        "disable_resource_variables": "ops.resource_variables_toggle",
        "enable_resource_variables": "ops.resource_variables_toggle",
        "resource_variables_enabled": "ops.resource_variables_toggle",
    },
    "pywrap_tensorflow": {"NewCheckpointReader": "training.py_checkpoint_reader"},
    "saved_model.utils_impl": dict.fromkeys(
        ("get_assets_dir", "get_or_create_assets_dir", "get_or_create_variables_dir", "get_variables_dir", "get_variables_path"), "saved_model.path_helpers"
    ),
    "util.nest": {"is_sequence": "util.nest:is_nested", "is_sequence_or_composite": "util.nest:is_nested_or_composite"},
}  # fmt: skip


def scalar() -> Any:
    """tensor_shape.scalar: the shape of a scalar."""
    return importlib.import_module(_P + "framework.tensor_shape").TensorShape([])


def vector(length: Any) -> Any:
    """tensor_shape.vector."""
    return importlib.import_module(_P + "framework.tensor_shape").TensorShape([length])


def matrix(rows: Any, cols: Any) -> Any:
    """tensor_shape.matrix."""
    return importlib.import_module(_P + "framework.tensor_shape").TensorShape([rows, cols])


#: Functions that are a line, and were removed.
FUNCTIONS: Dict[str, Dict[str, Any]] = {"framework.tensor_shape": {"scalar": scalar, "vector": vector, "matrix": matrix}}


def target(text: str, name: str) -> Any:
    """What a row of NAMES means.

    Raises:
        AttributeError, ImportError: It is not there in the TensorFlow that is installed.
    """
    module, _, other = text.partition(":")
    return getattr(importlib.import_module(_P + module), other or name)


class MovedModule(ModuleType):
    """A module that is gone: its names, from the modules that have them."""

    def __init__(self, path: str) -> None:
        super().__init__(_P + path, "tensorflow.python.%s of TensorFlow 1.15, where its names are today." % path)
        self.__dict__["_homes"] = MODULES[path]
        self.__dict__["__path__"] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for home in self._homes:
            try:
                found = getattr(importlib.import_module(_P + home), name, None)
            except ImportError:
                continue
            if found is not None:
                return found
        raise AttributeError("module %r has no attribute %r: it is gone since TensorFlow 1.15" % (self.__name__, name))

    def __dir__(self) -> List[str]:
        found = set(self.__dict__)
        for home in self._homes:
            try:
                found |= set(dir(importlib.import_module(_P + home)))
            except ImportError:
                continue
        return sorted(found)


def gone_module(path: str) -> Optional[ModuleType]:
    """A stand-in for `tensorflow.python.<path>`, where that module is gone and its names are known."""
    return MovedModule(path) if path in MODULES else None


class _Filling:
    """Adds to one module the names that it lost."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, module: Any) -> None:
        for name, text in NAMES.get(self.path, {}).items():
            if not hasattr(module, name):
                try:
                    setattr(module, name, target(text, name))
                except (AttributeError, ImportError):
                    continue  # between the releases where it moved
        for name, function in FUNCTIONS.get(self.path, {}).items():
            if not hasattr(module, name):
                setattr(module, name, function)


def install() -> None:
    """Add the names to modules that are loaded, and to the others when they are."""
    for path in set(NAMES) | set(FUNCTIONS):
        when_loaded(_P + path, _Filling(path))
