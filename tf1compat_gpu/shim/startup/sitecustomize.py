"""Start-up code of every interpreter under `tf1compat run`: found by way of PYTHONPATH, gives way to the user's own."""

import sys


def _begin() -> None:
    folder = __file__.rpartition("/")[0] if "/" in __file__ else __file__.rpartition("\\")[0]
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")  # the one that would have run without us, if there is one
    except ImportError as problem:
        if problem.name != "sitecustomize":
            raise
    finally:
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)
    try:
        from tf1compat_gpu.shim import starting
    except ImportError as problem:
        if problem.name != "tf1compat_gpu" or not _is_the_runs(sys.executable):
            return  # an interpreter that this package is not installed for
        sys.path.append(folder.rpartition("tf1compat_gpu")[0].rstrip("/\\"))  # it runs from its source folder
        from tf1compat_gpu.shim import starting
    starting.begin()


def _is_the_runs(python: str) -> bool:
    import json
    import os

    try:
        return bool(json.loads(os.environ["TF1COMPAT_RUN"])["python"] == python)
    except (KeyError, ValueError, TypeError):
        return False


_begin()
