"""What `numerics: tf1` takes away, and since when there is something to take away."""

from __future__ import annotations

#: TensorFloat-32 on by default (tensor_float_32_utils.cc); the call turns it off for the process, sessions included.
TF32_CALL, TF32_SINCE = "tf.config.experimental.enable_tensor_float_32_execution", (2, 4)
#: oneDNN's kernels on by default on x86. The variable is read while TensorFlow is imported (seen running 2.21: set
#: after the import, MatMul+BiasAdd still becomes _MklNativeFusedMatMul).
ONEDNN, ONEDNN_SINCE = "TF_ENABLE_ONEDNN_OPTS", (2, 9)
