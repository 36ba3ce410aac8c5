"""tensorflow.examples.tutorials.mnist.input_data: `read_data_sets` reads the idx files that it is pointed at."""

from __future__ import annotations

from tf1compat_gpu.tf1._contrib.learn_datasets.base import maybe_download
from tf1compat_gpu.tf1._contrib.learn_datasets.mnist import DataSet, dense_to_one_hot, extract_images, extract_labels, read_data_sets

__all__ = ["DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "maybe_download", "read_data_sets"]
