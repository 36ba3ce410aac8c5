"""tf.contrib.learn.datasets.base: what a data set is, and how one is fetched."""

from __future__ import annotations

import collections
import csv
import os
import shutil
import urllib.request
from typing import Any

import numpy

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """The path of a file in a folder, fetched from its address where it is not there yet."""
    os.makedirs(work_directory, exist_ok=True)
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        part = path + ".part"
        with urllib.request.urlopen(source_url) as source, open(part, "wb") as target:
            shutil.copyfileobj(source, target)
        os.replace(part, path)
        print("Successfully downloaded", filename, os.path.getsize(path), "bytes.")
    return path


def load_csv_with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Any:
    """A table whose first line is its size and the names of its classes."""
    with open(filename, newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        samples, features = int(header[0]), int(header[1])
        data = numpy.zeros((samples, features), dtype=features_dtype)
        target = numpy.zeros((samples,), dtype=target_dtype)
        for at, row in enumerate(rows):
            target[at] = numpy.asarray(row.pop(target_column), dtype=target_dtype)
            data[at] = numpy.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Any:
    """A table without a first line of names."""
    data, target = [], []
    with open(filename, newline="") as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(numpy.asarray(row, dtype=features_dtype))
    return Dataset(data=numpy.array(data), target=numpy.array(target, dtype=target_dtype).astype(target_dtype))
