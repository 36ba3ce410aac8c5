"""Environment variables that TensorFlow, CUDA or Python read: until when, and which field each of them touches."""

from __future__ import annotations

from typing import NamedTuple, Optional

#: Deadlines, first to last: when the variable is read for the first and last time.
START, IMPORT, CUDA, DEVICE = "start", "import", "cuda", "device"


class Variable(NamedTuple):
    """A variable that acts up to a deadline.

    Attributes:
        name: Its name.
        field: The field path that it overrides or fills in for, or "".
        deadline: `start` (of the interpreter), `import` (of TensorFlow), `cuda` (the first look for GPUs) or `device` (the first device).
        effect: What it does beside the field, in one sentence.
        source: Where TensorFlow, CUDA or Python read it, or where that was seen.
    """

    name: str
    field: str
    deadline: str
    effect: str
    source: str


VARIABLES = (
    Variable(
        "TF_NUM_INTRAOP_THREADS",
        "intra_op_parallelism_threads",
        DEVICE,
        "The number of threads where the field is 0 or unset; the field wins where it is set.",
        "seen on 1.15.5 and 2.21; local_device.cc",
    ),
    Variable(
        "TF_NUM_INTEROP_THREADS",
        "inter_op_parallelism_threads",
        DEVICE,
        "The number of threads where the field is 0 or unset; the field wins where it is set.",
        "seen on 1.15.5 and 2.21; process_util.cc",
    ),
    Variable(
        "TF_OVERRIDE_GLOBAL_THREADPOOL",
        "intra_op_parallelism_threads",
        DEVICE,
        "1 gives each device an intra-op pool of its own, so that the first session no longer decides.",
        "seen on 2.21; local_device.cc",
    ),
    Variable(
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "gpu_options.allow_growth",
        DEVICE,
        "Exactly `true` or `false` wins over the field both ways; anything else is logged as an error and ignored.",
        "1.12 and later; gpu_bfc_allocator.cc, GetAllowGrowthValue",
    ),
    Variable(
        "TF_FORCE_UNIFIED_MEMORY",
        "gpu_options.per_process_gpu_memory_fraction",
        DEVICE,
        "Uses unified memory, as a fraction above 1 does.",
        "2.1 and later; gpu_device.cc",
    ),
    Variable(
        "TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
        "gpu_options.per_process_gpu_memory_fraction",
        DEVICE,
        "Leaves so many MiB of each card free; wins over the fraction and over gpu_system_memory_size_in_mb.",
        "2.7 and later; gpu_device.cc, MinSystemMemory",
    ),
    Variable(
        "TF_GPU_ALLOCATOR",
        "gpu_options.experimental.use_cuda_malloc_async",
        DEVICE,
        "`cuda_malloc_async` does what the field does.",
        "2.3 and later; gpu_process_state.cc",
    ),
    Variable(
        "TF_GPU_HOST_MEM_LIMIT_IN_MB",
        "gpu_options.experimental.gpu_host_mem_limit_in_mb",
        DEVICE,
        "The limit of pinned host memory where the field is 0 or unset.",
        "1.4 and later; gpu_process_state.cc",
    ),
    Variable(
        "TF_MIN_GPU_MULTIPROCESSOR_COUNT",
        "gpu_options.visible_device_list",
        DEVICE,
        "GPUs with fewer multiprocessors (8 by default) are left out after the list was read.",
        "1.0 and later; gpu_device.cc",
    ),
    Variable("TF_GPU_THREAD_MODE", "", DEVICE, "gpu_private or gpu_shared gives GPUs inter-op threads of their own.", "1.8 and later; gpu_device.cc"),
    Variable("TF_GPU_THREAD_COUNT", "", DEVICE, "The number of those threads.", "1.8 and later; gpu_device.cc"),
    Variable(
        "CUDA_VISIBLE_DEVICES",
        "gpu_options.visible_device_list",
        CUDA,
        "Hides and reorders cards for the whole process; the field's ids count what it leaves.",
        "CUDA driver, cuInit",
    ),
    Variable(
        "CUDA_DEVICE_ORDER",
        "gpu_options.visible_device_list",
        CUDA,
        "PCI_BUS_ID numbers the cards as nvidia-smi does; the default is FASTEST_FIRST.",
        "CUDA driver, cuInit",
    ),
    Variable("NVIDIA_TF32_OVERRIDE", "", CUDA, "0 switches TF32 off in NVIDIA's libraries, whatever TensorFlow asks for.", "cuBLAS and cuDNN, at their start"),
    Variable(
        "TF_XLA_FLAGS",
        "graph_options.optimizer_options.cpu_global_jit",
        DEVICE,
        "--tf_xla_cpu_global_jit clusters CPU operations too; --tf_xla_auto_jit=2 is global_jit_level ON_2.",
        "seen on 1.15.5 and 2.21; compiler/jit/flags.cc",
    ),
    Variable("XLA_FLAGS", "", DEVICE, "XLA's own flags.", "xla/debug_options_flags.cc"),
    Variable(
        "TF_ENABLE_AUTO_MIXED_PRECISION",
        "graph_options.rewrite_options.auto_mixed_precision",
        DEVICE,
        "1 switches automatic mixed precision on.",
        "NVIDIA's builds and 1.14 and later; meta_optimizer.cc",
    ),
    Variable(
        "TF_DETERMINISTIC_OPS",
        "",
        DEVICE,
        "1 chooses deterministic GPU kernels (2.1 to 2.8; tf.config.experimental.enable_op_determinism() from 2.8).",
        "determinism.cc",
    ),
    Variable("TF_CUDNN_DETERMINISTIC", "", DEVICE, "1 chooses deterministic cuDNN convolutions.", "1.14 and later; cuda_dnn.cc"),
    Variable(
        "TF_ENABLE_ONEDNN_OPTS",
        "",
        IMPORT,
        "0 switches oneDNN's kernels off, which are on by default on x86 from 2.9 on and sum in another order.",
        "seen on 2.21: set after the import it changes nothing",
    ),
    Variable("TF_DISABLE_MKL", "", IMPORT, "1 switches oneDNN off in MKL builds.", "util.cc, DisableMKL"),
    Variable(
        "TF_CPP_MIN_LOG_LEVEL",
        "",
        IMPORT,
        "1, 2, 3 leave out INFO, WARNING, ERROR of TensorFlow's C++ log.",
        "default/logging.cc, at the first line that is logged",
    ),
    Variable(
        "TF_CPP_MIN_VLOG_LEVEL",
        "",
        IMPORT,
        "The verbosity of the C++ log (to 2.x; later releases read TF_CPP_MAX_VLOG_LEVEL).",
        "seen on 1.15.5; default/logging.cc",
    ),
    Variable("TF_CPP_MAX_VLOG_LEVEL", "", IMPORT, "The verbosity of the C++ log.", "seen on 2.21; default/logging.cc"),
    Variable("TF_USE_LEGACY_KERAS", "", IMPORT, "1 makes tf.keras the package tf_keras, from 2.16 on.", "tensorflow/__init__.py"),
    Variable("TF2_BEHAVIOR", "", IMPORT, "0 starts TensorFlow 2 with 1.x behaviour, 1 the other way round.", "tensorflow/python/tf2.py"),
    Variable("TF_ENABLE_CONTROL_FLOW_V2", "", IMPORT, "1 switches control flow v2 on in 1.x.", "control_flow_util.py"),
    Variable(
        "OMP_NUM_THREADS", "", IMPORT, "The threads of MKL builds; TensorFlow's own pools don't read it.", "seen on 1.15.5 and 2.21; OpenMP, at its start"
    ),
    Variable("KMP_AFFINITY", "", IMPORT, "Binds the threads of MKL builds.", "OpenMP, at its start"),
    Variable("KMP_BLOCKTIME", "", IMPORT, "How long the threads of MKL builds spin, in ms.", "OpenMP, at its start"),
    Variable("LD_LIBRARY_PATH", "", START, "Where shared libraries (CUDA, cuDNN) are looked for.", "ld.so(8), at the start of a program"),
    Variable("LD_PRELOAD", "", START, "Libraries that are loaded first.", "ld.so(8), at the start of a program"),
    Variable("PYTHONHASHSEED", "", START, "The seed of Python's hashes.", "Python, at its start"),
    Variable("PYTHONPATH", "", START, "Where modules are looked for.", "Python, at its start"),
    Variable("PYTHONUNBUFFERED", "", START, "Output without buffers.", "Python, at its start"),
    Variable("MALLOC_ARENA_MAX", "", START, "The number of malloc's arenas.", "glibc, at the start of a program"),
)
_BY_NAME = {variable.name: variable for variable in VARIABLES}


def find(name: str) -> Optional[Variable]:
    """The variable of that name, or None where nothing is known about it."""
    return _BY_NAME.get(name)
