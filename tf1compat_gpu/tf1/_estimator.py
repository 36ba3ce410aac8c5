"""tf.estimator where TensorFlow has it no longer (2.16 and later): reaching for it is no error, using it is.

The release notes of 2.16.1 ("Estimator: all tf.estimator APIs are removed"); tensorflow_estimator 2.15 is the last.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn, cast

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


class _Gone(type):
    """A name of tf.estimator: it can be passed about, and fails when it is called or subclassed."""

    def _fail(cls) -> NoReturn:
        raise EstimatorGoneError(_message(cls.__name__))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        cls._fail()

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        cls._fail()


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
        label = "%s.%s" % (self.__name__, name)
        made = _Gone(label[len("tensorflow.estimator.") :], (), {})

        def fail(cls: Any, **kwargs: Any) -> NoReturn:
            raise EstimatorGoneError(_message(made.__name__))

        type.__setattr__(made, "__init_subclass__", cast(Any, classmethod)(fail))
        return made


estimator = _Namespace("tensorflow.estimator", "tf.estimator, which is gone.")
estimator.__dict__["ModeKeys"] = ModeKeys
estimator.__dict__["__path__"] = []
