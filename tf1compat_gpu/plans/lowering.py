"""From a field's rule and value to what is done about it: fields that stand alone, and the groups that are not about GPUs.

A lowering is a function from what is wanted to steps and gaps. `FIELDS` holds those of single fields, `GROUPS` those of
fields that act together (by `Rule.group`); whatever is in neither goes the way of its rule's fidelity (`by_rule`).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.plans.rules import Fidelity, Rule, rule_for
from tf1compat_gpu.plans.steps import Gap, Kind, Machine, Step
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.fields import Release
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile

Outcome = Union[Step, Gap]
EXACT = Fidelity.EXACT
_REWRITE = "graph_options.rewrite_options."
_OPTIONS_CALL = "tf.config.optimizer.set_experimental_options"
#: tf.config.optimizer.set_jit takes this name since 2.8 or so; before that, anything that is true (seen running 2.4.4).
_AUTOCLUSTERING_SINCE = (2, 10)
_UNSET = "what TF2 does where nothing is said"


class Wanted(NamedTuple):
    """What a lowering starts from: see `Plan`."""

    profile: Profile
    release: Release
    carry: bool
    machine: Machine

    def has_call(self, rule: Rule) -> bool:
        """Whether the release has the public call of a rule."""
        return rule.call_since is not None and rule.call_since <= self.release


def call(function: str, path: str, *arguments: Any, fidelity: Fidelity = EXACT, reason: str = "") -> Step:
    return Step(Kind.CALL, (path,), fidelity, (function,) + arguments, reason)


def nothing(path: str, reason: str, fidelity: Fidelity = EXACT) -> Step:
    return Step(Kind.NOTHING, (path,), fidelity, (), reason)


def carry(path: str, fidelity: Fidelity = Fidelity.CARRIED, reason: str = "") -> Step:
    return Step(Kind.CARRY, (path,), fidelity, (), reason)


def carry_or_gap(wanted: Wanted, path: str, reason: str) -> Outcome:
    """A value that no public call has: carried, or else lost for the reason given."""
    return carry(path) if wanted.carry else Gap(path, Fidelity.UNAVAILABLE, reason)


def is_unset(path: str, value: Any) -> bool:
    """Whether a value is the one that the field has without it: proto3 does not tell the two apart."""
    entry = fields.paths()[path]
    return entry.field.is_scalar | entry.field.is_enum | entry.field.repeated | entry.field.is_map and value in (fields.default(path), FrozenMapping())


def by_rule(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    """The way that the rule's fidelity gives; a value that is the unset one asks for nothing."""
    rule = rule_for(path)
    if rule.fidelity is Fidelity.NO_EFFECT:
        yield nothing(path, rule.reason, Fidelity.NO_EFFECT)
    elif is_unset(path, value):
        yield nothing(path, _UNSET)
    elif rule.fidelity is Fidelity.CARRIED:
        yield _carried(wanted, rule)
    elif rule.fidelity is Fidelity.APPROXIMATE:
        if wanted.carry and rule.call is None:
            yield carry(path, Fidelity.APPROXIMATE)
        yield Gap(path, Fidelity.APPROXIMATE if wanted.carry or rule.call else Fidelity.UNAVAILABLE, rule.reason)
    elif rule.fidelity in (Fidelity.SESSION_ONLY, Fidelity.UNAVAILABLE):
        yield Gap(path, rule.fidelity, rule.reason)
    else:
        raise ValueError("%s is exact and has no lowering" % path)


def _carried(wanted: Wanted, rule: Rule) -> Outcome:
    if wanted.carry:
        return carry(rule.path)
    if rule.variable and not rule.variable.endswith("=n"):
        return Step(Kind.ENVIRONMENT, (rule.path,), Fidelity.ENVIRONMENT, tuple(rule.variable.split("=", 1)))
    if rule.variable:
        value = wanted.profile[rule.path]
        return Step(Kind.ENVIRONMENT, (rule.path,), Fidelity.ENVIRONMENT, (rule.variable[:-2], "%d" % float(str(value))))
    return Gap(rule.path, rule.without_carry, rule.reason)


def _threads(function: str) -> Callable[[Wanted, str, Any], Iterator[Outcome]]:
    def lower(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
        if value > 0:
            yield call(function, path, value)
        elif value == 0:
            yield nothing(path, "0 is what TF2 does where nothing is said; setting it fails once TensorFlow has started")
        else:
            text = "a negative number runs a session's ops in the caller's thread, which TF2 can't; one thread is the nearest"
            yield call(function, path, 1, fidelity=Fidelity.APPROXIMATE, reason=text)
            yield Gap(path, Fidelity.APPROXIMATE, text[0].upper() + text[1:] + ".")

    return lower


def _per_session_threads(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    yield nothing(path, "the eager context's inter-op pool is always its own", EXACT if value else Fidelity.SESSION_ONLY)


def _soft_placement(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    yield call("tf.config.set_soft_device_placement", path, bool(value))


def _log_placement(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    yield call("tf.debugging.set_log_device_placement", path, True) if value else nothing(path, _UNSET)


def _jit(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    on = "autoclustering" if wanted.release >= _AUTOCLUSTERING_SINCE else True
    if value == "DEFAULT":
        yield nothing(path, _UNSET)
    elif value == "OFF":
        yield call("tf.config.optimizer.set_jit", path, False)
    elif value == "ON_1":
        yield call("tf.config.optimizer.set_jit", path, on)
    elif wanted.carry:
        yield carry(path, reason="a call would make it ON_1, which differs in name alone")
    else:
        yield call("tf.config.optimizer.set_jit", path, on, reason="it becomes ON_1, which differs in name alone", fidelity=Fidelity.APPROXIMATE)


def _inlining(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    yield nothing(path, "a tf.function always inlines") if value else Gap(path, Fidelity.UNAVAILABLE, rule_for(path).reason)


def _executor(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    yield nothing(path, _UNSET) if value in ("", "DEFAULT") else Gap(path, Fidelity.APPROXIMATE, rule_for(path).reason)


def _mlir(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    on = value is True or value == "MLIR_BRIDGE_ROLLOUT_ENABLED"
    off = value == "MLIR_BRIDGE_ROLLOUT_DISABLED"
    if not on and not off:
        lost = isinstance(value, str) and value != fields.default(path)
        yield Gap(path, Fidelity.UNAVAILABLE, "No call brings %s. Write ENABLED or DISABLED." % value) if lost else nothing(path, _UNSET)
    elif wanted.has_call(rule_for(path)):
        yield call("tf.config.experimental.%s_mlir_bridge" % ("enable" if on else "disable"), path)
    else:
        yield carry_or_gap(wanted, path, "tf.config.experimental.enable_mlir_bridge() came with 2.4.")


def _grappler(wanted: Wanted, path: str, value: Any) -> Iterator[Outcome]:
    """A key of set_experimental_options; `merged` puts the keys of several fields into one call."""
    if is_unset(path, value):
        yield nothing(path, _UNSET)
    elif value in ("ON", "OFF") or not isinstance(value, str):
        if wanted.has_call(rule_for(path)):
            yield call(_OPTIONS_CALL, path, {path[len(_REWRITE) :]: value == "ON" if isinstance(value, str) else value})
        else:
            yield carry_or_gap(wanted, path, "set_experimental_options takes this key from %s on." % fields.format_release(_since(path)))
    else:
        yield carry_or_gap(wanted, path, "set_experimental_options takes True and False alone, not %s. Let configure() carry it." % value)


def _since(path: str) -> Release:
    since = rule_for(path).call_since
    assert since is not None
    return since


def merged(outcomes: List[Outcome]) -> List[Outcome]:
    """The same, with all calls of set_experimental_options made one, where the first of them is."""
    options: Dict[str, Any] = {}
    paths: List[str] = []
    found: List[Outcome] = []
    place: Optional[int] = None
    for outcome in outcomes:
        if isinstance(outcome, Step) and outcome.kind is Kind.CALL and outcome.arguments[0] == _OPTIONS_CALL:
            place = len(found) if place is None else place
            options.update(outcome.arguments[1])
            paths += outcome.paths
        else:
            found.append(outcome)
    if place is not None:
        found.insert(place, Step(Kind.CALL, tuple(paths), EXACT, (_OPTIONS_CALL, FrozenMapping(options))))
    return found


#: The lowerings of single fields; of grappler's switches, see `lowering_for`.
FIELDS: Dict[str, Callable[[Wanted, str, Any], Iterator[Outcome]]] = {
    "intra_op_parallelism_threads": _threads("tf.config.threading.set_intra_op_parallelism_threads"),
    "inter_op_parallelism_threads": _threads("tf.config.threading.set_inter_op_parallelism_threads"),
    "use_per_session_threads": _per_session_threads,
    "allow_soft_placement": _soft_placement,
    "log_device_placement": _log_placement,
    "graph_options.optimizer_options.global_jit_level": _jit,
    "graph_options.optimizer_options.do_function_inlining": _inlining,
    "experimental.executor_type": _executor,
    "experimental.enable_mlir_bridge": _mlir,
    "experimental.mlir_bridge_rollout": _mlir,
}


def lower(wanted: Wanted, path: str, value: Any) -> Tuple[Outcome, ...]:
    """What is done about a field that stands alone."""
    lowering = FIELDS.get(path)
    if lowering is None and path.startswith(_REWRITE) and rule_for(path).fidelity is EXACT:
        lowering = _grappler
    return tuple((lowering or by_rule)(wanted, path, value))
