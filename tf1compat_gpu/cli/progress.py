"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import Callable, Iterator, Optional


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Optional[Callable[[int], None]]]:
    """What to call with the number of things that are done; None where nobody watches.

    Args:
        what: What is being done, for the bar.
        total: How many things there are.
    """
    if not sys.stderr.isatty() or total < 2:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
