"""How a running program hears of diagnostics: errors are raised together, warnings are warned."""

from __future__ import annotations

import warnings
from typing import Iterable

from tf1compat_gpu.diagnostics import ERROR, WARNING, Diagnostic, concise
from tf1compat_gpu.errors import ProfileError, Tf1CompatWarning
from tf1compat_gpu.runtime.callers import stack_level


def report(diagnostics: Iterable[Diagnostic], strict: bool = False) -> None:
    """Raise where there is an error (under strict a warning too), else warn of each warning, at the user's line.

    Raises:
        ProfileError: With all of the diagnostics.
    """
    rows = list(dict.fromkeys(diagnostics))
    if any(d.is_error or (strict and d.severity == WARNING) for d in rows):
        raise ProfileError([d._replace(severity=ERROR) if strict and d.severity == WARNING else d for d in rows])
    level = stack_level()
    for diagnostic in rows:
        if diagnostic.severity == WARNING:
            text = concise(diagnostic) + ("\n  help: " + diagnostic.help if diagnostic.help else "")
            warnings.warn(text, Tf1CompatWarning, stacklevel=level)
