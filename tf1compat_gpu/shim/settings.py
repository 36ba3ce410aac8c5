"""What `tf1compat run` hands to the interpreter that it becomes, and to every child of it: environment variables."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, Mapping, MutableMapping, NamedTuple, Optional, Tuple

#: Holds the settings as JSON; its presence is what switches the shim on in a starting interpreter.
VARIABLE = "TF1COMPAT_RUN"
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")


class RunSettings(NamedTuple):
    """How a program is run.

    Attributes:
        packages: Installed packages that see TensorFlow 1's names too.
        python_compat: Whether names that left Python, NumPy, Pillow and protobuf are put back.
        record: The file that each session is recorded in, or None.
        record_ops: Whether its operations are counted by device in the record.
        python: The interpreter that the run was started with, which has this package even where it is not installed.
    """

    packages: Tuple[str, ...] = ()
    python_compat: bool = False
    record: Optional[str] = None
    record_ops: bool = False
    python: str = ""

    def text(self) -> str:
        return json.dumps(self._asdict(), sort_keys=True)


def from_environment(environ: Mapping[str, str]) -> Optional[RunSettings]:
    """The settings of the run that this process belongs to, or None."""
    text = environ.get(VARIABLE)
    if not text:
        return None
    try:
        found: Dict[str, Any] = json.loads(text)
        found["packages"] = tuple(found.get("packages", ()))
        return RunSettings(**{key: value for key, value in found.items() if key in RunSettings._fields})
    except (ValueError, TypeError, AttributeError):
        return None  # written by another release of this package: its start-up code is not this one


def into_environment(settings: RunSettings, environ: MutableMapping[str, str]) -> None:
    """Let interpreters that start with this environment run under the settings.

    PYTHONPATH gets the folder of start-up code in front; start-up code takes it out of sys.path again.
    """
    environ[VARIABLE] = settings._replace(python=sys.executable).text()
    path = [part for part in environ.get("PYTHONPATH", "").split(os.pathsep) if part and part != STARTUP]
    environ["PYTHONPATH"] = os.pathsep.join([STARTUP] + path)
