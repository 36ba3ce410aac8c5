"""tf.contrib.compiler.jit."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

__all__ = ["experimental_jit_scope"]
experimental_jit_scope = tf.xla.experimental.jit_scope
