"""How a console and a link connect to a contest's server, and come back when they were cut off."""

from __future__ import annotations

from typing import Any

from lpp.trust import Trust

#: The pauses between attempts to come back, in seconds of real time: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
#: A network can die in silence, and who talks over it should learn that soon: a ping every so many
#: seconds, and so many to answer it.
PING_INTERVAL, PING_TIMEOUT = 5.0, 10.0


def next_pause(last: float, lived: float) -> float:
    """How long to wait before the next attempt to connect.

    Arguments:
        last: the pause before the connection that has just ended; 0 at first.
        lived: how long that connection, or the attempt at it, took.

    Returns:
        Twice the last pause up to the longest; the first pause again after a connection that held
        for a while, for that one was sound. All in seconds of real time.
    """
    if lived > LONGEST_PAUSE or not last:
        return FIRST_PAUSE
    return min(2 * last, LONGEST_PAUSE)


def connection_options(url: str, trust: Trust, max_size: int) -> dict[str, Any]:
    """What `connect` of the package websockets is given beside the address.

    Arguments:
        url: the address, with ws or wss.
        trust: which server with TLS is the right one. What can be seen only of a connection,
            `Trust.check` has to see before anything is sent.
        max_size: of a frame from the server, in bytes.
    """
    return {
        "ssl": trust.context() if url.startswith("wss:") else None,
        "max_size": max_size,
        "max_queue": None,  # a full queue stops reading, and hides the end of the connection
        "compression": None,  # frames are short, and a key should not wait for a deflater
        "proxy": None,  # a contest's server stands in the same room
        "ping_interval": PING_INTERVAL,
        "ping_timeout": PING_TIMEOUT,
        "close_timeout": LONGEST_PAUSE,
    }
