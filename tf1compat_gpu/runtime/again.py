"""Sessions made again under a profile that had nothing to say the first time: they cost a copy of its config.

Of a program that makes many sessions, all but the first come through here, beside a Session that takes some 30 us: a
function called, or a message copied, with nothing of it in the processor's caches is 2 us of that. So there are few calls,
and copies are made several at a time.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

from tf1compat_gpu.profiles.profile import Profile
from tf1compat_gpu.runtime import active, eager_context, tensorflow
from tf1compat_gpu.runtime.ledger import LEDGER

#: tensorflow/python/eager/context.py, GRAPH_MODE, in 1.15 and in 2.1 to 2.21.
_GRAPH_MODE = 0
_MOST, _COPIES = 64, 32


class _Again(NamedTuple):
    """What is left to do for a profile, as long as nothing more is settled in this process than when it was noted."""

    profile: Profile  # kept alive, because its identity is the key
    config: Any
    spare: List[Any]
    settled: int
    session_class: Any
    context: Any


_NOTED: Dict[int, _Again] = {}


def note(profile: Profile, config: Any) -> None:
    """Remember that a session under the profile, with that config, had nothing to report and nothing to set."""
    if len(_NOTED) >= _MOST:
        _NOTED.clear()
    _NOTED[id(profile)] = _Again(profile, config, [], LEDGER.settled, tensorflow.session_module().Session, eager_context.module())


def session(profile: Profile, graph: Any) -> Optional[Any]:
    """A tf.compat.v1.Session under a profile that was noted, or None where everything has to be looked at anew."""
    again = _NOTED.get(id(profile))
    if again is None:
        return None
    _, config, spare, settled, session_class, context = again
    # Eager execution may have to be reported; where graphs are this process's mode, nothing runs eagerly.
    if settled != LEDGER.settled or (context.default_execution_mode != _GRAPH_MODE and context.executing_eagerly()):
        return None
    try:
        own = spare.pop()
    except IndexError:
        own = _copies(config, spare)
    if not active.STATE.wrapped:
        return session_class("", graph, own)
    with active.BYPASS:
        return session_class("", graph, own)


def _copies(config: Any, spare: List[Any]) -> Any:
    """A copy of a config, and more of them for the sessions to come: each session has its own."""
    copies = [type(config)() for _ in range(_COPIES)]
    for copy in copies:
        copy.CopyFrom(config)
    spare += copies[1:]
    return copies[0]
