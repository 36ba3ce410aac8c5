"""A plan as Python that a person can paste: public calls of the plan's release, and a comment for each gap."""

from __future__ import annotations

import textwrap
from typing import Any, Callable, Dict, Iterator, List, Tuple

from tf1compat_gpu.plans.plan import sought
from tf1compat_gpu.plans.rules import Fidelity
from tf1compat_gpu.plans.steps import Kind, LogicalGpu, Plan, Step
from tf1compat_gpu.profiles.fields import Release, format_release
from tf1compat_gpu.profiles.profile import FrozenMapping
from tf1compat_gpu.profiles.secrets import MASK, is_secret

WIDTH = 100
#: What left `experimental` with 2.1, by its name there (1.15 has the old names alone).
_OLD_NAMES = {
    "tf.config.list_physical_devices": "tf.config.experimental.list_physical_devices",
    "tf.config.set_visible_devices": "tf.config.experimental.set_visible_devices",
    "tf.config.set_logical_device_configuration": "tf.config.experimental.set_virtual_device_configuration",
    "tf.config.LogicalDeviceConfiguration": "tf.config.experimental.VirtualDeviceConfiguration",
}
_GRADUATED = (2, 1)
_USED = "gpus"


def spelled(function: str, release: Release) -> str:
    """The dotted name that a release has for a call."""
    return _OLD_NAMES.get(function, function) if release < _GRADUATED else function


class _Printer:
    """The lines of one plan, in the parts that they stand in."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.before: List[str] = []
        self.lines: List[str] = []
        self.imports = {"import tensorflow as tf"}
        self.lists_gpus = False

    def name(self, function: str) -> str:
        return spelled(function, self.plan.release)

    def comment(self, step: Step) -> str:
        made_from = sorted({name for path in step.paths for name in self._variables(path)})
        parts = [", ".join(step.paths) if step.kind is Kind.ENVIRONMENT else "", step.reason]
        parts += ["made from " + ", ".join("${%s}" % name for name in made_from)] if made_from else []
        return "; ".join(part for part in parts if part)

    def _variables(self, path: str) -> Tuple[str, ...]:
        entry = self.plan.profile.entries.get(path.split("[")[0] if "[]" not in path else path)
        return entry.variables if entry else ()

    def commented(self, step: Step, lines: List[str]) -> List[str]:
        text = self.comment(step)
        return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ") + lines if text else lines

    def step(self, step: Step) -> None:
        early = step.kind in (Kind.ENVIRONMENT, Kind.ORDER)
        (self.before if early else self.lines).extend(self.commented(step, list(_PRINTED[step.kind](self, *step.arguments))))
        if early:
            self.imports.add("import os")

    # One method a kind of step: the lines that take it.

    def call(self, function: str, *arguments: Any) -> Iterator[str]:
        yield "%s(%s)" % (self.name(function), ", ".join(_literal(argument) for argument in arguments))

    def environment(self, name: str, value: str) -> Iterator[str]:
        yield "os.environ.setdefault(%s, %s)" % (_literal(name), _literal(MASK if is_secret([name]) else value))

    def order(self, ids: Tuple[int, ...]) -> Iterator[str]:
        yield 'cards = [card for card in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if card]'
        yield 'os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards[i] if cards else str(i) for i in %s)' % (_listed(ids),)

    def visible(self, ids: Any, count: Any, type: str) -> Iterator[str]:
        function = self.name("tf.config.set_visible_devices")
        if ids is not None and not ids:
            yield '%s([], "%s")' % (function, type)
            return
        if type != "GPU":
            yield 'devices = %s("%s")' % (self.name("tf.config.list_physical_devices"), type)
            yield 'if devices:\n    %s([devices[i] for i in %s], "%s")' % (function, _listed(ids), type)
            return
        self.lists_gpus = True
        chosen = "[%s[i] for i in %s] if %s else []" % (_USED, _listed(ids), _USED) if ids is not None else "%s[:%d]" % (_USED, count)
        yield "%s = %s" % (_USED, chosen)
        yield '%s(%s, "GPU")' % (function, _USED)

    def growth(self) -> Iterator[str]:
        self.lists_gpus = True
        yield "for gpu in %s:" % _USED
        yield "    tf.config.experimental.set_memory_growth(gpu, True)"

    def logical_cpus(self, count: int) -> Iterator[str]:
        yield 'cpu = %s("CPU")[0]' % self.name("tf.config.list_physical_devices")
        configuration = self.name("tf.config.LogicalDeviceConfiguration")
        yield "%s(cpu, [%s()] * %d)" % (self.name("tf.config.set_logical_device_configuration"), configuration, count)

    def logical_gpus(self, cards: Tuple[Tuple[Any, Tuple[LogicalGpu, ...]], ...]) -> Iterator[str]:
        function, configuration = self.name("tf.config.set_logical_device_configuration"), self.name("tf.config.LogicalDeviceConfiguration")

        def made(device: LogicalGpu) -> str:
            given = [("memory_limit", device.memory_limit), ("experimental_priority", device.priority)]
            given += [("experimental_device_ordinal", device.device_ordinal)]
            return "%s(%s)" % (configuration, ", ".join("%s=%s" % (name, _literal(value)) for name, value in given if value is not None))

        for card, devices in cards:
            if card is None:
                self.lists_gpus = True
                yield "for gpu in %s:" % _USED
            else:  # a slice: where there is no such card, nothing is done
                yield 'for gpu in %s("GPU")[%d:%d]:' % (self.name("tf.config.list_physical_devices"), card, card + 1)
            if len(devices) == 1:
                yield "    %s(gpu, [%s])" % (function, made(devices[0]))
            else:
                yield "    parts = ["
                for device in devices:
                    yield "        %s," % made(device)
                yield "    ]"
                yield "    %s(gpu, parts)" % function

    def memory_fraction(self, fraction: float) -> Iterator[str]:
        self.lists_gpus = True
        yield "if %s:" % _USED
        yield "    import pynvml  # pip install nvidia-ml-py"
        yield ""
        yield "    pynvml.nvmlInit()"
        yield "    cards = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]"
        yield "    totals = {pynvml.nvmlDeviceGetName(card): pynvml.nvmlDeviceGetMemoryInfo(card).total for card in cards}"
        yield "    for gpu in %s:" % _USED
        yield '        total = totals[tf.config.experimental.get_device_details(gpu)["device_name"]]'
        yield "        limit = int(total * %r) >> 20  # MiB" % fraction
        configuration = "%s(memory_limit=limit)" % self.name("tf.config.LogicalDeviceConfiguration")
        yield "        %s(gpu, [%s])" % (self.name("tf.config.set_logical_device_configuration"), configuration)

    def nothing(self) -> Iterator[str]:
        return iter(())


_PRINTED: Dict[Kind, Callable[..., Iterator[str]]] = {
    Kind.CALL: _Printer.call,
    Kind.ENVIRONMENT: _Printer.environment,
    Kind.ORDER: _Printer.order,
    Kind.VISIBLE: _Printer.visible,
    Kind.GROWTH: _Printer.growth,
    Kind.LOGICAL_CPUS: _Printer.logical_cpus,
    Kind.LOGICAL_GPUS: _Printer.logical_gpus,
    Kind.MEMORY_FRACTION: _Printer.memory_fraction,
}


def _literal(value: Any) -> str:
    if isinstance(value, FrozenMapping):
        return "{%s}" % ", ".join("%s: %s" % (_literal(key), _literal(item)) for key, item in value.items())
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return '"%s"' % value if isinstance(value, str) and value.isprintable() and not set('"\\') & set(value) else repr(value)


def _listed(ids: Any) -> str:
    return "(%s,)" % ids[0] if len(ids) == 1 else "(%s)" % ", ".join(map(str, ids))


def step_text(plan: Plan, step: Step) -> str:
    """What a step does, in one line: its Python where that is one line, or else in words."""
    if step.kind is Kind.CARRY:
        text = "carried in the base ConfigProto"
    elif step.kind is Kind.NOTHING:
        text = "nothing to do"
    elif step.kind is Kind.ENVIRONMENT:
        text = "%s=%s before TensorFlow starts" % (step.arguments[0], MASK if is_secret([step.arguments[0]]) else step.arguments[1])
    elif step.kind is Kind.ORDER:
        text = "CUDA_VISIBLE_DEVICES=%s before CUDA starts" % ",".join(str(number) for number in step.arguments[0])
    else:
        lines = list(_PRINTED[step.kind](_Printer(plan), *step.arguments))
        text = _IN_WORDS.get(step.kind, lines[-1].strip())
    return "%s: %s" % (text, step.reason) if step.reason else text


_IN_WORDS = {
    Kind.GROWTH: "tf.config.experimental.set_memory_growth(gpu, True) for every GPU that is used",
    Kind.MEMORY_FRACTION: "a memory_limit for every GPU that is used",
    Kind.LOGICAL_GPUS: "tf.config.set_logical_device_configuration for every GPU that is used",
}


def _gaps(plan: Plan) -> Iterator[str]:
    lost = [(gap.path, str(gap.fidelity), gap.reason) for gap in plan.gaps]
    same = [(path, "no effect", step.reason) for step in plan.steps if step.fidelity is Fidelity.NO_EFFECT for path in step.paths]
    for title, rows in (("Of the profile, this is not the same in TF2:", lost), ("Of the profile, nothing reads this:", same)):
        if rows:
            yield "# " + title
        for path, fidelity, reason in rows:
            text = "%s (%s): %s" % (path, fidelity, reason)
            yield from textwrap.wrap(text, WIDTH, initial_indent="# - ", subsequent_indent="#   ", break_long_words=False, break_on_hyphens=False)


def python_of(plan: Plan) -> str:
    """A plan that carries nothing, as a Python program of its release that ends where the user's begins.

    Args:
        plan: A plan made with `carry=False` and no machine, so that the program runs on any.

    Raises:
        ValueError: The plan carries fields, which takes more than public calls.
    """
    if plan.carried():
        raise ValueError("a plan that carries fields can't be printed; make it with carry=False")
    printer = _Printer(plan)
    for step in plan.steps:
        if step.kind is not Kind.NOTHING:
            printer.step(step)
    name = plan.profile.name + ("#" + plan.profile.variant if plan.profile.variant else "")
    head = ["# %s in TensorFlow %s: before the first operation." % (name, format_release(plan.release))]
    if not sought(plan):
        head[0] = "# An empty profile in TensorFlow %s: before the first operation." % format_release(plan.release)
    gaps = list(_gaps(plan))
    parts = [head + gaps]
    if "import os" in printer.imports:
        parts += [["import os"], printer.before]
    parts.append(["import tensorflow as tf"])
    if printer.lists_gpus:
        printer.lines.insert(0, '%s = %s("GPU")' % (_USED, printer.name("tf.config.list_physical_devices")))
    parts.append(printer.lines)
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"
