"""What became of the names of tf.contrib that have no home: why, and what to do, said where a program uses one."""

from __future__ import annotations

from typing import Any, Dict

from tf1compat_gpu.tf1 import _placeholder

#: The release notes of TensorFlow 2.0, and RFC 20180907-contrib-sunset: what the project decided for each module.
_REPLACED: Dict[str, str] = {
    "bayesflow": "use tensorflow_probability's mcmc and vi modules",
    "boosted_trees": "use tensorflow_decision_forests, or tf.estimator.BoostedTrees* on TensorFlow 2.15 or older",
    "constrained_optimization": "use tensorflow_constrained_optimization (pip install tfco)",
    "crf": "use tensorflow_addons.text.crf_* on TensorFlow 2.14 or older",
    "cudnn_rnn": "use tf.compat.v1.keras.layers.CuDNNLSTM or CuDNNGRU, which tf_keras has",
    "distributions": "pip install tensorflow-probability, whose distributions it became",
    "estimator": "use TensorFlow 2.15 or older, the last that has tf.estimator",
    "factorization": "use tf.compat.v1.estimator.experimental.KMeans on TensorFlow 2.15 or older, or scikit-learn",
    "gan": "pip install tensorflow-gan, which it became",
    "graph_editor": "build the graph with its final inputs, or run this part under TensorFlow 1.15",
    "image": "use tensorflow_addons.image on TensorFlow 2.14 or older, or keras_cv",
    "layers": "its feature columns became tf.feature_column, the rest is in tf_slim or has a Keras layer of that name",
    "learn": "its estimators became tf.estimator (to TensorFlow 2.15); read data with tf.data",
    "memory_stats": "use tf.config.experimental.get_memory_info('GPU:0') of TensorFlow 2.5 or later",
    "model_pruning": "use tensorflow_model_optimization",
    "opt": "use tensorflow_addons.optimizers on TensorFlow 2.14 or older, or tf.keras.optimizers",
    "predictor": "use tf.saved_model.load",
    "quantize": "use tensorflow_model_optimization's quantize_model",
    "resampler": "use tensorflow_addons.image.resampler on TensorFlow 2.14 or older",
    "rnn": "use a cell of tf.nn.rnn_cell, or tensorflow_addons.rnn on TensorFlow 2.14 or older",
    "seq2seq": "use tensorflow_addons.seq2seq on TensorFlow 2.14 or older",
    "slim": "pip install tf_slim, which it became",
    "tensor_forest": "use tensorflow_decision_forests or scikit-learn",
    "text": "use tensorflow_text or tensorflow_addons.text",
    "timeseries": "use tensorflow_probability.sts",
    "tpu": "use tf.distribute.TPUStrategy; TPUEstimator is in TensorFlow 2.15 and older",
    "training": "read data with tf.data",
}
_OTHERWISE = "run this part under TensorFlow 1.15, or replace it"


class GoneError(AttributeError):
    """A name of TensorFlow 1 that no TensorFlow 2 has, and this package does not stand in for."""

    says_next_step = True


class HomeMissingError(ImportError):
    """A name of tf.contrib lives in a package that is not installed."""

    says_next_step = True


def message(module: str, name: str = "") -> str:
    """What to say where `tf.contrib.<module>.<name>` is used."""
    symbol = ("tf.contrib." + module + ("." + name if name else "")).replace(".python.", ".")
    cure = _REPLACED.get(module.partition(".")[0], _OTHERWISE)
    return "%s is gone: TensorFlow 2.0 removed tf.contrib, and this name has no home under TensorFlow 2; %s" % (symbol, cure)


def missing_package(module: str, package: str) -> str:
    """What to say where a home is a package that is not installed."""
    line = {
        "tf_slim": "pip install 'tf1compat_gpu[contrib]'",
        "tensorflow_probability": "pip install tensorflow-probability",
        "tensorflow_gan": "pip install tensorflow-gan",
    }
    return "tf.contrib.%s lives in %s today: %s" % (module, package, line.get(package, "pip install " + package))


def placeholder(module: str, name: str) -> Any:
    """What `from tensorflow.contrib.<module> import <name>` binds: importing is no error, using is."""
    return _placeholder.placeholder("tf.contrib.%s.%s" % (module, name), lambda: GoneError(message(module, name)))
