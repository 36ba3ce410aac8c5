"""Rules of graph_options apart from grappler: XLA, the passes that run before it was there, and cost models."""

from __future__ import annotations

from typing import Tuple

from tf1compat_gpu.plans.rules.rule import Rule, carried, container, exact, no_effect, session_only, unavailable

_G = "graph_options."
_O = "graph_options.optimizer_options."
_PASSES = "graph_optimizer.cc, GraphOptimizer::Optimize; seen running 2.21.0 in a session and, carried, in a tf.function (the nodes that ran)"
_CARRY = "Carrying gives a tf.function the same passes."

RULES: Tuple[Rule, ...] = (
    container("graph_options", "how graphs are rewritten, placed and measured"),
    session_only(
        _G + "enable_recv_scheduling",
        "With a grpc target, delays receiving tensors until they are needed. A local session never looks at it.",
        "Nothing looks at it.",
        "It belongs to the distributed runtime of sessions. Delete the line.",
        "1.15.5 and 2.21 graph_mgr.cc, GraphMgr::InitItem; accepted without effect by local sessions of 1.15.5 and 2.21.0",
    ),
    container("graph_options.optimizer_options", "the compiler passes that each device's part of a graph goes through, and XLA"),
    carried(
        _O + "do_common_subexpression_elimination",
        "Merges nodes that compute the same. At the default level L1 it is on, whatever this says.",
        _CARRY,
        _PASSES,
        "No public call reaches this pass. Let configure() carry it; grappler's own pass is common_subgraph_elimination.",
        (
            "It matters at opt_level L0 alone: there true switches the pass on, and only the merged node runs (seen running 2.4.4 and 2.21.0).",
            "false does not keep grappler from merging nodes.",
        ),
    ),
    carried(
        _O + "do_constant_folding",
        "Computes nodes with constant inputs once, beforehand. At the default level L1 it is on, whatever this says.",
        _CARRY,
        _PASSES,
        "No public call reaches this pass. Let configure() carry it; grappler's own pass is constant_folding.",
        ("It matters at opt_level L0 alone.", "false does not keep grappler from folding: set constant_folding to OFF as well."),
    ),
    carried(
        _O + "opt_level",
        "L1, the default, runs these passes; L0 runs only those that are asked for by name.",
        "Carried before the context starts, L0 keeps a tf.function's duplicate and constant nodes as it does a session's.",
        _PASSES + "; 2.4.4 as well",
        "No public call sets it. Let configure() carry it.",
        ("L0 does not switch grappler off: that is disable_meta_optimizer.", "L0 is -1 and L1 is 0, so a bare 0 means on."),
    ),
    unavailable(
        _O + "do_function_inlining",
        "true puts the bodies of called functions into the graph. A session's default is false.",
        "A tf.function always inlines: the runtime sets it for each call, whatever was carried.",
        "true is what TF2 does anyway; false can't be had. Delete the line.",
        "2.21 kernel_and_device.cc, KernelAndDeviceFunc::InstantiateFunc; 1.15.5 graph_optimizer.cc",
    ),
    exact(
        _O + "global_jit_level",
        "tf.config.optimizer.set_jit",
        (1, 15),
        "ON_1 and ON_2 compile clusters of the session's graph with XLA, to the same effect. DEFAULT and OFF don't.",
        "tf.config.optimizer.set_jit(True) for ON_1, set_jit(False) for OFF, no call for DEFAULT. It works on tf.functions, whenever it is called.",
        "Seen running 1.15.5 and 2.21.0; 2.21 context.py, Context.config",
        (
            "Ops on the CPU are not clustered unless cpu_global_jit is true (2.7 and later) or TF_XLA_FLAGS=--tf_xla_cpu_global_jit.",
            "ON_2 becomes ON_1, which differs in name alone.",
            "set_jit(False) writes OFF, which is not the same value as DEFAULT.",
            "In YAML read by other tools a bare OFF is false, which is 0: DEFAULT. `ON` is no member.",
        ),
    ),
    carried(
        _O + "max_folded_constant_in_bytes",
        "The largest constant that folding may leave in the graph; 0 means 10 MiB.",
        _CARRY,
        _PASSES,
        "No public call sets it. Let configure() carry it.",
        ("1 keeps every constant from being folded, in a session and in a tf.function (seen running 2.21.0).", "Grappler's folding has limits of its own."),
    ),
    carried(
        _O + "cpu_global_jit",
        "With global_jit_level ON_1, clusters ops on the CPU too (2.7 and later).",
        "The same by carrying, or by TF_XLA_FLAGS before the first op.",
        "Seen running 2.21.0 (clusters in a session and, carried, in a tf.function); 2.21 mark_for_compilation_pass.cc, GetGlobalJitLevelForGraph",
        traps=("set_jit does not set it.", "Releases before 2.7 have the variable alone."),
        variable="TF_XLA_FLAGS=--tf_xla_cpu_global_jit",
    ),
    session_only(
        _G + "build_cost_model",
        "n above 0 measures the graph every n steps; RunMetadata.cost_graph of such a step has it. Also turns allocator statistics on.",
        "Nothing collects a cost model. tf.profiler.experimental.start() measures a TF2 program.",
        "Its result comes back in RunMetadata, which only Session.run fills. Use tf.profiler.experimental.",
        "Seen running 1.15.5 and 2.21.0 (cost_graph has nodes with 1, none without); direct_session.cc, DirectSession::RunInternal",
        ("Statistics of the CPU allocator need it in the first session of the process.",),
    ),
    session_only(
        _G + "infer_shapes",
        "Session.graph_def gets an _output_shapes attribute on each node. Nothing in the runtime looks at it.",
        "graph.as_graph_def(add_shapes=True) writes the same attribute.",
        "Only the Python class Session reads it. Use as_graph_def(add_shapes=True).",
        "Seen running 1.15.5 and 2.21.0; session.py, BaseSession.__init__",
    ),
    session_only(
        _G + "place_pruned_graph",
        "true places only the nodes that a run needs, so that an unused node for a missing device does no harm.",
        "Nothing to set: a tf.function holds what was traced, and placement looks at all of it.",
        "Leave nodes for missing devices out of the function, or turn soft placement on.",
        "Seen running 1.15.5 and 2.21.0 (an unused node on /GPU:7 fails with false and not with true); graph_execution_state.cc",
    ),
    session_only(
        _G + "enable_bfloat16_sendrecv",
        "With a grpc target, sends float32 tensors between tasks as bfloat16. A local session never looks at it.",
        "Nothing looks at it.",
        "It belongs to the distributed runtime of sessions. Cast tensors yourself where they are sent.",
        "1.15.5 and 2.21 master_session.cc, MasterSession::ReffedClientGraph; accepted without effect by local sessions of both",
    ),
    no_effect(
        _G + "timeline_step", "Nothing reads it.", "Delete the line; a timeline is asked for with RunOptions.", "No reader in the sources of 1.15.5 and 2.21"
    ),
    session_only(
        _G + "build_cost_model_after",
        "The number of steps to skip before build_cost_model starts to measure.",
        "Nothing collects a cost model.",
        "Goes with build_cost_model. Use tf.profiler.experimental.",
        "Seen running 1.15.5 and 2.21.0 (no cost graph in the first step with 5); direct_session.cc",
    ),
)
