"""The value of an expression, where the source tells it; otherwise why it does not."""

from __future__ import annotations

import ast
import operator
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.migrate.names import dotted
from tf1compat_gpu.migrate.nodes import Nodes
from tf1compat_gpu.migrate.parsing import CLASSIC
from tf1compat_gpu.migrate.scopes import Scope

_BINARY: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitOr: operator.or_,
}  # fmt: skip
_UNARY: Dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert}
#: Functions that define a command line flag, and where its name and default stand.
_FLAGS = ("DEFINE_string", "DEFINE_integer", "DEFINE_float", "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_list")


class Unknown(NamedTuple):
    """A value that the source does not tell.

    Attributes:
        kind: "flag", "environment", "parameter", "attribute", "call", "local_rank", "conditional" or "expression".
        source: The expression, as it is written.
        default: The flag's, the parameter's or the variable's default, where there is one.
        name: What the flag, the parameter or the variable is called as an environment variable, or "".
    """

    kind: str
    source: str
    default: Any = None
    name: str = ""


class Member(str):
    """What looks like an enum's member, `tf.OptimizerOptions.ON_1`: in a field of another kind it is a constant of some class."""


Value = Union[bool, int, float, str, bytes, None, Tuple[Any, ...], Dict[Any, Any], Unknown]


def text(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except (AttributeError, ValueError, RecursionError):
        return "..."


def flags(nodes: Nodes) -> Dict[str, ast.expr]:
    """Command line flags with defaults: FLAGS of tf.app.flags and absl, and argparse's."""
    found: Dict[str, ast.expr] = {}
    for node in nodes.of(ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        if called in _FLAGS and len(node.args) >= 2 and isinstance(node.args[0], ast.Constant):
            found[str(node.args[0].value)] = node.args[1]
        elif called == "add_argument" and node.args:
            names = [str(arg.value).lstrip("-").replace("-", "_") for arg in node.args if isinstance(arg, ast.Constant)]
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            default = given.get("default")
            action = given.get("action")
            if default is None and isinstance(action, ast.Constant) and action.value in ("store_true", "store_false"):
                default = ast.Constant(value=action.value == "store_false")
            target = given.get("dest")
            if isinstance(target, ast.Constant):
                names.append(str(target.value))
            for name in names:
                if default is not None:
                    found[name] = default
    return found


def evaluate(node: ast.expr, scope: Scope, depth: int = 0) -> Value:
    """The value of an expression, or an Unknown that says of what kind it is."""
    if depth > 12:
        return Unknown("expression", text(node))

    def again(other: ast.expr) -> Value:
        return evaluate(other, scope, depth + 1)

    if isinstance(node, ast.Constant):
        return node.value  # type: ignore[return-value]
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [again(item) for item in node.elts]
        unknown = next((item for item in items if isinstance(item, Unknown)), None)
        return Unknown(unknown.kind, text(node)) if unknown else tuple(items)
    if isinstance(node, ast.Dict):
        found: Dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values):
            name = again(key) if key is not None else Unknown("expression", text(node))
            if isinstance(name, Unknown):
                return Unknown(name.kind, text(node))
            found[name] = again(value)
        unknown = next((item for item in found.values() if isinstance(item, Unknown)), None)
        return Unknown(unknown.kind, text(node)) if unknown else found
    if isinstance(node, (ast.UnaryOp, ast.BinOp)):
        return _computed(node, again)
    if isinstance(node, ast.Name):
        return _name(node, scope, again)
    if isinstance(node, ast.Attribute):
        return _attribute(node, scope, again)
    if isinstance(node, ast.Call):
        return _call(node, scope, again)
    if isinstance(node, ast.IfExp):
        return Unknown("conditional", text(node))
    return Unknown("expression", text(node))


def items(node: ast.expr, scope: Scope, depth: int = 0) -> Optional[Dict[str, ast.expr]]:
    """What stands under each key of a dictionary that the source writes out: `{...}`, `dict(...)`, or a name for one."""
    if isinstance(node, ast.Name):
        given = scope.single.get(node.id)
        return None if given is None or depth > 12 else items(given, scope, depth + 1)
    found: Dict[str, ast.expr] = {}
    pairs: List[Tuple[Optional[str], ast.expr]] = []
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if key is not None and not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                return None
            pairs.append((None if key is None else str(key.value), value))
    elif isinstance(node, ast.Call) and scope.names.symbol(node.func) == "dict" and len(node.args) <= 1:
        pairs += [(None, argument) for argument in node.args] + [(keyword.arg, keyword.value) for keyword in node.keywords]
    else:
        return None
    for name, value in pairs:
        part = {name: value} if name is not None else items(value, scope, depth + 1) if depth <= 12 else None
        if part is None:
            return None
        found.update(part)
    return found


def _computed(node: ast.AST, again: Callable[[ast.expr], Value]) -> Value:
    operands: List[Value] = [again(node.operand)] if isinstance(node, ast.UnaryOp) else [again(node.left), again(node.right)]  # type: ignore[attr-defined]
    unknown = next((item for item in operands if isinstance(item, Unknown)), None)
    if unknown:
        return Unknown(unknown.kind, text(node))
    operation: Any = (_UNARY if isinstance(node, ast.UnaryOp) else _BINARY).get(type(node.op))  # type: ignore[attr-defined]
    if operation is None or any(isinstance(item, int) and abs(item) > 10**9 for item in operands):
        return Unknown("expression", text(node))
    if hasattr(node, CLASSIC) and all(isinstance(item, int) for item in operands):
        operation = operator.floordiv
    try:
        return operation(*operands)  # type: ignore[no-any-return]
    except Exception:
        return Unknown("expression", text(node))


def _name(node: ast.Name, scope: Scope, again: Callable[[ast.expr], Value]) -> Value:
    if node.id in scope.parameters:
        default = scope.parameters[node.id]
        return Unknown("parameter", node.id, None if default is None else _plain(again(default)), node.id.upper())
    given = scope.single.get(node.id)
    if given is not None:
        return again(given)
    if node.id in scope.hidden or node.id in scope.names.several:
        return Unknown("expression", node.id)
    imported = scope.elsewhere(scope.names.bound[node.id]) if node.id in scope.names.bound else None
    return Unknown("expression", node.id) if imported is None else imported


def _plain(value: Value) -> Any:
    return None if isinstance(value, Unknown) else value


def _attribute(node: ast.Attribute, scope: Scope, again: Callable[[ast.expr], Value]) -> Value:
    symbol = scope.names.symbol(node) or ""
    parts = symbol.split(".")
    if (
        symbol.startswith("tensorflow")
        and len(parts) >= 3
        and parts[-1].isupper()
        or parts[-1].rstrip("_0123456789").isupper()
        and len(parts) >= 2
        and parts[-2][:1].isupper()
    ):
        return Member(parts[-1])  # an enum's member: tf.OptimizerOptions.ON_1, rewriter_config_pb2.RewriterConfig.OFF
    owner = dotted(node.value) or ""
    if node.attr in scope.flags:
        return Unknown("flag", text(node), _plain(again(scope.flags[node.attr])), node.attr.upper())
    if owner.split(".")[-1] in ("FLAGS", "flags", "args", "opts", "options", "params", "hparams"):
        return Unknown("flag", text(node))
    first = owner.split(".")[0]
    if dotted(node) and first in scope.names.bound and not (first in scope.parameters or first in scope.hidden or node.attr in scope.stored):
        imported: Optional[Value] = scope.elsewhere(symbol)
        if imported is not None:
            return imported
    return Unknown("attribute", text(node))


def _call(node: ast.Call, scope: Scope, again: Callable[[ast.expr], Value]) -> Value:
    symbol = scope.names.symbol(node.func) or ""
    arguments = [again(argument) for argument in node.args]
    if symbol in ("str", "int", "float", "bool") and len(arguments) == 1 and not (symbol in scope.hidden or symbol in scope.single):
        value = arguments[0]
        convert: Any = {"str": str, "int": int, "float": float, "bool": bool}[symbol]
        try:
            if isinstance(value, Unknown):
                return value._replace(source=text(node), default=None if value.default is None else convert(value.default))
            return convert(value)  # type: ignore[no-any-return]
        except (TypeError, ValueError):
            return Unknown("call", text(node))
    if symbol in ("os.environ.get", "os.getenv"):
        default = _plain(arguments[1]) if len(arguments) > 1 else None
        return Unknown("environment", text(node), default, arguments[0] if arguments and isinstance(arguments[0], str) else "")
    if symbol.rpartition(".")[2] == "local_rank" and not node.args and not node.keywords:
        return Unknown("local_rank", text(node))
    if symbol.endswith(".Value") and arguments:
        return arguments[0]
    return Unknown("call", text(node))
