"""Which Keras a process gets: from TensorFlow 2.16 on tf.keras is Keras 3, unless TF_USE_LEGACY_KERAS says otherwise."""

from __future__ import annotations

import importlib.util
from typing import MutableMapping

VARIABLE = "TF_USE_LEGACY_KERAS"


def choose(environ: MutableMapping[str, str]) -> None:
    """Ask for legacy Keras where it is installed and the user has not decided: a TensorFlow 1 program can use no other.

    To be called before TensorFlow is imported: `_KerasLazyLoader` (tensorflow/python/util/lazy_loader.py, 2.16) reads
    the variable when tf.keras is first used, and TensorFlow's own import uses it.
    """
    if VARIABLE not in environ and importlib.util.find_spec("tf_keras") is not None:
        environ[VARIABLE] = "1"
