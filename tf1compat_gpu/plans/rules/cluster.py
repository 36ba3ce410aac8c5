"""Rules of what belongs to clusters: grpc options, the cluster's definition, collectives, the coordination service."""

from __future__ import annotations

from typing import Dict, Tuple

from tf1compat_gpu.plans.rules.rule import Rule, approximate, container, session_only, unavailable

_CONNECT = "tf.config.experimental_connect_to_cluster"
_C = "experimental.coordination_config."
_RPC_WHY = "The servers of a TF2 cluster get it only as part of the base ConfigProto. Let configure() carry it in the program that connects."
_RPC_SOURCE = "1.15.5 and 2.21 grpc_channel.cc, GetChannelArguments; 2.21 remote.py, connect_to_cluster (default_session_config)"

_RPC: Dict[str, Tuple[str, str]] = {
    "compression_algorithm": ('Compresses messages between tasks: "deflate" or "gzip".', _RPC_SOURCE),
    "compression_level": ("How much to compress: 0 for none, 3 for most.", _RPC_SOURCE),
    "cache_rpc_response": (
        "Lets workers keep answers, so that a request that is sent again is not run again.",
        "1.15.5 and 2.21 rpc_rendezvous_mgr.cc and grpc_worker_service.cc",
    ),
    "disable_session_connection_sharing": (
        "Sessions to the same target open connections of their own.",
        "1.15.5 and 2.21 grpc_session.cc and grpc_server_lib.cc",
    ),
    "num_channels_per_target": ("The number of connections to each task (2.6 and later).", _RPC_SOURCE),
}

_COORDINATION: Dict[str, str] = {
    "service_type": 'The kind of coordination service; "standalone" is the one there is, and empty means none.',
    "service_leader": "The task that runs the service.",
    "enable_health_check": "Tasks check each other before the cluster is ready.",
    "cluster_register_timeout_in_ms": "The time all tasks have to register.",
    "heartbeat_timeout_in_ms": "A task that is silent for longer counts as lost.",
    "shutdown_barrier_timeout_in_ms": "The time tasks wait for each other when they shut down (2.9 and later).",
    "agent_destruction_without_shutdown": "A task may go away without telling the service (2.9 and later).",
    "recoverable_jobs": "Jobs whose tasks may fail and come back (2.11 and later).",
    "coordinated_job_list": "The jobs that take part (2.11 and later).",
    "coordinated_job_list[].name": "A job that takes part.",
    "coordinated_job_list[].num_tasks": "The number of that job's tasks that take part.",
    "allow_new_incarnation_to_reconnect": "A task that was restarted may take its old place (2.13 and later).",
    "force_disable": "No coordination service, whatever else is set (2.15 and later).",
    "poll_for_error_from_service_at_startup": "Tasks ask the service for errors from the start (2.18 and later).",
    "cluster_register_with_barrier": "Registering waits for all tasks (2.19 and later).",
}
_COORDINATION_SOURCE = (
    '2.21 coordination_config.proto and master.cc; 2.21 context.py, Context.config; local sessions of 2.21.0 were seen to ignore it, "nonsense" too'
)


def _coordination(name: str, tf1: str) -> Rule:
    return approximate(
        _C + name,
        tf1 + " It counts for grpc targets alone.",
        "MultiWorkerMirroredStrategy and ParameterServerStrategy set it up by themselves; or by carrying.",
        "No public call sets it, and what a strategy sets replaces all that was carried. Use a strategy's own options, or carry it without one.",
        _COORDINATION_SOURCE,
    )


def _cluster(path: str, tf1: str, traps: Tuple[str, ...] = ()) -> Rule:
    return approximate(
        path,
        tf1,
        "tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(...)), or TF_CONFIG with a strategy that reads it.",
        "TF2 joins a cluster by a call in the program or by TF_CONFIG, not by a config. Move it there.",
        "1.15.5 and 2.21 master.cc, Master::CreateSession; seen running 1.15.5 and 2.21.0",
        traps,
        _CONNECT,
        (1, 15),
    )


RULES: Tuple[Rule, ...] = (
    (
        container("rpc_options", "how tasks of a cluster talk to each other over grpc"),
        session_only(
            "rpc_options.use_rpc_for_inprocess_master",
            "A session goes through grpc even if its master is in the same process, for testing.",
            "Nothing looks at it.",
            "TF2 has no session and no master. Delete the line.",
            "1.15.5 and 2.21 grpc_session.cc, GrpcSession::Create; accepted by both",
        ),
        _cluster(
            "cluster_def",
            "Tells the servers of a grpc session who is in the cluster, when the session is made. A local session ignores it.",
            (
                "Present but empty it is not the same as absent: with a grpc target, 1.15.5 raises InvalidArgumentError and 2.21.0 ignores it (seen running).",
                "A cluster without the session's own server is InvalidArgumentError (seen running 1.15.5 and 2.21.0).",
            ),
        ),
        _cluster("cluster_def.job", "The jobs of the cluster."),
        _cluster("cluster_def.job[].name", "A job's name, as worker or ps."),
        _cluster("cluster_def.job[].tasks", "The job's tasks: number and host:port.", ("Numbers need not be consecutive, which a list of hosts can't say.",)),
        approximate(
            "isolate_session_state",
            "With a grpc target, the session's variables are its own instead of the server's. Local sessions always keep theirs apart.",
            "Carried, it reaches remote workers; the local context has one state.",
            "No public call sets it. Let configure() carry it in the program that connects.",
            "1.15.5 and 2.21 worker session_mgr.cc, SessionMgr::CreateSession; isolation of local sessions seen running",
        ),
        session_only(
            "share_cluster_devices_in_session",
            "The master of a grpc session tells workers about the devices of the whole cluster (2.2 and later).",
            "Nothing looks at it.",
            "TF2 has no master session. Delete the line.",
            "2.21 master_session.cc, MasterSession::CreateWorkerSessions",
        ),
        session_only(
            "experimental.share_cluster_devices_in_session",
            "The old spelling of share_cluster_devices_in_session; still read, with a warning in the log.",
            "Nothing looks at it.",
            "From 2.2 on it stands at the top level. TF2 has no master session.",
            "1.15.5 and 2.21 master_session.cc",
        ),
        session_only(
            "experimental.share_session_state_in_clusterspec_propagation",
            "Sessions that send their cluster to the servers share state there.",
            "Nothing looks at it.",
            "It belongs to the distributed runtime of sessions. Delete the line.",
            "1.15.5 and 2.21 worker session_mgr.cc; accepted by grpc sessions of both",
        ),
        approximate(
            "experimental.collective_group_leader",
            "The task that hands out the numbers of collective groups.",
            "MultiWorkerMirroredStrategy chooses it; or by carrying.",
            "A strategy's choice replaces what was carried. Let the strategy choose.",
            "1.15.5 and 2.21 rpc_collective_executor_mgr.cc; 2.21 context.py, Context.config",
        ),
        approximate(
            "experimental.collective_nccl",
            "Collectives between GPUs use NCCL.",
            "tf.distribute.experimental.CommunicationOptions(implementation=CommunicationImplementation.NCCL), given to the strategy; or by carrying.",
            "The TF2 option belongs to one strategy, not to the process. Write it where the strategy is made.",
            "1.15.5 and 2.21 collective_param_resolver_local.cc; 2.21 context.py, Context.config",
            (),
            "tf.distribute.experimental.CommunicationOptions",
            (2, 4),
        ),
        approximate(
            "experimental.collective_deterministic_sequential_execution",
            "Collectives run one after the other, in an order that all tasks share.",
            "A tf.function orders its collectives by control dependencies already; the field can be carried.",
            "No public call sets it. Let configure() carry it.",
            "1.15.5 and 2.21 direct_session.cc and graph_mgr.cc (collective_order)",
        ),
        approximate(
            "experimental.recv_buf_max_chunk",
            "The largest part of a tensor in one message between tasks; 0 means 4 MiB, and below 0 no limit.",
            "By carrying, to the servers this program starts.",
            _RPC_WHY,
            "1.15.5 and 2.21 grpc_worker_service.cc, GrpcWorker::GrpcWorker",
        ),
        container("experimental.coordination_config", "how tasks of a cluster find each other and notice losses"),
        unavailable(
            "experimental.coordination_service",
            "2.6 and 2.7: the kind of coordination service, as text.",
            "Use coordination_config.service_type.",
            "Replaced in 2.8. Write experimental: {coordination_config: {service_type: ...}}.",
            "config.proto of 2.7 and 2.8",
        ),
        unavailable(
            "experimental.fetch_remote_devices_in_multi_client",
            "2.6 alone: whether tasks learn of each other's devices when they connect.",
            "Nothing takes its place.",
            "Removed in 2.7. Delete the line.",
            "config.proto of 2.6 and 2.7",
        ),
        unavailable(
            _C + "coordinated_jobs",
            "2.8 to 2.10: the jobs that take part, by name.",
            "Use coordinated_job_list.",
            "Replaced in 2.11, when jobs got a number of tasks. Write coordinated_job_list: [{name: worker, num_tasks: 2}].",
            "coordination_config.proto of 2.10 and 2.11",
        ),
    )
    + tuple(
        approximate("rpc_options." + name, tf1, "By carrying, to the servers this program connects to.", _RPC_WHY, source)
        for name, (tf1, source) in _RPC.items()
    )
    + tuple(_coordination(name, tf1) for name, tf1 in _COORDINATION.items())
)
