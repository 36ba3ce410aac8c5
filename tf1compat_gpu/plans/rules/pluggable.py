"""Rules of pluggable_device_options: the same message as gpu_options, read by plug-in devices from 2.18 on.

Each rule is that of the gpu_options field with its paths and texts adapted; what plug-in devices do otherwise is a
table, from pluggable_device_factory.cc and pluggable_device_process_state.cc.
"""

from __future__ import annotations

import re
from typing import Dict, Iterable, Tuple

from tf1compat_gpu.plans.rules.rule import Fidelity, Rule, no_effect

_GPU, _PLUGGABLE = "gpu_options", "pluggable_device_options"
_SOURCE = "2.21 pluggable_device_factory.cc, CreateDevices, and pluggable_device_process_state.cc, GetPluggableDeviceAllocator"
_ONLY_2_18 = "Read from 2.18 on; before that, plug-in devices read gpu_options."

#: What plug-in devices never look at, and what to do instead.
_IGNORED: Dict[str, str] = {
    "experimental.virtual_devices": "A plug-in device can't be split. Use one process for each share.",
    "experimental.virtual_devices[].memory_limit_mb": "A plug-in device can't be split. Write per_process_gpu_memory_fraction.",
    "experimental.virtual_devices[].priority": "A plug-in device can't be split and has no stream priority.",
    "experimental.virtual_devices[].device_ordinal": "A plug-in device can't be split.",
    "experimental.use_cuda_malloc_async": "The plug-in brings its own allocator. Look for a setting of the plug-in.",
    "experimental.gpu_host_mem_limit_in_mb": "Plug-in devices read the variable alone: set TF_GPU_HOST_MEM_LIMIT_IN_MB.",
    "experimental.gpu_host_mem_disallow_growth": "The pinned pool of plug-in devices always grows.",
    "experimental.num_virtual_devices_per_gpu": "A plug-in device can't be split.",
    "experimental.gpu_system_memory_size_in_mb": "Plug-in devices keep a reserve of their own. Write per_process_gpu_memory_fraction.",
    "experimental.populate_pjrt_gpu_client_creation_info": "It belongs to CUDA devices.",
    "experimental.node_id": "It belongs to CUDA devices.",
    "experimental.num_dev_to_dev_copy_streams": "A plug-in device has the streams it has.",
    "experimental.stream_merge_options.merge_host_to_device_stream": "A plug-in device has the streams it has.",
    "experimental.stream_merge_options.merge_device_to_host_stream": "A plug-in device has the streams it has.",
    "experimental.stream_merge_options.merge_device_to_device_stream": "A plug-in device has the streams it has.",
}
#: Traps of plug-in devices, in place of those of CUDA devices.
_TRAPS: Dict[str, Tuple[str, ...]] = {
    "per_process_gpu_memory_fraction": (
        'More than 1 fails: "Unified memory is not supported yet".',
        "A memory_limit has no effect on a plug-in device, so printed Python has nothing for it.",
    ),
    "allow_growth": (
        "It must be the same for all visible devices of the plug-in.",
        "A plug-in may force growth, or bring an allocator of its own that never reads it.",
    ),
    "visible_device_list": (
        "Write entries as TYPE:index, as TF2 does: a bare index does not say which plug-in is meant, and is left to a session.",
        "TF2 numbers the devices in ascending order.",
    ),
    "experimental.use_unified_memory": ('true fails: "Unified memory is not supported yet".',),
    "allocator_type": ('Anything but "" fails when the device is created, "BFC" too.',),
}


def _adapt(text: str) -> str:
    text = re.sub(r"\bgpu_options\b", _PLUGGABLE, text)
    text = re.sub(r"\bGPUs\b", "plug-in devices", re.sub(r"\bevery visible GPU\b", "every visible device of the plug-in", text))
    return text.replace("each card's", "each device's").replace("cards", "devices")


def _derive(rule: Rule) -> Rule:
    name = rule.path[len(_GPU) :].lstrip(".")
    path = rule.path.replace(_GPU, _PLUGGABLE, 1)
    if name in _IGNORED:
        return no_effect(path, "Plug-in devices don't look at it.", _IGNORED[name], _SOURCE)
    if not name:
        return rule._replace(path=path, tf1="A group: gpu_options for devices that come as a plug-in. Its presence alone has no effect.", traps=(_ONLY_2_18,))
    traps = _TRAPS.get(name, tuple(_adapt(trap) for trap in rule.traps if "2.18" not in trap))
    source = "%s; as gpu_options: %s" % (_SOURCE, rule.source)
    kept = rule._replace(
        path=path, tf1=_adapt(rule.tf1), tf2=_adapt(rule.tf2), reason=_adapt(rule.reason), traps=traps + (_ONLY_2_18,), source=source, variable=""
    )
    if name == "per_process_gpu_memory_fraction":  # a memory limit, the way out on CUDA devices, does nothing here
        text = "No public TF2 call sets it for a plug-in device. Let configure() carry it."
        return kept._replace(call=None, call_since=None, without_carry=Fidelity.UNAVAILABLE, tf2="The same by carrying.", reason=text)
    if name == "visible_device_list":
        return kept._replace(tf2="tf.config.set_visible_devices(devices, 'TYPE') with the plug-in's own device type, in ascending order.", call_since=(2, 18))
    if name == "allow_growth":
        text = "The call takes a device of the plug-in, whose type a profile does not say. Let configure() carry it, or write the call yourself."
        tf2 = "The same by carrying, or tf.config.experimental.set_memory_growth(device, True) for every visible device of the plug-in."
        return kept._replace(fidelity=Fidelity.CARRIED, without_carry=Fidelity.UNAVAILABLE, tf2=tf2, reason=text, call_since=(2, 18))
    return kept


def derive(rules: Iterable[Rule]) -> Tuple[Rule, ...]:
    """The rules of pluggable_device_options, from those of gpu_options."""
    return tuple(_derive(rule) for rule in rules if rule.path.split(".")[0] == _GPU)
