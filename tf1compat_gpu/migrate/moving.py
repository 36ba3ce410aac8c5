"""How one config moves into its profile: what of it leaves the code, what stays, and what becomes an override."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from tf1compat_gpu.migrate.configs import Config, Part, Write, condition_of, resolved
from tf1compat_gpu.migrate.evaluate import Unknown
from tf1compat_gpu.migrate.names import dotted
from tf1compat_gpu.migrate.page import Page
from tf1compat_gpu.profiles import fields


class Move(NamedTuple):
    """What a config's move does.

    Attributes:
        config: The config.
        profile: Its profile, from the module's folder.
        overrides: Field path -> expression, as source text: what its constructor was given that only the program knows.
        gone: Statements that leave the code: their values are in the profile.
        kept: Whether statements that write into it stay.
    """

    config: Config
    profile: str
    overrides: Dict[str, str]
    gone: List[ast.stmt]
    kept: bool

    def arguments(self, constant: str) -> str:
        """The arguments of the call that takes its place."""
        if not self.overrides:
            return constant
        return "%s, overrides={%s}" % (constant, ", ".join('"%s": %s' % item for item in self.overrides.items()))


def overlap(one: str, other: str) -> bool:
    """Whether a write of one path can change what another holds: equal, or one is part of the other."""
    return one == other or not one or not other or one.startswith(other + ".") or other.startswith(one + ".")


def within(inner: ast.AST, outer: ast.AST) -> bool:
    """Whether one node's text lies in another's."""
    start, end = (outer.lineno, outer.col_offset), (outer.end_lineno, outer.end_col_offset)  # type: ignore[attr-defined]
    return start <= (inner.lineno, inner.col_offset) and (inner.end_lineno, inner.end_col_offset) <= end  # type: ignore[attr-defined]


def move(page: Page, config: Config, profile: str) -> Union[Move, str]:
    """The move of a config, or why it can't be moved."""
    if config.unclear:
        return "%s can't be followed" % config.unclear[0]
    early = _read_too_early(config)
    if early:
        return "what it holds is read before %s is written" % early
    dynamic = resolved(config)[1]
    uncertain = {write.path for write in config.writes if _uncertain(config, write)}
    overrides: Dict[str, str] = {}
    for write in config.writes:
        if write.statement is None and within(write.of.node, config.node) and (_uncertain(config, write) or write.path in dynamic):
            written = _written(page, write)
            if written is None:
                return "%s is given a message that only the program knows" % write.path
            overrides[write.path] = written
    gone: List[ast.stmt] = []
    left: List[Write] = []
    kept = False
    copied: List[str] = []
    for statement, writes in _by_statement(config):
        # What an uncertain write may change too has to be written in its order.
        stays = any(write.stays or any(overlap(write.path, path) for path in uncertain) for write in writes)
        kept = kept or stays
        if stays:
            copied += _copied_over(statement)
        else:
            gone.append(statement)
            left += writes
    if any(overlap(write.path, path) for write in left for path in copied):
        return "a CopyFrom that stays would replace what the profile holds"
    for part in config.parts:
        if not within(part.config.node, config.node) and (part.statement is None or within(part.expression, config.node)):
            problem = _separate(page, config, part, dynamic, overrides)
            if problem:
                return problem
    return Move(config, profile, overrides, gone, kept)


def _copied_over(statement: ast.stmt) -> List[str]:
    """The part of a config that a `config.part.CopyFrom(...)` replaces; "" is all of it."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "CopyFrom":
        return []
    parts = (dotted(call.func.value) or "").split(".")
    return [next((path for path in (".".join(parts[at:]) for at in range(1, len(parts))) if fields.find(path) is not None), "")]


def _read_too_early(config: Config) -> str:
    """A field that a statement writes after it was read: from a profile it would be there too early."""
    for path, before in config.reads:
        for write in config.writes[before:]:
            if not _uncertain(config, write) and overlap(write.path, path):
                return write.path or "it"
    return ""


def _uncertain(config: Config, write: Write) -> bool:
    """Whether the program alone knows the value; a call of hvd.local_rank() is 0 without a launcher, where a profile has none."""
    return isinstance(write.value, Unknown) or condition_of(config, write) != ""


def _written(page: Page, write: Write) -> Optional[str]:
    """The source of what is written; None for a message, which no override takes."""
    if not isinstance(write.value, Unknown):
        return repr(list(write.value) if isinstance(write.value, tuple) else write.value)
    known = fields.find(write.path)
    if write.expression is None or known is None or known.field.is_message and not known.field.is_map:
        return None
    return page.written(write.expression)


def _by_statement(config: Config) -> Iterator[Tuple[ast.stmt, List[Write]]]:
    """The statements that write into a config by its own name or by putting a part into it, each with its writes."""
    found: Dict[int, Tuple[ast.stmt, List[Write]]] = {}
    put = {id(part.config): part.statement for part in config.parts if part.statement is not None and not within(part.expression, config.node)}
    found.update((id(statement), (statement, [])) for statement in put.values())  # also where it holds nothing, or nothing of it is left
    for write in config.writes:
        statement = write.statement if write.of is config else put.get(id(write.of))
        if statement is not None:
            found.setdefault(id(statement), (statement, []))[1].append(write)
    yield from found.values()


def _separate(page: Page, config: Config, part: Part, dynamic: Dict[str, Write], overrides: Dict[str, str]) -> str:
    """Overrides for a part that was built by itself and given to the constructor; returns why it can't be, or ""."""
    name = page.written(part.expression)
    for write in part.config.writes:
        path = "%s.%s" % (part.path, write.path)
        if path not in dynamic and not isinstance(write.value, Unknown):
            continue
        if write.condition or part.condition:
            return "%s is written under a condition" % path
        if not isinstance(part.expression, (ast.Name, ast.Attribute)) or "." in write.path and _in_map(path):
            return "%s is given by an expression" % path
        overrides[path] = "%s.%s" % (name, write.path)
    return ""


def _in_map(path: str) -> bool:
    owner = fields.find(path.rpartition(".")[0])
    return owner is not None and owner.field.is_map
