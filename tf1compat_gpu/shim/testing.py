"""Hints for failures that a test runner catches: pytest and unittest, where no exception ends the program."""

from __future__ import annotations

import atexit
import sys
from typing import Any, List

from tf1compat_gpu.runtime.after_import import when_loaded

_LINES: List[str] = []


def _note(problem: BaseException) -> None:
    from tf1compat_gpu.shim import hints

    line = hints.hint(problem)
    if line and line not in _LINES:
        if not _LINES:
            atexit.register(_print)
        _LINES.append(line)


def _print() -> None:
    for line in _LINES:
        print("tf1compat: " + line, file=sys.stderr)


def pytest_exception_interact(node: Any, call: Any, report: Any) -> None:
    """pytest's hook for an exception in a test, or in the import of its module."""
    _note(call.excinfo.value)


def _into_pytest(module: Any) -> None:
    # The names of plugins that every pytest loads: this module is one of them now (_pytest/config/__init__.py, 3.0 on).
    name = __name__
    if isinstance(getattr(module, "default_plugins", None), tuple) and name not in module.default_plugins:
        module.default_plugins += (name,)
    failure = getattr(module, "ConftestImportFailure", None)
    if failure is not None:
        original = failure.__init__

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            cause = getattr(self, "cause", None) or getattr(self, "excinfo", (None, None))[1]
            if isinstance(cause, BaseException):
                _note(cause)

        failure.__init__ = __init__


def _into_unittest(module: Any) -> None:
    for method in ("addError", "addFailure"):
        original = getattr(module.TestResult, method)

        def noting(self: Any, test: Any, err: Any, _original: Any = original) -> Any:
            if err[1] is not None:
                _note(err[1])
            return _original(self, test, err)

        setattr(module.TestResult, method, noting)


def install() -> None:
    """Listen to both, as soon as a program imports one."""
    when_loaded("_pytest.config", _into_pytest)
    when_loaded("unittest.result", _into_unittest)
