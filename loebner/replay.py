"""`loebner replay`: a recorded talk or a log of 2012 again, as text or as key presses."""

from __future__ import annotations

import asyncio
import math
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console, Group
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from lpp.clock import Clock, LoopClock
from lpp.directory import LocalDirectory
from lpp.keypress import Side
from lpp.log2012 import Author, Loss, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recorded, Recording, load
from lpp.replay import KeyWriter, paced, play

#: Losses that are named one by one; of more, the number is told.
LOSSES_NAMED = 20
#: Seconds between two drawings of the panes.
FRAME = 0.05

# Joiners make one sign of several code points; all other marks of format can turn or hide text.
_HARMLESS_FORMAT = "\u200c\u200d"


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--to",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, readable=False),
    help="Make the key presses in this directory: .other from the entity, .judge from the judge.",
)
@click.option(
    "--speed",
    metavar="X",
    type=float,
    help="X times as fast as it was; 0 is at once. Left out: 1, but 0 for text that does not go "
    "to a terminal.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "program", "human"]),
    help="Which talk of a pairing. Left out: the program's with --to, as text both.",
)
@click.option(
    "--wait",
    is_flag=True,
    help="With --to: after each key press, wait until it has been removed.",
)
@click.option("--talk", metavar="TALK", help="Which talk of an events.jsonl, as 1.1.J1.left.")
def replay(
    file: Path,
    directory: Path | None,
    speed: float | None,
    side: str | None,
    wait: bool,
    talk: str | None,
) -> None:
    """Plays FILE again: a log in the form of 2012, or the events.jsonl of an export.

    Without --to it is shown as text, side by side on a terminal, else line by line.
    """
    if speed is not None and not (math.isfinite(speed) and speed >= 0):
        raise click.UsageError(f"--speed is 0 or more, not {speed}")
    if wait and directory is None:
        raise click.UsageError("--wait needs --to: without a directory nobody removes anything")
    console = _console()
    on_terminal = console.is_terminal and not console.is_dumb_terminal and sys.stdout.isatty()
    if speed is None:
        speed = 1.0 if on_terminal or directory is not None else 0.0
    clock = LoopClock(speed) if speed > 0 else None
    recording = load(file, talk)
    if directory is not None or side is not None:
        recording = recording.only(recording.side(side))
    if directory is not None:
        _to_directory(recording, directory, clock, wait)
        return
    _name_losses(recording.name, recording.losses)
    if on_terminal and clock is not None:
        asyncio.run(show_panes(recording, clock, console))
    else:
        asyncio.run(show_lines(recording, clock))


def _console() -> Console:
    return Console()


def _to_directory(recording: Recording, path: Path, clock: Clock | None, wait: bool) -> None:
    writer = KeyWriter(LocalDirectory(path), len(recording.presses))
    _name_losses(recording.name, recording.losses)
    try:
        asyncio.run(play(recording, writer, clock, wait=wait))
    finally:
        _name_losses(recording.name, tuple(writer.losses))
    by = writer.written
    click.echo(
        f"{writer.count} key presses written to {visible(str(path))}: "
        f"{by[Side.JUDGE]} .judge, {by[Side.OTHER]} .other"
    )


def _name_losses(name: str, losses: tuple[Loss, ...]) -> None:
    for loss in losses[:LOSSES_NAMED]:
        click.echo(visible(f"loebner: lost: {name}, line {loss.line}: {loss.what}"), err=True)
    if len(losses) > LOSSES_NAMED:
        click.echo(f"loebner: lost: {len(losses) - LOSSES_NAMED} more lines", err=True)


def visible(text: str) -> str:
    """A text of unknown origin, safe to show: control characters, bytes that are no text, and
    marks that turn the direction of writing become escapes such as `\\x1b`."""
    return "".join(char if _is_harmless(char) else repr(char)[1:-1] for char in text)


def _is_harmless(char: str) -> bool:
    if char.isprintable() or char in _HARMLESS_FORMAT:
        return True
    return unicodedata.category(char) == "Zs"


@dataclass
class Lines:
    """The lines of one author on one side, as a pane has them (see lpp.lines.Pane)."""

    done: list[str] = field(default_factory=list)
    current: str = ""
    #: The current line was finished before, and a BackSpace took its Return.
    reopened: bool = False

    def press(self, key: str) -> str | None:
        """Takes one key press.

        Returns:
            The line that it finishes, else None.
        """
        char = char_of(key)
        if char == "\n":
            self.done.append(self.current)
            self.current, self.reopened = "", False
            return self.done[-1]
        if char == BACKSPACE_CHAR:
            if self.current:
                self.current = self.current[:-1]
            elif self.done:
                self.current, self.reopened = self.done.pop(), True
        elif char is not None:
            self.current += char
        return None


class Talk:
    """Who types what, over all sides and both authors of a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._first: int | None = None
        self.seconds = 0.0
        self.lines: dict[tuple[Place, Author], Lines] = {}
        for side in recording.sitters:
            self.lines[side, "judge"] = Lines()
            self.lines[side, "entity"] = Lines()

    def take(self, press: Recorded) -> Lines | None:
        """Takes a key press; gives its author's lines, None if he is not in this recording."""
        if self._first is None:
            self._first = press.time_us
        self.seconds = (press.time_us - self._first) / 1_000_000
        return self.lines.get((press.side, press.author))

    def who(self, side: Place, author: Author) -> str:
        """What an author is called."""
        return "judge" if author == "judge" else visible(self._recording.sitters[side])

    @property
    def offset(self) -> str:
        """The time of the last key press since the first, in minutes and seconds."""
        minutes, tenths = divmod(round(max(0.0, self.seconds) * 10), 600)
        return f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"


async def show_lines(recording: Recording, clock: Clock | None) -> None:
    """Prints each line when it is finished, and at the end those that never were."""
    for line in recording.about:
        click.echo(visible(line))
    click.echo()
    talk = Talk(recording)
    async for press in paced(recording, clock):
        lines = talk.take(press)
        if lines is None:
            continue
        again = " (again)" if lines.reopened else ""
        finished = lines.press(press.key)
        if finished is not None:
            _print_line(talk, press.side, press.author, again, finished)
    for (side, author), lines in talk.lines.items():
        if lines.current or lines.reopened:
            _print_line(talk, side, author, " (unfinished)", lines.current)


def _print_line(talk: Talk, side: Place, author: Author, state: str, text: str) -> None:
    click.echo(f"{talk.offset}  {side:<5}  {talk.who(side, author)}{state}: {visible(text)}")


class Panes:
    """The talks side by side on a terminal: the last lines that fit, and what is being typed."""

    def __init__(self, recording: Recording, console: Console) -> None:
        self._recording = recording
        self._console = console
        self.talk = Talk(recording)
        # Finished lines of each side in the order of their Returns.
        self._rows: dict[Place, list[tuple[Author, str]]] = {s: [] for s in recording.sitters}

    def press(self, press: Recorded) -> None:
        """Takes a key press."""
        lines = self.talk.take(press)
        if lines is None:
            return
        rows, standing = self._rows[press.side], len(lines.done)
        finished = lines.press(press.key)
        if finished is not None:
            rows.append((press.author, finished))
        elif len(lines.done) < standing:
            last = max(at for at, row in enumerate(rows) if row[0] == press.author)
            del rows[last]

    def __rich__(self) -> Layout:
        """What stands now, fitted to the terminal."""
        height = max(2, self._console.height - 3)  # less the head and the frame's two lines
        width = max(10, self._console.width // len(self._rows) - 4)
        head = Text(f"{self.talk.offset}  {visible(self._recording.about[-1])}", no_wrap=True)
        panes = Layout()
        panes.split_row(*(self._pane(side, width, height) for side in self._rows))
        whole = Layout()
        whole.split_column(Layout(head, size=1), panes)
        return whole

    def _pane(self, side: Place, width: int, height: int) -> Layout:
        rows = [
            *((author, text, "") for author, text in self._rows[side][-height:]),
            *(
                (author, lines.current, "…")
                for (place, author), lines in self.talk.lines.items()
                if place == side and (lines.current or lines.reopened)
            ),
        ]
        wrapped: list[Text] = []
        for author, text, state in reversed(rows):
            # Text, never markup: what people type may hold square brackets.
            row = Text()
            row.append(f"{self.talk.who(side, author)}: ", style="bold")
            row.append(visible(text) + state, style="cyan" if author == "judge" else "")
            wrapped[:0] = list(row.wrap(self._console, width))
            if len(wrapped) >= height:
                break
        title = Text(f"{side}: {self.talk.who(side, 'entity')}")
        return Layout(Panel(Group(*wrapped[-height:]), title=title))


async def show_panes(recording: Recording, clock: Clock, console: Console) -> None:
    """Shows the talks side by side while they are played; what stands in the end stays."""
    panes = Panes(recording, console)
    with Live(panes, console=console, auto_refresh=False) as live:
        drawing = asyncio.create_task(_keep_drawing(live))
        try:
            async for press in paced(recording, clock):
                panes.press(press)
        finally:
            drawing.cancel()
        live.refresh()


async def _keep_drawing(live: Live) -> None:
    # Not rich's own thread: it would read the panes while they change.
    while True:
        live.refresh()
        await asyncio.sleep(FRAME)
