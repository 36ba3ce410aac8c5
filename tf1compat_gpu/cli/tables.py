"""Tables for terminals, drawn by rich."""

from __future__ import annotations

import os
import sys
from typing import Optional, Sequence


def print_table(rows: Sequence[Sequence[str]], headers: Optional[Sequence[str]] = None, indent: int = 0) -> None:
    """Print rows in aligned columns; the last column folds at the terminal's width, and never in a pipe or file."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    width = None if sys.stdout.isatty() else 4096
    table = Table(box=None, show_header=headers is not None, pad_edge=False, padding=(0, 2, 0, 0))
    count = len(headers or rows[0])
    for index in range(count):
        table.add_column(headers[index] if headers else "", overflow="fold", no_wrap=index < count - 1)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    plain = bool(os.environ.get("NO_COLOR"))  # rich would still print bold and italics
    console = Console(width=width, highlight=False, soft_wrap=False, color_system=None if plain else "auto")
    with console.capture() as capture:
        console.print(Padding(table, (0, 0, 0, indent), expand=False))
    for line in capture.get().splitlines():
        print(line.rstrip())
