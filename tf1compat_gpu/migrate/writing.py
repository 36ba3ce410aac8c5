"""What becomes of a config by what a statement does to it: fields that are written, messages that become parts, values that are lost."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional

from tf1compat_gpu.migrate.configs import Condition, Config, Part, Write
from tf1compat_gpu.migrate.evaluate import Unknown, Value, evaluate, items, text
from tf1compat_gpu.migrate.scopes import Scope
from tf1compat_gpu.migrate.views import View, holds_more, member
from tf1compat_gpu.profiles import fields

if TYPE_CHECKING:
    from tf1compat_gpu.migrate.following import Walker

#: Those that programs build by themselves: others have names that anything may have.
BUILT = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RewriterConfig", "ThreadPoolOptionProto", "RPCOptions", "AutoParallelOptions")
#: Methods of protobuf's messages, lists and maps that change nothing.
_READING = (
    "SetInParent", "SerializeToString", "SerializePartialToString", "HasField", "WhichOneof", "ListFields", "ByteSize", "IsInitialized", "get", "items", "keys",
    "values", "index", "count",
)  # fmt: skip


class Writing:
    """Where in a module something is written: in a function's body, or the module's."""

    def __init__(
        self,
        walker: Walker,
        name: str,
        parameters: Mapping[str, Optional[ast.expr]],
        body: List[ast.stmt],
        bound: Optional[Dict[str, View]] = None,
        around: Optional[Writing] = None,
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

    def expression(self, node: Optional[ast.AST]) -> Optional[View]:
        """The config that an expression is, where it is one."""
        raise NotImplementedError

    def view(self, node: ast.AST) -> Optional[View]:
        """What a dotted name means among the configs."""
        raise NotImplementedError

    def built(self, node: ast.Call) -> bool:
        """Whether a call makes a config or a part of one."""
        symbol = self.walker.names.symbol(node.func) or ""
        return symbol.rpartition(".")[2] in BUILT and (symbol.startswith("tensorflow") or "_pb2" in symbol or symbol.startswith("."))

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

    def set_by_name(self, node: ast.Call) -> bool:
        """`setattr(config, "field", value)`; whether it was that."""
        owner = self.view(node.args[0]) if len(node.args) == 3 and not node.keywords else None
        name = evaluate(node.args[1], self.scope) if owner is not None else None
        if owner is None or not isinstance(name, str):
            return False
        self.write(owner, name, node.args[2], node)
        return True

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

    def write(self, view: View, name: str, value: ast.expr, at: ast.AST, merged: bool = False) -> None:
        """Note that a field is given a value: a plain one, a dictionary for a map, or a message (merged into what is there)."""
        target = view.inside(name)
        inner = self.expression(value)
        if inner is not None:
            if not inner.prefix and not inner.others and not inner.shared and inner.config not in view.configs():
                for config in view.configs():
                    self.put(view, config, target.prefix, inner.config, value, merged)
            elif holds_more(inner):
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
                config.writes.append(each._replace(path=full, value=member(full, each.value), condition=each.condition or under, of=part, stays=view.shared))
        config.unclear += part.unclear

    def note(self, view: View, value: Value, at: ast.AST, expression: Optional[ast.expr]) -> None:
        """Note one field's value."""
        line, column = getattr(at, "lineno", 0), getattr(at, "col_offset", 0) + 1
        found = fields.find(view.prefix)
        repeated = found is not None and found.field.repeated
        value = member(view.prefix, value)
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

    def escaped(self, view: Optional[View], node: ast.AST) -> None:
        if view is not None and holds_more(view):
            self.unclear(view, text(node))

    def looked_at(self, view: Optional[View]) -> None:
        """Note that what a config holds by now is read."""
        if view is not None:
            for config in view.configs():
                config.reads.append((view.prefix, len(config.writes)))
