"""The link's connection to the server: made, and made again until the link is told to end."""

from __future__ import annotations

import asyncio
import math
import ssl
import time
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from contest.links.beside import Beside
from contest.links.entry_end import LinkRefused
from contest.links.linkwire import FRAME_LIMIT, WireError, decode_to_link, encode
from lpp.reconnecting import connection_options, next_pause
from lpp.trust import Trust, Untrusted, fingerprint_of, untrusted

#: What trying again does not mend.
FATAL = {"bad-code", "version", "hello", "bad-frame", "bad-key"}


class NoServer(Exception):
    """There was no server for so long that none is waited for any more."""

    exit_code = 1


async def keep_linked(
    beside: Beside,
    url: str | Callable[[], str],
    say: Callable[[str], None],
    trust: Trust | Callable[[], Trust] = Trust(),  # noqa: B008 -- it never changes
    patience: Callable[[], float] = lambda: math.inf,
) -> None:
    """Holds the connection until it is cancelled.

    Arguments:
        beside: an open link.
        url: where the server takes links, with ws or wss; or what says so before each attempt.
        say: told, for a person's eyes, whenever the connection is there, and why it is gone.
        trust: which server with TLS is the right one; or what says so before each attempt, after
            `url`.
        patience: asked before each attempt for how many seconds a server may be away.

    Raises:
        NoServer: if none has welcomed the link for longer than that.
        LinkRefused: if the server does not have us, and will not later.
        Untrusted: if the first server that is met is not trusted; a later one is tried again.
    """
    pause, said, linked = 0.0, "", False
    now = asyncio.get_running_loop().time
    alone_since = now()
    while True:
        began = time.monotonic()
        try:
            where = url if isinstance(url, str) else url()
            if (alone := now() - alone_since) > patience():
                raise NoServer(f"there was no server for {alone / 60:.0f} minutes")
            why = await _connection(
                beside, where, say, trust if isinstance(trust, Trust) else trust()
            )
        except Untrusted as exc:
            if not linked:
                raise
            why = str(exc)
        except LinkRefused as exc:
            if exc.code in FATAL:
                raise
            why = f"the server refuses the link: {exc}"
        finally:
            was_there = beside.end.connected
            linked = linked or was_there
            if was_there:
                alone_since = now()
            beside.lost()
        if was_there or why != said:
            say(f"{why}; trying again")
        said = why
        pause = next_pause(pause, time.monotonic() - began)
        await asyncio.sleep(pause)


async def _connection(beside: Beside, url: str, say: Callable[[str], None], trust: Trust) -> str:
    """One connection from beginning to end; returns why it ended."""
    try:
        async with connect(url, **connection_options(url, trust, FRAME_LIMIT)) as connection:
            # Before the code goes out.
            trust.check(connection.transport.get_extra_info("ssl_object"))
            await connection.send(encode(beside.hello()))
            writer = asyncio.create_task(_write(beside, connection))
            try:
                while True:
                    beside.receive(decode_to_link(await connection.recv(decode=True)))
                    if not writer.done() and said_welcome(beside, say):
                        say = _nothing
            finally:
                writer.cancel()
                await asyncio.wait([writer])
    except ConnectionClosed as exc:
        return f"the connection was closed: {exc}"
    except ssl.SSLCertVerificationError as exc:
        raise untrusted(url, exc, await fingerprint_of(url)) from None
    except WireError as exc:
        return f"the server sent something else than this protocol: {exc}"
    except (OSError, UnicodeError, InvalidHandshake) as exc:  # a time-out is an OSError
        hint = ""
        if isinstance(exc, InvalidMessage) and url.startswith("ws://"):
            hint = "; where the server speaks TLS, its address begins with wss://"
        return f"no connection to {url}: {exc!s:.200}{hint}"


def said_welcome(beside: Beside, say: Callable[[str], None]) -> bool:
    """Says that the connection is there, once it is."""
    if beside.end.connected:
        say(f"linked as {beside.end.entry}")
    return beside.end.connected


def _nothing(what: str) -> None:
    pass


async def _write(beside: Beside, connection: ClientConnection) -> None:
    try:
        while True:
            await beside.to_send.wait()
            beside.to_send.clear()
            for frame in beside.outgoing():
                await connection.send(encode(frame))
    except ConnectionClosed:
        pass  # the reader meets it too, and says so
