"""tensorflow.examples.tutorials.mnist."""

from __future__ import annotations

from tf1compat_gpu.tf1.examples.tutorials.mnist import input_data, mnist

__all__ = ["input_data", "mnist"]
