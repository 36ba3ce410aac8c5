"""What a module's code does to its configs, followed statement by statement.

One walk over each function (and the module) with the messages that names are bound to: what a later line writes through a
name, an attribute (`self.config`) or a sub-message's alias belongs to the message.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.migrate import files
from tf1compat_gpu.migrate.aliases import Aliases
from tf1compat_gpu.migrate.configs import Condition, Config, Module, Part, Use, Write
from tf1compat_gpu.migrate.consumers import Consumer, config_argument
from tf1compat_gpu.migrate.elsewhere import constants_from
from tf1compat_gpu.migrate.evaluate import Member, Unknown, Value, evaluate, flags, items, text
from tf1compat_gpu.migrate.functions import Functions
from tf1compat_gpu.migrate.names import Names, dotted
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scopes import Bindings, Scope
from tf1compat_gpu.profiles import fields

#: Those that programs build by themselves: others have names that anything may have.
BUILT = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RewriterConfig", "ThreadPoolOptionProto", "RPCOptions", "AutoParallelOptions")


#: Context managers that swallow exceptions: what follows in their block may not be run.
_SWALLOWING = ("suppress", "raises", "assertRaises", "assertRaisesRegex")
#: Expressions that look at what is in them, and keep nothing of it.
_LOOKING = (ast.Compare, ast.JoinedStr, ast.FormattedValue, ast.UnaryOp, ast.BinOp, ast.Subscript)
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
        shared: Whether it may also mean something that is not known: what is written through it has to stay in the code.
        again: Whether its config is made by a function that more than one call may ask for one.
    """

    config: Config
    prefix: str
    others: Tuple[Config, ...] = ()
    shared: bool = False
    again: bool = False

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
        known = one or other
        return None if known is None else known._replace(shared=True)
    others = [config for config in (*one.configs(), *other.configs()) if config is not one.config]
    return one._replace(others=tuple({id(config): config for config in others}.values()), shared=one.shared or other.shared)


def _holds_more(view: View) -> bool:
    """Whether what a view means can be written into: a message, a list or a map, and not a plain value."""
    found = fields.find(view.prefix) if view.prefix and view.config.message == "ConfigProto" else None
    return found is None or found.field.is_message or found.field.repeated or found.field.is_map


def _member(path: str, value: Value) -> Value:
    """A value, or an Unknown for what looks like an enum's member in a field of another kind."""
    found = fields.find(path)
    if isinstance(value, Member) and found is not None and found.field.type not in fields.enums():
        return Unknown("attribute", "the constant %s" % value)
    return value


def _leaves(handlers: List[ast.ExceptHandler]) -> bool:
    """Whether every handler ends what it stands in, so that nothing behind it sees half of the work."""
    return all(isinstance(handler.body[-1], (ast.Raise, ast.Return, ast.Continue, ast.Break)) for handler in handlers)


def _breaks(loop: ast.AST) -> bool:
    return any(isinstance(node, ast.Break) for node in ast.walk(loop))


class Walker:
    """Walks one module."""

    def __init__(self, tree: ast.Module, names: Names, nodes: Nodes, elsewhere: Callable[[str], Optional[Value]]) -> None:
        self.tree, self.names, self.elsewhere = tree, names, elsewhere
        self.functions = Functions(tree)
        self.flags = flags(nodes)
        self.bindings = Bindings(tree, nodes, names)
        self.configs: List[Config] = []
        self.uses: List[Use] = []
        self.helpers: Dict[str, View] = {}
        #: By the class that `self` is of ("" for what is no self) and the dotted name.
        self.attributes: Dict[Tuple[str, str], View] = {}
        self.aliases = Aliases(tree, nodes, names, self.bindings)
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        derived = [(node.name, dotted(base) or "") for node in classes for base in node.bases if dotted(base) != "object"]
        #: Classes whose methods others may have too, or which have others' methods.
        self.related = frozenset(name for pair in derived for name in pair)
        #: How many calls of the module's own functions have been walked.
        self.calls = 0
        self._pending: List[Tuple[Use, str]] = []

    @cached_property
    def scope(self) -> Scope:
        """The module's."""
        return Scope(self.bindings.top, {}, self.flags, self.names, self.elsewhere, self.bindings.hidden, self.bindings.stored)

    def walk(self) -> Module:
        _Function(self, "", {}, self.tree.body).run()
        for use, name in self._pending:  # a helper may be defined below its use
            view = self.helpers.get(name)
            if view is not None:
                for config in view.configs():
                    config.uses.append(use)
                self.uses[self.uses.index(use)] = use._replace(config=view.config)
        given = {id(use.given) for use in self.uses}
        for config in self.configs:
            node = self.aliases.not_followed(config, given)
            if node is not None:
                config.unclear.append("%s in line %d" % (text(node), getattr(node, "lineno", 0)))
        return Module(self.configs, self.uses, {name: view.config for name, view in self.helpers.items()})


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
        self.conditions: List[Condition] = []
        self.at: Optional[ast.stmt] = None
        #: The class whose statements these are.
        self.inside: Optional[ast.ClassDef] = None
        #: What names mean around that class: its methods don't see its own.
        self.outside: Optional[Dict[str, View]] = None
        #: The class that this is a method of, by name.
        self.owner: str = "" if around is None else around.inside.name if around.inside is not None else around.owner

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
            self.class_(node)
        elif isinstance(node, ast.If):
            self.looked_at(self.expression(node.test))
            before = dict(self.bound)
            self.under(text(node.test), node.body)
            then, self.bound = self.bound, before
            self.under("not (%s)" % text(node.test), node.orelse)
            self.join(then)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self.loop(node)
        elif type(node).__name__ in ("Try", "TryStar"):
            self.try_(node)  # type: ignore[arg-type]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                view = self.expression(item.context_expr)
                if item.optional_vars is not None:
                    self.target(item.optional_vars, view)
            called = [item.context_expr.func for item in node.items if isinstance(item.context_expr, ast.Call)]
            if any((dotted(each) or "").rpartition(".")[2] in _SWALLOWING for each in called):
                self.attempt(node.body)
            else:
                self.statements(node.body)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if node.value is not None:
                self.assignment(node.targets if isinstance(node, ast.Assign) else [node.target], node.value)
        elif isinstance(node, (ast.AugAssign, ast.Delete)):
            self.changed(node)
        elif isinstance(node, ast.Return):
            self.returned(node)
        elif type(node).__name__ == "Match":
            self.match(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.bound.pop(alias.asname or alias.name.partition(".")[0], None)
        elif isinstance(node, (ast.Expr, ast.Assert)):
            self.looked_at(self.expression(node.value if isinstance(node, ast.Expr) else node.test))
        else:
            self.inner(node)

    def class_(self, node: ast.ClassDef) -> None:
        for child in (*node.decorator_list, *node.bases):
            self.escaped(self.expression(child), child)
        inside, outside, before = self.inside, self.outside, dict(self.bound)
        self.inside, self.outside = node, before
        self.statements(node.body)
        self.inside, self.outside, self.bound = inside, outside, before

    def loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        over = node.test if isinstance(node, ast.While) else node.iter
        view = self.expression(over)
        (self.looked_at if isinstance(node, ast.While) else lambda found: self.escaped(found, over))(view)
        before = dict(self.bound)
        if not isinstance(node, ast.While):
            self.target(node.target, None)
        self.under("a loop", node.body)
        self.join(before)
        if _breaks(node):
            self.under("a loop that runs to its end", node.orelse)
        else:
            self.statements(node.orelse)

    def try_(self, node: ast.Try) -> None:
        before = dict(self.bound)
        if node.handlers and not _leaves(node.handlers):
            self.attempt([*node.body, *node.orelse])
        else:
            self.statements([*node.body, *node.orelse])
        whole, self.bound = self.bound, {**before, **self.bound}
        for handler in node.handlers:
            if handler.name:
                self.bound.pop(handler.name, None)
            self.under("an exception", handler.body)
        self.join(whole)
        self.join(before)
        self.statements(node.finalbody)

    def attempt(self, body: List[ast.stmt]) -> None:
        """Statements that an exception may end, and what follows them is run all the same."""
        known = len(self.walker.configs)
        self.under("no exception", body)
        for config in self.walker.configs[known:]:
            config.interrupted = True

    def match(self, node: Any) -> None:
        self.escaped(self.expression(node.subject), node.subject)
        before = dict(self.bound)
        ends = [before]
        for case in node.cases:
            self.bound = dict(before)
            self.under("a case of match", case.body)
            ends.append(self.bound)
        self.bound = ends.pop()
        for end in ends:
            self.join(end)

    def returned(self, node: ast.Return) -> None:
        name = self.name.rpartition(".")[2]
        view = self.expression(node.value) if node.value is not None else None
        if view is None or view.prefix or view.config.message != "ConfigProto":
            self.escaped(view, node)
            if name in self.walker.helpers:  # it gives back something else too
                self.walker.helpers[name] = self.walker.helpers[name]._replace(shared=True)
            return
        for config in view.configs():
            config.returned = True
        known = self.walker.helpers.get(name)
        found = view if known is None else either(known, view)
        assert found is not None
        self.walker.helpers[name] = found

    def changed(self, node: ast.AugAssign | ast.Delete) -> None:
        """`config.field += 1`, `del config.device_filters[:]`."""
        if isinstance(node, ast.AugAssign):
            self.expression(node.value)
        for target in [node.target] if isinstance(node, ast.AugAssign) else node.targets:
            if isinstance(target, ast.Name):
                self.bound.pop(target.id, None)
                continue
            view = self.view(target.value if isinstance(target, ast.Subscript) else target)
            if view is not None and view.prefix:
                self.undone(view, node)

    def join(self, other: Mapping[str, View]) -> None:
        """Where two branches meet, a name means what it means in either."""
        for name in {**self.bound, **other}:
            joined = either(self.bound.get(name), other.get(name))
            assert joined is not None
            self.bound[name] = joined

    def under(self, condition: str, body: List[ast.stmt]) -> None:
        self.conditions.append(Condition(condition))
        self.statements(body)
        self.conditions.pop()

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for expression in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            self.escaped(self.expression(expression), expression or node)
        parameters = parameters_of(node.args)
        name = ".".join(part for part in (self.name, "" if self.inside is None else self.inside.name, node.name) if part)
        _Function(self.walker, name, parameters, node.body, self.around_of(parameters), self).run()
        self.bound.pop(node.name, None)

    def around_of(self, parameters: Mapping[str, Any]) -> Dict[str, View]:
        """What names mean in a function that stands here."""
        around = self.bound if self.outside is None else self.outside
        return {name: view for name, view in around.items() if name not in parameters}

    def lambda_(self, node: ast.Lambda) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.expression(default)
        parameters = parameters_of(node.args)
        inside = _Function(self.walker, "<lambda>", parameters, [], self.around_of(parameters), self)
        inside.at = self.at
        inside.escaped(inside.expression(node.body), node)

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
            self.looked_at(self.expression(node.test))
            return either(self.expression(node.body), self.expression(node.orelse))
        if isinstance(node, ast.BoolOp):
            either_of = self.expression(node.values[0])
            for value in node.values[1:]:
                either_of = either(either_of, self.expression(value))
            return either_of
        if isinstance(node, ast.NamedExpr):
            named = self.expression(node.value)
            self.target(node.target, named)
            return named
        if isinstance(node, ast.Constant):
            return None
        if isinstance(node, ast.Lambda):
            self.lambda_(node)
            return None
        self.inner(node)
        return None

    def inner(self, node: ast.AST) -> None:
        """What is nested in a node of no interest: a config there goes where nothing follows it, unless it is only looked at."""
        for child in ast.iter_child_nodes(node):
            found = self.expression(child)
            if isinstance(node, _LOOKING):
                self.looked_at(found)
            else:
                self.escaped(found, node)

    def escaped(self, view: Optional[View], node: ast.AST) -> None:
        if view is not None and _holds_more(view):
            self.unclear(view, text(node))

    def looked_at(self, view: Optional[View]) -> None:
        """Note that what a config holds by now is read."""
        if view is not None:
            for config in view.configs():
                config.reads.append((view.prefix, len(config.writes)))

    def view(self, node: ast.AST) -> Optional[View]:
        """What a dotted name means among the configs: `config`, `self.config`, `config.gpu_options`."""
        name = dotted(node)
        if name is None:
            inner = self.expression(node.value) if isinstance(node, ast.Attribute) else None
            return inner.inside(node.attr) if inner is not None and isinstance(node, ast.Attribute) else None
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            head = ".".join(parts[:length])
            found = self.bound.get(head) or self.attribute(head)
            if found is not None:
                rest = ".".join(parts[length:])
                for config in found.configs():
                    self.walker.aliases.follow(node, length, config)
                    self.resumed(config)
                return found.inside(rest)
        return None

    def attribute(self, name: str) -> Optional[View]:
        return self.walker.attributes.get((self.owner if name.startswith(("self.", "cls.")) else "", name))

    def resumed(self, config: Config) -> None:
        """A config that was made where an exception may have ended the work is used behind that: what was written may be missing."""
        if config.interrupted:
            config.interrupted = False
            certain = config.writes[: config.built]
            config.writes = certain + [each._replace(condition=each.condition or "no exception") for each in config.writes[config.built :]]

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
                if passed is None:
                    continue
                if last in _HARMLESS or not _holds_more(passed):
                    self.looked_at(passed)
                elif self.walker.functions.only_passes_on(node, child):
                    for config in passed.configs():
                        config.used = True
                else:
                    self.unclear(passed, "what %s does to it" % text(node))
        if self.walker.functions.has(method or last):
            self.walker.calls += 1
        if isinstance(node.func, ast.Attribute) and owner is None:
            self.expression(node.func.value)
        helper = self.walker.helpers.get(method or last)
        if helper is None or symbol.startswith("tensorflow"):
            return None
        if not self.walker.aliases.called_once(method or last) or not self.walker.functions.named(method or last):
            helper = helper._replace(again=True)
        return helper._replace(shared=True)

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
        made = Config(message, node, self.name, tuple(self.conditions), self.walker.calls)
        self.walker.configs.append(made)
        made.building = True
        for keyword in node.keywords:
            if keyword.arg is None:
                self.splat(made, keyword.value)
            else:
                self.write(View(made, ""), keyword.arg, keyword.value, keyword.value)
        made.building, made.built = False, len(made.writes)
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
            if one is not other:
                break
            shared += 1
        # What it was given to may have copied it by now, or may look at it only later; a function that was called may have used it.
        elsewhere = self.walker.calls > config.calls and any(use.function != self.name for use in config.uses)
        late = ["it was used"] if config.used or config.returned and config.function == self.name or elsewhere else []
        late = late or (["it was used"] if any(use.function == self.name for use in config.uses) else [])
        return " and ".join([condition.text for condition in self.conditions[shared:]] + late)

    def undone(self, view: View, node: ast.AST) -> None:
        """Something else than a plain write happens to a config or a part of it: what was written there is no longer certain."""
        self.unclear(view, text(node))
        for config in view.configs():
            config.writes = [self.lost(write, node) if view.holds(write.path) else write for write in config.writes]

    def replaced(self, view: View, node: ast.Call) -> None:
        """CopyFrom: what was written into a config or a part of it is gone."""
        for config in view.configs():
            gone = [write for write in config.writes if view.holds(write.path)]
            if self.condition(config) or self.name != config.function or view.others or view.shared or any(write.statement is not None for write in gone):
                self.undone(view, node)  # the statements that wrote it would have to go too
            else:
                config.built = sum(not view.holds(write.path) for write in config.writes[: config.built])
                config.writes = [write for write in config.writes if not view.holds(write.path)]

    def lost(self, write: Write, node: ast.AST) -> Write:
        return write._replace(value=Unknown("expression", text(node)))

    def unclear(self, view: View, why: str) -> None:
        for config in view.configs():
            config.unclear.append(why)

    def write(self, view: View, name: str, value: ast.expr, at: ast.AST, merged: bool = False) -> None:
        """Note that a field is given a value: a plain one, a dictionary for a map, or a message (merged into what is there)."""
        target = view.inside(name)
        inner = self.expression(value)
        if inner is not None:
            if not inner.prefix and not inner.others and not inner.shared and inner.config not in view.configs():
                for config in view.configs():
                    self.put(view, config, target.prefix, inner.config, value, merged)
            elif _holds_more(inner):
                self.unclear(view, text(value))
            else:  # a field of a config, which may be another by then
                self.looked_at(inner)
                self.note(target, Unknown("attribute", text(value)), at, value)
            return
        found = evaluate(value, self.scope)
        if isinstance(found, dict):
            for key, item in found.items():
                self.note(target.inside(str(key)), item, at, None)
        else:
            self.note(target, found, at, value)

    def put(self, view: View, config: Config, path: str, part: Config, value: ast.expr, merged: bool) -> None:
        """Note that a message that was built by itself becomes a part of another: with all that it holds by then."""
        part.part_of = config
        part.reads.append(("", len(part.writes)))
        under = self.under_which(view, config, True)
        config.parts.append(Part(part, path, self.at, value, under))
        for each in part.writes:
            full = ".".join(name for name in (path, each.path) if name)
            # A field that holds its default counts as unset: MergeFrom leaves what was there.
            unset = merged and fields.find(full) is not None and not isinstance(each.value, (tuple, Unknown)) and each.value == fields.default(full)
            if not unset:
                config.writes.append(each._replace(path=full, value=_member(full, each.value), condition=each.condition or under, of=part, stays=view.shared))
        config.unclear += part.unclear

    def note(self, view: View, value: Value, at: ast.AST, expression: Optional[ast.expr]) -> None:
        """Note one field's value."""
        line, column = getattr(at, "lineno", 0), getattr(at, "col_offset", 0) + 1
        found = fields.find(view.prefix)
        repeated = found is not None and found.field.repeated
        value = _member(view.prefix, value)
        for config in view.configs():
            statement = None if config.building else self.at
            under = self.under_which(view, config, repeated)
            config.writes.append(Write(view.prefix, value, line, column, under, config, statement, expression, self.name, view.shared))

    def under_which(self, view: View, config: Config, twice: bool) -> str:
        """What a write through a view stands under; `twice`: whether it may not be done twice, in the profile and in the code."""
        # By another name of its own it may be used without what is written by this one, which may mean another config.
        own = {each.name for each in config.names if each.body is self.body}
        if view.again or (view.shared or view.others) and (twice or len(own) > 1):
            return self.condition(config) or "one of several"
        return self.condition(config)

    def method(self, owner: View, method: str, node: ast.Call) -> None:
        """A method called on a config or a part of one."""
        if method in ("CopyFrom", "MergeFrom") and node.args:
            if method == "CopyFrom":
                self.replaced(owner, node)
            self.write(owner, "", node.args[0], node, method == "MergeFrom")
        elif method in ("append", "extend") and node.args:
            value = evaluate(node.args[0], self.scope)
            if method == "extend" and not isinstance(value, (tuple, Unknown)):
                value = Unknown("expression", text(node.args[0]))
            items = value if method == "extend" and isinstance(value, tuple) and not isinstance(value, Unknown) else (value,)
            for item in items:
                self.note(owner, item, node, node.args[0] if method == "append" else None)
        elif method == "update" and node.args:
            self.write(owner, "", node.args[0], node)
        elif method not in _READING:
            self.undone(owner, node)

    def consumed(self, consumer: Consumer, node: ast.Call, given: Optional[ast.expr]) -> None:
        view = self.expression(given) if given is not None else None
        config = view.config if view is not None and not view.prefix else None
        if config is None and given is not None:
            self.escaped(view, given)
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
        target = targets[0]
        if len(targets) == 1 and isinstance(target, (ast.Attribute, ast.Subscript)):
            owner = self.view(target.value)
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
        if view is not None and not _holds_more(view):
            self.looked_at(view)
            view = None
        for each in targets:
            self.target(each, view)

    def target(self, target: ast.expr, view: Optional[View]) -> None:
        """Something is given a value that is a config, or (None) something else, or nothing that is followed."""
        if isinstance(target, ast.Name):
            if view is None:
                self.bound.pop(target.id, None)
            else:
                self.bind(target, view)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            owner = self.view(target.value)
            if owner is None:
                self.escaped(self.expression(target.value), target)
            else:
                self.undone(owner.inside(target.attr) if isinstance(target, ast.Attribute) else owner, target)
            if view is not None and isinstance(target, ast.Attribute) and dotted(target) is not None:
                self.bind(target, view)
            else:
                self.escaped(view, target)
        else:
            self.escaped(view, target)
            for child in ast.iter_child_nodes(target):
                if isinstance(child, ast.expr):
                    self.target(child, None)

    def bind(self, target: ast.expr, view: View) -> None:
        name = dotted(target)
        if name is None:
            return
        where = self.walker.aliases.bound(target, self.body if self.inside is None else None, self.inside is not None)
        for config in view.configs():
            config.names.append(where)
        if isinstance(target, ast.Name):
            self.bound[name] = view
        else:
            for config in view.configs():
                config.inherited = self.owner in self.walker.related
            self.walker.attributes[(self.owner if name.startswith(("self.", "cls.")) else "", name)] = view


#: Of these names, a module that matters here has one.
_MARKS = ("ConfigProto", "config_pb2", "ession", "GPUOptions", "RunConfig", "enable_eager", "list_local_devices", ".Server(", "Supervisor")


def walk(tree: ast.Module, names: Names, nodes: Nodes, text: files.Text) -> Module:
    """The configs of a module, and what takes a config in it."""
    if not any(mark in text.text for mark in _MARKS):
        return Module([], [], {})
    return Walker(tree, names, nodes, constants_from(text.path)).walk()
