"""Real tf.compat.v1 sessions from profiles: make_config, make_session, make_interactive_session."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Union

from tf1compat_gpu.diagnostics import WARNING, Diagnostic, error, warning
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import ProfileLike, load_profile
from tf1compat_gpu.profiles.recent import recall
from tf1compat_gpu.runtime import active, again, environment, ledger, targets, tensorflow
from tf1compat_gpu.runtime.callers import caller
from tf1compat_gpu.runtime.config import to_config
from tf1compat_gpu.runtime.gpu_memory import with_fraction
from tf1compat_gpu.runtime.reporting import report

AnyProfile = Union[ProfileLike, Sequence[ProfileLike]]


def _load(profile: AnyProfile, variant: Optional[str], overrides: Optional[Mapping[str, Any]], target: str = "") -> Profile:
    if profile is None:
        profile = active.active_profile()
    return load_profile(profile, variant, overrides, environ=targets.environ_of(target) if target else None)


def make_config(
    profile: AnyProfile = None, variant: Optional[str] = None, *, target: str = "", overrides: Optional[Mapping[str, Any]] = None, strict: bool = False
) -> Any:
    """A profile as a new, mutable tf.compat.v1.ConfigProto, for every entry point that takes a config.

    Makes no session, no device and no context, and leaves the environment alone. With a target it is the config of a
    session with that target, as MonitoredTrainingSession takes it: without what belongs to the server, with device filters
    where the profile has none, and after the servers that the session needs have been waited for (`make_session`).

    Args:
        profile: A path, dict, Profile, or a list of these; the active profile by default (see `install`).
        variant: The variant to lay over it.
        target: The address of the server that its session will connect to, as `server.target`.
        overrides: Field path to value, laid over everything else: `{"gpu_options.allow_growth": False}`.
        strict: Whether warnings are errors.

    Raises:
        ProfileError: Something is wrong in the profile, or the installed TensorFlow lacks one of its fields.
        ClusterError: A server is not there within the profile's operation_timeout_in_ms.
        TensorFlowMissingError: TensorFlow is not installed.
    """
    loaded = _load(profile, variant, overrides, target)
    limited, problems = with_fraction(loaded)
    if target and limited is not None:
        place = targets.look_at(target)
        limited, more = targets.for_session(limited, place)
        report(list(loaded.diagnostics) + problems + more, strict)
        targets.await_servers(limited, place)
        return to_config(limited)
    report(list(loaded.diagnostics) + problems, strict)
    assert limited is not None
    return to_config(limited)


def make_session(
    profile: AnyProfile = None,
    variant: Optional[str] = None,
    *,
    target: str = "",
    graph: Any = None,
    overrides: Optional[Mapping[str, Any]] = None,
    strict: bool = False,
) -> Any:
    """A tf.compat.v1.Session under a profile: what `tf.Session(target, graph, config=...)` is, the class itself.

    Args:
        profile: A path (`train.yaml`, `train.yaml#ps`), dict, Profile, or a list of these, later ones winning; the
            active profile by default (see `install`).
        variant: The variant to lay over it; TF_CONFIG's task type chooses the one of its name where none is given.
        target: The execution engine to connect to, as TensorFlow's Session takes it. With a server's address, what belongs
            to the server is left out, with a warning where it has it otherwise; device filters are Estimator's where the
            profile has none; and where it has operation_timeout_in_ms, the servers that the session needs have that long
            to be there.
        graph: The graph to be launched; the default graph where it is None.
        overrides: Field path to value, laid over everything else: `{"gpu_options.allow_growth": False}`.
        strict: Whether what would be a warning is an error: a field that this process can't honour any more, a
            variable that is set otherwise, a GPU profile where there is no GPU.

    Raises:
        ProfileError: Something is wrong in the profile, or it can't be had any more in this process.
        ClusterError: A server is not there within the profile's operation_timeout_in_ms; the message has its address.
        TensorFlowMissingError: TensorFlow is not installed.
    """
    # A file that is known is asked for without the frames of load_profile.
    known = recall(profile, variant) if type(profile) is str and not (overrides or target) else None
    loaded = _load(profile, variant, overrides, target) if known is None else known
    made = None if target or strict else again.session(loaded, graph)
    return _make("Session", loaded, target, graph, strict) if made is None else made


def make_interactive_session(
    profile: AnyProfile = None,
    variant: Optional[str] = None,
    *,
    target: str = "",
    graph: Any = None,
    overrides: Optional[Mapping[str, Any]] = None,
    strict: bool = False,
) -> Any:
    """A tf.compat.v1.InteractiveSession under a profile, installed as default session; arguments as `make_session`.

    TensorFlow adds graph_options.place_pruned_graph to its config (session.py, InteractiveSession.__init__).
    """
    return _make("InteractiveSession", _load(profile, variant, overrides, target), target, graph, strict)


def _make(kind: str, profile: Profile, target: str, graph: Any, strict: bool) -> Any:
    config = prepare(profile, target, graph, strict)
    session = getattr(tensorflow.session_module(), kind)
    with active.BYPASS:
        made = session(target=target, graph=graph, config=config)
    finish(profile, made, target)
    return made


def config_here(profile: Profile) -> Any:
    """The profile's ConfigProto for a session or server of this process.

    Where CUDA was started with the GPUs in the order of the profile's list, that list says it all: naming it again
    would reorder them once more.
    """
    config = to_config(profile)
    if ledger.LEDGER.reordered:
        config.gpu_options.ClearField("visible_device_list")
    return config


def prepare(profile: Profile, target: str = "", graph: Any = None, strict: bool = False) -> Any:
    """Everything that comes before the session itself; returns its ConfigProto. Where it raises, nothing is changed.

    Sets the profile's environment, imports TensorFlow, turns TF32 off under `numerics: tf1`.
    """
    plan = environment.plan(profile)
    report([d for d in plan.diagnostics if d.is_error or strict], strict)
    applied = environment.Applied(plan.changes)
    try:
        found: List[Diagnostic] = list(profile.diagnostics) + list(plan.diagnostics)
        limited, problems = with_fraction(profile)
        found += problems
        place = targets.look_at(target) if target else None
        if limited is not None and place is not None:
            limited, more = targets.for_session(limited, place)
            found += more
        if limited is not None:
            config = config_here(limited)
            if not target:
                found += ledger.LEDGER.conflict_diagnostics(limited) + environment.forced_growth(limited) + beyond_the_last_gpu(limited)
        found += _eager_and_empty(graph)
        if strict and not target and not tensorflow.gpus_present():
            found += without_gpu(profile)
        report(found, strict)
        if place is not None and limited is not None:
            targets.await_servers(limited, place)
        set_numerics(profile)
    except BaseException:
        applied.undo()
        raise
    return config


def _eager_and_empty(graph: Any) -> List[Diagnostic]:
    """Whether ops run at once and never reach the session's graph: TensorFlow says so only in session.run."""
    v1 = tensorflow.v1()
    if not tensorflow.tensorflow().executing_eagerly():
        return []
    graph = v1.get_default_graph() if graph is None else graph
    if graph.get_operations():
        return []
    message = "eager execution is on and the session's graph is empty: operations run at once and never reach the session"
    help = (
        "call tf.compat.v1.disable_v2_behavior() before the first operation, or write `import tf1compat_gpu.tf1 as tf`, "
        "or build the graph inside `with session:`"
    )
    return [warning("eager", message, None, help)]


def set_numerics(profile: Profile) -> None:
    """TF32 off: a process-wide switch, on by default since it exists (2.4, tensor_float_32_utils.cc)."""
    if profile.settings.numerics != "tf1":
        return
    experimental = tensorflow.tensorflow().config.experimental
    if hasattr(experimental, "enable_tensor_float_32_execution"):
        experimental.enable_tensor_float_32_execution(False)


def beyond_the_last_gpu(profile: Profile) -> List[Diagnostic]:
    """A GPU that the profile names and TensorFlow does not see; TensorFlow's own error has no word of where the number is from.

    Without any GPU nothing reads the list (gpu_device.cc, BaseGPUDeviceFactory::CreateDevices), and a plug-in's are counted too.
    """
    entry = profile.entries.get(ledger.VISIBLE)
    if entry is None or not entry.value or profile.get("device_count", {}).get("GPU") == 0:
        return []
    ids = [int(part) for part in str(entry.value).split(",")]
    # The first one is there if any is: no look for GPUs is needed, which would start CUDA.
    if max(ids) == 0:
        return []
    count = tensorflow.gpu_count()
    if count == 0 or max(ids) < count:
        return []
    made = " (made from %s)" % ", ".join(entry.variables) if entry.variables else ""
    message = "%s names GPU %d%s, and TensorFlow sees %d: 0 to %d" % (ledger.VISIBLE, max(ids), made, count, count - 1)
    help = "start as many processes on a host as it has GPUs, and write ${rank.local} or profile: {gpu_per_process: local_rank}"
    return [error("device-id", message, entry.span, help if entry.variables else "write one of the numbers that are there")]


def without_gpu(profile: Profile) -> List[Diagnostic]:
    """The GPU options of a profile that hides no GPU, for a process that has none: they have no effect."""
    options = [path for path in profile.entries if path.startswith("gpu_options")]
    if not options or profile.get("device_count", {}).get("GPU") == 0:
        return []
    return [warning("no-gpu", "%s: no effect, because TensorFlow sees no GPU here" % ", ".join(options), profile.entries[options[0]].span)]


def finish(profile: Profile, session: Any, target: str) -> None:
    """What comes after the session: the ledger's entry, and once a process a word where GPU options met no GPU."""
    if target:
        return
    ledger.LEDGER.record(profile.values(), "the session made at %s:%d" % caller())
    problems = without_gpu(profile)
    if problems and not active.told("no-gpu") and not any(device.device_type == "GPU" for device in session.list_devices()):
        active.tell("no-gpu")
        report(problems)
    nothing_to_say = not any(d.severity == WARNING for d in profile.diagnostics) and not ledger.LEDGER.conflicts(profile)
    if profile.settings.asks_for_nothing and nothing_to_say:
        again.note(profile, config_here(profile))
