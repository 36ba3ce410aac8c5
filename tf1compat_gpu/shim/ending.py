"""How a program ends that fails: its traceback without this package's frames, and one more line where it is understood."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, Optional, Set, Type

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _without_own_frames(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    def own(at: TracebackType) -> bool:
        return at.tb_frame.f_code.co_filename.startswith(_PACKAGE)

    while trace is not None and own(trace):
        trace = trace.tb_next
    at = trace
    while at is not None and at.tb_next is not None:
        if own(at.tb_next):
            at.tb_next = at.tb_next.tb_next
        else:
            at = at.tb_next
    return trace


def cleaned(problem: BaseException, seen: Optional[Set[int]] = None) -> BaseException:
    """The exception, and what it came from, without this package's frames in their tracebacks."""
    seen = set() if seen is None else seen
    if id(problem) in seen:
        return problem
    seen.add(id(problem))
    problem.__traceback__ = _without_own_frames(problem.__traceback__)
    for other in (problem.__cause__, problem.__context__):
        if other is not None:
            cleaned(other, seen)
    return problem


def install() -> None:
    """Put this before what prints an uncaught exception; a program's own hook takes its place as usual."""
    original = sys.excepthook

    def hook(kind: Type[BaseException], problem: BaseException, trace: Optional[TracebackType]) -> Any:
        cleaned(problem)
        original(kind, problem, problem.__traceback__)
        if not isinstance(problem, KeyboardInterrupt):
            from tf1compat_gpu.shim import hints

            line = hints.hint(problem)
            if line:
                print("tf1compat: " + line, file=sys.stderr)

    if not getattr(original, "_tf1compat", False):
        hook._tf1compat = True  # type: ignore[attr-defined]
        sys.excepthook = hook
