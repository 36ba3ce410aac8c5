"""What a module's code does to its configs, followed statement by statement.

One walk over each function (and the module) with the messages that names are bound to: what a later line writes through a
name, an attribute (`self.config`) or a sub-message's alias belongs to the message.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.migrate import files
from tf1compat_gpu.migrate.configs import Config, Module, Part, Use, Write
from tf1compat_gpu.migrate.consumers import Consumer, config_argument
from tf1compat_gpu.migrate.elsewhere import constants_from
from tf1compat_gpu.migrate.evaluate import Unknown, Value, evaluate, flags, items, text
from tf1compat_gpu.migrate.functions import Functions
from tf1compat_gpu.migrate.names import Names, dotted
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scopes import Bindings, Scope

#: Those that programs build by themselves: others have names that anything may have.
BUILT = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RewriterConfig", "ThreadPoolOptionProto", "RPCOptions", "AutoParallelOptions")


#: Consumers that take a copy of the config: what is written into it afterwards is without effect.
_COPYING = ("Session", "InteractiveSession")
#: Methods of protobuf's messages, lists and maps that change nothing.
_READING = (
    "SetInParent", "SerializeToString", "SerializePartialToString", "HasField", "WhichOneof", "ListFields", "ByteSize", "IsInitialized", "get", "items", "keys",
    "values", "index", "count",
)  # fmt: skip
#: Functions that only look at a config.
_HARMLESS = ("print", "str", "repr", "isinstance", "type", "info", "warn", "debug", "bool", "id")


class View(NamedTuple):
    """A name for a config, or for a sub-message of one.

    Attributes:
        config: The config.
        prefix: The sub-message's path, or "".
        others: What else the name may mean here: branches gave it one each.
    """

    config: Config
    prefix: str
    others: Tuple[Config, ...] = ()

    def configs(self) -> Tuple[Config, ...]:
        return (self.config, *self.others)

    def holds(self, path: str) -> bool:
        """Whether a field's path is in it."""
        return not self.prefix or path == self.prefix or path.startswith(self.prefix + ".")

    def inside(self, path: str) -> View:
        return self._replace(prefix=".".join(part for part in (self.prefix, path) if part))


def either(one: Optional[View], other: Optional[View]) -> Optional[View]:
    """What a name means after two branches."""
    if one is None or other is None or one.prefix != other.prefix:
        return one or other
    others = [config for config in (*one.configs(), *other.configs()) if config is not one.config]
    return one._replace(others=tuple({id(config): config for config in others}.values()))


class Walker:
    """Walks one module."""

    def __init__(self, tree: ast.Module, names: Names, nodes: Nodes, elsewhere: Callable[[str], Optional[Value]]) -> None:
        self.tree, self.names, self.elsewhere = tree, names, elsewhere
        self.functions = Functions(tree)
        self.flags = flags(nodes)
        self.bindings = Bindings(tree, nodes, names)
        self.configs: List[Config] = []
        self.uses: List[Use] = []
        self.helpers: Dict[str, Config] = {}
        self.attributes: Dict[str, View] = {}
        self._pending: List[Tuple[Use, str]] = []

    @cached_property
    def scope(self) -> Scope:
        """The module's."""
        return Scope(self.bindings.top, {}, self.flags, self.names, self.elsewhere)

    def walk(self) -> Module:
        _Function(self, "", {}, self.tree.body).run()
        for use, name in self._pending:  # a helper may be defined below its use
            config = self.helpers.get(name)
            if config is not None:
                config.uses.append(use)
                self.uses[self.uses.index(use)] = use._replace(config=config)
        return Module(self.configs, self.uses, self.helpers)


def parameters_of(arguments: ast.arguments) -> Dict[str, Optional[ast.expr]]:
    """A function's parameters and their defaults."""
    every = arguments.posonlyargs + arguments.args
    others = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    found: Dict[str, Optional[ast.expr]] = {argument.arg: None for argument in every + arguments.kwonlyargs + others}
    for argument, default in zip(every[len(every) - len(arguments.defaults) :], arguments.defaults):
        found[argument.arg] = default
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found[argument.arg] = keyword_default
    return found


class _Function:
    """One function's body, or the module's."""

    def __init__(
        self,
        walker: Walker,
        name: str,
        parameters: Mapping[str, Optional[ast.expr]],
        body: List[ast.stmt],
        bound: Optional[Dict[str, View]] = None,
        around: Optional[_Function] = None,
    ) -> None:
        self.walker, self.name, self.body, self.around = walker, name, body, around
        self.parameters = parameters
        self.bound: Dict[str, View] = dict(bound or {})
        self.conditions: List[str] = []
        self.at: Optional[ast.stmt] = None
        #: The class whose statements these are.
        self.inside: Optional[ast.ClassDef] = None

    @cached_property
    def own(self) -> Scope:
        """What is known of names in the function. Most functions never ask: they write into no config."""
        if self.around is None:
            return self.walker.scope
        return self.around.own.within(self.walker.bindings.of(self.body), self.parameters)

    @property
    def scope(self) -> Scope:
        """What is known of names here: a class's hide others in its own statements, and not in its methods."""
        return self.own if self.inside is None else self.own.within(self.walker.bindings.of(self.inside.body), {})

    def run(self) -> None:
        self.statements(self.body)

    def statements(self, body: List[ast.stmt]) -> None:
        for statement in body:
            self.at = statement
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            outside, self.inside = self.inside, node
            self.statements(node.body)
            self.inside = outside
        elif isinstance(node, ast.If):
            self.expression(node.test)
            before = dict(self.bound)
            self.under(text(node.test), node.body)
            then, self.bound = self.bound, before
            self.under("not (%s)" % text(node.test), node.orelse)
            self.join(then)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self.expression(node.test if isinstance(node, ast.While) else node.iter)
            before = dict(self.bound)
            self.under("a loop", node.body)
            self.join(before)
            self.statements(node.orelse)
        elif isinstance(node, ast.Try):
            before = dict(self.bound)
            self.statements(node.body)
            self.statements(node.orelse)
            whole, self.bound = self.bound, {**before, **self.bound}
            for handler in node.handlers:
                self.under("an exception", handler.body)
            self.join(whole)
            self.join(before)
            self.statements(node.finalbody)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                view = self.expression(item.context_expr)
                if view is not None and item.optional_vars is not None:
                    self.bind(item.optional_vars, view)
            self.statements(node.body)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if node.value is not None:
                self.assignment(node.targets if isinstance(node, ast.Assign) else [node.target], node.value)
        elif isinstance(node, (ast.AugAssign, ast.Delete)):
            self.changed(node)
        elif isinstance(node, ast.Return):
            view = self.expression(node.value) if node.value is not None else None
            if view is not None and not view.prefix and view.config.message == "ConfigProto":
                for config in view.configs():
                    config.returned = True
                self.walker.helpers.setdefault(self.name, view.config)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.expression(child)

    def changed(self, node: ast.AugAssign | ast.Delete) -> None:
        """`config.field += 1`, `del config.device_filters[:]`."""
        if isinstance(node, ast.AugAssign):
            self.expression(node.value)
        for target in [node.target] if isinstance(node, ast.AugAssign) else node.targets:
            view = self.view(target.value if isinstance(target, ast.Subscript) else target)
            if view is not None and view.prefix:
                self.undone(view, node)

    def join(self, other: Mapping[str, View]) -> None:
        """Where two branches meet, a name means what it means in either."""
        for name, view in other.items():
            joined = either(self.bound.get(name), view)
            assert joined is not None
            self.bound[name] = joined

    def under(self, condition: str, body: List[ast.stmt]) -> None:
        self.conditions.append(condition)
        self.statements(body)
        self.conditions.pop()

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for expression in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            self.expression(expression)
        _Function(self.walker, node.name, parameters_of(node.args), node.body, self.bound, self).run()

    def lambda_(self, node: ast.Lambda) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.expression(default)
        inside = _Function(self.walker, "<lambda>", parameters_of(node.args), [], self.bound, self)
        inside.at = self.at
        inside.expression(node.body)

    # Expressions

    def expression(self, node: Optional[ast.AST]) -> Optional[View]:
        """The config that an expression is, where it is one; what is nested in it is walked too."""
        if node is None:
            return None
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.view(node)
        if isinstance(node, ast.IfExp):
            found = [self.expression(node.body), self.expression(node.orelse)]
            return either(*found)
        if isinstance(node, ast.Constant):
            return None
        if isinstance(node, ast.Lambda):
            self.lambda_(node)
            return None
        for child in ast.iter_child_nodes(node):
            self.expression(child)
        return None

    def view(self, node: ast.AST) -> Optional[View]:
        """What a dotted name means among the configs: `config`, `self.config`, `config.gpu_options`."""
        name = dotted(node)
        if name is None:
            if isinstance(node, ast.Attribute):
                self.expression(node.value)
            return None
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            head = ".".join(parts[:length])
            found = self.bound.get(head) or self.walker.attributes.get(head)
            if found is not None:
                rest = ".".join(parts[length:])
                return found.inside(rest)
        return None

    def call(self, node: ast.Call) -> Optional[View]:
        symbol = self.walker.names.symbol(node.func) or ""
        last = symbol.rpartition(".")[2]
        if self.built(node):
            return View(self.constructed(last, node), "")
        if symbol == "setattr" and self.set_by_name(node):
            return None
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        owner = self.view(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if owner is not None:
            self.method(owner, method, node)
            return None
        use = config_argument(node, symbol, method)
        if use is not None:
            self.consumed(use[0], node, use[1])
        for child in list(node.args) + [keyword.value for keyword in node.keywords]:
            if use is None or child is not use[1]:
                passed = self.expression(child)
                if passed is not None and last not in _HARMLESS and not self.walker.functions.only_passes_on(node, child):
                    self.unclear(passed, "what %s does to it" % text(node))
        if isinstance(node.func, ast.Attribute) and owner is None:
            self.expression(node.func.value)
        helper = self.walker.helpers.get(method or last)
        return View(helper, "") if helper is not None and not symbol.startswith("tensorflow") else None

    def built(self, node: ast.Call) -> bool:
        """Whether a call makes a config or a part of one."""
        symbol = self.walker.names.symbol(node.func) or ""
        return symbol.rpartition(".")[2] in BUILT and (symbol.startswith("tensorflow") or "_pb2" in symbol or symbol.startswith("."))

    def set_by_name(self, node: ast.Call) -> bool:
        """`setattr(config, "field", value)`; whether it was that."""
        owner = self.view(node.args[0]) if len(node.args) == 3 and not node.keywords else None
        name = evaluate(node.args[1], self.scope) if owner is not None else None
        if owner is None or not isinstance(name, str):
            return False
        self.write(owner, name, node.args[2], node)
        return True

    def constructed(self, message: str, node: ast.Call) -> Config:
        made = Config(message, node, self.name, tuple(self.conditions))
        self.walker.configs.append(made)
        made.building = True
        for keyword in node.keywords:
            if keyword.arg is None:
                self.splat(made, keyword.value)
            else:
                self.write(View(made, ""), keyword.arg, keyword.value, keyword.value)
        made.building = False
        return made

    def splat(self, made: Config, node: ast.expr) -> None:
        """`**options`: what the dictionary holds; a message in it is built elsewhere, and may be changed there."""
        found = items(node, self.scope)
        if found is None or any(isinstance(item, ast.Call) and self.built(item) for item in found.values()):
            made.unclear.append("**%s" % text(node))
            return
        for name, item in found.items():
            value = evaluate(item, self.scope)
            for key, one in value.items() if isinstance(value, dict) else [("", value)]:
                self.note(View(made, name).inside(str(key)), one, node, None)

    def condition(self, config: Config) -> str:
        """What a write stands under that its config does not."""
        shared = 0
        for one, other in zip(self.conditions, config.conditions):
            if one != other:
                break
            shared += 1
        late = ["it was used"] if any(use.function == self.name and use.consumer.name in _COPYING for use in config.uses) else []
        return " and ".join(self.conditions[shared:] + late)

    def undone(self, view: View, node: ast.AST) -> None:
        """Something else than a plain write happens to a config or a part of it: what was written there is no longer certain."""
        self.unclear(view, text(node))
        for config in view.configs():
            config.writes = [self.lost(write, node) if view.holds(write.path) else write for write in config.writes]

    def replaced(self, view: View, node: ast.Call) -> None:
        """CopyFrom: what was written into a config or a part of it is gone."""
        for config in view.configs():
            gone = [write for write in config.writes if view.holds(write.path)]
            if self.condition(config) or view.others or any(write.statement is not None for write in gone):
                if gone:
                    self.undone(view, node)  # the statements that wrote it would have to go too
            else:
                config.writes = [write for write in config.writes if not view.holds(write.path)]

    def lost(self, write: Write, node: ast.AST) -> Write:
        return write._replace(value=Unknown("expression", text(node)))

    def unclear(self, view: View, why: str) -> None:
        for config in view.configs():
            config.unclear.append(why)

    def write(self, view: View, name: str, value: ast.expr, at: ast.AST) -> None:
        """Note that a field is given a value: a plain one, a dictionary for a map, or a message."""
        target = view.inside(name)
        inner = self.expression(value)
        if inner is not None:
            if inner.others:
                self.unclear(view, text(value))
            elif not inner.prefix and inner.config not in view.configs():
                for config in view.configs():
                    self.put(config, target.prefix, inner.config, value)
            return
        found = evaluate(value, self.scope)
        if isinstance(found, dict):
            for key, item in found.items():
                self.note(target.inside(str(key)), item, at, None)
        else:
            self.note(target, found, at, value)

    def put(self, config: Config, path: str, part: Config, value: ast.expr) -> None:
        """Note that a message that was built by itself becomes a part of another: with all that it holds by then."""
        part.part_of = config
        under = self.condition(config)
        config.parts.append(Part(part, path, self.at, value, under))
        config.writes += [each._replace(path=".".join(name for name in (path, each.path) if name), condition=each.condition or under) for each in part.writes]
        config.unclear += part.unclear

    def note(self, view: View, value: Value, at: ast.AST, expression: Optional[ast.expr]) -> None:
        """Note one field's value."""
        line, column = getattr(at, "lineno", 0), getattr(at, "col_offset", 0) + 1
        for config in view.configs():
            statement = None if config.building else self.at
            config.writes.append(Write(view.prefix, value, line, column, self.condition(config), config, statement, expression, self.name))

    def method(self, owner: View, method: str, node: ast.Call) -> None:
        """A method called on a config or a part of one."""
        if method in ("CopyFrom", "MergeFrom") and node.args:
            if method == "CopyFrom":
                self.replaced(owner, node)
            self.write(owner, "", node.args[0], node)
        elif method in ("append", "extend") and node.args:
            value = evaluate(node.args[0], self.scope)
            items = value if method == "extend" and isinstance(value, tuple) else (value,)
            for item in items:
                self.note(owner, item, node, node.args[0] if method == "append" else None)
        elif method == "update" and node.args:
            self.write(owner, "", node.args[0], node)
        elif method not in _READING:
            self.undone(owner, node)

    def consumed(self, consumer: Consumer, node: ast.Call, given: Optional[ast.expr]) -> None:
        view = self.expression(given) if given is not None else None
        config = view.config if view is not None and not view.prefix else None
        use = Use(consumer, node, config, given, self.name)
        self.walker.uses.append(use)
        if view is not None and config is not None:
            for each in view.configs():
                each.uses.append(use)
        elif isinstance(given, ast.Call):
            called = dotted(given.func)
            if called is not None:
                self.walker._pending.append((use, called.rpartition(".")[2]))

    # Binding

    def assignment(self, targets: List[ast.expr], value: ast.expr) -> None:
        plain = len(targets) == 1 and isinstance(targets[0], (ast.Attribute, ast.Subscript))
        if plain:
            target = targets[0]
            owner = self.view(target.value)  # type: ignore[attr-defined]
            if owner is not None and isinstance(target, ast.Attribute):
                self.write(owner, target.attr, value, target)
                return
            if owner is not None and isinstance(target, ast.Subscript):
                key = evaluate(target.slice, self.scope)
                if isinstance(key, Unknown):
                    self.unclear(owner, text(target))
                else:
                    self.write(owner, str(key), value, target)
                return
        view = self.expression(value)
        for target in targets:
            if view is not None:
                self.bind(target, view)
            elif isinstance(target, ast.Name):
                self.bound.pop(target.id, None)

    def bind(self, target: ast.expr, view: View) -> None:
        name = dotted(target)
        if name is None:
            return
        if isinstance(target, ast.Name):
            self.bound[name] = view
        else:
            self.walker.attributes[name] = view


#: Of these names, a module that matters here has one.
_MARKS = ("ConfigProto", "config_pb2", "ession", "GPUOptions", "RunConfig", "enable_eager", "list_local_devices", ".Server(", "Supervisor")


def walk(tree: ast.Module, names: Names, nodes: Nodes, text: files.Text) -> Module:
    """The configs of a module, and what takes a config in it."""
    if not any(mark in text.text for mark in _MARKS):
        return Module([], [], {})
    return Walker(tree, names, nodes, constants_from(text.path)).walk()
