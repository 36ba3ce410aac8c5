"""An example of each field as it is written in a profile."""

from __future__ import annotations

from typing import Dict, List

from tf1compat_gpu.profiles import fields

#: Values that say more than the type's own.
_VALUES: Dict[str, str] = {
    "device_count": "{CPU: 4, GPU: 0}",
    "intra_op_parallelism_threads": '"${SLURM_CPUS_PER_TASK:-0}"',
    "inter_op_parallelism_threads": "2",
    "device_filters": '["/job:ps", "/job:worker/task:0"]',
    "gpu_options.per_process_gpu_memory_fraction": "0.9",
    "gpu_options.allocator_type": "BFC",
    "gpu_options.visible_device_list": "[1, 0]",
    "gpu_options.experimental.virtual_devices[].memory_limit_mb": "[1024, 2048]",
    "gpu_options.experimental.virtual_devices[].priority": "[0, -1]",
    "gpu_options.experimental.virtual_devices[].device_ordinal": "[0, 1]",
    "gpu_options.experimental.collective_ring_order": '"1,0"',
    "gpu_options.experimental.gpu_host_mem_limit_in_mb": "4096",
    "gpu_options.experimental.gpu_system_memory_size_in_mb": "1024",
    "gpu_options.experimental.num_virtual_devices_per_gpu": "2",
    "pluggable_device_options.visible_device_list": '"0,1"',
    "graph_options.optimizer_options.opt_level": "L0",
    "graph_options.optimizer_options.global_jit_level": "ON_1",
    "graph_options.rewrite_options.optimizers": "[pruning, constfold, arithmetic]",
    "graph_options.rewrite_options.min_graph_nodes": "-1",
    "graph_options.rewrite_options.meta_optimizer_timeout_ms": "60000",
    "graph_options.rewrite_options.scoped_allocator_opts.enable_op": "[CollectiveReduce]",
    "graph_options.rewrite_options.custom_optimizers[].name": "MyPass",
    "graph_options.rewrite_options.custom_optimizers[].parameter_map": "{level: {i: 2}}",
    "graph_options.rewrite_options.memory_optimizer_target_node_name_scope": "gradients/",
    "operation_timeout_in_ms": "60000",
    "session_inter_op_thread_pool[].num_threads": "2",
    "session_inter_op_thread_pool[].global_name": "inference",
    "rpc_options.compression_algorithm": "gzip",
    "cluster_def.job[].name": "worker",
    "cluster_def.job[].tasks": '{0: "worker0:2222", 1: "worker1:2222"}',
    "experimental.collective_group_leader": '"/job:worker/replica:0/task:0"',
    "experimental.executor_type": "SINGLE_THREADED_EXECUTOR",
    "experimental.session_metadata.name": "serving",
    "experimental.coordination_config.service_type": "standalone",
    "experimental.coordination_config.service_leader": '"/job:worker/replica:0/task:0"',
    "experimental.coordination_config.recoverable_jobs": "[worker]",
    "experimental.coordination_config.coordinated_jobs": "[worker]",
    "experimental.coordination_config.coordinated_job_list[].name": "worker",
}
#: Fields without which a field can't stand, as they are written beside it.
_BESIDE = {"priority": "memory_limit_mb: [1024, 2048]", "device_ordinal": "memory_limit_mb: [1024, 2048]"}
_BY_TYPE = {"bool": "true", "float": "0.5", "double": "0.5", "string": "text"}


def _value(entry: fields.PathField) -> str:
    known = _VALUES.get(entry.path) or _VALUES.get(entry.path.replace("pluggable_device_options", "gpu_options", 1))
    if known:
        return known
    if entry.field.is_enum:
        names = fields.member_names(entry.field.type)
        return "OFF" if "OFF" in names else names[1]
    text = _BY_TYPE.get(entry.field.type, "1")
    return "[%s]" % text if entry.field.repeated else text


def _leaf(path: str) -> str:
    """The path itself, or for a message the first field in it that is still there."""
    newest = fields.releases()[-1]
    while fields.paths()[path].field.is_message and not fields.paths()[path].field.is_map:
        inner = [p for p in fields.paths() if p.startswith((path + ".", path + "[]."))]
        path = next(p for p in inner if fields.paths()[p].last == newest)
    return path


def example(path: str) -> str:
    """The field with a value, nested as in a profile, without a newline at the end."""
    leaf = _leaf(path)
    lines: List[str] = []
    indent, dash = "", ""
    parts = leaf.split(".")
    for part in parts[:-1]:
        lines.append("%s%s%s:" % (indent, dash, part.replace("[]", "")))
        indent += "  " * (2 if dash else 1)
        dash = "- " if part.endswith("[]") else ""
    if parts[-1] in _BESIDE:
        lines.append(indent + dash + _BESIDE[parts[-1]])
        indent, dash = indent + " " * len(dash), ""
    lines.append("%s%s%s: %s" % (indent, dash, parts[-1], _value(fields.paths()[leaf])))
    return "\n".join(lines)
