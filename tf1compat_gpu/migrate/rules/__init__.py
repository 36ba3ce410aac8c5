"""The rules, one file a construct: each is a function from a module's facts to findings. To add one, write it and list it here."""

from __future__ import annotations

from typing import Callable, Iterator, Tuple

from tf1compat_gpu.migrate.finding import Facts, Finding
from tf1compat_gpu.migrate.rules import config, contrib, devices, dotted, eager, environment, estimator, hidden, keras, libraries, session

Rule = Callable[[Facts], Iterator[Finding]]
RULES: Tuple[Rule, ...] = (
    config.check, session.check, eager.check, devices.check, environment.check, keras.check, estimator.check, contrib.check, libraries.check, hidden.check,
    dotted.check,
)  # fmt: skip
#: Code -> what it reports, for documentation and `--select`.
CODES = {
    "config": config.__doc__, "session": session.__doc__, "eager-config": eager.__doc__, "device-listing": devices.__doc__, "environment": environment.__doc__,
    "keras-session": keras.__doc__, "estimator": estimator.__doc__, "contrib": contrib.__doc__, "library": libraries.__doc__, "hidden": hidden.__doc__,
    "dotted": dotted.__doc__,
    "tensorflow-pin": "A script, an image or a notebook that asks for a TensorFlow release.",
    "python-2": "A source that only an older Python reads, or a session in one that can't be parsed.",
}  # fmt: skip
