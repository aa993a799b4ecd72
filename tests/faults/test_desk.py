"""A desk without a server that is killed in the middle of a line, and one whose directory goes
away: real directories, real files, real processes."""

from __future__ import annotations

import asyncio
import json
import runpy
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from judge_console.deskopening import open_desk
from judge_console.seat import Lost, SeatEvent
from lpp import log2012
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.names import keys_of
from lpp.testing import ScriptedPeer
from lpp.wire import Welcome

Until = Callable[..., Awaitable[None]]

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 60.0

#: A judge who types for ever, and says of each key that it is confirmed.
JUDGE = """
import asyncio, os, sys
from pathlib import Path
from judge_console.deskopening import open_desk
from loebner.desk_record import DeskRecord
from lpp.wire import Taken

async def main():
    record = DeskRecord(Path(sys.argv[2]), "practice")
    seat = open_desk(Path(sys.argv[1]), recorder=record, minutes=0)
    async with seat:
        await seat.ready()
        async def type_on():
            n = 0
            while True:
                n += await seat.press("left", "abcdefg"[n % 7] if n % 8 else "Return")
                await asyncio.sleep(0.001)
        asyncio.create_task(type_on())
        async for event in seat:
            if isinstance(event, Taken):
                os.write(1, b"%d\\n" % event.n)

asyncio.run(main())
"""

verify = runpy.run_path(str(ROOT / "docs" / "reference" / "verify_record.py"))["verify"]


@pytest.mark.parametrize("confirmed", [1, 40, 300])
async def test_killed_in_the_middle_of_a_line_both_records_agree(
    tmp_path: Path, room: Path, confirmed: int
) -> None:
    judge = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", JUDGE, str(room), str(tmp_path)), stdout=asyncio.subprocess.PIPE
    )
    assert judge.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE), DirectoryChannel(room, side=Side.OTHER) as channel:
            answers = 0
            while int(await judge.stdout.readline()) < confirmed:
                await channel.send("x")
                answers += 1
            judge.kill()
            rest = (await judge.stdout.read()).split()
            await judge.wait()
    finally:
        if judge.returncode is None:
            judge.kill()
            await judge.wait()
    last = int(rest[-1]) if rest else confirmed
    [folder] = tmp_path.iterdir()
    # A last line that was cut is no line.
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    assert verify(whole, None).startswith("green: ")
    events = [json.loads(line) for line in whole]
    keys = [event["body"] for event in events if event["kind"] == "key"]
    typed = [key["key"] for key in keys if key["author"] == "judge"]
    assert len(typed) >= last
    assert typed == ["abcdefg"[n % 7] if n % 8 else "Return" for n in range(len(typed))]
    # The log may lack what was about to be confirmed, and nothing else.
    log = log2012.load(folder / "log-2012.txt")
    logged = [entry.key for entry in log.entries if entry.author == "judge"]
    assert len(logged) >= last
    assert logged == typed[: len(logged)]
    # What was taken from the directory is on record; what is not, still stands there.
    heard = [key for key in keys if key["author"] == "entity"]
    left = [name for name in room.iterdir() if name.suffix == ".other"]
    on_record = {key["raw"] for key in heard}
    assert len(on_record | {name.name for name in left}) == answers


async def test_a_directory_that_is_removed_and_made_again(room: Path, until: Until) -> None:
    left, right = room / "left", room / "right"
    left.mkdir()
    right.mkdir()
    events: list[SeatEvent] = []
    seat = open_desk(left, right, minutes=0)

    async def gather() -> None:
        async for event in seat:
            events.append(event)

    async def type_(place: Any, text: str) -> None:
        for key in keys_of(text):
            assert await seat.press(place, key)

    async with seat:
        gathering = asyncio.create_task(gather())
        await until(lambda: seat.phase == "interaction")
        await type_("left", "before\n")
        await until(lambda: len(list(left.iterdir())) == len("before\n"))
        shutil.rmtree(left)
        await type_("left", "meanwhile\n")
        await until(lambda: any(isinstance(event, Lost) for event in events))
        await type_("right", "on\n")
        async with DirectoryChannel(right, side=Side.OTHER) as channel:
            assert await ScriptedPeer(channel).line(DEADLINE) == "on"
        [lost] = [event for event in events if isinstance(event, Lost)]
        assert str(room) not in lost.trouble
        left.mkdir()
        async with DirectoryChannel(left, side=Side.OTHER) as channel:
            peer = ScriptedPeer(channel)
            assert await peer.line(DEADLINE) == "meanwhile"
            await until(lambda: seat.connected)
            assert [type(event) for event in events].count(Welcome) == 2
            await type_("left", "after\n")
            assert await peer.line(DEADLINE) == "after"
            await peer.say("yes")
            await until(lambda: ("entity", "s") in seat.keys("left"))
    await gathering
