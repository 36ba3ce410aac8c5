"""tf.contrib.metrics, which is tf_slim.metrics today."""

from __future__ import annotations

import sys

from tf1compat_gpu.tf1.contrib import home

sys.modules[__name__] = home("metrics")
