"""Calls that take a session's config: which argument it is, and what the call is to a migration."""

from __future__ import annotations

import ast
from typing import Mapping, NamedTuple, Optional, Tuple


class Consumer(NamedTuple):
    """An entry point that takes a config.

    Attributes:
        name: What it is called in reports.
        keyword: The argument that is the config.
        position: Its place among positional arguments, or -1.
        makes_session: Whether a call without a config makes a session with TensorFlow's defaults.
    """

    name: str
    keyword: str
    position: int
    makes_session: bool


#: By the last part of a name that belongs to TensorFlow.
CALLS = {
    "Session": Consumer("Session", "config", 2, True),
    "InteractiveSession": Consumer("InteractiveSession", "config", 2, True),
    "MonitoredTrainingSession": Consumer("MonitoredTrainingSession", "config", 9, True),
    "ChiefSessionCreator": Consumer("ChiefSessionCreator", "config", 2, True),
    "WorkerSessionCreator": Consumer("WorkerSessionCreator", "config", 2, True),
    "Server": Consumer("Server", "config", 4, False),
    "RunConfig": Consumer("RunConfig", "session_config", -1, False),
    "enable_eager_execution": Consumer("enable_eager_execution", "config", 0, False),
    "list_local_devices": Consumer("list_local_devices", "session_config", 0, False),
}
#: By a method's name, whatever it is called on, where the call names the argument (or takes one at that place).
METHODS = {
    "managed_session": Consumer("Supervisor.managed_session", "config", 1, True),
    "prepare_or_wait_for_session": Consumer("Supervisor.prepare_or_wait_for_session", "config", 1, True),
    "prepare_session": Consumer("SessionManager.prepare_session", "config", -1, True),
    "wait_for_session": Consumer("SessionManager.wait_for_session", "config", -1, True),
    "recover_session": Consumer("SessionManager.recover_session", "config", -1, True),
    "test_session": Consumer("TestCase.test_session", "config", -1, False),
    "cached_session": Consumer("TestCase.cached_session", "config", -1, False),
    "train": Consumer("train", "session_config", -1, False),
    "evaluate_once": Consumer("evaluate_once", "session_config", -1, False),
    "evaluate_repeatedly": Consumer("evaluate_repeatedly", "config", -1, False),
    "evaluation_loop": Consumer("evaluation_loop", "session_config", -1, False),
    "gan_train": Consumer("gan_train", "config", -1, False),
    "replace": Consumer("RunConfig.replace", "session_config", -1, False),
}


def config_argument(node: ast.Call, symbol: str, method: str) -> Optional[Tuple[Consumer, Optional[ast.expr]]]:
    """The consumer that a call is, and the expression that it is given as config (None where it is given none)."""
    last = symbol.rpartition(".")[2]
    consumer = CALLS.get(last) if symbol.startswith("tensorflow") else None
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    if consumer is None:
        consumer = METHODS.get(method or last)
        if consumer is None or consumer.keyword not in named and not consumer.makes_session:
            consumer = _by_keyword(named, method or last)
            if consumer is None:
                return None
    given = named.get(consumer.keyword)
    if given is None and 0 <= consumer.position < len(node.args):
        given = node.args[consumer.position]
    if isinstance(given, ast.Constant) and given.value is None:
        given = None
    return consumer, given


def _by_keyword(named: Mapping[Optional[str], ast.expr], name: str) -> Optional[Consumer]:
    """A function of the program's own that passes a session's config on: said by the keyword, or by both names."""
    if "session_config" in named:
        return Consumer("session_config=", "session_config", -1, False)
    return Consumer(name, "config", -1, False) if "config" in named and "session" in name.lower() else None
