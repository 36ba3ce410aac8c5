"""Profile to plan: what it takes to have in TF2 what the profile's session had, and what can't be had."""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence, Tuple, Union

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span
from tf1compat_gpu.plans import gpus
from tf1compat_gpu.plans.lowering import Outcome, Wanted, call, lower, merged, nothing
from tf1compat_gpu.plans.numerics import ONEDNN, ONEDNN_SINCE, TF32_CALL, TF32_SINCE
from tf1compat_gpu.plans.rules import Fidelity
from tf1compat_gpu.plans.steps import ANY_MACHINE, Gap, Kind, Machine, Plan, Step
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.checks import check_release
from tf1compat_gpu.profiles.fields import Release
from tf1compat_gpu.profiles.profile import FrozenMapping, Profile
from tf1compat_gpu.profiles.reader import ProfileLike, load_profile

SOFT, _PLUG_IN_VISIBLE = "allow_soft_placement", "pluggable_device_options.visible_device_list"
_SOFT_OFF = "off, as in a TF1 session; write `allow_soft_placement: true` to keep what TF2 does"
#: What can't be taken back comes last; what must come before TensorFlow starts comes first.
_ORDER = (
    Kind.ENVIRONMENT, Kind.ORDER, Kind.CARRY, Kind.VISIBLE, Kind.LOGICAL_CPUS, Kind.LOGICAL_GPUS, Kind.MEMORY_FRACTION, Kind.GROWTH, Kind.CALL, Kind.NOTHING,
)  # fmt: skip


def newest_release() -> Release:
    """The newest release that plans are made for."""
    return fields.supported_releases()[-1]


def make_plan(
    profile: Union[ProfileLike, Sequence[ProfileLike]], release: Optional[Release] = None, *, carry: bool = True, machine: Machine = ANY_MACHINE
) -> Plan:
    """The plan of a profile for a TensorFlow release; touches nothing.

    Args:
        profile: A path, dict, Profile, or a list of these.
        release: The release, as (2, 21); the newest known one by default.
        carry: Whether fields that no public call sets go into the base ConfigProto of the eager context.
        machine: What is known of the machine.

    Raises:
        ProfileError: Something is wrong in the profile.
    """
    profile = profile if isinstance(profile, Profile) else load_profile(profile)
    wanted = Wanted(profile, release or newest_release(), carry, machine)
    missing: Dict[str, Diagnostic] = {}
    problems: List[Diagnostic] = []
    if wanted.release in fields.releases():
        for path in profile.entries:
            for problem in check_release({path: profile.entries[path]}, wanted.release):
                missing.setdefault(path, problem)
                problems.append(problem)
    outcomes: List[Outcome] = list(_settings(wanted))
    on_gpus, refused = gpus.lower_gpus(wanted)
    outcomes += [outcome for outcome in on_gpus if not isinstance(outcome, Gap) or outcome.path not in missing]
    for path, entry in profile.entries.items():
        if path in missing:
            outcomes.append(Gap(path, Fidelity.UNAVAILABLE, missing[path].message[0].upper() + missing[path].message[1:] + "."))
        elif path not in gpus.PATHS:
            outcomes += gpus.lower_plug_in_visible(wanted, path, entry.value) if path == _PLUG_IN_VISIBLE else lower(wanted, path, entry.value)
    if SOFT not in profile:
        outcomes.append(call("tf.config.set_soft_device_placement", SOFT, False, reason=_SOFT_OFF))
    return _assembled(wanted, merged(outcomes), problems + refused)


def _assembled(wanted: Wanted, outcomes: List[Outcome], problems: List[Diagnostic]) -> Plan:
    order = {path: number for number, path in enumerate(fields.paths())}

    def place(path: str) -> int:
        return order.get(path.split("[")[0], -1) if path not in order else order[path]

    steps = sorted((o for o in outcomes if isinstance(o, Step)), key=lambda s: (_ORDER.index(s.kind), _lasting(s), place(s.paths[0])))
    found = sorted((o for o in outcomes if isinstance(o, Gap)), key=lambda gap: place(gap.path))
    return Plan(wanted.profile, wanted.release, wanted.carry, wanted.machine, tuple(steps), tuple(found), tuple(problems))


def _lasting(step: Step) -> bool:
    """Whether a call sets something outside of the context."""
    return step.kind is Kind.CALL and ("mlir" in step.arguments[0] or "float_32" in step.arguments[0])


def _settings(wanted: Wanted) -> Iterator[Outcome]:
    """The profile section, gpu_memory_limit apart, which belongs to the GPU group."""
    settings = wanted.profile.settings
    for name, value in settings.environment.items():
        yield Step(Kind.ENVIRONMENT, ("profile.environment." + name,), Fidelity.ENVIRONMENT, (name, value))
    if settings.gpu_per_process:
        yield nothing("profile.gpu_per_process", "the rank has become visible_device_list")
    if settings.numerics is None:
        return
    path, taken = "profile.numerics", False
    if settings.numerics == "tf1" and wanted.release >= TF32_SINCE:
        taken = True
        yield call(TF32_CALL, path, False, reason="products of float32 are computed in float32, as in TF 1.15")
    if settings.numerics == "tf1" and wanted.release >= ONEDNN_SINCE and ONEDNN not in settings.environment:
        taken = True
        yield Step(Kind.ENVIRONMENT, (path,), Fidelity.ENVIRONMENT, (ONEDNN, "0"), "oneDNN's kernels sum in another order")
    if not taken:
        yield nothing(path, "this release computes so by itself" if settings.numerics == "tf1" else "what TF2 does where nothing is said")


def sought(plan: Plan) -> Tuple[str, ...]:
    """What a plan must account for: the fields of its profile (device_count by key) and the keys of its profile section."""
    settings = plan.profile.settings
    found = ["profile.environment." + name for name in settings.environment]
    found += ["profile." + key for key in ("gpu_per_process", "gpu_memory_limit", "numerics") if getattr(settings, key) is not None]
    for path, entry in plan.profile.entries.items():
        value = entry.value
        found += ["%s[%s]" % (path, key) for key in value] if path == gpus.COUNT and isinstance(value, FrozenMapping) else [path]
    return tuple(found)


def span_of(plan: Plan, path: str) -> Span:
    """Where a field, or a key of the profile section, was written; the profile as a whole where it was not."""
    entry = plan.profile.entries.get(path.split("[")[0] if path.startswith(gpus.COUNT) else path)
    if entry is not None:
        return entry.span
    if path.startswith("profile."):
        return plan.profile.setting_spans.get(path[len("profile.") :], Span(Source(plan.profile.name)))
    return Span(Source(plan.profile.name))
