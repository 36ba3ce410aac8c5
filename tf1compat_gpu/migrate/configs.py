"""The configs that a module builds: each ConfigProto, with everything that is written into it, and where it goes."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from tf1compat_gpu.migrate.consumers import Consumer
from tf1compat_gpu.migrate.evaluate import Unknown, Value
from tf1compat_gpu.profiles import fields

#: The field that says which GPU a process of a job takes, and the setting that says it once for all of them.
RANKED, PER_PROCESS = "gpu_options.visible_device_list", "profile.gpu_per_process"


class Bound(NamedTuple):
    """A name that a config was bound to.

    Attributes:
        name: The last part of it.
        target: The node.
        body: The statements of the function or the module whose name it is; None for an attribute.
    """

    name: str
    target: ast.AST
    body: Optional[List[ast.stmt]]


class Write(NamedTuple):
    """One field that a config is given.

    Attributes:
        path: Relative to the message: "gpu_options.allow_growth", "device_count.CPU".
        value: The value, or an Unknown.
        line, column: Where it is written (columns count from 1).
        condition: The condition that it stands under, as written, or "".
        of: The message that it is written into.
        statement: The statement that writes it, or None where the message's constructor does.
        expression: What is written, or None where no expression of its own is (an item of a dictionary).
        function: The function it is written in, or "".
        stays: Whether it may be meant for something else too, so that the statement has to stay.
    """

    path: str
    value: Value
    line: int
    column: int
    condition: str
    of: Config
    statement: Optional[ast.stmt]
    expression: Optional[ast.expr]
    function: str
    stays: bool = False


class Condition:
    """A block that is not always run. Two of the same text are two: what they ask may have another answer by then."""

    def __init__(self, text: str) -> None:
        self.text = text


class Config:
    """A message that is built somewhere.

    Attributes:
        message: "ConfigProto", "GPUOptions", ...
        node: The call that makes it.
        function: The function it is made in, or "".
        conditions: The conditions that it is made under: what is written under the same ones is certain.
        writes: What is written into it, in order.
        uses: What consumes it.
        returned: Whether the function gives it back.
        part_of: The config that it became a part of.
        parts: The messages that became parts of it.
        unclear: What else may write into it, as written.
        used: Whether a function of the module was given it for a session.
        calls: How many of the module's functions were called before it was made.
        names: What it was bound to.
        reads: What was read of it, and how many writes there were by then.
        built: How many of the writes are its constructor's.
        inherited: Whether it is an attribute that methods of other classes may use.
        interrupted: Whether an exception may have ended what wrote into it.
    """

    def __init__(self, message: str, node: ast.Call, function: str, conditions: Tuple[Condition, ...] = (), calls: int = 0) -> None:
        self.message, self.node, self.function, self.conditions = message, node, function, conditions
        self.writes: List[Write] = []
        self.uses: List[Use] = []
        self.returned = False
        self.part_of: Optional[Config] = None
        self.parts: List[Part] = []
        #: Whether its constructor's arguments are being read.
        self.building = False
        self.unclear: List[str] = []
        self.built, self.inherited = 0, False
        self.used, self.calls, self.interrupted = False, calls, False
        self.names: List[Bound] = []
        self.reads: List[Tuple[str, int]] = []


class Part(NamedTuple):
    """A message that was built by itself and became a part of another.

    Attributes:
        config: The message.
        path: The field that it became.
        statement: The statement that puts it there.
        expression: What names it there.
        condition: The condition that it was put there under, or "".
    """

    config: Config
    path: str
    statement: Optional[ast.stmt]
    expression: ast.expr
    condition: str


class Use(NamedTuple):
    """A call that takes a config, or could."""

    consumer: Consumer
    node: ast.Call
    config: Optional[Config]
    given: Optional[ast.expr]
    function: str


class Module(NamedTuple):
    """What one module holds."""

    configs: List[Config]
    uses: List[Use]
    helpers: Dict[str, Config]


def resolved(config: Config) -> Tuple[Dict[str, Any], Dict[str, Write]]:
    """A config's fields: those with one certain value, and those that are dynamic (a flag, a condition, two values)."""
    static: Dict[str, Any] = {}
    dynamic: Dict[str, Write] = {}
    for write in config.writes:
        write = write._replace(condition=condition_of(config, write))
        repeated = _repeated(write.path)
        if write.path == RANKED and isinstance(write.value, Unknown) and write.value.kind == "local_rank" and not write.condition:
            static.pop(write.path, None)
            dynamic.pop(write.path, None)
            static[PER_PROCESS] = "local_rank"
        elif isinstance(write.value, Unknown) or write.condition or repeated and write.path in dynamic:
            for path in [path for path in static if path == write.path or path.startswith(write.path + ".")]:
                dynamic[path] = write
                del static[path]
            dynamic[write.path] = write
        elif repeated and write.path in static:
            static[write.path] = static[write.path] + (write.value if isinstance(write.value, tuple) else (write.value,))
        else:
            dynamic.pop(write.path, None)
            static[write.path] = write.value if not repeated or isinstance(write.value, tuple) else (write.value,)
    if RANKED in static or RANKED in dynamic:
        static.pop(PER_PROCESS, None)
    return static, dynamic


def condition_of(config: Config, write: Write) -> str:
    """What a write stands under: its condition, or the function that it is in, where the config is made and used in others."""
    elsewhere = config.inherited or any(use.function != write.function for use in config.uses)
    apart = write.function != write.of.function and elsewhere
    if write.condition or not apart and (config.uses or write.function == write.of.function):
        return write.condition
    return "a call of %s" % (write.function or "the module")


def _repeated(path: str) -> bool:
    found = fields.find(path)
    return found is not None and found.field.repeated
