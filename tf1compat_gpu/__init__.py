"""TensorFlow 1 session configurations as profiles, the same on TensorFlow 1.15 and 2.

Importing this package loads none of tensorflow, protobuf, click or rich; each name below is fetched when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from tf1compat_gpu.diagnostics import Diagnostic, Source, Span
    from tf1compat_gpu.errors import ClusterError, ProfileError, TensorFlowError, TensorFlowMissingError, Tf1CompatError, Tf1CompatWarning
    from tf1compat_gpu.plans.plan import make_plan
    from tf1compat_gpu.plans.steps import Gap, Plan, Step
    from tf1compat_gpu.profiles.beside import profile_beside
    from tf1compat_gpu.profiles.profile import Entry, Profile, Settings
    from tf1compat_gpu.profiles.protos import profile_from_bytes, profile_from_config, profile_from_text
    from tf1compat_gpu.profiles.reader import load_profile
    from tf1compat_gpu.runtime.active import active_profile
    from tf1compat_gpu.runtime.configure import configure
    from tf1compat_gpu.runtime.estimator import make_run_config
    from tf1compat_gpu.runtime.server import make_server
    from tf1compat_gpu.runtime.session import make_config, make_interactive_session, make_session
    from tf1compat_gpu.shim.program import install

__version__ = "0.1.0"

#: Where each public name lives.
_HOMES = {
    "ClusterError": "errors",
    "Diagnostic": "diagnostics",
    "Source": "diagnostics",
    "Span": "diagnostics",
    "ProfileError": "errors",
    "TensorFlowError": "errors",
    "TensorFlowMissingError": "errors",
    "Tf1CompatError": "errors",
    "Tf1CompatWarning": "errors",
    "Entry": "profiles.profile",
    "Profile": "profiles.profile",
    "Settings": "profiles.profile",
    "profile_beside": "profiles.beside",
    "profile_from_bytes": "profiles.protos",
    "profile_from_config": "profiles.protos",
    "profile_from_text": "profiles.protos",
    "load_profile": "profiles.reader",
    "make_plan": "plans.plan",
    "Gap": "plans.steps",
    "Plan": "plans.steps",
    "Step": "plans.steps",
    "active_profile": "runtime.active",
    "configure": "runtime.configure",
    "install": "shim.program",
    "make_config": "runtime.session",
    "make_run_config": "runtime.estimator",
    "make_interactive_session": "runtime.session",
    "make_server": "runtime.server",
    "make_session": "runtime.session",
}

__all__ = [
    "ClusterError",
    "Diagnostic",
    "Entry",
    "Gap",
    "Plan",
    "Profile",
    "ProfileError",
    "Settings",
    "Source",
    "Span",
    "Step",
    "TensorFlowError",
    "TensorFlowMissingError",
    "Tf1CompatError",
    "Tf1CompatWarning",
    "active_profile",
    "configure",
    "install",
    "load_profile",
    "make_config",
    "make_interactive_session",
    "make_plan",
    "make_run_config",
    "make_server",
    "make_session",
    "profile_beside",
    "profile_from_bytes",
    "profile_from_config",
    "profile_from_text",
]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tf1compat_gpu` in a notebook does what `install()` does."""
    from tf1compat_gpu.shim.program import load_extension

    load_extension(shell)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import importlib

    value = getattr(importlib.import_module("%s.%s" % (__name__, home)), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
