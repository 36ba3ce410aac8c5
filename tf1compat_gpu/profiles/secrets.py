"""Values that are not shown: those of variables named like a secret."""

from __future__ import annotations

import re
from typing import Iterable

MASK = "********"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.I)


def is_secret(names: Iterable[str]) -> bool:
    """Whether one of the variables is named like a secret."""
    return any(_SECRET.search(name) for name in names)
