"""Rules of graph_options.rewrite_options: grappler, as a table of its switches and the options that only carrying reaches."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

from tf1compat_gpu.plans.rules.rule import Rule, carried, container, exact, unavailable
from tf1compat_gpu.profiles.fields import Release

_R = "graph_options.rewrite_options."
_CALL = "tf.config.optimizer.set_experimental_options"
_SEEN = "seen running 2.21.0: the same change of the rewritten graph in a session and, carried, in a tf.function"
_KEPT = (
    "that each tf.function gets what was carried: 2.21 kernel_and_device.cc, KernelAndDeviceFunc::InstantiateFunc, and the read-back, seen running 2.1 to 2.21"
)
_META = "2.21 meta_optimizer.cc, MetaOptimizer"
_THREAD = "The call reaches tf.functions that other threads have called already only once those are traced anew: it clears the calling thread's options alone."


class _Toggle(NamedTuple):
    """One switch: what it does, whether it is on by default, the first release in which tf.config takes it."""

    does: str
    on: bool
    since: Release = (1, 15)
    traps: Tuple[str, ...] = ()
    seen: bool = False
    mlir: bool = False


_AMP = ("ON and AGGRESSIVE both switch it on.",)
_TOGGLES: Dict[str, _Toggle] = {
    "layout_optimizer": _Toggle("changes the layout of convolutions on GPUs to what is fastest there", True),
    "constant_folding": _Toggle("computes nodes with constant inputs beforehand", True, traps=("1.2 and 1.3 have it as a bool.",), seen=True, mlir=True),
    "shape_optimization": _Toggle("simplifies what is done with shapes", True),
    "remapping": _Toggle("puts several ops into one fused op", True, seen=True),
    "arithmetic_optimization": _Toggle("simplifies arithmetic and removes transposes that cancel out", True, seen=True, mlir=True),
    "dependency_optimization": _Toggle("removes control dependencies and identities that order nothing", True, seen=True, mlir=True),
    "loop_optimization": _Toggle("moves what does not change out of loops and removes dead branches", True),
    "function_optimization": _Toggle("specialises and inlines functions", True),
    "debug_stripper": _Toggle("removes assertions, checks for NaN and prints", False, seen=True),
    "scoped_allocator_optimization": _Toggle(
        "gives the inputs of collective ops neighbouring memory", False, traps=("In 1.15, OFF switches it on like every value but DEFAULT.",)
    ),
    "pin_to_host_optimization": _Toggle("moves small integer ops from the GPU to the CPU", False),
    "implementation_selector": _Toggle("picks the implementation of a function for the device, as Keras' LSTM has several", True),
    "auto_mixed_precision": _Toggle(
        "computes in float16 on GPUs where that is safe",
        False,
        traps=_AMP + ("enable_mixed_precision_graph_rewrite() sets it as well, and wraps the optimizer with loss scaling; this field alone does not.",),
    ),
    "auto_mixed_precision_mkl": _Toggle("computes in bfloat16 on CPUs", False, (2, 9), _AMP + ("Superseded by auto_mixed_precision_onednn_bfloat16 in 2.10.",)),
    "auto_mixed_precision_onednn_bfloat16": _Toggle("computes in bfloat16 on CPUs with oneDNN", False, (2, 10), _AMP),
    "use_plugin_optimizers": _Toggle("lets passes that a plug-in device brings run", True, (2, 5)),
}
#: Switches that tf.config has no key for.
_CARRIED_TOGGLES: Dict[str, _Toggle] = {
    "common_subgraph_elimination": _Toggle(
        "merges nodes that compute the same", True, traps=("It needs arithmetic_optimization not to be OFF.",), seen=True, mlir=True
    ),
    "auto_mixed_precision_cpu": _Toggle(
        "computes in float16 on CPUs",
        False,
        traps=_AMP + ("ON crashed TensorFlow 2.21.0 (segmentation fault) on a graph of convolutions and a loop, in a session and in a tf.function alike.",),
    ),
    "experimental_conditional_code_motion": _Toggle("moves common code out of the branches of a conditional", True),
}


def _traps(row: _Toggle, key: bool) -> Tuple[str, ...]:
    mlir = ("EXPERIMENTAL_MLIR and EXPERIMENTAL_BOTH left this pass out, as OFF does (seen running 2.21.0).",) if row.mlir else ()
    odd = "AGGRESSIVE and EXPERIMENTAL_* have no call: the key takes True and False alone. They are carried."
    default = "DEFAULT is %s here. %s" % ("on" if row.on else "off", "Leave the key out for it." if key else "")
    return (default.strip(),) + row.traps + mlir + ((odd, _THREAD, "Keys that the call does not know are ignored without a word.") if key else ())


def _toggle(name: str, row: _Toggle) -> Rule:
    source = "%s; %s; the key was tried on 1.15.5, 2.4.4 and 2.21.0" % (_META, _SEEN if row.seen else _KEPT)
    tf2 = "tf.config.optimizer.set_experimental_options({'%s': True}) for ON, False for OFF." % name
    return exact(_R + name, _CALL, row.since, "Grappler's pass that %s; %s by default." % (row.does, "on" if row.on else "off"), tf2, source, _traps(row, True))


def _carried_toggle(name: str, row: _Toggle) -> Rule:
    reason = "tf.config ignores the key '%s' without a word. Let configure() carry it." % name
    tf1 = "Grappler's pass that %s; %s by default." % (row.does, "on" if row.on else "off")
    return carried(_R + name, tf1, "The same by carrying.", "%s; %s" % (_META, _SEEN if row.seen else _KEPT), reason, _traps(row, False))


#: Options with a key of their own in set_experimental_options.
_KEYS: Dict[str, Tuple[str, str, Tuple[str, ...]]] = {
    "disable_model_pruning": ("true keeps nodes that don't contribute to the result.", "{'disable_model_pruning': True}", ()),
    "disable_meta_optimizer": (
        "true switches grappler off altogether.",
        "{'disable_meta_optimizer': True}",
        ("It works after TensorFlow has started and on functions that are traced already.", "The passes of optimizer_options still run: see opt_level."),
    ),
    "min_graph_nodes": (
        "Graphs of fewer nodes are left alone; 0 means 4, and a negative number leaves none alone.",
        "{'min_graph_nodes': n}",
        ("0 can't override a number that was carried, because it is the unset value.",),
    ),
}
#: Options that only carrying reaches: what they do, and their traps; True where the effect was seen in both.
_OPTIONS: Dict[str, Tuple[str, Tuple[str, ...], bool]] = {
    "memory_optimization": (
        "How tensors are swapped to the CPU or computed again to save GPU memory; NO_MEM_OPT switches it off.",
        ("Members were renumbered in 1.4: 1 was MANUAL and is NO_MEM_OPT now. Write names.", "In TF2 code, tf.recompute_grad does by hand what MANUAL does."),
        False,
    ),
    "memory_optimizer_target_node_name_scope": ('The name scope whose nodes\' inputs may be recomputed; "gradients/" by default.', (), False),
    "auto_parallel.enable": (
        "Runs copies of a training graph on the GPUs of this machine.",
        ("tf.distribute.MirroredStrategy is what TF2 programs use.",),
        False,
    ),
    "auto_parallel.num_replicas": ("The number of copies for auto_parallel.", (), False),
    "optimizers": (
        "Passes by name, in place of the usual ones: pruning, constfold, layout, memory, arithmetic, dependency ...",
        ("Unknown names are skipped silently, even with fail_on_optimizer_errors: one typing error can leave no pass at all (seen running 2.21.0).",),
        True,
    ),
    "meta_optimizer_iterations": (
        "How often the passes run, ONE or TWO times; DEFAULT_NUM_ITERS is two.",
        ("The comment in the proto says once; the code does two.",),
        True,
    ),
    "scoped_allocator_opts.enable_op": ("The ops that scoped_allocator_optimization applies to; collective ones by default.", (), False),
    "custom_optimizers[].name": (
        "A pass that a C++ library registered under this name, to be run after the usual ones.",
        ("Unknown names are skipped silently (seen running 2.21.0).",),
        False,
    ),
    "custom_optimizers[].parameter_map": ("Parameters for the custom pass.", (), False),
    "meta_optimizer_timeout_ms": (
        "The time grappler may take for a graph. 0 means 5 minutes in 1.15 and no limit in 2.21; a negative number means no limit.",
        ("A graph that takes longer is left as it was: with 1, no pass had any effect (seen running 2.21.0).",),
        True,
    ),
    "fail_on_optimizer_errors": ("true raises when a pass fails, instead of going on without it.", (), False),
    "inter_optimizer_verifier_config.verification_timeout_in_ms": ("The time for checking the graph after each pass.", (), False),
    "inter_optimizer_verifier_config.structure_verifier": ("ON checks the graph's structure after each pass.", (), False),
    "post_optimization_verifier_config.verification_timeout_in_ms": ("The time for checking the graph after all passes.", (), False),
    "post_optimization_verifier_config.structure_verifier": ("ON checks the graph's structure after all passes.", (), False),
    "experimental_disable_compressed_tensor_optimization": ("true keeps constants of repeated values from being stored compressed.", (), False),
    "cpu_layout_conversion": ("Changes the layout of convolutions on CPUs, from NCHW to NHWC or back.", (), False),
    "experimental_disable_folding_quantization_emulation": ("true keeps fake quantisation ops from being folded.", (), False),
    "disable_tfg_optimizer": ("true leaves out the pass that is built on MLIR's TFG dialect.", (), False),
}


def _option(name: str, tf1: str, traps: Tuple[str, ...], seen: bool) -> Rule:
    reason = "No public call sets it: set_experimental_options ignores the key without a word. Let configure() carry it."
    return carried(_R + name, tf1, "The same by carrying.", "%s; %s" % (_META, _SEEN if seen else _KEPT), reason, traps)


RULES: Tuple[Rule, ...] = (
    (
        container("graph_options.rewrite_options", "grappler's switches"),
        container(_R + "auto_parallel", "whether and how a graph is run in copies"),
        container(_R + "scoped_allocator_opts", "the ops that scoped_allocator_optimization applies to"),
        container(_R + "inter_optimizer_verifier_config", "the checks after each pass"),
        container(_R + "post_optimization_verifier_config", "the checks after all passes"),
        carried(
            _R + "custom_optimizers",
            "Passes from C++ libraries, run after the usual ones in this order.",
            "The same by carrying.",
            "%s; %s" % (_META, _KEPT),
            "No public call sets them. Let configure() carry them.",
        ),
        unavailable(
            _R + "optimize_tensor_layout",
            "1.2 to 1.4: true is what layout_optimizer: ON is today, under the same number.",
            "Use layout_optimizer.",
            "Renamed in 1.5, when it became a Toggle. Write layout_optimizer: ON.",
            "rewriter_config.proto of 1.4 and 1.5: number 1 in both",
        ),
        unavailable(
            _R + "memory_optimizer_target_node_name_prefix",
            "1.4 to 1.6: what memory_optimizer_target_node_name_scope is today, under the same number.",
            "Use memory_optimizer_target_node_name_scope.",
            "Renamed in 1.7, when a prefix became a scope. Write memory_optimizer_target_node_name_scope.",
            "rewriter_config.proto of 1.6 and 1.7: number 6 in both",
        ),
    )
    + tuple(_toggle(name, row) for name, row in _TOGGLES.items())
    + tuple(_carried_toggle(name, row) for name, row in _CARRIED_TOGGLES.items())
    + tuple(
        exact(_R + n, _CALL, (1, 15), tf1, "%s(%s)." % (_CALL, example), "%s; %s" % (_META, _SEEN), traps + (_THREAD,))
        for n, (tf1, example, traps) in _KEYS.items()
    )
    + tuple(_option(name, *row) for name, row in _OPTIONS.items())
)
