"""Rules of the top-level fields: threads, devices, placement, and what becomes of a step that takes too long."""

from __future__ import annotations

from typing import Tuple

from tf1compat_gpu.plans.rules.rule import Rule, approximate, exact, no_effect, session_only, unavailable

RULES: Tuple[Rule, ...] = (
    exact(
        "device_count",
        "tf.config.set_logical_device_configuration",
        (2, 1),
        "CPU: n gives exactly n CPU devices over one thread pool. GPU: n gives at most n, the first of the visible ones. Each device type looks its own "
        "key up; other keys are never read.",
        "CPU of 2 and more: tf.config.set_logical_device_configuration(cpu, [LogicalDeviceConfiguration()] * n). GPU: "
        "tf.config.set_visible_devices(gpus[:n], 'GPU'), with an empty list for 0.",
        "Seen running 1.15.5 and 2.21.0 (CPU); GPU: 1.15.5 and 2.21 gpu_device.cc, BaseGPUDeviceFactory::CreateDevices",
        (
            "Keys are case-sensitive: `gpu: 0` and `cpu: 4` are ignored without a word (seen running 1.15.5 and 2.21.0).",
            'CPU: 0 makes a session fail with NotFoundError, "No CPU devices are available in this process"; in TF2, hiding the CPU fails the same way.',
            "A negative GPU count means all GPUs in a session, but all except the last n where the eager context imports it.",
            "XLA_CPU and XLA_GPU keys control nothing, though 1.15 lists those devices.",
            'It counts after visible_device_list. With virtual_devices, fewer than there are entries is an error ("Not enough GPUs").',
            "Sessions with a grpc target ignore it: the count in the server's own config holds (seen running 1.15.5 and 2.21.0).",
        ),
        group="gpu",
    ),
    exact(
        "intra_op_parallelism_threads",
        "tf.config.threading.set_intra_op_parallelism_threads",
        (1, 15),
        "Sizes the one pool that kernels of this process share; whoever creates the first CPU device settles it. 0 means TF_NUM_INTRAOP_THREADS, or else "
        "the number of cores.",
        "tf.config.threading.set_intra_op_parallelism_threads(n), before the first op and before anything else has created a device.",
        "Seen running 1.4 to 2.21 (pool sizes); local_device.cc, LocalDevice",
        (
            "Any negative value aborts the process (SIGABRT, no exception to catch) in every release.",
            "Later sessions with another value silently get the first one's pool; device_lib.list_local_devices() and tf.test.is_gpu_available() count too.",
            "After a session exists the TF2 setter still succeeds and its getter returns the new number, while the pool keeps its size.",
            "TF_OVERRIDE_GLOBAL_THREADPOOL=1 gives each device a pool of its own.",
        ),
        group="threads",
    ),
    exact(
        "inter_op_parallelism_threads",
        "tf.config.threading.set_inter_op_parallelism_threads",
        (1, 15),
        "Sizes the pool that runs ops side by side, shared by all sessions without pools of their own; the first such session settles it. 0 means "
        "TF_NUM_INTEROP_THREADS, or else the number of cores; a negative number runs ops in the caller's thread (1.14 and later).",
        "tf.config.threading.set_inter_op_parallelism_threads(n), before the first op. The eager context has a pool of its own, apart from the sessions'.",
        "Seen running 1.15.5 and 2.21.0 (most ops at once); direct_session.cc, NewThreadPoolFromSessionOptions and GlobalThreadPool",
        (
            "A negative number has no TF2 counterpart: there it means the default, not the caller's thread. 1 is the nearest (one pool thread).",
            "Before 1.14 a negative number aborts the process.",
            "A first session with -1 also fixes the shared pool for later ones: at one thread in 2.21, at one a core in 1.15.",
        ),
        group="threads",
    ),
    session_only(
        "use_per_session_threads",
        "true gives this session an inter-op pool of its own instead of the shared one.",
        "The eager context's inter-op pool is always its own, which is what true asks for; the flag itself is ignored.",
        "Whether to share a pool is a question between sessions. Leave it out: TF2 does what true does, and false can't be had.",
        "Seen running 1.15.5 and 2.21.0 (8 ops at once under a first session of 2; ignored by tf.function)",
        (
            "With a negative inter_op_parallelism_threads the private pool has the default size, and the caller's thread is not used.",
            "The intra-op pool stays shared by the process.",
        ),
    ),
    session_only(
        "session_inter_op_thread_pool",
        "A list of inter-op pools from which RunOptions.inter_op_thread_pool picks one for each run, the first by default. If the list is not empty, "
        "use_per_session_threads and inter_op_parallelism_threads are ignored.",
        "Ignored by the eager context, although its ConfigProto keeps it. Nearest: set_inter_op_parallelism_threads with the first pool's num_threads.",
        "TF2 has one inter-op pool and no RunOptions to choose another with. Write inter_op_parallelism_threads, or run separate processes.",
        "Seen running 1.15.5 and 2.21.0; direct_session.cc, DirectSession::DirectSession",
        ("A run with the number of a pool that isn't there is an InvalidArgumentError, and -1 means the caller's thread (seen running 1.15.5 and 2.21.0).",),
    ),
    session_only(
        "session_inter_op_thread_pool[].num_threads",
        "The pool's size; 0 follows the rules of inter_op_parallelism_threads.",
        "Ignored.",
        "Goes with session_inter_op_thread_pool. Write inter_op_parallelism_threads instead.",
        "Seen running 1.15.5 and 2.21.0",
        ("A negative number aborts the process.",),
    ),
    session_only(
        "session_inter_op_thread_pool[].global_name",
        "Sessions that name a pool alike share it. It is never freed.",
        "Ignored.",
        "Goes with session_inter_op_thread_pool: the one context of a TF2 process has nobody to share a pool with.",
        "Seen running 1.15.5 and 2.21.0",
        ("The same name with another num_threads raises nothing: that session runs its ops in the caller's thread, one at a time.",),
    ),
    no_effect("placement_period", "Nothing reads it.", "Delete the line.", "No reader in the sources of 1.15.5 and 2.21; accepted without effect by both"),
    approximate(
        "device_filters",
        "Sessions with a grpc target see only remote devices that match. In a local session it was ignored up to 2.10; from 2.11 on its /device:TYPE part "
        "limits which types of devices are created.",
        "tf.config.experimental_connect_to_cluster(cluster, cluster_device_filters=filters) with a tf.config.experimental.ClusterDeviceFilters(); the local "
        "part by carrying.",
        "ClusterDeviceFilters is written task by task, not as one list for the whole session. Write it in the program that connects to the cluster.",
        "Seen running 1.15.5 and 2.21.0; device_factory.cc, DeviceFactory::AddDevices",
        (
            "A malformed filter: ignored by a local session of 1.15, InvalidArgumentError in one of 2.21, and with a grpc target it aborts the process in both "
            "(seen running 1.15.5 and 2.21.0).",
            "Estimator's RunConfig fills filters in by default only where the profile has none.",
        ),
        "tf.config.experimental_connect_to_cluster",
        (1, 15),
    ),
    exact(
        "allow_soft_placement",
        "tf.config.set_soft_device_placement",
        (1, 15),
        "true puts an op whose device is missing, or has no kernel for it, elsewhere; false, the default of a session, raises InvalidArgumentError.",
        "tf.config.set_soft_device_placement(...), always: what TF2 does without it is true.",
        "Seen running 1.15.5 and 2.1 to 2.21; 2.21 context.py, Context.config",
        (
            "A base ConfigProto does not bring it: the context overwrites it with whether the thread was executing eagerly.",
            "A profile without it asks for false, which is not TF2's default.",
            "If the context first starts inside `with tf.Graph().as_default():` it ends up false for the whole process.",
        ),
        group="placement",
    ),
    exact(
        "log_device_placement",
        "tf.debugging.set_log_device_placement",
        (1, 15),
        "Prints the device mapping when the session is made, and where each node of each new graph is placed.",
        "tf.debugging.set_log_device_placement(True). The lines look different: eager execution prints one for each op it runs.",
        "Seen running 1.15.5 and 2.21.0; direct_session.cc; 2.21 context.py, Context.config",
        ("Node lines go to stdout as well, whatever TF_CPP_MIN_LOG_LEVEL says.",),
        group="placement",
    ),
    unavailable(
        "operation_timeout_in_ms",
        "Session.run fails with DeadlineExceededError after so many milliseconds; 0 and less mean never. Kernels that are running are waited for.",
        "A tf.function that runs in this process never times out. The context keeps the value for calls to remote workers alone.",
        "No local counterpart. Bound the wait where it arises, for example a deadline in the input pipeline, or a watchdog around the process.",
        "Seen running 1.15.5 and 2.21.0 (a dequeue that never ends; tf.function unaffected); 2.21 context.cc and remote_execute_node.cc",
        ("A limit of 200 ms took 1 s to raise while a kernel of 1 s was running.",),
    ),
)
