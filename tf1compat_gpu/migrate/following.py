"""What a module's code does to its configs, followed statement by statement.

One walk over each function (and the module) with the messages that names are bound to: what a later line writes through a
name, an attribute (`self.config`) or a sub-message's alias belongs to the message. `expressions` has what names mean, `writing`
what is written, and this module the order in which it happens.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from tf1compat_gpu.migrate import files
from tf1compat_gpu.migrate.aliases import Aliases
from tf1compat_gpu.migrate.configs import Condition, Config, Module, Use
from tf1compat_gpu.migrate.elsewhere import constants_from
from tf1compat_gpu.migrate.evaluate import Value, flags, text
from tf1compat_gpu.migrate.expressions import Expressions
from tf1compat_gpu.migrate.functions import Functions
from tf1compat_gpu.migrate.names import Names, dotted
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.scopes import Bindings, Scope
from tf1compat_gpu.migrate.views import View, either

#: Context managers that swallow exceptions: what follows in their block may not be run.
_SWALLOWING = ("suppress", "raises", "assertRaises", "assertRaisesRegex")


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
        derived = [(node.name, dotted(base) or "") for node in nodes.of(ast.ClassDef) for base in node.bases if dotted(base) != "object"]
        #: Classes whose methods others may have too, or which have others' methods.
        self.related = frozenset(name for pair in derived for name in pair)
        #: How many calls of the module's own functions have been walked.
        self.calls = 0
        self.pending: List[Tuple[Use, str]] = []

    @cached_property
    def scope(self) -> Scope:
        """The module's."""
        return Scope(self.bindings.top, {}, self.flags, self.names, self.elsewhere, self.bindings.hidden, self.bindings.stored)

    def walk(self) -> Module:
        _Function(self, "", {}, self.tree.body).run()
        for use, name in self.pending:  # a helper may be defined below its use
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


class _Function(Expressions):
    """The statements of a function's body, or the module's."""

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


#: Of these names, a module that matters here has one.
_MARKS = ("ConfigProto", "config_pb2", "ession", "GPUOptions", "RunConfig", "enable_eager", "list_local_devices", ".Server(", "Supervisor")


def walk(tree: ast.Module, names: Names, nodes: Nodes, text: files.Text) -> Module:
    """The configs of a module, and what takes a config in it."""
    if not any(mark in text.text for mark in _MARKS):
        return Module([], [], {})
    return Walker(tree, names, nodes, constants_from(text.path)).walk()
