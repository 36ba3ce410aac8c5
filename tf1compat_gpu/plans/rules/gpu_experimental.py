"""Rules of gpu_options.experimental apart from virtual devices: fields that no public call reaches, but that carry."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

from tf1compat_gpu.plans.rules.rule import Rule, carried, container

_E = "gpu_options.experimental."


class _Row(NamedTuple):
    tf1: str
    source: str
    traps: Tuple[str, ...] = ()
    variable: str = ""


_FIRST = "The first device on a card settles it for the process."

_ROWS: Dict[str, _Row] = {
    "use_unified_memory": _Row(
        "Allocates managed memory, so that a process may use more than the card has, as a fraction above 1 does.",
        "1.15.5 and 2.21 gpu_device.cc, SingleVirtualDeviceMemoryLimit",
        ("Needs compute capability 6.0, or the device fails with an internal error.",),
    ),
    "num_dev_to_dev_copy_streams": _Row(
        "The number of streams for copies between cards, 1 to 4.",
        "1.15.5 and 2.21 gpu_device.cc, StreamGroupFactory",
        ("Any other number is an error in the log and counts as 1.", _FIRST),
    ),
    "collective_ring_order": _Row(
        "The order of cards in a collective's ring, as ids separated by commas.",
        "1.15.5 and 2.21 gpu_device.cc, GetDeviceLocalities and collective_param_resolver_local.cc",
    ),
    "timestamped_allocator": _Row(
        "Lets the allocator reuse memory whose last use on the card is known to be over.",
        "1.15.5 and 2.21 gpu_device.cc, BaseGPUDevice::Init",
    ),
    "kernel_tracker_max_interval": _Row(
        "With a kernel tracker: at most so many kernels between two tracking events.",
        "1.15.5 and 2.21 gpu_device.cc, BaseGPUDevice::Init and GPUKernelTracker",
    ),
    "kernel_tracker_max_bytes": _Row(
        "With a kernel tracker: a tracking event after so many bytes of outputs.",
        "1.15.5 and 2.21 gpu_device.cc, BaseGPUDevice::Init and GPUKernelTracker",
    ),
    "kernel_tracker_max_pending": _Row(
        "With a kernel tracker: at most so many events outstanding before new kernels wait.",
        "1.15.5 and 2.21 gpu_device.cc, BaseGPUDevice::Init and GPUKernelTracker",
    ),
    "internal_fragmentation_fraction": _Row(
        "How much of a free chunk may be wasted before the allocator splits it (2.6 and later).",
        "2.21 bfc_allocator.cc, BFCAllocator::FindChunkPtr",
    ),
    "use_cuda_malloc_async": _Row(
        "Uses CUDA's asynchronous allocator instead of TensorFlow's own (2.6 and later).",
        "2.21 gpu_process_state.cc, GPUProcessState::GetGPUAllocator",
        ("Growth and fragmentation settings of TensorFlow's own allocator no longer apply.",),
        "TF_GPU_ALLOCATOR=cuda_malloc_async",
    ),
    "disallow_retry_on_allocation_failure": _Row(
        "Out of memory is reported at once instead of after a wait for memory to be freed (2.9 and later).",
        "2.21 bfc_allocator.cc, BFCAllocator::AllocateRaw",
    ),
    "gpu_host_mem_limit_in_mb": _Row(
        "The limit of the pinned host memory pool in MiB (2.12 and later); 0 means the variable, or else 128 GiB.",
        "2.21 gpu_process_state.cc, GPUProcessState::GetGpuHostAllocator",
        ("A number above 0 wins over the variable. In 1.15 the variable alone sets it, and the default is 64 GiB.",),
        "TF_GPU_HOST_MEM_LIMIT_IN_MB=n",
    ),
    "gpu_host_mem_disallow_growth": _Row(
        "Allocates the whole pinned host memory pool at once (2.12 and later).",
        "2.21 gpu_process_state.cc, GPUProcessState::GetGpuHostAllocator",
        ("Set gpu_host_mem_limit_in_mb too, or it asks for 128 GiB of pinned memory.",),
    ),
    "num_virtual_devices_per_gpu": _Row(
        "Splits each card's memory evenly over so many devices (2.15 and later).",
        "2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices",
        ("Ignored where memory_limit_mb is given.", "tf.config counts physical GPUs as before."),
    ),
    "gpu_system_memory_size_in_mb": _Row(
        "Leaves so many MiB of the available memory to the system and takes the rest (2.15 and later).",
        "2.21 gpu_device.cc, MinSystemMemory and SingleVirtualDeviceMemoryLimit",
        (
            "It overrides the fraction, and the variable overrides it.",
            "Ignored if larger than what is available; devices with a memory_limit never look at it.",
        ),
        "TF_DEVICE_MIN_SYS_MEMORY_IN_MB=n",
    ),
    "populate_pjrt_gpu_client_creation_info": _Row(
        "Internal: a grpc server sets it for its own devices when several hosts use PjRt (2.17 and later).",
        "2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices",
        ("Not meant to be written by hand.",),
    ),
    "node_id": _Row(
        "Internal: the number of this host among several that use PjRt (2.17 and later).",
        "2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices",
        ("Not meant to be written by hand.",),
    ),
    "stream_merge_options.merge_host_to_device_stream": _Row(
        "Copies from host to card use the compute stream (2.17 and later).", "2.21 gpu_device.cc, StreamGroupFactory", (_FIRST,)
    ),
    "stream_merge_options.merge_device_to_host_stream": _Row(
        "Copies from card to host use the compute stream (2.17 and later).", "2.21 gpu_device.cc, StreamGroupFactory", (_FIRST,)
    ),
    "stream_merge_options.merge_device_to_device_stream": _Row(
        "Copies between cards use the compute stream (2.17 and later).", "2.21 gpu_device.cc, StreamGroupFactory", (_FIRST,)
    ),
}

RULES: Tuple[Rule, ...] = tuple(
    carried(
        _E + name,
        row.tf1,
        "The same by carrying%s." % (", or by %s" % row.variable if row.variable else ""),
        row.source,
        traps=row.traps,
        variable=row.variable,
    )
    for name, row in _ROWS.items()
) + (container(_E + "stream_merge_options", "which copies share the compute stream"),)
