"""A whole contest with an entry on another machine: its code, its link, and the waiting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from contest.errors import BadSettings
from contest.links.client import keep_linked
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.net import codes
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from contest.verify.verify import verify
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.connection import Trust
from lpp.keypress import Side
from tests.conftest import Until
from tests.contest import linked
from tests.contest.serving.test_stage import SPEED, Person, template


def with_remote_entry(more: str = "") -> str:
    """The short contest, with more lines for E1."""
    return template().replace('link = "remote"\n', f'link = "remote"\n{more}', 1)


async def test_a_contest_waits_for_the_link_and_plays(tmp_path: Path, until: Until) -> None:
    place, room = tmp_path / "contest", tmp_path / "room"
    room.mkdir()
    left_over = room / "0000000007.x.judge"  # of an earlier day
    left_over.mkdir()
    folder.make(place, with_remote_entry())
    own = settings.load(place)
    schedule = schedule_of(own, place)
    said: list[str] = []
    async with set_up(place, own, schedule, LoopClock(SPEED)) as stage:
        assert list(stage.link_codes) == ["E1", "E2", "E3", "E4"]
        text = (place / codes.FILE_NAME).read_text(encoding="utf-8")
        assert f"E1\t{stage.link_codes['E1']}\n" in text
        for seat in stage.codes:
            Person(stage, seat, None)
        playing = asyncio.create_task(stage.play())
        async with asyncio.timeout(60), linked.entries(stage, "E1"):
            await until(stage.conductor.seats.everybody_here)
            for _ in range(20):  # everybody has had a turn
                await asyncio.sleep(0)
            assert stage.conductor.status().phase.value == "before"
            where = f"ws://{stage.address}/link", Trust()
            memory = Checkpoint(tmp_path / "memory.jsonl")
            async with LinkedDirectory(str(room), memory, stage.link_codes["E1"]) as beside:
                linking = asyncio.create_task(keep_linked(beside, lambda: where, said.append))
                await until(lambda: not left_over.exists())
                async with DirectoryChannel(room, side=Side.OTHER) as entry:
                    first = await anext(entry)
                    assert first.press.number > 7
                    assert first.press.key == "鷺"
                    await entry.send("o")
                    await playing
                linking.cancel()
                await asyncio.wait([linking])
    assert said[0] == "linked as E1"
    assert verify(place).ok
    view = (place / "results.json").read_text(encoding="utf-8")
    assert '"E1"' in view


@pytest.mark.parametrize("option", ["command", "directory"])
async def test_what_is_another_machine_s_is_refused(tmp_path: Path, option: str) -> None:
    place = tmp_path / "contest"
    folder.make(place, with_remote_entry(f'{option} = "x {{dir}}"\n'))
    own = settings.load(place)
    with pytest.raises(BadSettings, match=f'link = "remote" and a {option}'):
        async with set_up(place, own, schedule_of(own, place), LoopClock()):
            pass
