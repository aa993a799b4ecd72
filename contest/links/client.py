"""The link's connection to the server, with reconnects, and the entry's program."""

from __future__ import annotations

import asyncio
import contextlib
import math
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from contest.links.directory import LinkedDirectory
from contest.links.ends import LinkRefused
from contest.links.linkwire import FRAME_LIMIT, WireError, decode_to_link, encode
from contest.links.program import Program
from contest.tasks import running
from lpp.connection import (
    Trust,
    Untrusted,
    connection_options,
    fingerprint_of,
    next_pause,
    untrusted_error,
)

#: Refusals after which a retry is useless.
FATAL = {"bad-code", "version", "hello", "bad-frame", "bad-key"}


class NoServer(Exception):
    """The link gave up, because there was no server for too long."""

    exit_code = 1


class LinkConnection(Protocol):
    """The methods of a connection that a link uses: one of `websockets`, or one in memory."""

    async def send(self, message: str, /) -> None:
        """Sends a frame."""

    async def recv(self, decode: bool | None = None) -> str | bytes:
        """The next frame."""


Connect: TypeAlias = Callable[[str, Trust], AbstractAsyncContextManager[LinkConnection]]


@asynccontextmanager
async def connect_by_socket(url: str, trust: Trust) -> AsyncIterator[LinkConnection]:
    """A network connection to a server's address for links, with ws or wss.

    Raises:
        Untrusted: if the server is not the trusted one.
        OSError, UnicodeError, InvalidHandshake: if no connection can be made.
    """
    try:
        async with connect(url, **connection_options(url, trust, FRAME_LIMIT)) as connection:
            # Check before sending the code.
            trust.check(connection.transport.get_extra_info("ssl_object"))
            yield connection
    except ssl.SSLCertVerificationError as exc:
        raise untrusted_error(url, exc, await fingerprint_of(url)) from None


async def keep_linked(
    link: LinkedDirectory,
    where: Callable[[], tuple[str, Trust]],
    say: Callable[[str], None],
    *,
    patience: Callable[[], float] = lambda: math.inf,
    connect: Connect = connect_by_socket,
) -> None:
    """Keeps the connection, reconnecting when it is lost, until cancelled.

    Arguments:
        link: an open link.
        where: called before each attempt; gives the server's address for links, with ws or wss,
            and the TLS server to trust.
        say: called with a message for a person when the connection is made, and when it is lost.
        patience: called before each attempt; gives the seconds for which a server may be away.
        connect: makes a connection.

    Raises:
        NoServer: if no server has accepted the link for longer than that.
        LinkRefused: if the server refuses the link permanently.
        Untrusted: if the first server is not trusted; later ones are tried again.
    """
    pause, said, linked = 0.0, "", False
    now = asyncio.get_running_loop().time
    alone_since = now()
    while True:
        began = now()
        try:
            url, trust = where()
            if (alone := now() - alone_since) > patience():
                raise NoServer(f"there was no server for {alone / 60:.0f} minutes")
            why = await _connection(link, url, trust, say, connect)
        except Untrusted as exc:
            if not linked:
                raise
            why = str(exc)
        except LinkRefused as exc:
            if exc.code in FATAL:
                raise
            why = f"the server refuses the link: {exc}"
        finally:
            was_there = link.end.connected
            linked = linked or was_there
            if was_there:
                alone_since = now()
            link.end.lost()
        if was_there or why != said:
            say(f"{why}; trying again")
        said = why
        pause = next_pause(pause, now() - began)
        await asyncio.sleep(pause)


async def _connection(
    link: LinkedDirectory, url: str, trust: Trust, say: Callable[[str], None], connect: Connect
) -> str:
    """Runs one connection to its end; returns why it ended."""
    try:
        async with connect(url, trust) as connection:
            await connection.send(encode(link.end.hello()))
            told = False
            async with running(_write(link, connection), "frames to the server"):
                while True:
                    link.receive(decode_to_link(str(await connection.recv(decode=True))))
                    if link.end.connected and not told:
                        told = True
                        say(f"linked as {link.end.entry}")
    except ConnectionClosed as exc:
        return f"the connection was closed: {exc}"
    except WireError as exc:
        return f"the server does not speak this protocol: {exc}"
    except (OSError, UnicodeError, InvalidHandshake) as exc:  # a time-out is an OSError
        hint = ""
        if isinstance(exc, InvalidMessage) and url.startswith("ws://"):
            hint = "; if the server uses TLS, its address begins with wss://"
        elif isinstance(exc, ssl.SSLError) and exc.reason == "WRONG_VERSION_NUMBER":
            hint = "; if the server doesn't use TLS, its address is HOST:PORT, without wss://"
        return f"no connection to {url}: {exc!s:.200}{hint}"


async def _write(link: LinkedDirectory, connection: LinkConnection) -> None:
    with contextlib.suppress(ConnectionClosed):  # the reader reports it
        while True:
            await link.to_send.wait()
            link.to_send.clear()
            for frame in link.end.outgoing():
                await connection.send(encode(frame))


async def run(
    link: LinkedDirectory,
    where: Callable[[], tuple[str, Trust]],
    say: Callable[[str], None],
    patience: Callable[[], float],
    words: Sequence[str],
    output: Path,
    lock: Path,
) -> None:
    """Runs an open link and the entry's program; for the other arguments see `keep_linked`.

    Arguments:
        words: the program's command line; empty if somebody else starts the program.
        output: the file to which the program's output is appended.
        lock: the lock file that shows the next link that the program is running.

    Raises:
        NoServer, LinkRefused, Untrusted: see `keep_linked`.
        UserError: if the program can't be started.
    """
    linking = keep_linked(link, where, say, patience=patience)
    async with AsyncExitStack() as stack:
        work = [await stack.enter_async_context(running(linking, "link"))]
        if words:
            program = Program(words, output, lock, link.report, say)
            link.restart = program.restart
            work.append(await stack.enter_async_context(running(program.keep(), "program")))
        await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
