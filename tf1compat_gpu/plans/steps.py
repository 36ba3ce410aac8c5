"""What a plan is made of, as plain data: steps that are taken, and gaps that are left.

Applying (runtime.apply), printing (plans.code) and showing (cli.plan) read the same steps; nothing here does anything.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic
from tf1compat_gpu.plans.rules import Fidelity
from tf1compat_gpu.profiles.fields import Release
from tf1compat_gpu.profiles.profile import Profile


class Kind(Enum):
    """What is done in a step, with what its `arguments` hold.

    Attributes:
        CALL: A public call: its dotted name, then its arguments, plain values.
        ENVIRONMENT: A variable set before TensorFlow starts: its name and value.
        ORDER: The order of GPUs by CUDA_VISIBLE_DEVICES, before CUDA starts: their ids.
        VISIBLE: The devices that are used: their ids in ascending order (None: all), how many of them (None: all), and their type.
        GROWTH: Memory growth on every GPU that is used.
        LOGICAL_CPUS: How many CPU devices there are.
        LOGICAL_GPUS: How cards are split: pairs of a card's id and a tuple of `LogicalGpu`; id None is every card that is used.
        MEMORY_FRACTION: A limit on every GPU that is used: the part of its total memory.
        CARRY: A field that goes into the base ConfigProto: nothing, because `paths` says it.
        NOTHING: TF2 does it by itself, or neither TF1 nor TF2 does anything.
    """

    CALL = "call"
    ENVIRONMENT = "environment"
    ORDER = "order"
    VISIBLE = "visible"
    GROWTH = "growth"
    LOGICAL_CPUS = "logical cpus"
    LOGICAL_GPUS = "logical gpus"
    MEMORY_FRACTION = "memory fraction"
    CARRY = "carry"
    NOTHING = "nothing"


class LogicalGpu(NamedTuple):
    """One of the devices that a card is split into: MiB, and the stream priority and ordinal where there are any."""

    memory_limit: float
    priority: Optional[int] = None
    device_ordinal: Optional[int] = None


class Step(NamedTuple):
    """Something to do for one or several fields.

    Attributes:
        kind: What to do.
        paths: The field paths that it serves; a map's key in brackets; `profile.KEY` for what is no field.
        fidelity: How faithful it is.
        arguments: What `kind` needs.
        reason: Why it is done so; "" where it speaks for itself.
    """

    kind: Kind
    paths: Tuple[str, ...]
    fidelity: Fidelity
    arguments: Tuple[Any, ...] = ()
    reason: str = ""


class Gap(NamedTuple):
    """Something that a TF1 session does with a field and that the plan does not do, or does otherwise.

    Attributes:
        path: The field path.
        fidelity: APPROXIMATE, SESSION_ONLY or UNAVAILABLE.
        reason: What differs, and what to do instead.
    """

    path: str
    fidelity: Fidelity
    reason: str


class Machine(NamedTuple):
    """What is known of the machine that a plan is for.

    Attributes:
        gpus: How many GPUs TensorFlow sees there, or None where that isn't known.
        can_order: Whether CUDA has yet to start, so that CUDA_VISIBLE_DEVICES still acts.
    """

    gpus: Optional[int] = None
    can_order: bool = True


ANY_MACHINE = Machine()


class Plan(NamedTuple):
    """A profile as it is had in TF2: every field is in a step or a gap, and some are in both.

    Attributes:
        profile: The profile.
        release: The TensorFlow release that it is for.
        carry: Whether fields without a public call go into the base ConfigProto of the eager context.
        machine: The machine that it is for.
        steps: What to do, in this order.
        gaps: What is lost, in the proto's order.
        problems: What keeps the plan from being carried out at all: errors.
    """

    profile: Profile
    release: Release
    carry: bool
    machine: Machine
    steps: Tuple[Step, ...]
    gaps: Tuple[Gap, ...]
    problems: Tuple[Diagnostic, ...] = ()

    def carried(self) -> Tuple[str, ...]:
        """The field paths that go into the base ConfigProto."""
        return tuple(path for step in self.steps if step.kind is Kind.CARRY for path in step.paths)

    def fidelity(self, path: str) -> Fidelity:
        """The fidelity of a field in this plan: that of its gap, or else that of its step.

        Raises:
            KeyError: The profile has no such field.
        """
        for gap in self.gaps:
            if gap.path == path:
                return gap.fidelity
        for step in self.steps:
            if path in step.paths:
                return step.fidelity
        raise KeyError(path)
