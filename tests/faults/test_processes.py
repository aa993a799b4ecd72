"""Real processes are killed and stopped in the middle of a talk, as happened to entries in real
contests."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers
from lpp.session import Received

Until = Callable[..., Awaitable[None]]

#: An entry that types forever, and prints each key press after making it.
WRITER = """
import asyncio, os, sys
from lpp.channel import DirectoryChannel
from lpp.keypress import Side

async def main():
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    async with DirectoryChannel(sys.argv[1], side=Side.OTHER) as channel:
        while True:
            press = await channel.send("a")
            os.write(log, press.raw.encode() + b"\\n")
            await asyncio.sleep(0.0005)

asyncio.run(main())
"""

#: An entry that prints each key that it reads, and releases it afterwards.
READER = """
import asyncio, sys
from lpp.channel import DirectoryChannel
from lpp.keypress import Side

async def main():
    async with DirectoryChannel(sys.argv[1], side=Side.OTHER, keep=True) as channel:
        print("ready", flush=True)
        async for received in channel:
            print(received.press.number, flush=True)
            channel.release(received)

asyncio.run(main())
"""

DEADLINE = 30.0


@asynccontextmanager
async def process(script: str, *args: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A Python process, which is always killed at the end."""
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, *args, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        assert started.stdout is not None
        await started.stdout.read()
        await started.wait()


async def lines(reader: asyncio.subprocess.Process, count: int) -> list[str]:
    assert reader.stdout is not None
    async with asyncio.timeout(DEADLINE):
        return [(await reader.stdout.readline()).decode().strip() for _ in range(count)]


async def test_writer_killed_and_restarted(room: Path, tmp_path: Path, until: Until) -> None:
    log = tmp_path / "made"
    received: list[Received] = []
    async with DirectoryChannel(room, side=Side.JUDGE, numbers=MemoryNumbers()) as channel:

        async def read() -> None:
            async for item in channel:
                received.append(item)

        reading = asyncio.create_task(read())
        for _ in range(3):
            before = len(received)
            async with process(WRITER, str(room), str(log)) as writer:
                await until(lambda before=before: len(received) >= before + 150)
                writer.send_signal(signal.SIGKILL)
                await writer.wait()
        await until(lambda: not os.listdir(room))
        await channel.settled()
    await reading
    came = [item.press.raw for item in received]
    said = log.read_text().split()
    assert came == sorted(set(came))  # once, and growing through all three lives
    assert not any(item.violations for item in received)
    assert [raw for raw in came if raw in said] == said
    # Each process may have been killed between making its last key and printing it.
    assert len(came) - len(said) <= 3


async def test_reader_stopped_while_300_keys_arrive(room: Path, until: Until) -> None:
    async with (
        process(READER, str(room)) as reader,
        DirectoryChannel(room, side=Side.JUDGE, numbers=MemoryNumbers()) as channel,
    ):
        assert await lines(reader, 1) == ["ready"]
        await channel.send("a")
        assert await lines(reader, 1) == ["1"]
        await until(lambda: not os.listdir(room))
        reader.send_signal(signal.SIGSTOP)
        for _ in range(300):
            await channel.send("a")
        assert len(os.listdir(room)) == 300
        reader.send_signal(signal.SIGCONT)
        assert await lines(reader, 300) == [str(number) for number in range(2, 302)]
        await until(lambda: not os.listdir(room))


async def test_reader_killed_and_restarted(room: Path, until: Until) -> None:
    """The next reader receives the keys that it had not released; nothing is lost."""
    async with DirectoryChannel(room, side=Side.JUDGE, numbers=MemoryNumbers()) as channel:
        lives: list[list[str]] = []
        for _ in range(3):
            for _ in range(100):
                await channel.send("a")
            async with process(READER, str(room)) as reader:
                assert await lines(reader, 1) == ["ready"]
                lives.append(await lines(reader, 50))
                reader.send_signal(signal.SIGKILL)
                assert reader.stdout is not None
                lives[-1] += (await reader.stdout.read()).decode().split()
        async with process(READER, str(room)) as reader:
            lives.append([])
            await lines(reader, 1)
            await channel.send("a")
            while lives[-1][-1:] != ["301"]:
                lives[-1] += await lines(reader, 1)
            await until(lambda: not os.listdir(room))
        for life in lives:
            assert life == sorted(set(life), key=int)
        assert {number for life in lives for number in life} == {str(n) for n in range(1, 302)}
