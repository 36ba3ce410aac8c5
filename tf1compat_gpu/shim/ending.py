"""How a program ends that fails: its traceback without this package's frames, and one more line where it is understood."""

from __future__ import annotations

import importlib
import os
import sys
from types import TracebackType
from typing import Any, List, Optional, Set, Type

_IMPORTLIB = importlib.__file__
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _without_own_frames(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    """The traceback without this package's frames, and without the import machinery's that they called."""
    kept: List[TracebackType] = []
    ours = False
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        ours = name.startswith(_PACKAGE) or ours and (name.startswith("<frozen importlib") or name == _IMPORTLIB)
        if not ours:
            kept.append(trace)
        trace = trace.tb_next
    for at, one in enumerate(kept):
        one.tb_next = kept[at + 1] if at + 1 < len(kept) else None
    return kept[0] if kept else None


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
