"""tf.contrib.lookup: tables under their old names and argument orders; the rest is TensorFlow's lookup_ops."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import lookup_ops

__all__ = [
    "MutableHashTable",
    "index_to_string",
    "string_to_index",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
    "index_table_from_tensor",
    "index_to_string_table_from_tensor",
]


def MutableHashTable(
    key_dtype: Any, value_dtype: Any, default_value: Any, shared_name: Optional[str] = None, name: str = "MutableHashTable", checkpoint: bool = True
) -> Any:
    return lookup_ops.MutableHashTable(key_dtype, value_dtype, default_value, name=name, checkpoint=checkpoint)


def index_table_from_tensor(
    mapping: Any = None,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = lookup_ops.FastHashSpec,
    dtype: Any = tf.string,
    name: Optional[str] = None,
) -> Any:
    return lookup_ops.index_table_from_tensor(
        mapping, num_oov_buckets=num_oov_buckets, default_value=default_value, hasher_spec=hasher_spec, dtype=dtype, name=name
    )


def index_to_string_table_from_tensor(mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    return lookup_ops.index_to_string_table_from_tensor(mapping, default_value=default_value, name=name)


string_to_index_table_from_tensor = index_table_from_tensor


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: int = -1,
    hasher_spec: Any = lookup_ops.FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    return lookup_ops.index_table_from_file(
        vocabulary_file, num_oov_buckets=num_oov_buckets, vocab_size=vocab_size, default_value=default_value, hasher_spec=hasher_spec, name=name
    )


def string_to_index(tensor: Any, mapping: Any, default_value: int = -1, name: Optional[str] = None) -> Any:
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
