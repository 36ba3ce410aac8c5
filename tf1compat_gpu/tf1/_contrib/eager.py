"""tf.contrib.eager: the classes that have no name of their own in TensorFlow 2."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = ["Iterator", "Saver", "EagerVariableStore", "get_optimizer_variables", "seterr", "restore_variables_on_create", "metrics", "list_devices"]


class Iterator:
    """Iterates over a dataset; `next()` gives the next element."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    next = __next__

    def get_next(self, name: Optional[str] = None) -> Any:
        return self._iterator.get_next()


class Saver:
    """Saves and restores a list of variables by their names, without a session."""

    def __init__(self, var_list: Any) -> None:
        from tensorflow.python.training import saver

        self._saver = saver.Saver(var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> Any:
        return self._saver.save(None, file_prefix, global_step=global_step)

    def restore(self, file_prefix: str) -> None:
        self._saver.restore(None, file_prefix)


class EagerVariableStore:
    """Lets get_variable and tf.layers reuse variables while running eagerly."""

    def __init__(self, store: Any = None) -> None:
        from tensorflow.python.ops import variable_scope

        self._store = variable_scope.EagerVariableStore(getattr(store, "_store", store))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def get_optimizer_variables(optimizer: Any) -> Any:
    """The optimizer's variables, for a Saver."""
    return optimizer.variables()


def list_devices() -> Any:
    """The names of the devices that operations can run on."""
    from tensorflow.python.eager import context

    return context.context().devices()


def seterr(inf_or_nan: Any = None) -> Any:
    raise NotImplementedError("tfe.seterr is gone: use tf.debugging.enable_check_numerics() of TensorFlow 2")


def restore_variables_on_create(save_path: str, map_func: Any = None) -> Any:
    raise NotImplementedError(
        "tfe.restore_variables_on_create is gone: use tf.train.Checkpoint(...).restore(path), which restores variables when they are made"
    )


class _Metric:
    """A metric that runs eagerly: call it with values, `result()` gives what it has come to."""

    def __init__(self, name: Optional[str] = None, dtype: Any = tf.float64) -> None:
        self.name, self.dtype = name or type(self).__name__.lower(), dtype
        self.numer, self.denom = 0.0, 0.0

    def init_variables(self) -> None:
        self.numer, self.denom = 0.0, 0.0

    def _add(self, values: Any, weights: Any) -> None:
        values = tf.cast(values, self.dtype)
        if weights is None:
            self.denom += float(tf.cast(tf.size(values), self.dtype))
            self.numer += float(tf.reduce_sum(values))
        else:
            weights = tf.cast(weights, self.dtype)
            self.denom += float(tf.reduce_sum(weights))
            self.numer += float(tf.reduce_sum(values * weights))

    def result(self, write_summary: bool = True) -> Any:
        return tf.constant(self.numer / self.denom if self.denom else float("nan"), dtype=self.dtype)


class _Mean(_Metric):
    def __call__(self, values: Any, weights: Any = None) -> Any:
        self._add(values, weights)
        return values if weights is None else (values, weights)


class _Accuracy(_Metric):
    def __call__(self, labels: Any, predictions: Any, weights: Any = None) -> Any:
        self._add(tf.equal(labels, predictions), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class metrics:
    """tfe.metrics: Mean and Accuracy."""

    Metric, Mean, Accuracy = _Metric, _Mean, _Accuracy
