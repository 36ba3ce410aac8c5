"""Free ports of the loopback interface, for servers that are about to start."""

from __future__ import annotations

import random
import socket
from typing import List

#: Below the ports that Linux gives to outgoing connections (ip(7), ip_local_port_range: from 32768), any of which may
#: be taken between the moment a port is picked and the moment its server listens.
_FIRST, _LAST = 20000, 32767


def free_ports(count: int) -> List[int]:
    """So many different ports on which nothing listens on 127.0.0.1.

    Raises:
        OSError: There are not so many.
    """
    found: List[int] = []
    held: List[socket.socket] = []
    try:
        for port in random.SystemRandom().sample(range(_FIRST, _LAST + 1), _LAST + 1 - _FIRST):
            if len(found) == count:
                return found
            one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            held.append(one)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(port)
    finally:
        for one in held:
            one.close()
    raise OSError("fewer than %d free ports on 127.0.0.1" % count)
