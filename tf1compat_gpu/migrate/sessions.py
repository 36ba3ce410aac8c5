"""Rung "session": what a ConfigProto sets becomes its profile, and make_session or make_config takes its place."""

from __future__ import annotations

import ast
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from tf1compat_gpu.migrate import imports
from tf1compat_gpu.migrate.configs import Config, Use
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.fix import Fix
from tf1compat_gpu.migrate.moving import Move, move, within
from tf1compat_gpu.migrate.page import Page
from tf1compat_gpu.migrate.statements import below_imports, removed
from tf1compat_gpu.migrate.variables import gone_with, is_whole

_LISTING = "tensorflow.python.client.device_lib.list_local_devices"
_SESSIONS = {"tensorflow.Session": "make_session", "tensorflow.InteractiveSession": "make_interactive_session"}


class OurNames(NamedTuple):
    """What the module calls what it takes from tf1compat_gpu, without a clash with its own names."""

    taken: Set[str]
    bound: Dict[str, str]
    wanted: Dict[str, str]

    def of(self, name: str) -> str:
        """What a name of tf1compat_gpu is called in the module."""
        for known, full in self.bound.items():
            if full == "tf1compat_gpu." + name:
                return known
        if name not in self.wanted:
            self.wanted[name] = _free(name, self.taken)
        return self.wanted[name]

    def line(self) -> List[str]:
        """The import that is missing."""
        parts = [name if name == called else "%s as %s" % (name, called) for name, called in sorted(self.wanted.items())]
        return ["from tf1compat_gpu import %s" % ", ".join(parts)] if parts else []


def _free(name: str, taken: Set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def propose(page: Page) -> Tuple[List[Fix], List[Finding]]:
    """Fixes for the imports, and for each config that has a profile; a finding for each that can't be moved."""
    fixes, found = imports.propose(page)
    names = OurNames(page.taken(), page.names.bound, {})
    moves, problems = moves_of(page)
    found += problems
    if not moves:
        return fixes, found
    constants = constants_for(page, moves, names)
    whole = {id(each.config): each for each in moves if is_whole(page, each, lambda use: _session_call(page, use))}
    gone = gone_with(page, moves, list(whole.values()))
    for each in moves:
        constant = constants[each.profile]
        if id(each.config) in whole:
            fixes += [session_fix(page, use.node, names, each.arguments(constant)) for use in each.config.uses]
        elif inline(page, each.config) is not None:
            use = each.config.uses[0]
            fixes.append(session_fix(page, use.node, names, each.arguments(constant)))
        elif not any(within(each.config.node, statement) for statement in gone):
            start, end = page.positions.span(each.config.node)
            fixes.append(Fix(start, end, "%s(%s)" % (names.of("make_config"), each.arguments(constant))))
    fixes += removed(page, gone)
    if len(constants) == 1:
        fixes += _listings(page, names, next(iter(constants.values())))
    return fixes + [head(page, names, constants)], found


def _listings(page: Page, names: OurNames, constant: str) -> List[Fix]:
    """list_local_devices() makes devices, and settles the process's threads and memory: under the module's profile, then."""
    fixes = []
    for call in page.nodes.of(ast.Call):
        if page.names.symbol(call.func) == _LISTING and not call.args and not call.keywords:
            end = page.positions.span(call)[1]
            fixes.append(Fix(end - 1, end - 1, "session_config=%s(%s)" % (names.of("make_config"), constant)))
    return fixes


def moves_of(page: Page) -> Tuple[List[Move], List[Finding]]:
    """The moves of a module's configs, and a finding for each config that stays."""
    moves: List[Move] = []
    found: List[Finding] = []
    for config in page.module.configs:
        if config.message != "ConfigProto":
            continue
        profile = page.profile(config)
        done = move(page, config, profile) if profile is not None else "no profile could be made of it"
        if isinstance(done, Move):
            moves.append(done)
        else:
            found.append(page.finding("not-moved", config.node, "this config stays as it is: %s" % done, "write its profile and its call by hand"))
    return [each for each in moves if not _leaves_with_another(each, moves)], found


def _leaves_with_another(each: Move, moves: List[Move]) -> bool:
    """Whether it is written in a statement that leaves the code: `config.MergeFrom(tf.ConfigProto(...))`."""
    return any(within(each.config.node, statement) for other in moves if other is not each for statement in other.gone)


def constants_for(page: Page, moves: List[Move], names: OurNames) -> Dict[str, str]:
    """Profile -> the constant that names it in the module."""
    profiles = list(dict.fromkeys(each.profile for each in moves))
    page.used.extend(profiles)
    found: Dict[str, str] = {}
    for profile in profiles:
        stem = profile.rpartition("/")[2].rpartition(".")[0].upper().replace("-", "_")
        wanted = "PROFILE" if len(profiles) == 1 else "%s_PROFILE" % stem if stem[:1].isalpha() else "PROFILE_%s" % stem
        found[profile] = _free(wanted, names.taken | set(found.values()))
    return found


def head(page: Page, names: OurNames, constants: Dict[str, str]) -> Fix:
    """The import and the constants, below the module's imports."""
    if page.text.path.endswith(".ipynb"):  # which has no __file__, and runs in its own folder
        assigned = ['%s = "%s"' % (constant, profile) for profile, constant in constants.items()]
    else:
        beside = names.of("profile_beside")
        assigned = ['%s = %s(__file__, "%s")' % (constant, beside, profile) for profile, constant in constants.items()]
    return below_imports(page, [*names.line(), "", *assigned])


def inline(page: Page, config: Config) -> Optional[Use]:
    """The session that a config is written into the call of."""
    if len(config.uses) == 1 and config.uses[0].given is config.node and _session_call(page, config.uses[0]):
        return config.uses[0]
    return None


def _is_session(use: Use) -> bool:
    return use.consumer.name in ("Session", "InteractiveSession")


def _session_call(page: Page, use: Use) -> bool:
    starred = any(isinstance(argument, ast.Starred) for argument in use.node.args)
    return _is_session(use) and not starred and page.names.symbol(use.node.func) in _SESSIONS


def session_fix(page: Page, call: ast.Call, names: OurNames, arguments: str) -> Fix:
    """make_session(PROFILE, ...) instead of Session(..., config=...)."""
    parts = [arguments]
    parts += ["%s=%s" % (name, page.written(argument)) for name, argument in zip(("target", "graph"), call.args)]
    parts += [page.written(keyword) for keyword in call.keywords if keyword.arg != "config"]
    start, end = page.positions.span(call)
    made = names.of(_SESSIONS[page.names.symbol(call.func) or ""])
    return Fix(start, end, "%s(%s)" % (made, ", ".join(parts)))
