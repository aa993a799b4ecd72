"""Tests who may use a seat in a browser, and at which addresses pages and consoles connect."""

from __future__ import annotations

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from contest.errors import Refusal
from contest.live.seats import KEYBOARD
from contest.net.codes import CodeTable
from contest.net.sockets import BROWSER_SEAT, SEAT
from contest.net.web import Access, application, serving
from contest.setup.settings import SeatsTable
from lpp import wire
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal
from tests.contest.live.test_seats import SETTINGS, Console, SeatsRig


@pytest.mark.parametrize(
    ("setting", "seat", "client", "refused"),
    [
        ("none", "J1", "browser", "no-browser"),
        ("judges", "J1", "browser", None),
        ("judges", "C2", f"browser, {KEYBOARD}", "no-browser"),
        ("all", "J1", "browser", None),
        ("all", "C2", "browser", "keyboard"),
        ("all", "C2", f"browser, {KEYBOARD}", None),
    ],
)
async def test_the_settings_say_who_may_sit_in_a_browser(
    setting: str,
    seat: str,
    client: str,
    refused: str | None,
    journal: InlineJournal,
    clock: ManualClock,
) -> None:
    seats = SeatsTable(browser=setting)  # type: ignore[arg-type]
    rig = SeatsRig(journal, clock, msgspec.structs.replace(SETTINGS, seats=seats))
    rig.seats.seats["J1"].outlet = None
    hello = wire.Hello("", client=client)
    if refused is None:
        rig.seats.join(seat, hello, Console(), browser=True)
        assert rig.seats.seats[seat].outlet is not None
    else:
        with pytest.raises(Refusal) as caught:
            rig.seats.join(seat, hello, Console(), browser=True)
        assert caught.value.code == refused


async def test_pages_and_consoles_have_separate_addresses(
    journal: InlineJournal, clock: ManualClock
) -> None:
    rig, access = SeatsRig(journal, clock), Access()
    routes = [access.route(each, CodeTable({}), rig.seats.join) for each in (SEAT, BROWSER_SEAT)]
    async with serving(application(routes, access), "127.0.0.1", 0, None, access) as address:
        own = Origin(f"http://{address}")
        for path, origin in (
            ("/seat", own),
            ("/sit/seat", None),
            ("/sit/seat", Origin("http://x")),
        ):
            with pytest.raises(InvalidStatus) as caught:
                await connect(f"ws://{address}{path}", origin=origin)
            assert caught.value.response.status_code == 403
        for path, origin in (("/seat", None), ("/sit/seat", own)):
            async with connect(f"ws://{address}{path}", origin=origin) as socket:
                await socket.send(wire.encode(wire.Hello("J1-XXXX")))
                frame = wire.decode_to_seat(await socket.recv())
                assert isinstance(frame, wire.Refused)
                assert frame.code == "bad-code"
