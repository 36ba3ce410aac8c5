"""tf.contrib.deprecated: summaries under the names of TensorFlow 0.x."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["scalar_summary", "histogram_summary", "image_summary", "audio_summary", "merge_summary", "merge_all_summaries"]


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    return tf.summary.scalar(str(tags), values, collections)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    return tf.summary.histogram(str(tag), values, collections)


def image_summary(tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: Any = None) -> Any:
    return tf.summary.image(str(tag), tensor, max_images, collections)


def audio_summary(tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, name: Any = None) -> Any:
    return tf.summary.audio(str(tag), tensor, sample_rate, max_outputs, collections)


merge_summary = tf.summary.merge
merge_all_summaries = tf.summary.merge_all
