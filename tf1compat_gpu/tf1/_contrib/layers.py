"""tf.contrib.layers: what tf_slim did not take over and is a few lines."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = ["embed_sequence", "bow_encoder", "embedding_lookup_unique", "real_valued_column"]


def _embeddings(ids: Any, vocab_size: Any, embed_dim: Any, initializer: Any, regularizer: Any, trainable: bool, scope: Any, reuse: Any) -> Any:
    if not (reuse or vocab_size and embed_dim):
        raise ValueError("Must specify vocab size and embedding dimension when not reusing. Got vocab_size=%s and embed_dim=%s" % (vocab_size, embed_dim))
    shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
    from tf_slim.ops import variables

    return variables.model_variable("embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable)


def embed_sequence(ids: Any, vocab_size: Any = None, embed_dim: Any = None, unique: bool = False, initializer: Any = None, regularizer: Any = None,
                   trainable: bool = True, scope: Any = None, reuse: Any = None) -> Any:  # fmt: skip
    """[batch, length] of ids to [batch, length, embed_dim]."""
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = _embeddings(ids, vocab_size, embed_dim, initializer, regularizer, trainable, scope, reuse)
        return embedding_lookup_unique(embeddings, ids) if unique else tf.nn.embedding_lookup(embeddings, ids)


def bow_encoder(ids: Any, vocab_size: Any, embed_dim: Any, sparse_lookup: bool = True, initializer: Any = None, regularizer: Any = None,
                trainable: bool = True, scope: Any = None, reuse: Any = None) -> Any:  # fmt: skip
    """[batch, length] of ids to the mean of their embeddings, [batch, embed_dim]."""
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = _embeddings(ids, vocab_size, embed_dim, initializer, regularizer, trainable, scope, reuse)
        if isinstance(ids, tf.SparseTensor):
            return tf.nn.embedding_lookup_sparse(embeddings, ids, None, combiner="mean")
        if not sparse_lookup:
            return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)
        import tf_slim

        return tf.nn.embedding_lookup_sparse(embeddings, tf_slim.layers.dense_to_sparse(ids), None, combiner="mean")


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: Optional[str] = None) -> Any:
    """tf.nn.embedding_lookup that looks each id up once."""
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        unique, at = tf.unique(tf.reshape(ids, [-1]))
        found = tf.gather(tf.nn.embedding_lookup(params, unique, partition_strategy=partition_strategy), at)
        shaped = tf.reshape(found, tf.concat([tf.shape(ids), tf.shape(found)[1:]], 0))
        shaped.set_shape(ids.get_shape().concatenate(found.get_shape()[1:]))
        return shaped


def real_valued_column(column_name: str, dimension: int = 1, default_value: Any = None, dtype: Any = tf.float32, normalizer: Any = None) -> Any:
    """tf.feature_column.numeric_column, its successor."""
    return tf.feature_column.numeric_column(column_name, shape=(dimension,), default_value=default_value, dtype=dtype, normalizer_fn=normalizer)
