"""tf.contrib.learn.ModeKeys."""

from __future__ import annotations

__all__ = ["ModeKeys"]


class ModeKeys:
    """What a model is built for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
