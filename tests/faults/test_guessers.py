"""Clients guess codes from everybody else's address, at a server in a separate process: people with
a code get in at once, also after a restart, and signals end the server cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import time
from pathlib import Path

import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from contest.links import process
from contest.net import codes
from contest.setup.lock import lock_file
from judge_console.client import SeatClient
from lpp import wire
from tests.faults.test_server import ENTRIES, Server, served, until

GUESSERS = 30
#: Four wrong codes are answered per second, so people who are admitted within this time did not
#: queue behind the guessers.
IN = GUESSERS / 4


class Guessers:
    """Clients that try one wrong code after another, each as fast as the server answers.

    Attributes:
        answers: when wrong codes were answered, in seconds.
        held: how many clients are waiting for an answer.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self.answers: list[float] = []
        self.held = 0

    async def guess(self, number: int) -> None:
        """Tries wrong codes until cancelled, even while there is no server."""
        for nth in itertools.count():
            pause = 0.2  # unless there is a server
            with contextlib.suppress(OSError, WebSocketException):
                url = f"ws://127.0.0.1:{self._server.port}/seat"
                async with connect(url, proxy=None, close_timeout=0.1) as line:
                    await line.send(wire.encode(wire.Hello(f"J1-AAAA-{number:04}-{nth:04}")))
                    self.held += 1
                    pause = 0.01
                    try:
                        assert json.loads(await line.recv())["code"] == "bad-code"
                        self.answers.append(time.monotonic())
                    finally:
                        self.held -= 1
            await asyncio.sleep(pause)

    async def all_wait(self) -> None:
        """Waits until all guessers wait for answers."""
        while self.held < GUESSERS:  # noqa: ASYNC110 -- sockets of another process
            await asyncio.sleep(0.01)


async def everybody_is_in(server: Server) -> float:
    """Connects all judges and confederates and sends an order simultaneously; returns the seconds
    that this took."""
    issued = codes.read_file(server.place / codes.FILE_NAME)
    seats = [name for name in issued if name[0] in "JC"]

    async def sit(seat: str) -> None:
        async with SeatClient(f"ws://127.0.0.1:{server.port}", issued[seat]) as client:
            await client.ready()

    began = time.monotonic()
    await asyncio.gather(*map(sit, seats), server.order("status"))
    return time.monotonic() - began


def link_with_orders(file: Path) -> psutil.Process:
    """The process of the link whose orders are in a file."""
    [link] = [
        each
        for each in psutil.process_iter(["cmdline"])
        if (each.info["cmdline"] or [""])[-1] == str(file)
    ]
    return link


async def ended_by_two_signals(server: Server) -> None:
    """Asserts that a second signal does not interrupt the orderly end that the first one began, and
    that the server leaves no link and no program behind."""
    files = [process.file_of(server.place, entry) for entry in ENTRIES]
    assert all(process.runs(file) for file in files)
    link = link_with_orders(files[-1])
    link.suspend()  # the server waits for it, so the second signal comes before its end
    try:
        os.kill(server.pid, signal.SIGTERM)
        await until(lambda: (orders := process.read(files[-1])) is not None and orders.end)
        os.kill(server.pid, signal.SIGTERM)
    finally:
        link.resume()
    assert await server.ended() == 130
    assert not any(process.runs(file) for file in files)
    for file in files:
        with lock_file(file.with_suffix(".program.lock")):
            pass  # the lock is free, so the program has ended, too
    assert "Ended while" in server.said()


async def besieged(place: Path, seconds: float) -> None:
    async with served(place) as server:
        guessers = Guessers(server)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(guessers.guess(number)) for number in range(GUESSERS)]
            for restart in (False, True):
                if restart:
                    await server.kill()
                    await server.start()
                guessers.answers.clear()
                took = [await everybody_is_in(server)]
                await guessers.all_wait()
                began = time.monotonic()
                while time.monotonic() < began + seconds:
                    took.append(await everybody_is_in(server))
                    await asyncio.sleep(0.2)
                assert max(took) < IN
                # Four answers per second, and one at the very beginning.
                passed = time.monotonic() - began
                late = [at for at in guessers.answers if at > began]
                assert len(late) <= 4 * passed + 2
                assert late, "no wrong code was answered"
            await guessers.all_wait()
            await ended_by_two_signals(server)
            for task in tasks:
                task.cancel()
        assert f"`loebner serve {server.place}`" in server.said()
        assert "Traceback" not in server.said()
        assert "ERROR" not in server.said()


async def test_guessers_lock_nobody_out_and_signals_end_the_server_cleanly(tmp_path: Path) -> None:
    await besieged(tmp_path / "contest", 1)


@pytest.mark.timeout(400)
@pytest.mark.soak
async def test_guessers_lock_nobody_out_for_a_minute(tmp_path: Path) -> None:
    await besieged(tmp_path / "contest", 60)
