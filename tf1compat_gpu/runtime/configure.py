"""configure(): a TF2 program under a profile, by tf.config calls and the eager context's base ConfigProto."""

from __future__ import annotations

import logging
import os
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error, warning
from tf1compat_gpu.plans import gpus
from tf1compat_gpu.plans.expected import expected, used_gpus
from tf1compat_gpu.plans.plan import make_plan, newest_release, span_of
from tf1compat_gpu.plans.steps import Kind, LogicalGpu, Machine, Plan, Step
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.placement import visible_cards
from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.profiles.reader import ProfileLike, load_profile
from tf1compat_gpu.runtime import active, apply, eager_context, environment, ledger, starters, tensorflow
from tf1compat_gpu.runtime.callers import caller
from tf1compat_gpu.runtime.devices import card_totals
from tf1compat_gpu.runtime.environment import Applied
from tf1compat_gpu.runtime.reporting import report

_LOG = logging.getLogger("tf1compat_gpu")
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def configure(
    profile: Union[ProfileLike, Sequence[ProfileLike]] = None,
    variant: Optional[str] = None,
    *,
    overrides: Optional[Mapping[str, Any]] = None,
    strict: bool = False,
    carry: bool = True,
) -> Plan:
    """Make this TF2 program behave as the profile's TF1 session did. Call it before the first operation.

    Sets the profile's environment, imports TensorFlow, makes the tf.config calls of the profile's plan, puts what no
    public call sets under the eager context, and reads the context's own config back. Starts no device; looks for GPUs,
    which starts CUDA: fork before it. Sessions made later without a config inherit all of it, and the profile becomes
    the active one. What TF2 can't do is warned of, once.

    Args:
        profile: A path (`train.yaml`, `train.yaml#ps`), dict, Profile, or a list of these, later ones winning; the
            active profile by default (see `install`).
        variant: The variant to lay over it.
        overrides: Field path to value, laid over everything else: `{"gpu_options.allow_growth": False}`.
        strict: Whether anything that TF2 does not do as the session did is an error, before anything is changed.
        carry: Whether to put fields without a public call under the eager context; else they are lost, and said.

    Returns:
        The plan that was carried out.

    Raises:
        ProfileError: Something is wrong in the profile, can't be had here, or comes too late: TensorFlow has started
            with other values. Nothing is changed then.
        TensorFlowMissingError: TensorFlow is not installed.
    """
    loaded = load_profile(active.active_profile() if profile is None else profile, variant, overrides)
    if active.disabled():
        return make_plan(loaded, carry=carry)
    variables = environment.plan(loaded)
    report([d for d in variables.diagnostics if d.is_error or strict], strict)
    applied = [Applied(variables.changes)]
    try:
        plan = _configure(loaded, list(variables.diagnostics), carry, strict, applied)
    except BaseException:
        for one in reversed(applied):
            one.undo()
        raise
    return plan


def _configure(profile: Profile, found: List[Diagnostic], carry: bool, strict: bool, applied: List[Applied]) -> Plan:
    tensorflow.tensorflow()
    if _DONE and _DONE[0].holds(profile, carry) and not (strict and _DONE[0].plan.gaps):
        return _DONE[0].plan
    if eager_context.started():
        plan = _plan(profile, carry, Machine(len(apply.gpu_devices()), can_order=False))
        found += _problems(plan, strict) + _variables_of(plan)[1]
        report([diagnostic for diagnostic in found if diagnostic.is_error or strict] + _too_late(plan), strict)
        return plan
    reorders = _reorders(profile)
    shown = _Shown(reorders)
    try:
        plan = _plan(profile, carry, Machine(len(apply.gpu_devices()), can_order=reorders is not None))
        changes, late = _variables_of(plan)
        found += [diagnostic for diagnostic in late if diagnostic not in found] + _problems(plan, strict)
        report([diagnostic for diagnostic in found if diagnostic.is_error or strict], strict)
        applied.append(Applied(changes))
        found += _carry_out(plan, strict)
    except BaseException:
        shown.undo()
        raise
    shown.undo()
    by = "configure() at %s:%d" % caller()
    values = profile.values()
    if reorders is None and gpus.VISIBLE in expected(plan):
        values[gpus.VISIBLE] = expected(plan)[gpus.VISIBLE]  # in the order that TF2 gave it
    ledger.LEDGER.record_context(values, by, reorders is not None)
    active.activate(profile)
    report(found)
    _log(plan)
    return plan


class _Done(NamedTuple):
    """What the last configure() of this process did.

    Attributes:
        profile: Its profile.
        plan: Its plan.
        before: The context before it.
        config: The context's ConfigProto after it.
    """

    profile: Profile
    plan: Plan
    before: eager_context.Snapshot
    config: Any

    def holds(self, profile: Profile, carry: bool) -> bool:
        """Whether the same is asked for again, and is still there."""
        return self.profile == profile and self.plan.carry == carry and not apply.differences(self.plan)

    def take_back(self) -> None:
        """Undo it, where nothing has changed since: another profile then starts from what was there before."""
        if not eager_context.started() and eager_context.current_config() == self.config:
            self.before.restore()


#: The last one, if there was one.
_DONE: List[_Done] = []


class _Shown:
    """CUDA_VISIBLE_DEVICES with the profile's order, while CUDA starts: children find it as it was."""

    def __init__(self, ids: Optional[Tuple[int, ...]]) -> None:
        self._applied: Optional[Applied] = None
        if ids is not None:
            cards = visible_cards(os.environ)
            kept = [cards[number] for number in ids if number < len(cards)] if cards is not None else [str(number) for number in ids]
            self._applied = Applied({_VISIBLE: ",".join(kept)})
            apply.gpu_devices()

    def undo(self) -> None:
        if self._applied is not None:
            self._applied.undo()


def _reorders(profile: Profile) -> Optional[Tuple[int, ...]]:
    """The profile's GPUs, where they are in an order that CUDA can still be given."""
    text = str(profile.get("gpu_options.visible_device_list", ""))
    ids = tuple(int(part) for part in text.split(",")) if text.strip() else ()
    ids = ids[: profile.get("device_count", {}).get("GPU", len(ids))]
    cuda = bool(tensorflow.tensorflow().test.is_built_with_cuda())
    return ids if list(ids) != sorted(ids) and cuda and not environment.cuda_started() else None


def _plan(profile: Profile, carry: bool, machine: Machine) -> Plan:
    """The plan for this process, with each card's own limit in place of a fraction."""
    plan = make_plan(profile, tensorflow.release(), carry=carry, machine=machine)
    steps: List[Step] = []
    problems = list(plan.problems)
    for step in plan.steps:
        if step.kind is Kind.MEMORY_FRACTION:
            totals = card_totals(apply.gpu_devices())
            if totals is None:
                text = "a fraction as a memory_limit needs each card's total memory, which NVML tells"
                problems.append(error("gpu-memory", text, span_of(plan, step.paths[0]), "pip install nvidia-ml-py, or write gpu_memory_limit"))
                continue
            used = used_gpus(plan)
            limits = tuple((number, (LogicalGpu(int(totals[number] * step.arguments[0]) >> 20),)) for number in used)
            step = step._replace(kind=Kind.LOGICAL_GPUS, arguments=(limits,))
        steps.append(step)
    return plan._replace(steps=tuple(steps), problems=tuple(problems))


def _variables_of(plan: Plan) -> Tuple[Mapping[str, str], List[Diagnostic]]:
    """The variables that the plan's steps set, and what there is to report of them."""
    extra = {step.arguments[0]: step.arguments[1] for step in plan.steps if step.kind is Kind.ENVIRONMENT}
    found = environment.plan(plan.profile, extra=extra)
    return found.changes, list(found.diagnostics)


def _problems(plan: Plan, strict: bool) -> List[Diagnostic]:
    """What there is to say of a plan before it is carried out."""
    found = list(plan.profile.diagnostics) + list(plan.problems)
    if plan.release > newest_release() and plan.carried() and (strict or not active.told("newer")):
        active.tell("newer")
        text = "TensorFlow %s is newer than any release that carrying was tried on; it is proved by reading the context's config back"
        found.append(warning("newer", text % fields.format_release(plan.release)))
    found += _without_gpu(plan) + _gaps(plan) + environment.forced_growth(plan.profile)
    return found + ledger.LEDGER.context_diagnostics(plan.profile)


def _without_gpu(plan: Plan) -> List[Diagnostic]:
    from tf1compat_gpu.runtime.session import without_gpu

    return without_gpu(plan.profile) if plan.machine.gpus == 0 else []


def _gaps(plan: Plan) -> List[Diagnostic]:
    """All gaps as one warning, at the first of them."""
    if not plan.gaps:
        return []
    lines = "\n    ".join("%s (%s): %s" % gap for gap in plan.gaps)
    count = "a field" if len(plan.gaps) == 1 else "%d fields" % len(plan.gaps)
    text = "TF2 does not do all that the session did, for %s:\n    %s" % (count, lines)
    return [warning("gap", text, span_of(plan, plan.gaps[0].path), _more(plan.profile))]


def _more(profile: Profile) -> str:
    return "`tf1compat plan %s` shows the whole plan" % profile.name if os.path.exists(profile.name) else "make_plan(...) gives the whole plan"


def _late(plan: Plan, rows: List[Tuple[str, Any, Any]]) -> str:
    shown = ["%s: the profile wants %s, TensorFlow has %s" % (path, _value(want, have), _value(have, want)) for path, want, have in rows]
    return "\n    ".join(shown)


def _value(value: Any, other: Any) -> str:
    """A value in words. One that is unset (None) is the default of its type, which the other side tells."""
    if value is not None:
        return repr(value)
    return "%r (the default)" % type(other)() if isinstance(other, (bool, int, float)) else "the default"


def _too_late(plan: Plan) -> List[Diagnostic]:
    """Errors where TensorFlow has started with other values than the plan's; nothing where it has these."""
    rows = apply.differences(plan)
    if not rows:
        return []
    who = starters.starter()
    text = "TensorFlow has started already, and some settings hold from then on:\n    %s" % _late(plan, rows)
    if who:
        text += "\n    what only a started TensorFlow makes: %s" % who
    help = "call configure() before the first operation and before importing modules that make tensors; in a notebook, restart the kernel"
    return [error("started", text, span_of(plan, rows[0][0]), help)]


def _carry_out(plan: Plan, strict: bool) -> List[Diagnostic]:
    """Take the steps; put everything back where one fails, or where strict and a field did not arrive."""
    snapshot = eager_context.Snapshot()
    try:
        if _DONE:
            _DONE[0].take_back()
        before = eager_context.Snapshot()
        apply.take_steps(plan)
        rows = apply.differences(plan)
        _DONE[:] = [] if rows else [_Done(plan.profile, plan, before, eager_context.current_config())]
        if not rows:
            return []
        text = "the eager context did not take all of the profile:\n    " + _late(plan, rows)
        missing = warning("lost", text, span_of(plan, rows[0][0]), "something set it before, or this TensorFlow does otherwise than those that were tried")
        report([missing] if strict else [], strict)
        return [missing]
    except BaseException as problem:
        snapshot.restore()
        if isinstance(problem, (ValueError, RuntimeError)) and not hasattr(problem, "diagnostics"):
            raise _refused(plan, problem) from problem
        raise


def _refused(plan: Plan, problem: Exception) -> Exception:
    from tf1compat_gpu.errors import ProfileError

    return ProfileError([error("refused", "TensorFlow refuses the profile: %s" % problem, Span(Source(plan.profile.name)), "nothing was changed")])


def _log(plan: Plan) -> None:
    """One line a process, of local rank 0 alone."""
    from tf1compat_gpu.profiles import launchers

    rank = launchers.rank("local", os.environ)
    if active.told("configured") or (rank is not None and rank.value != 0):
        return
    active.tell("configured")
    done = sum(len(step.paths) for step in plan.steps)
    release = tensorflow.tensorflow().__version__
    _LOG.info("configured by %s (%s) on TensorFlow %s: %d settings, %d gaps", plan.profile.name, plan.profile.digest(), release, done, len(plan.gaps))
