"""tf.contrib.learn.datasets.mnist: the four idx files as three sets of images and labels that give batches.

Order of batches, scaling and the split are those of 1.15 (tensorflow/contrib/learn/python/learn/datasets/mnist.py).
"""

from __future__ import annotations

import gzip
from typing import Any, Tuple

import numpy

from tf1compat_gpu.tf1._contrib.learn_datasets import base

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"


def _read32(stream: Any) -> int:
    return int.from_bytes(stream.read(4), "big")


def extract_images(f: Any) -> Any:
    """A gzipped idx file of images as [number, rows, columns, 1] of uint8.

    Raises:
        ValueError: It is no such file.
    """
    print("Extracting", f.name)
    with gzip.GzipFile(fileobj=f) as stream:
        magic = _read32(stream)
        if magic != 2051:
            raise ValueError("Invalid magic number %d in MNIST image file: %s" % (magic, f.name))
        number, rows, columns = _read32(stream), _read32(stream), _read32(stream)
        data = numpy.frombuffer(stream.read(rows * columns * number), dtype=numpy.uint8)
        return data.reshape(number, rows, columns, 1)


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """Class ids as rows that are 1 at the id."""
    found = numpy.zeros((labels_dense.shape[0], num_classes))
    found[numpy.arange(labels_dense.shape[0]), labels_dense.ravel()] = 1
    return found


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """A gzipped idx file of labels as [number] of uint8, or one-hot.

    Raises:
        ValueError: It is no such file.
    """
    print("Extracting", f.name)
    with gzip.GzipFile(fileobj=f) as stream:
        magic = _read32(stream)
        if magic != 2049:
            raise ValueError("Invalid magic number %d in MNIST label file: %s" % (magic, f.name))
        labels = numpy.frombuffer(stream.read(_read32(stream)), dtype=numpy.uint8)
        return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet:
    """Images and labels, in batches."""

    def __init__(
        self, images: Any, labels: Any, fake_data: bool = False, one_hot: bool = False, dtype: Any = "float32", reshape: bool = True, seed: Any = None
    ) -> None:
        from tensorflow.python.framework import dtypes, random_seed

        first, second = random_seed.get_seed(seed)
        numpy.random.seed(first if seed is None else second)
        kind = dtypes.as_dtype(dtype).base_dtype
        if kind not in (dtypes.uint8, dtypes.float32):
            raise TypeError("Invalid image dtype %r, expected uint8 or float32" % kind)
        self.one_hot = one_hot
        if fake_data:
            self._num_examples = 10000
        else:
            assert images.shape[0] == labels.shape[0], "images.shape: %s labels.shape: %s" % (images.shape, labels.shape)
            self._num_examples = images.shape[0]
            if reshape:
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if kind == dtypes.float32:
                images = numpy.multiply(images.astype(numpy.float32), 1.0 / 255.0)
        self._fake = fake_data
        self._images, self._labels = images, labels
        self._epochs_completed = self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        return self._images

    @property
    def labels(self) -> Any:
        return self._labels

    @property
    def num_examples(self) -> int:
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def _shuffle(self) -> None:
        order = numpy.arange(self._num_examples)
        numpy.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Tuple[Any, Any]:
        """The next images and labels; a batch at the end of an epoch is filled from the next."""
        if fake_data or self._fake:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch += batch_size
            return self._images[start : self._index_in_epoch], self._labels[start : self._index_in_epoch]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - (self._num_examples - start)
        end = self._index_in_epoch
        return numpy.concatenate((images, self._images[:end]), axis=0), numpy.concatenate((labels, self._labels[:end]), axis=0)


def read_data_sets(train_dir: str, fake_data: bool = False, one_hot: bool = False, dtype: Any = "float32", reshape: bool = True, validation_size: int = 5000,
                   seed: Any = None, source_url: str = DEFAULT_SOURCE_URL) -> Any:  # fmt: skip
    """Training, validation and test sets from the four idx files in a folder, fetched where they are not there.

    Raises:
        ValueError: There are not that many training images to take a validation set from.
    """
    if fake_data:
        train, validation, test = (DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3))
        return base.Datasets(train=train, validation=validation, test=test)
    parts = []
    for name in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"):
        with open(base.maybe_download(name, train_dir, (source_url or DEFAULT_SOURCE_URL) + name), "rb") as f:
            parts.append(extract_images(f) if "images" in name else extract_labels(f, one_hot=one_hot))
    images, labels, test_images, test_labels = parts
    if not 0 <= validation_size <= len(images):
        raise ValueError("Validation size should be between 0 and {}. Received: {}.".format(len(images), validation_size))
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return base.Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    return read_data_sets(train_dir)
