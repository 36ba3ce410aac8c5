"""`tf1compat`, and `python -m tf1compat_gpu`."""

from __future__ import annotations

import io
import os
import sys
from typing import Optional, Sequence

import click

from tf1compat_gpu.cli.commands import Commands
from tf1compat_gpu.diagnostics import render
from tf1compat_gpu.errors import ProfileError, Tf1CompatError

_HELP = """TensorFlow 1 session configurations as YAML profiles, the same on TensorFlow 1.15 and 2.

Exit status: 0 nothing to report, 1 findings or an invalid profile, 2 usage or a missing package."""

#: The distributions of modules that commands load when they need them.
_DISTRIBUTIONS = {"google": "protobuf", "rich": "rich", "yaml": "PyYAML"}


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Run a command and exit with its status: no traceback for what a user got wrong."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name or text that the terminal has no characters for
    group = Commands(name="tf1compat", help=_HELP)
    try:
        status = group.main(list(sys.argv[1:] if arguments is None else arguments), prog_name="tf1compat", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        problem.show()
        status = 2
    except click.Abort:
        status = 130
    except ProfileError as problem:
        print(render(d for d in problem.diagnostics if d.is_error), file=sys.stderr)
        status = 1
    except Tf1CompatError as problem:
        print("Error: %s" % problem, file=sys.stderr)
        status = 2
    except ModuleNotFoundError as problem:
        distribution = _DISTRIBUTIONS.get((problem.name or "").split(".")[0])
        if distribution is None:
            raise
        print("Error: %s is not installed; pip install %s" % (distribution, distribution), file=sys.stderr)
        status = 2
    except BrokenPipeError:
        # The reader has left (`tf1compat show p.yaml | head`); Python's own flush at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
