"""The baseline: a WebSocket echo in a separate process, served by the same library as the
contest."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from functools import partial

from aiohttp import WSMsgType, web

from benchmarks.helper import Helper, say
from benchmarks.server.socket import Socket
from benchmarks.server.streams import Stream, type_all
from benchmarks.server.waiting import until

#: The time limit in seconds until the last texts are back.
LAST = 10.0


def echoes(sockets: int, rate: float, seconds: float, warm: float) -> list[float]:
    """Measures the echo.

    Arguments:
        sockets: how many connections.
        rate: texts per second on each.
        seconds: how long.
        warm: seconds before, not counted.

    Returns:
        Milliseconds from sending each text to receiving it back.
    """
    with Helper("benchmarks.server.echo") as echo:
        return asyncio.run(_type(echo.hear(), sockets, rate, seconds, warm))


async def _type(
    address: str, sockets: int, rate: float, seconds: float, warm: float
) -> list[float]:
    streams: list[Stream] = []
    open_: list[Socket] = []
    for number in range(sockets):

        def on_frame(text: bytes, number: int = number) -> None:
            streams[number].arrived(*json.loads(text))

        each = await Socket.connect(address, "/echo", on_frame)
        open_.append(each)
        streams.append(Stream("echo", partial(_send, each)))
    rng = random.Random(1)
    if warm:
        await type_all(streams, rate, warm, rng)
    counted = [len(stream.sent) for stream in streams]
    await type_all(streams, rate, seconds, rng)
    await until(lambda: all(len(each.seen) == len(each.sent) for each in streams), LAST)
    for each in open_:
        each.close()
        await each.lost.wait()
    return [
        (seen - stream.sent[number]) * 1000
        for stream, first in zip(streams, counted, strict=True)
        for number, seen in zip(stream.numbers, stream.seen, strict=True)
        if number >= first
    ]


def _send(socket: Socket, n: int, key: str) -> None:
    # The same length as the frame of a key press.
    socket.send(json.dumps([n, key]).ljust(70).encode())


async def _echo(request: web.Request) -> web.StreamResponse:
    answer = web.WebSocketResponse(compress=False)
    await answer.prepare(request)
    async for message in answer:
        if message.type is WSMsgType.TEXT:
            await answer.send_str(message.data)
    return answer


async def serve(app: web.Application) -> None:
    """Serves an application in this process until it is killed, and sends its address."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        await web.SockSite(runner, listener).start()
        say(f"127.0.0.1:{listener.getsockname()[1]}")
        await asyncio.Event().wait()


if __name__ == "__main__":
    application = web.Application()
    application.router.add_get("/echo", _echo)
    asyncio.run(serve(application))
