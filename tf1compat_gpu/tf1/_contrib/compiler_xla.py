"""tf.contrib.compiler.xla."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

__all__ = ["compile"]
compile = tf.xla.experimental.compile
