"""Rung "tf2": configure(PROFILE) instead of a session that only carried a config, for programs that are TensorFlow 2 else."""

from __future__ import annotations

import ast
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.migrate.configs import Config, Use
from tf1compat_gpu.migrate.early import started_before
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.fix import Fix
from tf1compat_gpu.migrate.moving import Move, within
from tf1compat_gpu.migrate.names import dotted
from tf1compat_gpu.migrate.page import Page
from tf1compat_gpu.migrate.sessions import OurNames, constants_for, head, moves_of
from tf1compat_gpu.migrate.statements import removed
from tf1compat_gpu.migrate.variables import gone_with, is_whole
from tf1compat_gpu.migrate.writing import BUILT

#: Names that only a graph and a session give a meaning to.
_NEED_A_SESSION = frozenset(
    "tensorflow." + name
    for name in ("placeholder", "placeholder_with_default", "get_default_session", "global_variables_initializer", "initialize_all_variables", "py_func")
)
_HELP = "rewrite --to session keeps its session, or convert it to TensorFlow 2 first"


class _Carrier(NamedTuple):
    """A statement that only gives a config to TensorFlow.

    Attributes:
        statement: `K.set_session(tf.Session(config=config))`, or enable_eager_execution(config=config).
        config: The config.
        use: The call that takes it.
        session: The statement that makes the session beforehand, where one does.
    """

    statement: ast.Expr
    config: Config
    use: Use
    session: Optional[ast.Assign]


def propose(page: Page) -> Tuple[List[Fix], List[Finding]]:
    """Fixes for the statements that carry a config, unless the module needs its session for more."""
    carriers = [carrier for carrier in (_carrier(page, statement) for statement in page.nodes.of(ast.Expr)) if carrier is not None]
    if not carriers:
        return [], []
    obstacles = _obstacles(page, carriers)
    moves, problems = moves_of(page)
    by_config = {id(each.config): each for each in moves}
    if obstacles or not all(id(carrier.config) in by_config for carrier in carriers):
        return [], obstacles + problems
    carried = [by_config[id(carrier.config)] for carrier in carriers]
    moves = [each for each in moves if any(each is other for other in carried)]
    names = OurNames(page.taken(), page.names.bound, {})
    constants = constants_for(page, moves, names)
    fixes: List[Fix] = []
    made: Dict[int, Fix] = {}  # a config may be carried more than once
    whole: List[Move] = []
    gone: List[ast.stmt] = []
    for carrier, each in zip(carriers, carried):
        constant = constants[each.profile]
        start, end = page.positions.span(carrier.statement)
        if carrier.use.given is each.config.node:
            new = "%s(%s)" % (names.of("configure"), each.arguments(constant))
        elif is_whole(page, each, lambda use: any(use is other.use for other in carriers)):
            new = "%s(%s)" % (names.of("configure"), constant)
            whole.append(each)
        else:
            assert carrier.use.given is not None
            made[id(each.config)] = Fix(*page.positions.span(each.config.node), "%s(%s)" % (names.of("make_config"), each.arguments(constant)))
            new = "%s(%s(%s))" % (names.of("configure"), names.of("profile_from_config"), page.written(carrier.use.given))
        fixes.append(Fix(start, end, new))
        if carrier.session is not None:
            gone.append(carrier.session)
    imports, shortened = _imports(page, carriers)
    fixes += removed(page, gone + imports + gone_with(page, moves, whole)) + shortened
    fixes += made.values()
    left = _left(page, fixes)
    if left:
        return [], left + problems
    return [*fixes, head(page, names, constants)], problems + _late(page, carriers)


def _left(page: Page, fixes: List[Fix]) -> List[Finding]:
    """Messages of TensorFlow 1 that no fix takes out: TensorFlow 2 has none of their names."""
    found = []
    for node in page.nodes.of(ast.Attribute):
        root, _, name = (dotted(node) or "").partition(".")
        start, end = page.positions.span(node)
        if name in BUILT and page.names.bound.get(root) == "tensorflow" and not any(fix.start <= start and end <= fix.end for fix in fixes):
            found.append(page.finding("not-moved", node, "%s.%s stays in the code, and TensorFlow 2 has no such name" % (root, name), _HELP))
    return sorted(found, key=lambda each: (each.span.line, each.span.column))


def _imports(page: Page, carriers: List[_Carrier]) -> Tuple[List[ast.stmt], List[Fix]]:
    """The imports that only brought set_session, to be taken out, and fixes for those that bring other names too.

    Keras 3 has no keras.backend.tensorflow_backend, and no set_session in keras.backend, so that their import would fail.
    """
    gone: List[ast.stmt] = []
    fixes: List[Fix] = []
    statements: List[Union[ast.Import, ast.ImportFrom]] = [*page.nodes.of(ast.Import), *page.nodes.of(ast.ImportFrom)]
    for node in statements:
        kept = [alias for alias in node.names if not (_brings_set_session(node, alias) and _unneeded(page, alias.asname or alias.name, carriers))]
        if not kept:
            gone.append(node)
        elif len(kept) < len(node.names) and isinstance(node, ast.ImportFrom) and node.lineno == node.end_lineno:
            fixes.append(Fix(*page.positions.span(node), ast.unparse(ast.ImportFrom(node.module, kept, node.level))))
    return gone, fixes


def _brings_set_session(node: ast.stmt, alias: ast.alias) -> bool:
    name = "%s.%s" % (node.module, alias.name) if isinstance(node, ast.ImportFrom) else alias.name
    return (
        "keras" in name and name.rpartition(".")[2] in ("set_session", "tensorflow_backend") and (alias.asname is not None or isinstance(node, ast.ImportFrom))
    )


def _unneeded(page: Page, name: str, carriers: List[_Carrier]) -> bool:
    """Whether a name is used, and nowhere but in the statements that configure() takes the place of."""
    places = [node for node in page.nodes.of(ast.Name) if node.id == name]
    return bool(places) and all(any(within(node, carrier.statement) for carrier in carriers) for node in places)


def _late(page: Page, carriers: List[_Carrier]) -> List[Finding]:
    """Calls above a configure() that start the devices: what it sets of them comes too late then."""
    found = []
    for carrier in carriers:
        for call, name in started_before(page, carrier.statement):
            message = "%s starts TensorFlow 2's devices before line %d configures them" % (name, carrier.statement.lineno)
            found.append(page.finding("late-configure", call, message, "move configure(...) above it"))
    return found


def _carrier(page: Page, statement: ast.Expr) -> Optional[_Carrier]:
    call = statement.value
    if not isinstance(call, ast.Call):
        return None
    symbol = page.names.symbol(call.func) or ""
    last = symbol.rpartition(".")[2]
    if last == "enable_eager_execution":
        use = _use(page, call)
        return None if use is None or use.config is None else _Carrier(statement, use.config, use, None)
    if last != "set_session" or "keras" not in symbol or len(call.args) != 1:
        return None
    given = call.args[0]
    made: Optional[ast.Assign] = None
    if isinstance(given, ast.Name):
        made = _session_named(page, given)
        given = given if made is None else made.value
    use = _use(page, given) if isinstance(given, ast.Call) else None
    return None if use is None or use.config is None else _Carrier(statement, use.config, use, made)


def _use(page: Page, call: ast.Call) -> Optional[Use]:
    return next((use for use in page.module.uses if use.node is call), None)


def _session_named(page: Page, name: ast.Name) -> Optional[ast.Assign]:
    """The one statement that gives a name its session, where the name is used for nothing else."""
    places = [node for node in page.nodes.of(ast.Name) if node.id == name.id]
    for statement in page.nodes.of(ast.Assign):
        if len(places) == 2 and len(statement.targets) == 1 and any(statement.targets[0] is place for place in places):
            return statement
    return None


def _obstacles(page: Page, carriers: List[_Carrier]) -> List[Finding]:
    """What in the module needs a session, beside the statements that carry a config."""
    found = []
    for use in page.module.uses:
        inside = any(within(use.node, carrier.statement) or carrier.session is not None and within(use.node, carrier.session) for carrier in carriers)
        if use.consumer.makes_session and not inside:
            found.append(page.finding("needs-session", use.node, "%s is used for more than its config" % use.consumer.name, _HELP))
    for node in page.nodes.of(ast.Attribute):
        symbol = page.names.symbol(node)
        if symbol in _NEED_A_SESSION or symbol is not None and "keras" in symbol and symbol.endswith(".get_session"):
            found.append(page.finding("needs-session", node, "%s has no meaning in TensorFlow 2" % symbol.replace("tensorflow.", "tf.", 1), _HELP))
    return sorted(found, key=lambda each: (each.span.line, each.span.column))
