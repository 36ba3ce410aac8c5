"""tf.contrib.nn: losses with their arguments the other way round, and a few activations."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = [
    "deprecated_flipped_softmax_cross_entropy_with_logits", "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    "deprecated_flipped_sigmoid_cross_entropy_with_logits", "alpha_dropout", "scaled_softplus",
]  # fmt: skip


def deprecated_flipped_softmax_cross_entropy_with_logits(logits: Any, labels: Any, dim: int = -1, name: Optional[str] = None) -> Any:
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits: Any, labels: Any, name: Optional[str] = None) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: Any, targets: Any, name: Optional[str] = None) -> Any:
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def alpha_dropout(x: Any, keep_prob: Any, noise_shape: Any = None, seed: Optional[int] = None, name: Optional[str] = None) -> Any:
    """Dropout for SELU networks: mean and variance stay (Klambauer et al. 2017, section "New Dropout Technique")."""
    with tf.name_scope(name, "alpha_dropout", [x]):
        x = tf.convert_to_tensor(x)
        if isinstance(keep_prob, float) and keep_prob == 1.0:
            return x
        lowest = -1.7580993408473766
        kept = tf.cast(tf.random_uniform(noise_shape if noise_shape is not None else tf.shape(x), seed=seed, dtype=x.dtype) + keep_prob >= 1.0, x.dtype)
        scale = (keep_prob + lowest**2 * keep_prob * (1 - keep_prob)) ** -0.5
        return scale * (x * kept + lowest * (1 - kept)) - scale * (1 - keep_prob) * lowest


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: Optional[str] = None) -> Any:
    """alpha * softplus(x / alpha), at most `clip`."""
    with tf.name_scope(name, "scaled_softplus", [x, alpha]):
        found = alpha * tf.nn.softplus(x / alpha)
        return found if clip is None else tf.minimum(found, clip)
