"""What stands in for functions and methods of Keras that are gone."""

from __future__ import annotations

import sys
from typing import Any, List, NoReturn

from tf1compat_gpu.tf1 import _keras


class _Names:
    """TensorFlow's names as `keras.backend.tf`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.modules["tf1compat_gpu.tf1"], name)


tensorflow_names = _Names()


def image_dim_ordering() -> str:
    """keras.backend.image_dim_ordering of Keras 1: "tf" or "th"."""
    return "th" if _keras.namespace().backend.image_data_format() == "channels_first" else "tf"


def set_image_dim_ordering(dim_ordering: str) -> None:
    """keras.backend.set_image_dim_ordering of Keras 1.

    Raises:
        ValueError: It is neither "tf" nor "th".
    """
    if dim_ordering not in ("tf", "th"):
        raise ValueError("Unknown dim_ordering: %s" % dim_ordering)
    _keras.namespace().backend.set_image_data_format("channels_first" if dim_ordering == "th" else "channels_last")


def merge(inputs: List[Any], mode: str = "sum", concat_axis: int = -1, dot_axes: int = -1, **kwargs: Any) -> Any:
    """keras.layers.merge of Keras 1, by the function of each mode."""
    layers = _keras.namespace().layers
    if mode == "concat":
        return layers.concatenate(inputs, axis=concat_axis)
    if mode in ("dot", "cos"):
        return layers.dot(inputs, axes=dot_axes, normalize=mode == "cos")
    name = {"sum": "add", "mul": "multiply", "ave": "average", "max": "maximum"}.get(mode)
    if name is None:
        raise ValueError("merge mode %r is not one of sum, mul, concat, ave, max, dot, cos" % (mode,))
    return getattr(layers, name)(inputs)


def multi_gpu_model(model: Any, gpus: Any = None, cpu_merge: bool = True, cpu_relocation: bool = False) -> NoReturn:
    """keras.utils.multi_gpu_model left with TensorFlow 2.4."""
    raise NotImplementedError(
        "keras.utils.multi_gpu_model is gone since TensorFlow 2.4: build and compile the model under `with tf.distribute.MirroredStrategy().scope():`, "
        "or leave the call out and run one process for each GPU (Horovod)"
    )


def predict_proba(self: Any, x: Any, batch_size: Any = None, verbose: int = 0) -> Any:
    """Sequential.predict_proba: what the model predicts."""
    return self.predict(x, batch_size, verbose)


def predict_classes(self: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Sequential.predict_classes: the likeliest class, or whether a single output is above one half."""
    found = self.predict(x, batch_size=batch_size, verbose=verbose)
    return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")
