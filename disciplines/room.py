"""Rooms, in which people and programs hold a dialogue at seats.

A discipline asks its seats in turn. It does not know whether a person in a browser, a script or a
provider takes a seat.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec
from aiohttp import web

from contest.errors import EnvironmentProblem, Refusal
from contest.net.sockets import Joined, Outlet, WireProtocol
from contest.net.web import serving
from contest.pages import SECRET
from disciplines import page
from disciplines.invitations import Invitations
from lpp import wire
from scheduler.texts import plain


class Call(NamedTuple):
    """A function that a seat calls.

    Attributes:
        name: the function's name.
        arguments: by name; any other value if a program sent malformed arguments.
        words: the text that the seat says with the call.
    """

    name: str
    arguments: Any
    words: str = ""


#: A seat's answer: a message, or the call of a function.
Turn: TypeAlias = str | Call


class View(NamedTuple):
    """What a seat sees.

    Attributes:
        title: the title of the dialogue, in a few words.
        messages: the messages so far that this seat may see: the speaker, and the text.
        panels: the texts beside the dialogue: a label, and its lines.
        functions: the functions that this seat may call instead of saying something, as tools of a
            chat endpoint.
        waits_for: who has the turn, in words, while this seat doesn't have it.
        choices: the only messages that this seat may say now; empty if it may say anything.
    """

    title: str
    messages: Sequence[tuple[str, str]]
    panels: Sequence[tuple[str, Sequence[str]]] = ()
    functions: Sequence[Mapping[str, Any]] = ()
    waits_for: str = ""
    choices: Sequence[str] = ()


class Seat(Protocol):
    """A place in a room."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """Gives the seat the turn, and waits for its answer.

        Arguments:
            view: the view that the seat gets.
            seconds: the time limit; None for no limit.

        Returns:
            Its answer, or None if there was none within the time limit.

        Raises:
            ItemFailed: if it can't answer.
            EnvironmentProblem: if it can't be reached now, but perhaps later.
        """

    def show(self, view: View) -> None:
        """Shows the seat a view while others have the turn."""


# The pages of people's seats

#: The most characters of a message.
LONGEST = 10_000
#: A seat's page is at `PATH` and the seat's code; the page's socket is at `SOCKET`.
PATH, SOCKET = "/seat/", "/seat"


class Hello(wire.Frame, frozen=True, tag="hello"):
    """The first frame of a page: the seat's code."""

    code: str
    version: int


class Said(wire.Frame, frozen=True, tag="said"):
    """The message of a seat in its turn."""

    turn: str
    text: str


class Called(wire.Frame, frozen=True, tag="called"):
    """The function that a seat calls in its turn."""

    turn: str
    name: str
    arguments: dict[str, Any]


class Shown(wire.Frame, frozen=True, tag="shown"):
    """The content of a page; each frame is complete.

    Attributes:
        title, messages, panels, functions, waits_for, choices: see `View`.
        turn: the id of this seat's turn, empty while others have the turn. It stays the same after
            a restart of the server if the seat sees the same messages again.
        took: the id of the last turn that this seat has answered. Its page forgets what it sent
            when the next turn begins, or others have the turn.
        over: whether the dialogue is over, so that the page doesn't connect again.
        remaining_ms: how long the turn may still take; None without a limit.
    """

    title: str
    messages: list[tuple[str, str]]
    panels: list[tuple[str, list[str]]]
    functions: list[Mapping[str, Any]]
    waits_for: str
    choices: list[str]
    turn: str
    took: str
    over: bool
    remaining_ms: int | None


_PAGES = WireProtocol(
    *(SOCKET, "page", "seat", 1, Hello, wire.Decoder(Hello | Said | Called, wire.FRAME_LIMIT)),
    {None: "frames"},
    for_pages=True,
)


class PersonSeat:
    """A seat at which a person sits, in a browser; a `Seat`. Several of the person's pages may be
    open at the same time.

    The answer to a turn is taken only once. A page that has lost its connection sends its answer
    again.

    Arguments:
        soon: schedules a call in the server's thread.
    """

    def __init__(self, soon: Callable[[Callable[[], None]], object]) -> None:
        self._soon = soon
        self._changed = threading.Condition()
        self._view = View("", ())
        self._open = self._took = ""
        self._answer: Turn | None = None
        self._until: float | None = None
        self._asked: Counter[str] = Counter()
        self._stopped = self._over = False
        self._outlets: set[Outlet] = set()

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """See Seat."""
        with self._changed:
            turn = _digest(view)
            self._asked[turn] += 1
            self._open, self._answer = f"{turn}-{self._asked[turn]}", None
            self._until = None if seconds is None else time.monotonic() + seconds
            self._show(view)
            self._changed.wait_for(lambda: self._answer is not None or self._stopped, seconds)
            if self._stopped:
                # The pages keep the turn, because it will be open again.
                raise EnvironmentProblem("stopped; to continue from here, start the run again")
            self._until = None
            if self._answer is None:
                self._open = ""
                self._show(view)
            return self._answer

    def show(self, view: View) -> None:
        """See Seat."""
        with self._changed:
            self._open = ""
            self._show(view)

    def wait(self) -> None:
        """Waits until the person has a page open."""
        with self._changed:
            self._changed.wait_for(lambda: self._outlets or self._stopped)

    def stop(self, over: bool = False) -> None:
        """Takes no more turns; if the dialogue is `over`, tells the pages."""
        with self._changed:
            self._stopped, self._over = True, over
            self._changed.notify_all()
            if over:
                self._show(self._view)

    def _show(self, view: View) -> None:
        self._view = view
        self._soon(self._tell)

    # In the server's thread

    def join(self, outlet: Outlet) -> Joined:
        """Connects a page."""
        with self._changed:
            self._outlets.add(outlet)
            self._changed.notify_all()
        outlet.send(self._frame())

        def take(frame: Hello | Said | Called) -> None:
            if isinstance(frame, Hello):
                raise Refusal("hello", "say hello only once", "hello")
            if trouble := self._take(frame):
                outlet.send(wire.Refused("not-taken", trouble, frame.turn))
            self._tell()

        return Joined(take, lambda _reason: self._outlets.discard(outlet))

    def _take(self, frame: Said | Called) -> str:
        """Takes a page's answer to the current turn. Returns the reason if it is refused, otherwise
        an empty text."""
        with self._changed:
            if frame.turn != self._open or self._took == frame.turn or self._stopped:
                return ""
            if isinstance(frame, Called):
                names = [each["function"]["name"] for each in self._view.functions]
                if frame.name not in names:
                    return "this seat can't call this function"
                self._answer = Call(frame.name, frame.arguments)
            elif not frame.text.strip():
                return "write something first"
            elif self._view.choices and frame.text not in self._view.choices:
                return "choose one of the answers"
            elif len(frame.text) > LONGEST:
                return f"a message may have at most {LONGEST} characters"
            else:
                self._answer = frame.text
            self._took = frame.turn
            self._changed.notify_all()
            return ""

    def _tell(self) -> None:
        frame = self._frame()
        for outlet in self._outlets:
            outlet.send(frame)
            if frame.over:
                outlet.close("the dialogue is over")

    def _frame(self) -> Shown:
        with self._changed:
            view, until = self._view, self._until
            return Shown(
                title=plain(view.title),
                messages=[(plain(who), _lines(text)) for who, text in view.messages],
                panels=[(plain(each), list(map(plain, lines))) for each, lines in view.panels],
                functions=list(view.functions),
                waits_for=plain(view.waits_for),
                choices=list(view.choices),
                turn=self._open,
                took=self._took,
                over=self._over,
                remaining_ms=(
                    None if until is None else round(1000 * max(0.0, until - time.monotonic()))
                ),
            )


def _digest(view: View) -> str:
    seen = msgspec.json.encode((view.title, view.messages))
    return hashlib.sha256(seen).hexdigest()[:16]


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.splitlines()))


class Room(NamedTuple):
    """An open room.

    Attributes:
        seats: the seats of people, by the person's name.
    """

    seats: Mapping[str, PersonSeat]

    def seat(self, name: str) -> Seat:
        """A person's seat."""
        return self.seats[name]

    def gather(self, names: Iterable[str]) -> None:
        """Waits until everybody with these names has a page open."""
        for name in names:
            self.seats[name].wait()

    def stop(self, over: bool = False) -> None:
        """Takes no more turns; if the dialogue is `over`, tells the pages."""
        for seat in self.seats.values():
            seat.stop(over)


#: Opens a room for people with these names, on a server with these host names.
Rooms: TypeAlias = Callable[[Sequence[str], Sequence[str]], AbstractContextManager[Room]]


@contextmanager
def opened(
    folder: Path,
    host: str,
    port: int,
    say: Callable[[str], object],
    names: Sequence[str],
    hosts: Iterable[str] = (),
) -> Iterator[Room]:
    """Serves the pages of people's seats while the context is open, in another thread. If it ends
    without an error, the dialogue is over.

    Arguments:
        folder: the contest's, for the codes.
        host, port: the address to listen on; port 0 means any free one.
        say: called with a line for each seat, with its link.
        names: the names of the people.
        hosts: further host names under which people reach the server.

    Raises:
        EnvironmentProblem: if the address is not available.
    """
    invitations = Invitations(folder, names, PATH, hosts)
    started: Future[tuple[str, Room, Callable[[], object]]] = Future()

    async def show(request: web.Request) -> web.Response:
        await invitations.check(request)
        text = page.render("disciplines/room.html", {"longest": LONGEST})
        return web.Response(text=text, headers=SECRET, content_type="text/html")

    async def serve() -> None:
        loop, closing = asyncio.get_running_loop(), asyncio.Event()
        room = Room({name: PersonSeat(loop.call_soon_threadsafe) for name in names})
        app = invitations.app(
            web.get(f"{PATH}{{code}}", show),
            invitations.access.route(
                _PAGES, invitations.table, lambda name, _, outlet: room.seats[name].join(outlet)
            ),
        )
        async with serving(app, host, port, access=invitations.access) as address:
            started.set_result((address, room, lambda: loop.call_soon_threadsafe(closing.set)))
            await closing.wait()

    def work() -> None:
        try:
            asyncio.run(serve())
        except BaseException as exc:
            if started.done():
                raise
            started.set_exception(exc)

    thread = threading.Thread(target=work, name="room", daemon=True)
    thread.start()
    address, room, close = started.result()
    over = False
    try:
        for name, link in invitations.links.items():
            say(f"{name}: http://{address}{link}")
        say("Give each person only their own link. We begin when everybody has opened theirs.")
        yield room
        over = True
    finally:
        room.stop(over)
        close()
        thread.join()
