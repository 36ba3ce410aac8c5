"""Module of tf.contrib -> where its names are today.

A target is written
- `tf.X.Y` for a name of tf.compat.v1, `tf2.X.Y` for one of TensorFlow's own namespace,
- `package.module` for a module all of whose names count, `package.module:name` for a name in one.

Sources: TensorFlow's rename table (tensorflow/tools/compatibility/renames_v2.py, all_renames_v2.py, 2.21), the README of
tf_slim 1.1 ("Migration from contrib"), and the 1.15 source of each contrib module, which names what it re-exports.
A test resolves every row.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Home(NamedTuple):
    """Where one contrib module's names are.

    Attributes:
        modules: Targets that are searched for any name, in this order.
        names: Names that are called something else now, or live by themselves: name -> target.
    """

    modules: Tuple[str, ...] = ()
    names: Dict[str, str] = {}


def _same(prefix: str, names: str) -> Dict[str, str]:
    """Names that keep their name under another prefix."""
    return {name: prefix + name for name in names.split()}


_PLAIN_FRAMEWORK = _same(
    "tf.train.",
    "assert_global_step create_global_step get_global_step get_or_create_global_step init_from_checkpoint list_variables load_checkpoint load_variable",
)
_OP_SCOPE = "tf_slim.ops.framework_ops"
_EXPERIMENTAL = "tf.data.experimental."

HOMES: Dict[str, Home] = {
    "autograph": Home(("tf.autograph", "tf.autograph.experimental")),
    "batching": Home(names={"batch_function": "tf.nondifferentiable_batch_function"}),
    "checkpoint": Home(
        ("tensorflow.python.trackable.data_structures",),
        {"CheckpointManager": "tf.train.CheckpointManager", "NumpyState": "tf2.train.experimental.PythonState"},
    ),
    "cluster_resolver": Home(("tf2.distribute.cluster_resolver",)),
    "compiler": Home(names={"jit": "tf1compat_gpu.tf1._contrib.compiler_jit", "xla": "tf1compat_gpu.tf1._contrib.compiler_xla"}),
    "cudnn_rnn": Home(),
    "data": Home(
        (_EXPERIMENTAL[:-1],),
        dict(
            _same("tf.data.experimental.", "AUTOTUNE Counter CsvDataset Optional RandomDataset Reducer SqlDataset TFRecordWriter choose_from_datasets"),
            read_batch_features=_EXPERIMENTAL + "make_batched_features_dataset",
        ),
    ),
    "distribute": Home(
        ("tf.distribute", "tf.distribute.experimental", "tf2.distribute"),
        {
            "DistributionStrategy": "tf.distribute.Strategy",
            "get_distribution_strategy": "tf.distribute.get_strategy",
            "has_distribution_strategy": "tf.distribute.has_strategy",
            "CollectiveAllReduceStrategy": "tf.distribute.experimental.MultiWorkerMirroredStrategy",
            "AllReduceCrossDeviceOps": "tf2.distribute.NcclAllReduce",
        },
    ),
    "distributions": Home(("tf.distributions", "tensorflow_probability.distributions")),
    "eager": Home(
        (),
        dict(
            _same("tf.", "Variable executing_eagerly GradientTape"),
            **_same("tf.config.experimental_", "run_functions_eagerly"),
            Checkpoint="tf.train.Checkpoint",
            async_wait="tensorflow.python.eager.context:async_wait",
            connect_to_remote_host="tf2.config.experimental_connect_to_host",
            custom_gradient="tf.custom_gradient",
            defun="tensorflow.python.eager.def_function:function",
            function="tensorflow.python.eager.def_function:function",
            enable_eager_execution="tf.enable_eager_execution",
            execution_mode="tensorflow.python.eager.context:execution_mode",
            gradients_function="tensorflow.python.eager.backprop:gradients_function",
            implicit_gradients="tensorflow.python.eager.backprop:implicit_grad",
            implicit_value_and_gradients="tensorflow.python.eager.backprop:implicit_val_and_grad",
            in_eager_mode="tf.executing_eagerly",
            make_template="tf.make_template",
            num_gpus="tensorflow.python.eager.context:num_gpus",
            py_func="tf.py_function",
            run_all_tests_in_graph_and_eager_modes="tensorflow.python.framework.test_util:run_all_in_graph_and_eager_modes",
            run_test_in_graph_and_eager_modes="tensorflow.python.framework.test_util:run_in_graph_and_eager_modes",
            set_execution_mode="tensorflow.python.eager.context:set_execution_mode",
            value_and_gradients_function="tensorflow.python.eager.backprop:val_and_grad_function",
        ),
    ),
    "estimator": Home(("tf.estimator", "tf.estimator.experimental")),
    "factorization": Home(),
    "feature_column": Home(("tf.feature_column",)),
    "framework": Home(
        ("tf_slim.ops.variables", "tf_slim.ops.arg_scope", _OP_SCOPE),
        dict(
            _PLAIN_FRAMEWORK,
            **_same("tf.", "TensorSpec argsort assert_same_float_dtype assert_scalar is_tensor sort"),
            nest="tensorflow.python.util.nest",
            deprecated="tensorflow.python.util.deprecation:deprecated",
            deprecated_args="tensorflow.python.util.deprecation:deprecated_args",
            deprecated_arg_values="tensorflow.python.util.deprecation:deprecated_arg_values",
            BoundedTensorSpec="tensorflow.python.framework.tensor_spec:BoundedTensorSpec",
            RecordInput="tensorflow.python.ops.data_flow_ops:RecordInput",
            convert_to_tensor_or_sparse_tensor="tf.convert_to_tensor_or_sparse_tensor",
            get_graph_from_inputs="tensorflow.python.framework.ops:_get_graph_from_inputs",
            py_func="tf.py_func",
            remove_squeezable_dimensions="tensorflow.python.ops.confusion_matrix:remove_squeezable_dimensions",
            smart_case="tensorflow.python.framework.smart_cond:smart_case",
            smart_cond="tensorflow.python.framework.smart_cond:smart_cond",
            smart_constant_value="tensorflow.python.framework.smart_cond:smart_constant_value",
        ),
    ),
    "graph_editor": Home(("tensorflow.python.ops.op_selector",)),
    "gan": Home(("tensorflow_gan",)),
    "keras": Home(("tf.keras",)),
    "layers": Home(
        ("tf_slim.layers", "tf_slim.layers.initializers", "tf_slim.layers.regularizers", "tf_slim.layers.normalization", "tf_slim.layers.summaries",
         "tf_slim.layers.optimizers", "tf_slim.layers.rev_block_lib", "tf_slim.layers.sparse_ops"),
        {
            "safe_embedding_lookup_sparse": "tf.nn.safe_embedding_lookup_sparse",
            "recompute_grad": "tf2.recompute_grad",
            "convolutional_layers": "tf.layers",
        },
    ),
    "learn": Home(
        (),
        {"ModeKeys": "tf1compat_gpu.tf1._contrib.learn_modes:ModeKeys", "datasets": "tf1compat_gpu.tf1._contrib.learn_datasets",
         "preprocessing": "tf1compat_gpu.tf1._contrib.learn_preprocessing", "NanLossDuringTrainingError": "tf.train.NanLossDuringTrainingError",
         "monitors": "tf1compat_gpu.tf1._contrib.learn_monitors"},
    ),
    "linalg": Home(("tf.linalg",)),
    "lite": Home(("tf.lite",)),
    "lookup": Home(
        ("tensorflow.python.ops.lookup_ops",),
        {"HashTable": "tensorflow.python.ops.lookup_ops:StaticHashTableV1", "MutableDenseHashTable": "tensorflow.python.ops.lookup_ops:DenseHashTable"},
    ),
    "losses": Home(("tf_slim.losses",), {"metric_learning": "tf_slim.losses.metric_learning"}),
    "metrics": Home(
        ("tf_slim.metrics",),
        {"confusion_matrix": "tf.confusion_matrix", "set_difference": "tf.sets.difference", "set_intersection": "tf.sets.intersection",
         "set_size": "tf.sets.size", "set_union": "tf.sets.union"},
    ),
    "mixed_precision": Home(("tf.mixed_precision", "tf.train.experimental")),
    "nccl": Home(("tensorflow.python.ops.nccl_ops",)),
    "nn": Home(names={"nth_element": "tensorflow.python.ops.nn_ops:nth_element"}),
    "predictor": Home(),
    "proto": Home(names={"decode_proto_op": "tensorflow.python.ops.proto_ops", "encode_proto_op": "tensorflow.python.ops.proto_ops"}),
    "quantization": Home(("tf.quantization",)),
    "rnn": Home(
        ("tf.nn.rnn_cell",),
        dict(
            _same("tf.nn.", "static_bidirectional_rnn static_rnn static_state_saving_rnn"),
            LayerRNNCell="tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl:LayerRNNCell",
        ),
    ),
    "saved_model": Home(names={"load_keras_model": "tf.keras.experimental.load_from_saved_model",
                               "save_keras_model": "tf.keras.experimental.export_saved_model"}),
    "seq2seq": Home(),
    "signal": Home(("tf.signal",)),
    "slim": Home(("tf_slim",), {"nets": "tf_slim.nets", "data": "tf_slim.data", "learning": "tf_slim.learning", "evaluation": "tf_slim.evaluation"}),
    "staging": Home(names={"StagingArea": "tensorflow.python.ops.data_flow_ops:StagingArea"}),
    "stateless": Home(
        names={
            "stateless_multinomial": "tf.random.stateless_categorical",
            "stateless_random_normal": "tf.random.stateless_normal",
            "stateless_random_uniform": "tf.random.stateless_uniform",
            "stateless_truncated_normal": "tf.random.stateless_truncated_normal",
        }
    ),
    "summary": Home(("tensorflow.python.ops.summary_ops_v2",), {"all_summary_ops": "tensorflow.python.ops.summary_ops_v2:all_v2_summary_ops"}),
    "tensorboard": Home(names={"plugins": "tensorboard.plugins"}),
    "tensorrt": Home(("tensorflow.python.compiler.tensorrt.trt_convert",)),
    "testing": Home(names={"test_util": "tensorflow.python.framework.test_util"}),
    "tfprof": Home(
        ("tf.profiler",),
        {"model_analyzer": "tensorflow.python.profiler.model_analyzer", "tfprof_logger": "tensorflow.python.profiler.tfprof_logger"},
    ),
    "tpu": Home(("tf.tpu", "tf.tpu.experimental", "tf.estimator.tpu"),
                {"cross_replica_sum": "tf.tpu.cross_replica_sum", "initialize_system": "tf.tpu.initialize_system"}),
    "training": Home(
        ("tf_slim.training", "tf_slim.training.evaluation", "tf_slim.training.training"),
        dict(
            _same("tf.data.experimental.", "bucket_by_sequence_length"),
            checkpoints_iterator="tf.train.checkpoints_iterator",
            get_or_create_eval_step="tensorflow.python.training.evaluation:_get_or_create_eval_step",
            StopAfterNEvalsHook="tensorflow.python.training.evaluation:_StopAfterNEvalsHook",
        ),
    ),
    "util": Home(
        names={
            "constant_value": "tf.get_static_value",
            "make_ndarray": "tf.make_ndarray",
            "make_tensor_proto": "tf.make_tensor_proto",
            "ops_used_by_graph_def": "tensorflow.python.framework.meta_graph:ops_used_by_graph_def",
            "stripped_op_list_for_graph": "tensorflow.python.framework.meta_graph:stripped_op_list_for_graph",
            "loader": "tensorflow.python.framework.load_library",
        }
    ),
}  # fmt: skip

#: Modules below a contrib module, by their path: the longest that fits counts, and what follows it is appended.
PATHS: Dict[str, str] = {
    "framework.python.framework.checkpoint_utils": "tensorflow.python.training.checkpoint_utils",
    "framework.python.ops.variables": "tf_slim.ops.variables",
    "layers.python.layers": "tf_slim.layers",
    "learn.python.learn.datasets": "tf1compat_gpu.tf1._contrib.learn_datasets",
    "learn.datasets": "tf1compat_gpu.tf1._contrib.learn_datasets",
    "learn.python.learn.preprocessing": "tf1compat_gpu.tf1._contrib.learn_preprocessing",
    "learn.preprocessing": "tf1compat_gpu.tf1._contrib.learn_preprocessing",
    "losses.python.losses": "tf_slim.losses",
    "losses.python.metric_learning": "tf_slim.losses.metric_learning",
    "metrics.python.ops.confusion_matrix_ops": "tensorflow.python.ops.confusion_matrix",
    "metrics.python.ops.set_ops": "tensorflow.python.ops.sets_impl",
    "metrics.python.ops": "tf_slim.metrics",
    "nccl.python.ops.nccl_ops": "tensorflow.python.ops.nccl_ops",
    "slim.data": "tf_slim.data",
    "slim.nets": "tf_slim.nets",
    "slim.python.slim": "tf_slim",
    "summary.summary_ops": "tensorflow.python.ops.summary_ops_v2",
    "summary.gen_summary_ops": "tensorflow.python.ops.gen_summary_ops",
    "tensorboard.plugins.projector": "tensorboard.plugins.projector",
    "tensorboard.plugins": "tensorboard.plugins",
    "compiler.jit": "tf1compat_gpu.tf1._contrib.compiler_jit",
    "compiler.xla": "tf1compat_gpu.tf1._contrib.compiler_xla",
    "training.python.training.hparam": "tf1compat_gpu.tf1._contrib.training",
    "training.python.training": "tf_slim.training",
    "tfprof.model_analyzer": "tensorflow.python.profiler.model_analyzer",
}
