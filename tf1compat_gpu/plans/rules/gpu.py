"""Rules of gpu_options: memory, visibility, virtual devices. Those of one group are lowered together."""

from __future__ import annotations

from typing import Tuple

from tf1compat_gpu.plans.rules.rule import Fidelity, Rule, carried, container, exact, no_effect

_GPU = "gpu"
_FACTORY = "1.15.5 and 2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices"
_V = "gpu_options.experimental.virtual_devices"

RULES: Tuple[Rule, ...] = (
    container(
        "gpu_options",
        "how GPUs are seen and how their memory is used",
        traps=("Below 2.18 plug-in devices read it too; from 2.18 on they read pluggable_device_options instead (pluggable_device_factory.cc).",),
    ),
    carried(
        "gpu_options.per_process_gpu_memory_fraction",
        "Limits the allocator to this part of each card's total memory, in bytes rounded down. 0, the default, means all that is available less a reserve "
        "for the system; more than 1 means unified memory.",
        "The same limit by carrying. In printed Python: LogicalDeviceConfiguration(memory_limit=...) with the MiB worked out from each card's total.",
        "1.15.5 and 2.21 gpu_device.cc, SingleVirtualDeviceMemoryLimit; that a base ConfigProto keeps it was seen running 2.1 to 2.21",
        "tf.config takes a number of MiB, not a part, and TensorFlow can't be asked for a card's total memory; NVML can. Carry it, or write gpu_memory_limit.",
        (
            "1.0 is not the default: it asks for the whole card and leaves the system nothing.",
            "Nothing checks the range: a negative fraction or NaN becomes an absurd number of bytes.",
            "More than 1 needs compute capability 6.0; memory_limit can't express it.",
            "Together with virtual_devices it is an InvalidArgumentError when the device is created.",
            "A memory_limit in its place turns growth off on every GPU.",
            "The first session or context to use a card settles its limit; later ones get that one, silently.",
            "TF_DEVICE_MIN_SYS_MEMORY_IN_MB overrides the fraction (2.7 and later).",
        ),
        without=Fidelity.APPROXIMATE,
        call="tf.config.set_logical_device_configuration",
        since=(2, 1),
        group=_GPU,
    ),
    carried(
        "gpu_options.allocator_type",
        '"" and "BFC" are the one allocator there is; anything else fails when the device is created.',
        "The same by carrying.",
        "1.15.5 and 2.21 gpu_process_state.cc, GPUProcessState::GetGPUAllocator",
        traps=("Without a GPU nothing looks at it: a session accepts any text (seen running 1.15.5 and 2.21.0).",),
    ),
    no_effect(
        "gpu_options.deferred_deletion_bytes",
        "1.15 lets so many bytes of tensors pile up before it waits for the GPU to be done with them. 2.21 does not read it.",
        "TF2 frees by events and has no such threshold. Delete the line.",
        "1.15.5 gpu_event_mgr.cc, EventMgr::EventMgr; no reader in the sources of 2.21",
    ),
    exact(
        "gpu_options.allow_growth",
        "tf.config.experimental.set_memory_growth",
        (1, 15),
        "The allocator starts with 1 MiB (2 MiB in TF2) and doubles when it runs out, up to the same limit, instead of taking all of it at the first "
        "allocation.",
        "tf.config.experimental.set_memory_growth(gpu, True) for every visible GPU, before the first op.",
        "1.15.5 and 2.21 gpu_bfc_allocator.cc and bfc_allocator.cc; 2.21 context.py, Context._compute_gpu_options, seen running with pretend GPUs",
        (
            'It must be the same for all visible GPUs: "Memory growth cannot differ" is raised at the first op, not at the call.',
            "One LogicalDeviceConfiguration(memory_limit=...) on any GPU drops growth on all of them without a word. Growth with a limit: carry both.",
            "set_memory_growth(gpu, False) does not undo a true that was carried.",
            "TF_FORCE_GPU_ALLOW_GROWTH, exactly `true` or `false`, overrides it both ways.",
            "The first session or context to use a card settles it.",
        ),
        variable="TF_FORCE_GPU_ALLOW_GROWTH=true",
        group=_GPU,
    ),
    exact(
        "gpu_options.visible_device_list",
        "tf.config.set_visible_devices",
        (2, 1),
        "Which GPUs the process uses, and in which order: the first id becomes GPU:0. Ids count in what CUDA_VISIBLE_DEVICES leaves.",
        "tf.config.set_visible_devices([gpus[i] for i in ids], 'GPU') for ids in ascending order.",
        "1.15.5 gpu_device.cc, ParseVisibleDeviceList; 2.21 device_id_utils.cc, ParseVisibleDeviceList, and context.py, Context._import_config, seen running "
        "with pretend GPUs",
        (
            'TF2 always numbers GPUs in ascending order, carried or not: "1,0" keeps its order only as CUDA_VISIBLE_DEVICES=1,0 set before CUDA starts.',
            "Without device_type='GPU' the call hides the CPU as well, and TensorFlow then fails to start.",
            "Duplicate and out-of-range ids are errors in a session; the eager context drops duplicates and counts negative ids from the end.",
            '"-1" does not mean no GPU: write device_count: {GPU: 0}.',
            'Without a GPU nothing parses it, so "abc" passes (seen running 1.15.5 and 2.21.0).',
            "A second session with another list is AlreadyExistsError, because the numbering belongs to the process.",
        ),
        variable="CUDA_VISIBLE_DEVICES=1,0",
        group=_GPU,
    ),
    carried(
        "gpu_options.polling_active_delay_usecs",
        "Microseconds between polls for finished GPU work; 0 means 10.",
        "The same by carrying.",
        "1.15.5 and 2.21 gpu_event_mgr.cc, EventMgr",
        traps=("The first device on a card settles it for the process.",),
    ),
    no_effect(
        "gpu_options.polling_inactive_delay_msecs",
        "Nothing reads it.",
        "Delete the line.",
        "No reader in the sources of 1.15.5 and 2.21",
    ),
    carried(
        "gpu_options.force_gpu_compatible",
        "Puts all CPU tensors in pinned memory, which copies to the GPU faster and is scarce.",
        "The same by carrying.",
        "1.15.5 and 2.21 gpu_device.h, GPUDeviceFactory: GPUCompatibleCPUDevice",
    ),
    container("gpu_options.experimental", "GPU settings that TensorFlow does not promise to keep"),
    exact(
        _V,
        "tf.config.set_logical_device_configuration",
        (2, 1),
        "Splits cards into several GPU devices: one entry for each visible card, in that order.",
        "tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(...), ...]) for each card.",
        _FACTORY + "; 2.21 context.py, Context._compute_gpu_options, seen running with pretend GPUs",
        (
            "There must be as many entries as visible GPUs.",
            "With a fraction it is an InvalidArgumentError.",
            "Carried entries and those of set_logical_device_configuration add up to a wrong count: use one way alone.",
            "Carried entries with all GPUs hidden fail when TensorFlow starts.",
        ),
        group=_GPU,
    ),
    exact(
        _V + "[].memory_limit_mb",
        "tf.config.LogicalDeviceConfiguration",
        (2, 1),
        "The MiB of each device on this card; a part of a MiB is dropped. An empty list leaves the card as one device.",
        "tf.config.LogicalDeviceConfiguration(memory_limit=mib).",
        "1.15.5 and 2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices (bytes = MiB << 20)",
        ("A limit in TF2 turns growth off on every GPU, unless growth is carried.",),
        group=_GPU,
    ),
    exact(
        _V + "[].priority",
        "tf.config.LogicalDeviceConfiguration",
        (2, 4),
        "The stream priority of each device on this card (2.3 and later).",
        "tf.config.LogicalDeviceConfiguration(memory_limit=mib, experimental_priority=p).",
        "2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices; the argument was seen in 2.4.4 and 2.21.0",
        ("All devices have one or none has, and there must be as many as memory limits.",),
        group=_GPU,
    ),
    exact(
        _V + "[].device_ordinal",
        "tf.config.LogicalDeviceConfiguration",
        (2, 10),
        "Orders the devices of all cards: those with the lower ordinal get the lower GPU number (2.10 and later).",
        "tf.config.LogicalDeviceConfiguration(memory_limit=mib, experimental_device_ordinal=n).",
        "2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices; the argument was seen in 2.21.0, and not in 2.4.4",
        ("All devices have one or none has.",),
        group=_GPU,
    ),
)
