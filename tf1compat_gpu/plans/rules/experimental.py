"""Rules of ConfigProto's `experimental` apart from clusters: executors, MLIR, session internals, the TFRT session."""

from __future__ import annotations

from typing import Dict, Tuple

from tf1compat_gpu.plans.rules.rule import Rule, approximate, carried, container, exact, no_effect, session_only, unavailable

_E = "experimental."
_FINALIZE = "Only C++ code can finalize a session: DirectSession::Finalize."

_TFRT: Dict[str, str] = {
    "enable_multi_host": "Runs over several hosts",
    "backend_server_port": "The port of the backend server",
    "target_tpu": "Compiles for TPUs",
    "target_gpu": "Compiles for GPUs",
    "stream_merge_threshold": "Merges streams whose cost is below this number",
    "tfrt_use_ifrt": "Runs on IFRT",
    "online_cost_analysis": "Measures costs while it runs",
}


def _tfrt(name: str, does: str) -> Rule:
    return unavailable(
        _E + name,
        "%s, in a session that runs on TFRT. Other sessions never look at it." % does,
        "Nothing looks at it.",
        "The released packages have no TFRT session. Delete the line.",
        "2.21 tfrt_session.cc; accepted without effect by sessions of 2.21.0",
    )


RULES: Tuple[Rule, ...] = (
    container("experimental", "settings that TensorFlow does not promise to keep"),
    unavailable(
        _E + "client_handles_error_formatting",
        "1.11 alone: leaves the last touch on error messages to the client.",
        "Nothing takes its place.",
        "Removed in 1.12. Delete the line.",
        "config.proto of 1.11 and 1.12",
    ),
    approximate(
        _E + "executor_type",
        '"" and "DEFAULT" run a graph in parallel, "SINGLE_THREADED_EXECUTOR" in one thread. Another name is NotFoundError at the first run.',
        "`with tf.experimental.function_executor_type('SINGLE_THREADED_EXECUTOR'):` around the calls of a tf.function.",
        "TF2 chooses it for a block of code in one thread, not for the process. Write the `with` there.",
        "Seen running 1.15.5 and 2.21.0; 2.21 kernel_and_device.cc, KernelAndDeviceFunc::InstantiateFunc",
        (
            "Carried, it does not choose the executor; it only keeps loops and conditionals from being lowered, as in a session (seen running 2.21.0).",
            "Sessions with a grpc target ignore it, wrong names too (seen running 1.15.5 and 2.21.0).",
            "SINGLE_THREADED_EXECUTOR can't run the loops of control flow v1.",
        ),
        "tf.experimental.function_executor_type",
        (1, 15),
    ),
    carried(
        _E + "use_numa_affinity",
        "Binds CPU devices, their memory and pools to NUMA nodes. The number of CPU devices stays the same.",
        "The same by carrying.",
        "1.15.5 and 2.21 threadpool_device_factory.cc and local_device.cc; accepted by 1.15.5 and 2.21.0",
    ),
    carried(
        _E + "disable_thread_spinning",
        "Idle threads of the pools block instead of spinning, which saves CPU time and costs latency.",
        "The same by carrying.",
        "1.15.5 and 2.21 process_util.cc and local_device.cc",
        traps=("For the pool that the process shares, whoever creates the first device decides.",),
    ),
    approximate(
        _E + "session_metadata",
        "A name and a version that label the session. Present but empty it counts as a name too.",
        "Carried, it labels the context; nothing checks that it is unique.",
        "No public call sets it, and a process has one context. Let configure() carry it.",
        "Seen running 1.15.5 and 2.21.0 (two live sessions with an empty one: the second fails); direct_session.cc",
        ("An empty `session_metadata: {}` is not nothing: a second live session that has it too is InvalidArgumentError.",),
    ),
    approximate(
        _E + "session_metadata.name",
        "Labels the session for tracing. Two live local sessions of one name and version are InvalidArgumentError.",
        "Carried, it labels the context; nothing checks that it is unique.",
        "No public call sets it, and a process has one context. Let configure() carry it.",
        "Seen running 1.15.5 and 2.21.0; direct_session.cc, DirectSession::DirectSession",
    ),
    approximate(
        _E + "session_metadata.version",
        "The version that goes with the name. Below 0 is InvalidArgumentError.",
        "Carried, it labels the context; nothing checks it.",
        "No public call sets it. Let configure() carry it.",
        "Seen running 1.15.5 and 2.21.0; direct_session.cc, DirectSessionFactory::NewSession",
    ),
    session_only(
        _E + "optimize_for_static_graph",
        "1.15 drops what it needs to extend the graph, and nodes added after the first run are FailedPreconditionError. Python sessions of 2.12 and "
        "later ignore it.",
        "Nothing to set: a tf.function's graph does not grow.",
        "It is about extending a session's graph. Delete the line.",
        "Seen running 1.15.5 (raises) and 2.21.0 (does not); 2.21 c_api.cc, TF_NewSession",
    ),
    session_only(
        _E + "disable_optimize_for_static_graph",
        "true wins over optimize_for_static_graph. Sessions made in Python always have it (2.12 and later).",
        "Nothing to set.",
        "TensorFlow sets it by itself. Delete the line.",
        "2.21 c_api.cc, TF_NewSession and TF_NewSessionRef",
    ),
    exact(
        _E + "enable_mlir_bridge",
        "tf.config.experimental.enable_mlir_bridge",
        (2, 4),
        "Uses the MLIR bridge from TensorFlow to XLA.",
        "tf.config.experimental.enable_mlir_bridge() and disable_mlir_bridge(), for the whole process.",
        "Seen running 2.1 to 2.21; 2.21 context.py, Context.config",
        ("The call sets a flag of the process that sessions obey as well.", "A carried value is overridden once the flag is set."),
        group="mlir",
    ),
    session_only(
        _E + "disable_output_partition_graphs",
        "Saves the memory of partition graphs. A run that asks for them with RunOptions is InvalidArgumentError then.",
        "Nothing to set: TF2 keeps none unless asked.",
        "It is about RunOptions.output_partition_graphs, which only Session.run has. Delete the line.",
        "Seen running 2.21.0; 2.21 direct_session.cc, DirectSession::RunInternal",
    ),
    no_effect(
        _E + "xla_fusion_autotuner_thresh",
        "Only the rewriting of graphs for TPUs reads it.",
        "It has no effect on CPUs and GPUs. Delete the line.",
        "2.21 sources: read in TPU code alone; accepted without effect by a session of 2.21.0",
        "Nothing happens on CPUs and GPUs.",
    ),
    carried(
        _E + "enable_mlir_graph_optimization",
        "Runs a set of MLIR passes over the graph (2.3 and later).",
        "The same by carrying.",
        "2.21 graph_optimization_pass.cc, MlirGraphOptimizationPass::Run; calls seen in 2.4 to 2.11, missing in 2.21.0",
        traps=("tf.config.experimental.enable_mlir_graph_optimization() is gone from 2.12 on.",),
    ),
    exact(
        _E + "mlir_bridge_rollout",
        "tf.config.experimental.enable_mlir_bridge",
        (2, 4),
        "Whether the MLIR bridge is used: ENABLED, DISABLED, or left to TensorFlow.",
        "tf.config.experimental.enable_mlir_bridge() for ENABLED, disable_mlir_bridge() for DISABLED, no call for UNSPECIFIED.",
        "Seen running 2.4 to 2.21; 2.21 context.py, Context.config",
        ("A carried value is always overwritten with the flag of the process.", "The SAFE_MODE members (2.5 to 2.11) have no call."),
        group="mlir",
    ),
    unavailable(
        _E + "use_tfrt",
        "Asks for a session that runs on TFRT. tf.Session raises NotFoundError: the released packages have none.",
        "Carried, it only keeps loops and conditionals from being lowered.",
        "The released packages have no TFRT session. Delete the line.",
        'Seen running 2.21.0 ("No session factory registered"); 2.21 lower_functional_ops.cc',
    ),
    carried(
        _E + "disable_functional_ops_lowering",
        "Keeps If, Case and While as single ops instead of taking them apart (2.7 and later).",
        "The same by carrying.",
        "2.21 lower_functional_ops.cc, LowerFunctionalOpsPass::Run; seen running 2.21.0 in a session and, carried, in a tf.function",
        traps=("Grappler takes them apart all the same: it had an effect only with disable_meta_optimizer (seen running 2.21.0).",),
    ),
    no_effect(_E + "xla_prefer_single_graph_cluster", "Nothing in the public sources reads it.", "Delete the line.", "No reader in the sources of 2.21"),
    carried(
        _E + "disable_eager_executor_streaming_enqueue",
        "For remote eager execution: sends ops one by one instead of in a stream (2.15 and later).",
        "The same by carrying. It has no effect without remote workers.",
        "2.21 context.cc and remote_mgr sources of the eager runtime",
    ),
    session_only(
        _E + "finalize_function_library_runtime",
        _FINALIZE + " It then frees the function library.",
        "Nothing to set.",
        "No Python program can reach it. Delete the line.",
        "2.21 direct_session.cc, DirectSession::Finalize",
    ),
    session_only(
        _E + "finalize_resource_manager",
        _FINALIZE + " It then closes the resource managers.",
        "Nothing to set.",
        "No Python program can reach it. Delete the line.",
        "2.21 direct_session.cc, DirectSession::Finalize",
    ),
    no_effect(
        _E + "tf2xla_dump_dir",
        "Nothing in the public sources reads it.",
        "Use XLA_FLAGS=--xla_dump_to=DIR to see what XLA compiles.",
        "No reader in the sources of 2.21",
    ),
) + tuple(_tfrt(name, does) for name, does in _TFRT.items())
