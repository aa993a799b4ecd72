"""Tests that a German organizer reads German on every page of the board, in every phase of a
contest: forms, refusals, confirmations, the log, plans and the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from contest.net import codes
from contest.organizer.board import result_part
from contest.organizer.orders import ORDERS
from contest.record.bodies import DeclaredFinal, Revealed, RoundsStopped, Voided
from contest.results.document import Results
from contest.results.page import outcome_of
from contest.serving.server import Server
from judge_console.client import SeatClient
from tests.contest.build import contest
from tests.contest.german import english_in
from tests.contest.organizer.board_server import organizer, staged, token, visitor
from tests.contest.results.test_revealing import at_the_end
from texts import load

PAGES = (
    *("", "/log", "/log?kind=round-opened&page=9", "/result", "/codes", "/files", "/schedule"),
    *("/schedule?plan=yes&conflicts=J1", "/schedule?plan=yes&void=9"),
)
#: Pages with plans, which take long to make.
PLANS = (
    *("?plan=yes&gone=J1&gone=C2&void=1", "?plan=yes&gone=E9", "?plan=yes&conflicts=J1J2"),
    "?plan=yes&gone=E1&gone=E2&gone=E3&gone=E4",
)
#: For each kind of field, first a value that no order refuses because of its form, then some that
#: all do.
VALUES = {
    "reason": ("Probe", "", "x" * 501),
    "name": ("Mia", ""),
    "choice": ("J1", ""),
    "tick": ("",),
    "minutes": ("1", "viele", "999", ""),
    "number": ("1", "x"),
    "round": ("1", "x", "0"),
    "plan": ("Round 4 J1E1C1", ""),
}
#: Values that can be read, but not used: what a plan, a swap and so on are refused for.
UNUSABLE: tuple[tuple[str, dict[str, str]], ...] = (
    *(
        ("replan", {"rounds": rounds})
        for rounds in (
            *("x", "Round", "Round 0 J1E1C1", "J1E1C1", "Round 2 J1E1C1 Round 2 J2E2C2"),
            *("Round 99 J1E1C1", "Round 1 J1E1C1", "Round 2 J1E1C1", ",E1\nJ1,C1", "Round 2 x"),
            *("Round 2 J1E1C1 J1E2C2\nRound 3 J1E1C1\nRound 4 J1E1C1",),
            *("Round 2 J9E1C1\nRound 3 J1E1C1\nRound 4 J1E1C1",),
            *("Round 2 J1E9C1\nRound 3 J1E1C1\nRound 4 J1E1C1",),
            *("Round 2 J1E1C9\nRound 3 J1E1C1\nRound 4 J1E1C1",),
        )
    ),
    *(
        ("swap", {"round": number, "one": one, "other": other})
        for number, one, other in (
            *(("2", "J1", "C1"), ("2", "J1", "J1"), ("99", "J1", "J2"), ("1", "J1", "J2")),
            *(("2", "x", "y"),),
        )
    ),
    *(
        ("replace", {"seat": seat, "name": name})
        for seat, name in (("x", "Mia"), ("J1", "Mia"), ("C9", "Mia"))
    ),
    *(("void", {"what": what}) for what in ("x", "9.9", "J1", "1.1.J9.left")),
    *(("restart", {"entry": entry}) for entry in ("E1", "x")),
    *(("codes", {"seat": seat}) for seat in ("x", "witness")),
    *(("confirm", {"number": "5"}), ("no such order", {})),
)


class Reader:
    """Reads pages and answers, and notes each text with English words.

    Arguments:
        client: a logged-in client.
        form: the token of its forms.
    """

    def __init__(self, client: httpx.AsyncClient, form: str) -> None:
        self.client, self.form = client, form
        self.found, self.read = dict[str, str](), 0

    def note(self, where: str, page: str) -> None:
        """Notes the English in a page."""
        self.read += 1
        self.found |= dict.fromkeys(english_in(page), where)

    async def pages(self, server: Server) -> None:
        """Reads all pages of the board, and the audience's."""
        phase = server.conductor.status().phase.value
        for path in PAGES:
            page = (await self.client.get(f"/board{path}")).text
            assert '<html lang="de">' in page
            self.note(f"{phase}: {path}", page)
        for path in ("/watch", "/watch?hall", "/watch?desk=J2", "/sit"):
            self.note(f"{phase}: {path}", (await self.client.get(path)).text)

    async def cards_and_plans(self) -> None:
        """Reads the cards with codes, and pages with plans for the remaining rounds."""
        sheet = await self.client.post("/board/codes", data={"form": self.form})
        self.note("cards", sheet.text)
        for query in PLANS:
            self.note(query, (await self.client.get(f"/board/schedule{query}")).text)

    async def orders(self, server: Server) -> None:
        """Gives all orders that are not possible now, and the others with values that can't be
        read."""
        state, now_ns = server.conductor.state, server.conductor.now_ns()
        for order in ORDERS.values():
            usual = {each.name: VALUES[each.kind][0] for each in order.fields if order.group}
            if order.group and order.why_not(state, now_ns):
                await self.refused(order.action, **usual)
            elif order.group and order.fields:
                last = order.fields[-1]
                for value in VALUES[last.kind][1:]:
                    form = {**usual, last.name: value}
                    await self.order(f"{order.action} {form}", order.action, form)

    async def order(self, where: str, action: str, form: dict[str, str]) -> dict[str, Any]:
        """Gives an order, and returns the answer's document."""
        data = {**form, "form": self.form, "action": action}
        accept = {"Accept": "application/json"}
        answer = await self.client.post("/board/order", data=data, headers=accept)
        document: dict[str, Any] = answer.json()
        self.note(where, document.get("error") or document.get("done") or document["confirm"])
        return document

    async def do(self, action: str, **form: str) -> None:
        """Gives an order that is carried out, or proposed."""
        document = await self.order(action, action, {**form, "sure": "yes"})
        assert "done" in document, (action, document)

    async def refused(self, action: str, **form: str) -> None:
        """Gives an order that is refused."""
        document = await self.order(action, action, {**form, "sure": "yes"})
        assert "error" in document, (action, document)


async def reader_of(client: httpx.AsyncClient) -> Reader:
    client.headers["Accept-Language"] = "de-AT,en;q=0.5"
    assert '<html lang="de">' in (await client.get("/board?lang=de")).text
    return Reader(client, await token(client))


@pytest.mark.usefixtures("work_in_this_process")
async def test_every_page_of_the_board_is_german(tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest") as stage,
        visitor(stage, organizer(stage)) as client,
    ):
        reader = await reader_of(client)

        await reader.pages(stage)
        await reader.refused("start")
        await reader.do("start", anyway="yes")
        await reader.pages(stage)
        await reader.orders(stage)
        await reader.do("pause", reason="Probe")
        await reader.pages(stage)
        await reader.do("resume")
        await reader.do("extend", minutes="1", reason="Probe")
        await reader.do("end", reason="Probe")
        await reader.pages(stage)
        await reader.do("close", reason="Probe")
        await reader.do("swap", round="2", one="J1", other="J2", later="yes", reason="Probe")
        await reader.do("replace", seat="C1", name="Mia", reason="Probe")
        await reader.do("void", what="1.1.J1.left", reason="Probe")
        await reader.refused("void", what="1.1.J1.left", reason="Probe")
        await reader.do("codes", seat="J2")
        await reader.pages(stage)
        await reader.cards_and_plans()
        await reader.orders(stage)
        await reader.do("again", reason="Probe")
        await reader.refused("again", reason="Probe")
        for action in ("start", "end", "close", "stop"):
            await reader.do(action, anyway="yes", reason="Probe")
        await reader.do("start", anyway="yes")
        await reader.pages(stage)
        await reader.orders(stage)
        await reader.do("close", reason="Probe")
        while stage.conductor.state.result is None:  # noqa: ASYNC110 -- nothing signals this change
            await asyncio.sleep(0.01)
        await reader.do("reveal")
        await reader.pages(stage)
        await reader.refused("final", reason="Probe")
        await reader.do("reveal", everything="yes")
        await reader.pages(stage)
        await reader.orders(stage)
        assert reader.found == {}
        assert reader.read > 150


async def test_two_persons_read_german(tmp_path: Path) -> None:
    two = ("two_persons = false", "two_persons = true")
    async with staged(tmp_path / "contest", two) as stage:
        witness = codes.read_file(stage.folder / codes.FILE_NAME)[codes.WITNESS]
        async with visitor(stage, organizer(stage)) as one, visitor(stage, witness) as other:
            reader, second = await reader_of(one), await reader_of(other)
            await reader.do("start", anyway="yes")
            await reader.do("end", reason="Probe")
            await reader.refused("confirm", number="1")
            await reader.refused("confirm", number="7")
            await reader.pages(stage)
            await second.pages(stage)
            await second.do("confirm", number="1")
            await second.refused("confirm", number="1")
            await reader.do("close", reason="Probe")
            await second.do("drop", number="2")
            await second.refused("drop", number="2")
            await reader.do("void", what="1.1", reason="Probe")
            for _ in range(2):
                await reader.do("stop", reason="Probe")
            await second.do("confirm", number="3")
            await second.do("confirm", number="4")
            await second.refused("confirm", number="5")
            await reader.refused("stop", reason="Probe")
            await second.refused("codes", seat="organizer")
            await reader.refused("codes", seat="witness")
            await reader.pages(stage)
            assert reader.found | second.found == {}


async def test_every_refusal_is_german(tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest") as stage,
        visitor(stage, organizer(stage)) as client,
    ):
        reader = await reader_of(client)
        for code in ("J2", "C1"):
            async with SeatClient(f"ws://{stage.address}", stage.codes[code]) as console:
                await console.ready()
                await reader.pages(stage)
        await reader.do("start", anyway="yes")
        await reader.pages(stage)
        assert "nicht mehr verbunden (" in (await client.get("/board/log")).text
        for action, form in UNUSABLE:
            await reader.refused(action, **form, reason="Probe")
        old = await client.post(
            "/board/order", data={"form": "x", "action": "pause"}, headers={"Accept": "*/*"}
        )
        assert old.status_code == 303
        for path in ("/files/export/none", "/files/wire/99", "/files/export/json"):
            reader.note(path, (await client.get(f"/board{path}")).text)
        reader.note("message", (await client.get("/board")).text)
        await client.post("/board/logout", data={"form": await token(client)})
        reader.note("form", (await client.post("/board/order", json={})).text)
        for path in ("/board/login", "/board/login?lang=de"):
            reader.note(path, (await client.get(path)).text)
        reader.note("code", (await client.post("/board/login", data={"code": "J1"})).text)
        assert reader.found == {}


def test_results_are_german() -> None:
    texts, stopped = load("de"), RoundsStopped("Probe")
    void = Voided(1, 1, "Probe", "1.1.J1.left")
    steps = [Revealed(step) for step in ("names", "table", "place 4", "place 1", "prizes")]
    ends: tuple[list[Any], ...] = ([], [stopped, void], [DeclaredFinal("Probe", [])], steps)
    for bodies in ends:
        held = at_the_end(contest(), *bodies)
        events = list(held.log.events())
        part = result_part(events, texts)
        assert "<li" in part
        assert english_in(part) == []
        everything = outcome_of(Results(held), ["names", "table", "place 1", "prizes"])
        assert english_in(everything.html["de"]) == []


def test_english_is_found() -> None:
    english = [text for order in ORDERS.values() if (text := f"{order.does}. {order.warning}")]
    missed = [text for text in english if not english_in(f"<p>{text}</p>")]
    assert len(missed) < len(english) / 3
    assert english_in('<p aria-label="It is open">Es ist offen</p>') == ["It is open"]
    assert english_in("<p>Jetzt nicht: the round is not paused</p>")
    assert english_in('<p lang="en">It is open</p> <b>Es war `it is`, in Runde 2</b>') == []
