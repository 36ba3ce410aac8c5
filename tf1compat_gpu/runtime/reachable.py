"""Whether servers are there, before a session waits for them without end.

A session of an in-process server waits for every other server that its filters let through, and operation_timeout_in_ms
does not end that (seen running 1.15.5 and 2.21.0: master.cc waits in DeviceFinder). So they are looked for first.
"""

from __future__ import annotations

import errno
import socket
import time
from typing import Dict, List, Sequence, Tuple

from tf1compat_gpu.errors import ClusterError

#: Between two tries at a server that is still starting, in seconds.
_AGAIN = 0.1


def split_address(address: str) -> Tuple[str, int]:
    """`grpc://host:2222` or `host:2222` -> host and port.

    Raises:
        ClusterError: There is no port in it.
    """
    host, colon, port = address.rpartition("://")[2].partition("/")[0].rpartition(":")
    if not colon or not port.isdigit():
        raise ClusterError("%s is no address: write host:port" % address)
    return host.strip("[]"), int(port)


def _try(address: str, seconds: float) -> str:
    """Why nothing answers at an address, in words; "" where something does."""
    try:
        socket.create_connection(split_address(address), timeout=max(seconds, 0.001)).close()
    except socket.timeout:
        return "no answer"
    except OSError as problem:
        return "connection refused" if problem.errno == errno.ECONNREFUSED else str(problem.strerror or problem)
    return ""


def wait_for(servers: Sequence[Tuple[str, str]], milliseconds: int, whose: str) -> None:
    """Return once every server accepts connections.

    Args:
        servers: Name and address of each.
        milliseconds: How long they have, all together.
        whose: Where that time was written, for the message.

    Raises:
        ClusterError: Some do not answer in that time; the message names each of them with its address.
    """
    end = time.monotonic() + milliseconds / 1000.0
    missing = dict(servers)
    reasons: Dict[str, str] = {}
    while missing:
        for name, address in list(missing.items()):
            reasons[name] = _try(address, min(1.0, end - time.monotonic()))
            if not reasons[name]:
                del missing[name]
        if missing and time.monotonic() >= end:
            rows: List[str] = ["%s at %s: %s" % (name, address, reasons[name]) for name, address in missing.items()]
            raise ClusterError("not there within %d ms (%s):\n    %s" % (milliseconds, whose, "\n    ".join(rows)))
        if missing:
            time.sleep(max(0.0, min(_AGAIN, end - time.monotonic())))
