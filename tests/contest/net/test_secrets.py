"""Tests that codes are only in the files for them, which only their owner can read."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from contest.errors import ContestError
from contest.links import linkwire
from contest.net import addresses, codes, limits
from contest.results.exports import FORMATS, export
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from judge_console.client import SeatClient
from loebner.common import send
from lpp import wire
from lpp.clock import LoopClock
from tests.conftest import Until
from tests.contest.serving.test_server import with_remote_entry

#: The files in a contest's folder that may contain codes.
MEANT = {"codes.txt", "organizer.json", "links/E1.json"}
#: Speed of the clock; the contest takes some seconds.
SPEED = 60.0


async def answers_of(stage: Server, order: Any) -> str:
    """The answer to an order, or its error."""
    found = addresses.find_control(stage.folder)
    try:
        return json.dumps(await asyncio.to_thread(send, found, order))
    except ContestError as exc:
        return repr(exc)


async def told(stage: Server, path: str, hello: str) -> str:
    """Everything that a new connection receives at first."""
    heard = []
    async with connect(f"ws://{stage.address}{path}", proxy=None) as line:
        await line.send(hello)
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            async with asyncio.timeout(0.1):
                while True:
                    heard.append(str(await line.recv()))
    return "".join(heard)


async def page(stage: Server, path: str) -> str:
    host, _, port = stage.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"GET {path} HTTP/1.1\r\nHost: {stage.address}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    text = (await reader.read()).decode("utf-8", "replace")
    writer.close()
    await writer.wait_closed()
    return text


async def test_no_code_in_record_exports_logs_answers_and_addresses(
    tmp_path: Path,
    until: Until,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "SPACING", 0.0)
    caplog.set_level(logging.DEBUG)
    # Ignore the loggers of the test's own clients.
    for name in ("websockets.client", "matplotlib"):
        caplog.set_level(logging.INFO, name)
    place = tmp_path / "contest"
    folder.make(place, with_remote_entry())
    own = settings.load(place)
    said: list[str] = []
    async with set_up(place, own, schedule_of(own, place), LoopClock(SPEED)) as stage:
        secrets = {
            **stage.codes,
            **stage.link_codes,
            "organizer": addresses.find_control(place).code,
        }
        play = asyncio.create_task(stage.play())
        async with contextlib.AsyncExitStack() as stack:
            for seat, code in stage.codes.items():
                await stack.enter_async_context(SeatClient(f"ws://{stage.address}", code))
                if seat not in ("J1", "C1"):
                    continue
                # Mistyped codes, and right ones while another console has the seat.
                wrong = f"{code[:-1]}{'A' if code[-1] != 'A' else 'B'}"
                for tried in (code, wrong, f"{code} please", code.lower()):
                    hello = wire.Hello(tried, client=f"console of {seat}")
                    said.append(await told(stage, "/seat", wire.encode(hello)))
            hello_link = linkwire.Hello(stage.link_codes["E1"], "life", 1)
            said.append(await told(stage, "/link", linkwire.encode(hello_link)))
            wrong_link = linkwire.Hello(stage.link_codes["E1"] + "X", "life", 1)
            said.append(await told(stage, "/link", linkwire.encode(wrong_link)))
            for order in (
                *({"action": action} for action in ("status", "check", "log", "tally")),
                {"action": "start", "anyway": True},
                {"action": "no such thing"},
                {"action": "pause", "reason": "a lamp fell down"},
                {"action": "resume"},
            ):
                said.append(await answers_of(stage, order))
            new = json.loads(await answers_of(stage, {"action": "codes", "seat": "J1"}))
            secrets["J1, the new one"] = new["code"]
            for path in ("/", "/watch", "/board", "/board/login", "/archive/", "/control"):
                said.append(await page(stage, path))
            await until(lambda: stage.conductor.status().phase.value == "closed", 60)
        for name in ("codes.txt", "organizer.json"):
            mode = (place / name).stat().st_mode
            assert stat.S_IMODE(mode) == 0o600
        play.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await play
    for name in FORMATS:
        export(place, name, tmp_path / "exports" / name)
    said += [record.getMessage() for record in caplog.records]
    said += [str(record.exc_info) for record in caplog.records if record.exc_info]
    said += capfd.readouterr()
    # The seat's name is not secret, only the rest of the code.
    parts = {who: code.partition("-")[2] for who, code in secrets.items()}
    assert len(set(parts.values())) == len(parts)
    assert all(re.fullmatch(r"[A-Z2-9]{4}(-[A-Z2-9]{4}){2}", part) for part in parts.values())
    for who, part in parts.items():
        for form in (part, part.lower(), part.replace("-", "")):
            assert not any(form in text for text in said), f"the code of {who} leaked"
            for file in sorted(tmp_path.rglob("*")):
                if file.is_file() and str(file.relative_to(place.parent)) not in {
                    f"contest/{name}" for name in MEANT
                }:
                    assert form.encode() not in file.read_bytes(), f"the code of {who}: {file}"
                assert form not in str(file)
    # Make sure that this test can fail: codes.txt does contain the codes.
    meant = (place / codes.FILE_NAME).read_text(encoding="utf-8")
    assert parts["C1"] in meant
    assert parts["J1"] not in meant
    assert parts["J1, the new one"] in meant


@pytest.mark.skipif(os.name != "posix", reason="Windows protects a user's directory in another way")
def test_only_the_owner_can_read_a_contests_folder(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        made = folder.make(tmp_path / "contest")
    finally:
        os.umask(before)
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700
