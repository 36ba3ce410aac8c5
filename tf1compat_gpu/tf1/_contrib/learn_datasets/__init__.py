"""tf.contrib.learn.datasets: MNIST from its idx files, and what reads small tables."""

from __future__ import annotations

import importlib
from typing import Any

from tf1compat_gpu.tf1._contrib import gone
from tf1compat_gpu.tf1._contrib.learn_datasets import base, mnist

__all__ = ["base", "mnist", "load_iris", "load_boston", "load_dataset"]


def _sklearn(name: str) -> Any:
    try:
        datasets: Any = importlib.import_module("sklearn.datasets")
    except ImportError:
        raise gone.HomeMissingError(
            "tf.contrib.learn.datasets.load_%s read a file that came with TensorFlow: pip install scikit-learn, whose copy stands in for it" % name,
            name="sklearn",
        ) from None
    found = getattr(datasets, "load_" + name)()
    return base.Dataset(data=found.data, target=found.target)


def load_iris(data_path: Any = None) -> Any:
    """The iris data, from scikit-learn."""
    return _sklearn("iris")


def load_boston(data_path: Any = None) -> Any:
    raise gone.HomeMissingError(
        "tf.contrib.learn.datasets.load_boston left TensorFlow, and scikit-learn 1.2 too: use fetch_california_housing, or a file of your own"
    )


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """A data set by its name: iris or mnist."""
    if name == "iris":
        return load_iris()
    if name == "mnist":
        return mnist.load_mnist()
    raise ValueError("Name of dataset is not found: %s" % name)
