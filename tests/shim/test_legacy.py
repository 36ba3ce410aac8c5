"""Keras of TensorFlow 1's time, modules that moved, tf.estimator, and the MNIST reader."""

from __future__ import annotations

import pathlib
from typing import Any, Dict

import pytest

from tests.interpreters import interpreter
from tests.programs import reports
from tests.shim.running import runner, write

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

_ROWS = """
import tf1compat_gpu.tf1 as tf
from tf1compat_gpu.runtime.tensorflow import release
from tf1compat_gpu.tf1 import _keras, _moved
lost = []
def row(label, call):
    try:
        call()
    except Exception as problem:
        lost.append("%s: %s: %s" % (label, type(problem).__name__, problem))
for path, places in _keras.MODULES.items():
    row("keras." + path, lambda: _keras.module(path))
    for place in places:
        row("keras.%s <- %s" % (path, place), lambda: _keras._below(place))
for path, name in _keras.NAMES:
    row("keras.%s.%s" % (path, name), lambda: _keras.look_up(path, name))
for name in _keras.LAYER_NAMES:
    row("keras.layers." + name, lambda: _keras.look_up("layers", name))
import importlib
for path, homes in _moved.MODULES.items():
    row(path, lambda: importlib.import_module("tf1compat_gpu.tf1.python." + path))
    for home in homes:
        row(path + " <- " + home, lambda: importlib.import_module("tensorflow.python." + home))
for path, names in _moved.NAMES.items():
    for name, text in names.items():
        row("%s.%s" % (path, name), lambda: getattr(importlib.import_module("tensorflow.python." + path), name))
for path, names in _moved.FUNCTIONS.items():
    for name in names:
        row("%s.%s" % (path, name), lambda: getattr(importlib.import_module("tensorflow.python." + path), name))
shape = importlib.import_module("tensorflow.python.framework.tensor_shape")
report(lost=lost, shapes=[shape.scalar().as_list(), shape.vector(2).as_list(), shape.matrix(2, 3).as_list()])
"""


@pytest.mark.interpreters
@pytest.mark.keras2
def test_every_row_leads_somewhere_in_the_newest_release() -> None:
    found = reports(_ROWS, {"TF_CPP_MIN_LOG_LEVEL": "3"}, python=interpreter("2.21"))
    assert found["lost"] == []
    assert found["shapes"] == [[], [2], [2, 3]]


_KERAS = """
import keras
from keras import backend as K
from keras.backend.tensorflow_backend import set_session, get_session
from keras.layers.core import Dense, Dropout
from keras.layers.normalization import BatchNormalization
from keras.layers import Input, Convolution2D, CuDNNLSTM, merge
from keras.layers.merge import add
from keras.engine.topology import Layer, InputSpec
from keras.models import Model, Sequential
from keras.utils.np_utils import to_categorical
from keras.objectives import categorical_crossentropy
from keras.optimizers import SGD, Adam
from keras.preprocessing.image import ImageDataGenerator
from keras.callbacks import ModelCheckpoint
import keras.layers.recurrent as recurrent
import numpy as np
import tensorflow as tf
set_session(tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=2)))
assert K.get_session()._config.inter_op_parallelism_threads == 2 and recurrent.LSTM and K.tf.Session
class Doubled(Layer):
    def build(self, shape):
        self.w = self.add_weight(name="w", shape=(int(shape[1]),), initializer="ones", trainable=True)
        super(Doubled, self).build(shape)
    def call(self, x):
        return 2 * x * self.w
model = Sequential([Dense(4, input_dim=3, activation="relu"), BatchNormalization(), Doubled(), Dropout(0.1), Dense(2, activation="softmax")])
model.compile(SGD(lr=0.1, decay=1e-2, momentum=0.9), loss="categorical_crossentropy", metrics=["accuracy"])
x, y = np.eye(3), to_categorical([0, 1, 0], 2)
history = model.fit(x, y, epochs=2, verbose=0)
print(sorted(history.history), model.predict_classes(x).shape, model.predict_proba(x).shape, isinstance(model.layers[0], Dense))
model.save("m.h5")
a = Input(shape=(3,)); b = add([a, a]); c = merge([a, b], mode="concat"); print(c.shape[-1], K.image_dim_ordering(), keras.__version__[0])
from tensorflow.python.keras import backend as P
print(P.get_session() is K.get_session())
try:
    from keras.utils import multi_gpu_model
    multi_gpu_model(model, 2)
except NotImplementedError as problem:
    print(problem)
"""


@pytest.mark.tensorflow2
@pytest.mark.keras2
def test_r81_keras_under_its_old_paths(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.py").write_text(_KERAS)
    done = runner(["p.py"], tmp_path)
    lines = done.out.splitlines()
    assert lines[:3] == ["['acc', 'loss'] (3,) (3, 2) True", "6 tf 2", "True"], done.err[-3000:]
    assert "MirroredStrategy" in lines[3]


@pytest.mark.tensorflow2
def test_a_programs_own_keras_is_left_alone(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"keras/__init__.py": "import tensorflow as tf\nNAME = tf.__version__\n", "p.py": "import keras; print(keras.NAME)"})
    assert runner(["p.py"], tmp_path).out == "1.15.5\n"


@pytest.mark.interpreters
@pytest.mark.keras2
def test_without_legacy_keras_one_error_has_the_pip_line(tmp_path: pathlib.Path) -> None:
    from tests.shim.running import execute

    (tmp_path / "p.py").write_text("import keras.backend.tensorflow_backend")
    done = execute([interpreter("2.21"), "-m", "tf1compat_gpu", "run", "p.py"], tmp_path, {"TF_USE_LEGACY_KERAS": "0"})
    assert done.status == 1
    assert (
        done.err.splitlines()[-1]
        == "tf1compat: keras.backend.tensorflow_backend needs legacy Keras: unset TF_USE_LEGACY_KERAS, or set it to 1, before TensorFlow is imported"
    )
    hidden = "import sys; sys.modules['tf_keras'] = None\nimport importlib.util\nfind = importlib.util.find_spec\nimportlib.util.find_spec = lambda n, *a: None if n == 'tf_keras' else find(n, *a)\nimport keras.layers.core"
    (tmp_path / "q.py").write_text(hidden)
    done = execute([interpreter("2.21"), "-m", "tf1compat_gpu", "run", "q.py"], tmp_path)
    assert 'pip install --no-deps "tf_keras==2.21.*"' in done.err.splitlines()[-1]


@pytest.mark.interpreters
def test_r76_estimator_is_an_error_where_it_is_used(tmp_path: pathlib.Path) -> None:
    from tests.shim.running import execute

    write(
        tmp_path,
        {
            "p.py": """
            import tensorflow as tf
            def model_fn(features, labels, mode=tf.estimator.ModeKeys.TRAIN):
                return tf.estimator.EstimatorSpec(mode)
            print(tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.PREDICT, tf.estimator.Estimator is not None, isinstance(1, tf.estimator.Estimator))
            tf.estimator.RunConfig(session_config=tf.ConfigProto())
            """,
            "q.py": "import tensorflow as tf\nclass Mine(tf.estimator.Estimator): pass\n",
        },
    )
    done = execute([interpreter("2.21"), "-m", "tf1compat_gpu", "run", "p.py"], tmp_path)
    assert done.out == "train infer True False\n"
    assert done.err.splitlines()[-1].startswith("tf1compat: tf.estimator.RunConfig is gone: TensorFlow 2.16 removed Estimator, and 2.21.")
    assert "1.0 to 2.15" in done.err.splitlines()[-1]
    assert "tf.estimator.Estimator is gone" in execute([interpreter("2.21"), "-m", "tf1compat_gpu", "run", "q.py"], tmp_path).err.splitlines()[-1]
    old = execute([interpreter("2.10"), "-m", "tf1compat_gpu", "run", "p.py"], tmp_path)
    assert old.status == 0, old.err[-2000:]


_MNIST = """
import gzip, struct, os, tempfile
import numpy as np
folder = tempfile.mkdtemp()
def put(name, magic, data, shape):
    with gzip.open(os.path.join(folder, name), "wb") as f:
        f.write(struct.pack(">%di" % (1 + len(shape)), magic, *shape) + data.astype(np.uint8).tobytes())
for part, n in (("train", 20), ("t10k", 8)):
    put(part + "-images-idx3-ubyte.gz", 2051, np.arange(n * 784) * 7 % 251, (n, 28, 28)); put(part + "-labels-idx1-ubyte.gz", 2049, np.arange(n) % 10, (n,))
import {tf} as tf
input_data = __import__("{tf}.examples.tutorials.mnist.input_data", fromlist=["read_data_sets"])
found = {{}}
for hot in (False, True):
    data = input_data.read_data_sets(folder, one_hot=hot, validation_size=5, seed=3)
    batches = [data.train.next_batch(6) for _ in range(4)]
    found[str(hot)] = [[float(images.sum()), labels.tolist(), list(images.shape), str(images.dtype)] for images, labels in batches]
    found[str(hot) + " sizes"] = [data.train.num_examples, data.validation.num_examples, data.test.num_examples, data.train.epochs_completed, list(data.test.images.shape)]
data = input_data.read_data_sets(folder, reshape=False, dtype=tf.uint8, validation_size=0)
found["raw"] = [list(data.train.images.shape), str(data.train.images.dtype), int(data.train.images.sum()), [int(x) for x in data.train.next_batch(3, shuffle=False)[1]]]
try: input_data.read_data_sets(folder, validation_size=50)
except ValueError as problem: found["error"] = str(problem)
report(found=found)
"""


@pytest.mark.interpreters
def test_mnist_is_read_as_1_15_does() -> None:
    old = reports(_MNIST.format(tf="tensorflow"), python=interpreter("1.15"))["found"]
    new: Dict[str, Any] = reports(_MNIST.format(tf="tf1compat_gpu.tf1"), python=interpreter("2.21"))["found"]
    assert old.keys() == new.keys() and len(old) == 6
    for key in old:
        if key in ("False", "True"):  # the order is drawn by numpy.random, which 1.15's NumPy seeds alike
            assert [row[1:] for row in new[key]] == [row[1:] for row in old[key]]
            assert [row[0] for row in new[key]] == pytest.approx([row[0] for row in old[key]], rel=1e-6)
        else:
            assert new[key] == old[key]
