"""What the demo shows while it plays: which round, who talks with whom, lines as they come.

Everything is read off the record's events as they become durable, so that what is shown is what is
on record. On a terminal a table of desks lives; elsewhere plain lines go by.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from contest.record.events import Event
from lpp.lines import LineEditor

#: Lines of a talk that are kept for a desk on a terminal.
LINES = 12
#: A terminal of so many columns shows two desks side by side.
WIDE = 100


class Progress(Protocol):
    """Shows a contest as it goes."""

    def __enter__(self) -> Progress: ...

    def __exit__(self, *exc_info: object) -> None: ...

    def event(self, event: Event) -> None:
        """Takes an event that is durable."""

    def refresh(self) -> None:
        """Draws what has changed; called several times a second."""


@dataclass
class _Talk:
    """A talk on the way: each author's unfinished line, and the finished ones."""

    judge: str
    entity: str
    side: str
    editors: dict[str, LineEditor] = field(
        default_factory=lambda: {"judge": LineEditor(), "entity": LineEditor()}
    )
    lines: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=LINES))


class _Follower:
    """Keeps what the events of the running round amount to."""

    def __init__(
        self, names: dict[str, str], on_line: Callable[[str, str, str, str], None]
    ) -> None:
        self.names = names
        self.talks: dict[str, _Talk] = {}
        self._on_line = on_line

    def event(self, event: Event) -> None:
        """Takes talk-opened and key; leaves the rest to others."""
        body = event.body
        if event.kind == "round-opened":
            self.talks = {}
        elif event.kind == "talk-opened" and event.talk is not None:
            self.talks[event.talk] = _Talk(body["judge"], body["entity"], body["side"])
        elif event.kind == "key" and event.talk in self.talks and "out_of_phase" not in body:
            self._key(self.talks[event.talk], body["author"], body["key"])

    def _key(self, talk: _Talk, author: str, key: str) -> None:
        line = talk.editors[author].press(key)
        if line is not None and line.strip():
            talk.lines.append((author, line))
            speaker = talk.judge if author == "judge" else talk.entity
            self._on_line(talk.judge, talk.side, speaker, line)

    def name(self, id_: str) -> str:
        """An id with the name behind it."""
        name = self.names.get(id_, "")
        return f"{id_} ({name})" if name else id_


def _names(settings: dict[str, Any]) -> dict[str, str]:
    return {
        each["id"]: each.get("name", "")
        for table in ("judge", "entry", "confederate")
        for each in settings.get(table, ())
    }


class PlainProgress:
    """Plain lines, for files and pipes.

    Arguments:
        console: where they go.
        settings: the contest's settings, as the record has them.
        rounds: pairings of each round as (judge, entry, confederate).
    """

    def __init__(
        self, console: Console, settings: dict[str, Any], rounds: list[list[dict[str, str]]]
    ) -> None:
        self._console = console
        self._rounds = rounds
        self._follower = _Follower(_names(settings), self._line)

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *exc_info: object) -> None:
        pass

    def refresh(self) -> None:
        """Nothing waits."""

    def event(self, event: Event) -> None:
        """See Progress."""
        name = self._follower.name
        body = event.body
        match event.kind:
            case "round-opened":
                self._say(f"\nRound {body['round']} of {len(self._rounds)}")
                for pairing in self._rounds[body["round"] - 1]:
                    self._say(
                        f"  {name(pairing['judge'])} compares {name(pairing['entry'])} "
                        f"with {name(pairing['confederate'])}"
                    )
            case "round-started":
                self._say(f"  the interaction begins, {body['seconds'] / 60:g} minutes")
            case "round-ended":
                self._say("  time; the judges decide")
            case "verdict":
                self._say(f"  {name(body['judge'])}: the human was on the {body['human']}")
            case "ranking":
                self._say(f"  {name(body['judge'])} has ranked all participants")
            case "sides-revealed":
                self._say("\nEvery verdict and ranking is closed; the sides are revealed.")
            case "entry-exited" | "trouble":
                self._say(f"  {event.actor}: {event.kind} {body}")
        self._follower.event(event)

    def _line(self, judge: str, side: str, speaker: str, line: str) -> None:
        self._say(f"    {judge} {side:5}  {speaker}: {line}")

    def _say(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)


class LiveProgress:
    """Desks on a terminal, character by character.

    Arguments: as PlainProgress has them.
    """

    def __init__(
        self, console: Console, settings: dict[str, Any], rounds: list[list[dict[str, str]]]
    ) -> None:
        self._console = console
        self._rounds = rounds
        self._follower = _Follower(_names(settings), lambda *_: None)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._round = 0
        self._note = "the entries and people are coming in"
        self._verdicts: dict[str, str] = {}
        self._started: int | None = None
        self._seconds = 0
        self._now = 0

    def __enter__(self) -> LiveProgress:
        self._live.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._live.stop()

    def refresh(self) -> None:
        """See Progress."""
        self._live.update(self._picture(), refresh=True)

    def event(self, event: Event) -> None:
        """See Progress."""
        body = event.body
        self._now = event.mono_ns
        match event.kind:
            case "round-opened":
                self._round = body["round"]
                self._verdicts = {}
                self._note = "everybody takes a seat"
            case "round-started":
                self._note = "interaction"
                self._started, self._seconds = event.mono_ns, body["seconds"]
            case "round-ended":
                self._note = "time; the judges decide"
                self._started = None
            case "verdict":
                self._verdicts[body["judge"]] = f"the human was on the {body['human']}"
            case "round-closed":
                pairings = self._rounds[body["round"] - 1]
                shown = " ".join(p["judge"] + p["entry"] + p["confederate"] for p in pairings)
                given = f"{len(self._verdicts)} of {len(pairings)} verdicts"
                self._console.print(Text(f"Round {body['round']}: {shown}, {given}"))
            case "ranking":
                self._note = "the judges rank all participants"
            case "sides-revealed":
                self._note = "the sides are revealed"
        self._follower.event(event)

    def _picture(self) -> RenderableType:
        title = Text(
            f"Round {self._round} of {len(self._rounds)}: {self._note}{self._time()}", style="bold"
        )
        talks = sorted(self._follower.talks.values(), key=lambda talk: (talk.judge, talk.side))
        desks: dict[str, list[_Talk]] = {}
        for talk in talks:
            desks.setdefault(talk.judge, []).append(talk)
        across = 2 if self._console.width >= WIDE else 1
        width = self._console.width // across
        down = max(1, -(-len(desks) // across))
        height = max(6, (self._console.height - 3) // down)
        panels = [self._desk(judge, sides, width, height) for judge, sides in desks.items()]
        return Group(title, Columns(panels, padding=0))

    def _time(self) -> str:
        if self._started is None:
            return ""
        elapsed = max(0, self._now - self._started) // 10**9
        return f", {elapsed // 60}:{elapsed % 60:02d} of {self._seconds // 60}:00"

    def _desk(self, judge: str, talks: list[_Talk], width: int, height: int) -> Panel:
        column = (width - 6) // 2
        table = Table(box=None, expand=True, show_header=True, padding=(0, 1, 0, 0))
        for talk in talks:
            title = Text(f"{talk.side}: {self._follower.name(talk.entity)}", no_wrap=True)
            table.add_column(title, width=column)
        # Two rows are the frame's, one is the heading's.
        table.add_row(*(self._rows(talk, column, height - 3) for talk in talks))
        verdict = self._verdicts.get(judge, "")
        return Panel(
            table,
            title=Text(self._follower.name(judge)),
            subtitle=Text(verdict) if verdict else None,
            width=width,
            height=height,
        )

    def _rows(self, talk: _Talk, width: int, height: int) -> Text:
        """The last rows of a talk, lines folded; what is being typed comes last."""
        unsent = ((who, editor.unsent) for who, editor in talk.editors.items())
        shown = [*talk.lines, *((who, line + "_") for who, line in unsent if line)]
        rows: list[Text] = []
        for author, line in shown:
            speaker = talk.judge if author == "judge" else talk.entity
            text = Text(f"{speaker}: ", style="bold" if author == "judge" else "cyan")
            text.append(Text(line, style="default"))
            rows.extend(text.wrap(self._console, width))
        return Text("\n").join(rows[-height:])


def progress(
    console: Console, settings: dict[str, Any], rounds: list[list[dict[str, str]]]
) -> PlainProgress | LiveProgress:
    """What fits the console: desks on a terminal, plain lines elsewhere."""
    kind = LiveProgress if console.is_terminal else PlainProgress
    return kind(console, settings, rounds)
