"""From a key press in one browser page to the frame that shows it in another, through the real
server: four desks at 30 keys a second each, compared with bare pages and a bare server."""

from __future__ import annotations

import asyncio
import json
import random
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.helper import Helper
from benchmarks.keys import KEYS
from benchmarks.places import directory, parents
from benchmarks.report import Row, Target
from benchmarks.server.chromium import Chromium, Tab, browsing
from benchmarks.server.crowd import FROM_JUDGE, PLACES, TO_JUDGE, fairness
from benchmarks.server.load import Others, load
from benchmarks.server.participants import DirectoryEntry
from benchmarks.server.process import Server, folder, furnish, keys_on_record
from benchmarks.server.quantile import quantile
from benchmarks.server.streams import Stream, type_all
from lpp.names import char_of

NAME = "browsers"
#: Target: milliseconds from press to paint at p99.
PAINTED = Target(50, ratio=False)
#: Keys per second at a desk: a fourth each from the judge in two talks and from the two partners.
RATE = 30.0
AUTHORS = 4
#: The time limit in seconds until all are seated, and until the last keys arrive.
SITTING, LAST = 60.0, 30.0
TEXT = "".join(char_of(key) or "" for key in KEYS)

#: Types into a page's text areas with input events, like a keyboard, and notes by the page's clock
#: when each key was pressed, and when the page reported it as painted, which is after the frame.
SCRIPT = """() => {
    const sent = { press: {}, shown: {} };
    const count = {};
    let due = 0;
    let at = 0;
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (text) {
        const { type, place, n } = JSON.parse(text);
        if (type === "press") (sent.press[place] ??= []).push([n, due, at]);
        if (type === "shown") (sent.shown[place] ??= []).push([n, performance.now()]);
        send.call(this, text);
    };
    function press(text, place) {
        const n = (count[place] = (count[place] ?? 0) + 1);
        const data = text[n % text.length];
        const inputType = data === "\\n" ? "insertLineBreak" : "insertText";
        const area = document.querySelector(`#side-${place} textarea`);
        at = performance.now();
        const input = { inputType, data, bubbles: true, cancelable: true };
        area.dispatchEvent(new InputEvent("beforeinput", input));
    }
    function type(text, place, rate, seconds) {
        bench.typing += 1;
        const end = performance.now() + 1000 * seconds;
        let next = performance.now() + 1000 * Math.random() / rate;
        const go = () => {
            due = next;
            press(text, place);
            next += 1000 * (0.5 + Math.random()) / rate;
            if (next < end) setTimeout(go, next - performance.now());
            else bench.typing -= 1;
        };
        setTimeout(go, next - performance.now());
    }
    window.bench = { sent, press, type, typing: 0 };
}"""


class _Screen:
    """A page and its measurements: rows of a key's number and times in seconds of the monotonic
    clock, by place; and at how many places it is still typing."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.press: dict[str, list[list[float]]] = {}
        self.shown: dict[str, list[list[float]]] = {}
        self.typing = 0

    async def type(self, place: str, rate: float, seconds: float) -> None:
        """Starts typing for this many seconds; returns at once."""
        await self.tab.evaluate(f"bench.type({json.dumps(TEXT)}, '{place}', {rate}, {seconds})")

    async def press_one(self, place: str) -> None:
        """Presses the next key."""
        await self.tab.evaluate(f"bench.press({json.dumps(TEXT)}, '{place}')")

    async def fetch(self) -> None:
        """Fetches the page's measurements."""
        noted = await self.tab.evaluate("({ ...bench.sent, typing: bench.typing })")
        self.typing = noted["typing"]
        for kind, into in (("press", self.press), ("shown", self.shown)):
            for place, rows in noted[kind].items():
                into[place] = [[n, *(self.tab.began + at / 1000 for at in row)] for n, *row in rows]

    def text(self, place: str) -> str:
        """The text typed there."""
        return "".join(TEXT[int(n) % len(TEXT)] for n, *_ in self.press.get(place, []))

    async def shows(self, place: str, author: str) -> str:
        """The text of an author's lines on the screen."""
        lines = f"document.querySelectorAll('#side-{place} .line.{author} span')"
        text: str = await self.tab.evaluate(
            f"[...{lines}].map((each) => each.textContent).join('')"
        )
        return text


@dataclass
class _Found:
    """Milliseconds for each kind of stream, and faults."""

    delays: dict[str, list[float]] = field(default_factory=dict)
    late: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    pressed: int = 0
    note: str = ""

    def add(
        self,
        kind: str,
        pressed: Sequence[Sequence[float]],
        shown: Sequence[Sequence[float]],
        since: float,
    ) -> None:
        """Adds a stream: lists of (number, due, pressed) and (number, painted), in seconds; an item
        of `shown` also covers all keys before it."""
        numbers = [n for n, _ in shown]
        self.pressed += len(pressed)
        lost = 0
        for n, due, at in pressed:
            index = bisect_left(numbers, n)
            if index == len(numbers):
                lost += 1
            elif due >= since:
                self.delays.setdefault(kind, []).append((shown[index][1] - at) * 1000)
                self.late.append((at - due) * 1000)
        if lost or numbers != sorted(set(numbers)):
            self.faults.append(f"{lost} LOST or OUT OF ORDER, {kind}")


def run(
    *, desks: int = 4, seconds: float = 15.0, warm: float = 4.0, bare: float = 6.0
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        desks: how many.
        seconds: how long they type.
        warm: seconds of typing before, not counted, in which the pages' scripts are compiled.
        bare: seconds of typing in the bare pages.
    """
    alone, found = asyncio.run(_run(desks, seconds, warm, bare))
    plain = alone.delays["bare"]
    pages = [kind for kind in found.delays if kind != FROM_JUDGE["program"]]
    painted = [delay for kind in pages for delay in found.delays[kind]]
    faults = "; ".join(found.faults) or "none lost or wrong"
    note = f"{faults} of {found.pressed:,}; {found.note}"
    rows = [
        Row(
            NAME,
            f"press to the other page painted, {desks} desks, {RATE:g} keys/s a desk, {which}",
            quantile(painted, cut),
            "ms",
            quantile(plain, cut),
            PAINTED if which == "p99" else None,
            note if which == "p99" else "",
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    rows += [
        Row(NAME, f"{kind}, {which}", quantile(delays, cut), "ms", quantile(plain, cut))
        for kind, delays in found.delays.items()
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    rows.append(
        Row(
            NAME,
            "late key presses of the load, p99",
            quantile(found.late, 99),
            "ms",
            quantile(alone.late, 99),
        )
    )
    return [*rows, fairness(NAME, found.delays)]


async def _run(desks: int, seconds: float, warm: float, bare: float) -> tuple[_Found, _Found]:
    with ExitStack() as after:
        place = after.enter_context(folder())
        memory = parents()["in memory"]
        rooms = {f"E{n}": after.enter_context(directory(memory)) for n in range(1, desks + 1)}
        contest = furnish(place, desks, rooms, '[seats]\nbrowser = "all"\n')
        server = after.enter_context(Server(contest))
        relay = after.enter_context(Helper("benchmarks.server.relay"))
        async with browsing() as browser:
            address = await asyncio.to_thread(server.listens)
            alone = await _bare(browser, f"http://{relay.hear()}", desks, bare)
            found = await _desks(browser, server, address, rooms, seconds, warm)
        server.end()
        found.faults += _unrecorded(contest, found)
    return alone, found


def _unrecorded(contest: Path, found: _Found) -> list[str]:
    lost = found.pressed - keys_on_record(contest)
    return [f"LOST: {lost} not in the record"] if lost else []


async def _bare(browser: Chromium, server: str, pairs: int, seconds: float) -> _Found:
    """Measures bare pages: as many of them, and with as many keys, as there are with seats."""
    found = _Found()

    async def open_(n: int) -> _Screen:
        tab = await Tab.open(browser, f"{server}/?pair={n // 2}", f"({SCRIPT})()")
        await tab.until("socket.readyState === WebSocket.OPEN")
        return _Screen(tab)

    screens = await asyncio.gather(*(open_(n) for n in range(2 * pairs)))
    since = time.monotonic() + min(1.0, seconds / 2)
    await asyncio.gather(*(each.type("only", RATE / 2, seconds) for each in screens))
    await asyncio.sleep(seconds)
    await asyncio.gather(*(_settled(screens[n], screens[n ^ 1]) for n in range(2 * pairs)))
    for n, screen in enumerate(screens):
        found.add("bare", screen.press["only"], screens[n ^ 1].shown["only"], since)
    await asyncio.gather(*(screen.tab.close() for screen in screens))
    return found


async def _settled(sender: _Screen, receiver: _Screen) -> None:
    """Waits until the last key is painted."""
    async with asyncio.timeout(LAST):
        while True:
            await asyncio.gather(sender.fetch(), receiver.fetch())
            shown = receiver.shown.get("only", [])
            if not sender.typing and shown and shown[-1][0] == sender.press["only"][-1][0]:
                return
            await asyncio.sleep(0.1)


class _Desk:
    """A judge's and a confederate's page, and an entry's directory."""

    def __init__(self, judge: _Screen, person: _Screen, room: str) -> None:
        self.judge, self.person = judge, person
        self.heard: list[list[float]] = []
        entry = DirectoryEntry("", room, self._came)
        self.entry = entry
        self.program = Stream(TO_JUDGE["program"], entry.press)
        self.place = {"person": "", "program": ""}

    def _came(self, _place: str, n: int, _key: str) -> None:
        self.heard.append([n, time.monotonic()])

    async def begin(self) -> None:
        """Presses the judge's first key on each side, to find out which partner is on the left."""
        await self.judge.press_one("left")
        async with asyncio.timeout(LAST):
            while not (self.heard or "only" in self.person.shown):
                await asyncio.sleep(0.05)
                await self.person.fetch()
        left, right = PLACES if not self.heard else reversed(PLACES)
        self.place = {"person": left, "program": right}
        await self.judge.press_one("right")
        await self.settled()

    async def settled(self) -> None:
        """Waits until the last keys are painted, and read by the program."""
        async with asyncio.timeout(LAST):
            while not await self._all_there():  # noqa: ASYNC110 -- a page is asked
                await asyncio.sleep(0.05)

    async def _all_there(self) -> bool:
        await asyncio.gather(self.judge.fetch(), self.person.fetch())
        return not (self.judge.typing or self.person.typing) and all(
            len(pressed) == (shown[-1][0] if shown else 0) for _, pressed, shown in self.streams()
        )

    def streams(self) -> list[tuple[str, list[list[float]], list[list[float]]]]:
        """Each stream's kind, its keys as pressed, and as shown."""
        judge, person = self.judge, self.person
        made = zip(self.program.due, self.program.sent, strict=True)
        program = [[float(n), due, at] for n, (due, at) in enumerate(made, 1)]
        at, to = self.place["person"], self.place["program"]
        return [
            (TO_JUDGE["person"], person.press.get("only", []), judge.shown.get(at, [])),
            (TO_JUDGE["program"], program, judge.shown.get(to, [])),
            (FROM_JUDGE["person"], judge.press.get(at, []), person.shown.get("only", [])),
            (FROM_JUDGE["program"], judge.press.get(to, []), self.heard),
        ]

    async def wrong(self) -> int:
        """How many of the texts on both screens differ from what was typed."""
        at, to = self.place["person"], self.place["program"]
        length = len(self.program.sent)
        made = "".join(TEXT[n % len(TEXT)] for n in range(1, length + 1))
        pairs = [
            (self.person.text("only"), await self.judge.shows(at, "entity")),
            (self.judge.text(at), await self.person.shows("only", "judge")),
            (made, await self.judge.shows(to, "entity")),
        ]
        return sum(typed.replace("\n", "") != shown for typed, shown in pairs)


async def _desks(
    browser: Chromium,
    server: Server,
    address: str,
    rooms: dict[str, str],
    seconds: float,
    warm: float,
) -> _Found:
    before, codes, found = load(), server.codes(), _Found()

    async def sit(seat: str) -> _Screen:
        tab = await Tab.open(browser, f"http://{address}/sit#{codes[seat]}", f"({SCRIPT})()")
        if seat.startswith("C"):  # confirms the hardware keyboard
            await tab.until("!document.getElementById('code-keyboard').hidden")
            await tab.evaluate("document.getElementById('keyboard').click()")
            await tab.evaluate("document.getElementById('view-code').requestSubmit()")
        await tab.until("document.getElementById('where').textContent")
        return _Screen(tab)

    count = range(1, len(rooms) + 1)
    screens = await asyncio.gather(*(sit(f"{who}{n}") for who in "JC" for n in count))
    desks = [_Desk(screens[n - 1], screens[len(rooms) + n - 1], rooms[f"E{n}"]) for n in count]
    await asyncio.to_thread(partial(server.order, "start"))
    for each in screens:
        await each.tab.until("document.querySelector('.side.here textarea') !== null")
    await asyncio.gather(*(desk.begin() for desk in desks))
    others = Others((server.process.pid,))
    since, length, rate = time.monotonic() + warm, warm + seconds, RATE / AUTHORS
    for desk in desks:
        await asyncio.gather(
            *(desk.judge.type(place, rate, length) for place in PLACES),
            desk.person.type("only", rate, length),
        )
    await type_all([desk.program for desk in desks], rate, length, random.Random(1))
    await asyncio.gather(*(desk.settled() for desk in desks))
    found.note = f"load average {before} before, others took {others.share():.2f} cores"
    for desk in desks:
        for stream in desk.streams():
            found.add(*stream, since)
        if wrong := await desk.wrong():
            found.faults.append(f"{wrong} texts of WRONG KEYS")
        await desk.entry.leave()
    return found
