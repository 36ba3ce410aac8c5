"""Processes that are started together, end together, and leave none behind."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any, Dict, List, NamedTuple, Optional, Sequence

from tf1compat_gpu.cli.orphans import Orphans

#: Those of a terminal and of a batch system; not all of them are Windows' too, where this is imported for its help.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP") if hasattr(signal, name)]
#: What ends a wait: a process that has ended, or the number of a signal.
_Events = Any  # queue.SimpleQueue[Union[_Running, int]], which Python 3.7 can't say


class Child(NamedTuple):
    """A process to start.

    Attributes:
        name: What its lines of output start with.
        command: Its command.
        environ: Its environment.
        serving: Whether it serves the others and is stopped when they have ended.
    """

    name: str
    command: List[str]
    environ: Dict[str, str]
    serving: bool


class _Running:
    """A started process, in a process group of its own, with everything that it starts."""

    def __init__(self, child: Child, width: int, lock: threading.Lock) -> None:
        self.child = child
        self.process = subprocess.Popen(
            child.command, env=child.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        prefix = ("[%s]" % child.name).ljust(width + 3).encode()
        pairs = ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr))
        self.readers = [threading.Thread(target=_copy, args=(source, out, prefix, lock), daemon=True) for source, out in pairs]
        for reader in self.readers:
            reader.start()
        self.reaping = threading.Lock()
        self.gone = False

    def wait(self, events: _Events) -> None:
        """Report the end; what it left behind in its group goes with it, while its number can't be another's."""
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.signal(signal.SIGKILL)
        with self.reaping:
            self.process.wait()
            self.gone = True
        events.put(self)

    def signal(self, number: int) -> None:
        """Send a signal to its group, if it is there."""
        with self.reaping:
            if not self.gone:
                with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group that has ended
                    os.killpg(self.process.pid, number)

    @property
    def status(self) -> int:
        """As a shell has it: 128 and the signal's number for a process that a signal ended."""
        code = self.process.returncode
        return 128 - code if code < 0 else code


def _copy(source: Optional[IO[bytes]], out: Any, prefix: bytes, lock: threading.Lock) -> None:
    assert source is not None
    sink = getattr(out, "buffer", None)
    with source:
        for line in iter(source.readline, b""):
            text = prefix + line + (b"" if line.endswith(b"\n") else b"\n")
            with lock:
                try:
                    if sink is None:
                        out.write(text.decode("utf-8", "replace"))
                    else:
                        sink.write(text)
                    out.flush()
                except (OSError, ValueError):
                    sink, out = None, _Nowhere()  # nobody reads any more; the process is not to block on a full pipe


class _Nowhere:
    def write(self, text: str) -> None:
        pass

    def flush(self) -> None:
        pass


def run_all(children: Sequence[Child], grace: float) -> int:
    """Start processes, and return when none of them is left.

    They are stopped when one fails, when all that do not serve have ended, and on SIGINT, SIGTERM, SIGQUIT and SIGHUP (but
    for a SIGHUP that is ignored, as under nohup): first by SIGTERM, and after `grace` seconds, or on a second signal, by
    SIGKILL. What they have started ends with them.

    Args:
        children: The processes.
        grace: Seconds.

    Returns:
        0, the status of the first that failed, or 128 and the number of the signal that stopped them.
    """
    lock = threading.Lock()
    width = max(len(child.name) for child in children)
    running: List[_Running] = []
    # Signals only leave a word here: a handler that raised could do so between a start and its being remembered.
    events: _Events = queue.SimpleQueue()
    heard = [number for number in _SIGNALS if number != getattr(signal, "SIGHUP", None) or signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, lambda number, frame: events.put(number)) for number in heard}
    with Orphans() as orphans:
        try:
            for child in children:
                running.append(_Running(child, width, lock))
                threading.Thread(target=running[-1].wait, args=(events,), daemon=True).start()
            return _until_done(sum(not child.serving for child in children), events)
        finally:
            _end(running, grace, events)
            orphans.end()
            for one in running:
                for reader in one.readers:
                    reader.join(timeout=5)
            for number, handler in before.items():
                signal.signal(number, handler)


def _until_done(working: int, events: _Events) -> int:
    """The status of the first that failed, or 0 when those that work have ended."""
    while working:
        event = events.get()
        if isinstance(event, int):
            return 128 + event
        working -= not event.child.serving
        if event.status:
            print("tf1compat: %s ended with status %d; the others are stopped" % (event.child.name, event.status), file=sys.stderr)
            return int(event.status)
    return 0


def _end(running: Sequence[_Running], grace: float, events: _Events) -> None:
    """End every process that is left."""
    end = time.monotonic() + grace
    for one in running:
        one.signal(signal.SIGTERM)
    while not all(one.gone for one in running):
        try:
            if isinstance(events.get(timeout=max(0.0, end - time.monotonic())), int):
                break
        except queue.Empty:
            break
    for one in running:
        one.signal(signal.SIGKILL)
    while not all(one.gone for one in running):
        events.get()
