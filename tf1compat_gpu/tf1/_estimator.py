"""tf.estimator where TensorFlow has it no longer (2.16 and later): reaching for it is no error, using it is.

The release notes of 2.16.1 ("Estimator: all tf.estimator APIs are removed"); tensorflow_estimator 2.15 is the last.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tf1compat_gpu.tf1._placeholder import placeholder

#: Namespaces below tf.estimator, and what they hold is gone as well.
_NAMESPACES = ("inputs", "export", "experimental", "tpu")


class EstimatorGoneError(AttributeError):
    """A program uses tf.estimator, which TensorFlow 2.16 removed."""

    says_next_step = True


def _message(name: str) -> str:
    from tf1compat_gpu.runtime import tensorflow

    return (
        "tf.estimator.%s is gone: TensorFlow 2.16 removed Estimator, and %s is installed; it is in TensorFlow 1.0 to 2.15: pip install 'tensorflow==2.15.*'"
        % (
            name,
            tensorflow.tensorflow().__version__,
        )
    )


class ModeKeys:
    """What a model function is called for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Namespace(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _NAMESPACES:
            return _Namespace("%s.%s" % (self.__name__, name))
        label = ("%s.%s" % (self.__name__, name))[len("tensorflow.estimator.") :]
        return placeholder(label, lambda: EstimatorGoneError(_message(label)))


estimator = _Namespace("tensorflow.estimator", "tf.estimator, which is gone.")
estimator.__dict__["ModeKeys"] = ModeKeys
estimator.__dict__["__path__"] = []
