"""What expressions and names mean among the configs, and what takes them."""

from __future__ import annotations

import ast
from typing import List, Optional

from tf1compat_gpu.migrate.configs import Config, Use
from tf1compat_gpu.migrate.consumers import Consumer, config_argument
from tf1compat_gpu.migrate.evaluate import Unknown, evaluate, text
from tf1compat_gpu.migrate.names import dotted
from tf1compat_gpu.migrate.views import View, either, holds_more
from tf1compat_gpu.migrate.writing import Writing

#: Expressions that look at what is in them, and keep nothing of it.
_LOOKING = (ast.Compare, ast.JoinedStr, ast.FormattedValue, ast.UnaryOp, ast.BinOp, ast.Subscript)
#: Functions that only look at a config.
_HARMLESS = ("print", "str", "repr", "isinstance", "type", "info", "warn", "debug", "bool", "id")


class Expressions(Writing):
    """The expressions of a function's body, or the module's."""

    def lambda_(self, node: ast.Lambda) -> None:
        """A function within an expression."""
        raise NotImplementedError

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
                if last in _HARMLESS or not holds_more(passed):
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
                self.walker.pending.append((use, called.rpartition(".")[2]))

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
        if view is not None and not holds_more(view):
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
