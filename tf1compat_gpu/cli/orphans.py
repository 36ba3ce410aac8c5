"""Processes of a job that have left their group, as a daemon does: they come to the process that started the job (Linux)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from typing import Set

#: linux/prctl.h: a process whose parent ends gets the nearest ancestor that has this set, instead of process 1.
_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform.startswith("linux")


def _children() -> Set[int]:
    """The processes whose parent this one is."""
    found = set()
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if name.isdigit():
                with open("/proc/%s/stat" % name, "rb") as file:
                    # The name before it, in parentheses, may hold anything (proc(5), /proc/pid/stat).
                    parent = file.read().rpartition(b")")[2].split()[1]
                if int(parent) == os.getpid():
                    found.add(int(name))
    return found


class Orphans:
    """`with Orphans() as orphans:` what processes that are started inside leave behind can be ended by `orphans.end()`."""

    def __enter__(self) -> Orphans:
        self._adopt(1)
        self._others = _children() if _LINUX else set()
        return self

    def __exit__(self, *problem: object) -> None:
        self._adopt(0)

    @staticmethod
    def _adopt(switch: int) -> None:
        if _LINUX:
            with contextlib.suppress(OSError, AttributeError):  # a libc without it: they go to process 1, as before Linux 3.4
                ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, switch, 0, 0, 0)

    def end(self) -> None:
        """End what is left, and what that leaves in turn. The processes that were started themselves must have ended."""
        left = _children() - self._others if _LINUX else set()
        while left:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
            left = _children() - self._others
