"""tf.contrib.layers, which is tf_slim.layers today."""

from __future__ import annotations

import sys

from tf1compat_gpu.tf1.contrib import home

sys.modules[__name__] = home("layers")
