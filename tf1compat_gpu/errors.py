"""The exceptions and the one warning category of tf1compat_gpu."""

from __future__ import annotations

from typing import Iterable, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, ordered, render


class Tf1CompatError(Exception):
    """The root of every exception that this package raises on purpose."""


class ProfileError(Tf1CompatError, ValueError):
    """A profile that can't be used, with everything that is wrong in it.

    Attributes:
        diagnostics: All findings (warnings and notes too), sorted by place; at least one is an error.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(ordered(diagnostics))
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n" + render(d for d in self.diagnostics if d.is_error)


class TensorFlowError(Tf1CompatError, RuntimeError):
    """TensorFlow is missing, too old, or in a state in which what was asked for can't be done."""


class TensorFlowMissingError(TensorFlowError, ImportError):
    """TensorFlow is not installed; the message has the `pip install` line."""


class ClusterError(TensorFlowError):
    """Who is in a job can't be made out, or one of its servers is not there; the message has the address."""


class Tf1CompatWarning(UserWarning):
    """The category of every warning of this package."""
