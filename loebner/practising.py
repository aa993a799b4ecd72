"""The talk of `loebner practice`: a person plays the judge against a program.

`Practice` carries keys out and in and writes the wire log: all that happens in the communications
directory. `by_lines` plays it with standard input and output, for scripts; `by_keys` on a terminal,
key by key, with what both type beside the wire log.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from prompt_toolkit.input import create_input
from prompt_toolkit.keys import Keys
from rich.console import Console, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import NotAKey
from lpp.keypress import Rule, Side, Violation, printable
from lpp.lines import LineEditor, Pane
from lpp.names import RETURN, name_of, plain_text
from lpp.numbers import Numbers
from lpp.program import Program
from lpp.session import Received

#: Seconds between two looks at which of our keys still stand, and at how the program is.
LOOK = 0.05
#: Seconds after which a key that nobody has removed is a breach.
OVERDUE = 5.0
#: Seconds within which a key is to be removed; later ones are counted and told at the end.
PROMPT = 1.0

#: What to do about a breach, for the author of the program.
REMEDIES = {
    Rule.UNIQUE: "count one up for every key",
    Rule.LEXICAL: "pad the numbers with zeros to ten digits",
    Rule.NUMERIC: "count up by one for every key, also after a restart",
    Rule.WIDTH: "pad the numbers with zeros to ten digits",
    Rule.NAME: "send a letter, a digit, or a name of the appendix",
    Rule.EXTENSION: "end each name with .other",
    Rule.DIRECTORY: "make a directory (mkdir), not a file, and put nothing in it",
    Rule.REMOVES: "remove each .judge directory as soon as it is read",
    Rule.WAITS: "type nothing before the judge's first key",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the wire log.

    Attributes:
        number: its place, from 1.
        at: seconds since the practice began.
        mark: `>` the judge made it, `<` the entity made it, `x` the entity removed it, `*` it
            stood there before, `!` a breach or a trouble that belongs to no new key press.
        name: the directory's name, as printable text, or "".
        breaches: the rules it breaks, each with what was seen.
        note: more, in words.
    """

    number: int
    at: float
    mark: str
    name: str
    breaches: tuple[str, ...] = ()
    note: str = ""

    @property
    def line(self) -> str:
        """The row as text."""
        shown = " ".join(part for part in (self.name, self.note) if part)
        breaches = "".join(f"  ! {breach}" for breach in self.breaches)
        return f"{self.number:5} {self.at:9.3f}  {self.mark} {shown}{breaches}"


class Practice:
    """A judge's side of a talk. Use as `async with`; all methods belong to the loop's thread.

    Arguments:
        directory: the communications directory.
        program: the entity's program if this process started it; it is running already.
        numbers: what remembers the judge's sequence numbers; as the channel's.

    Attributes:
        you, entity: what each has typed, as the judge sees it.
        breaches: how often each rule was broken.
        on_wire: called with each row of the wire log; set it before the practice is opened.
        on_key: called with the name of each key of the entity's that the judge sees.
    """

    def __init__(
        self,
        directory: Directory,
        program: Program | None = None,
        numbers: Numbers | None = None,
    ) -> None:
        self._directory = directory
        self._channel = DirectoryChannel(
            directory, side=Side.JUDGE, numbers=numbers, report=self._report
        )
        self._program = program
        self._loop = asyncio.get_running_loop()
        self._begun = self._last_sound = self._loop.time()
        self._tasks: list[asyncio.Task[None]] = []
        self._rows = 0
        # What stood there before, by name; our keys that stand there unread, with their times.
        self._stood: set[str] = set()
        self._standing: dict[str, float] = {}
        self._overdue_told = False
        self._late, self._slowest = 0, 0.0
        self._spoken = False
        # Lines that the entity has ended, and how many of them before our last key.
        self._lines_heard = self._lines_before = 0
        self.you, self.entity = Pane(), Pane()
        self.breaches: Counter[str] = Counter()
        self.on_wire: Callable[[Row], None] = lambda row: None
        self.on_key: Callable[[str], None] = lambda key: None

    async def __aenter__(self) -> Self:
        """Opens the judge's side.

        Raises:
            BadDirectory: if there is no such directory, or it can't be written.
            Surroundings: if it can't be listed for another reason.
        """
        self._directory.check()
        # Of an earlier talk, or of a program that did not wait: nobody can tell any more. A program
        # that this process started has a fresh directory, so all that stands there is its own.
        if self._program is None:
            with contextlib.suppress(OSError):  # the channel reports it better
                self._stood = set(self._directory.names())
        await self._channel.__aenter__()
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._look())]
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._channel.close()
        for result in done:
            if isinstance(result, Exception):
                raise result

    @property
    def died(self) -> bool:
        """Whether the entity's program has ended by itself."""
        return self._program is not None and not self._program.running

    @property
    def unread(self) -> int:
        """How many of the judge's keys still stand in the directory."""
        return len(self._standing)

    def advice(self) -> list[str]:
        """What there is to mend, a line each: the rules that were broken, how often, and what to do
        about it. Ask for it at the end."""
        lines = [
            f"broken: {rule.value} ({self.breaches[rule.value]}): {remedy}"
            for rule, remedy in REMEDIES.items()
            if self.breaches[rule.value]
        ]
        if self._late:
            lines.append(
                f"slow: 2.B/prompt ({self._late}): the slowest key was removed after "
                f"{self._slowest:.1f} s; remove each within a second, before you think"
            )
        if self.entity.text and RETURN not in self.entity.typed:
            lines.append(
                "no Return: end each answer with Return, or a judge sees the answers run together"
            )
        return lines

    async def type(self, text: str) -> str:
        """Presses the keys of a text.

        Arguments:
            text: a newline is Return, a tab Tab, `\\b` BackSpace.

        Returns:
            The characters that no key press carries, which were left out.

        Raises:
            BadDirectory, Surroundings: as `DirectoryChannel.send`.
        """
        left_out = ""
        for char in plain_text(text):
            try:
                key = name_of(char)
            except NotAKey:
                left_out += char
                continue
            press = await self._channel.send(key)
            self._spoken = True
            self._last_sound = self._standing[press.raw] = self._loop.time()
            self._lines_before = self._lines_heard
            self.you.press(key)
            self._write(">", press.raw)
        return left_out

    async def quiet(self, seconds: float, after_line: float | None = None) -> None:
        """Waits until nobody has pressed a key for so long.

        Arguments:
            seconds: how long.
            after_line: if given, this is long enough where the entity has ended a line since we
                typed last.
        """
        while True:
            answered = self._lines_heard > self._lines_before
            needed = min(seconds, after_line) if answered and after_line is not None else seconds
            left = self._last_sound + needed - self._loop.time()
            if left <= 0:
                return
            await asyncio.sleep(min(left, LOOK))

    async def _listen(self) -> None:
        async for received in self._channel:
            self._hear(received)

    def _hear(self, received: Received) -> None:
        press = received.press
        if press.raw in self._stood:
            self._stood.discard(press.raw)
            self._write("*", press.raw, received.violations, "was here before; not shown")
            return
        violations = received.violations
        if not self._spoken:
            seen = "typed before the judge's first key; not shown"
            violations = (*violations, Violation(Rule.WAITS, press.raw, seen))
        self._write("<", press.raw, violations)
        if self._spoken:
            self._last_sound = self._loop.time()
            lines = len(self.entity.lines)
            self.entity.press(press.key)
            self._lines_heard += len(self.entity.lines) > lines
            self.on_key(press.key)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            if not self._standing:
                self._overdue_told = False
                continue
            try:
                there = set(self._directory.names())
            except OSError:  # the channel reports it
                continue
            now = self._loop.time()
            for name in [name for name in self._standing if name not in there]:
                seconds = now - self._standing.pop(name)
                self._late += seconds > PROMPT
                self._slowest = max(self._slowest, seconds)
                self._write("x", name, note=f"in {seconds:.2f} s")
            oldest = next(iter(self._standing.items()), None)
            if oldest is not None and now - oldest[1] > OVERDUE and not self._overdue_told:
                self._overdue_told = True
                seen = f"not removed after {OVERDUE:g} s, {self.unread} unread in all"
                self._write("!", oldest[0], (Violation(Rule.REMOVES, oldest[0], seen),))

    def _report(self, what: Violation | OSError) -> None:
        if isinstance(what, Violation):
            self._write("!", what.name, (what,))
        else:
            self._write("!", "", note=str(what))

    def _write(
        self, mark: str, name: str, violations: tuple[Violation, ...] = (), note: str = ""
    ) -> None:
        self._rows += 1
        self.breaches.update(violation.rule.value for violation in violations)
        told = tuple(f"{violation.rule.value}: {violation.detail}" for violation in violations)
        at = self._loop.time() - self._begun
        self.on_wire(Row(self._rows, at, mark, printable(name), told, note))


# By lines

#: Seconds of silence after a line of the entity's, after which the next one is typed: many
#: answers have more than one line.
TURN = 1.0


def prefixed(who: str, text: str) -> str:
    """A line as it is printed; `who` is you, entity, wire, program or note."""
    return f"{who:7} | {text}"


async def by_lines(
    practice: Practice, input_fd: int, quiet: float, write: Callable[[str], None]
) -> None:
    """Types line by line, and ends after the input's end once all have been quiet.

    The next line is typed when the entity has ended a line and has been silent for a second, or
    when it has been silent for the quiet time.

    Arguments:
        practice: the talk, open.
        input_fd: the descriptor that lines are read from, in UTF-8.
        quiet: seconds of silence that count as an end.
        write: takes each line of output.
    """
    editor = LineEditor()

    def on_key(key: str) -> None:
        line = editor.press(key)
        if line is not None:
            write(prefixed("entity", line))

    practice.on_key = on_key
    lines = _lines(input_fd)
    first, shown = True, ""
    try:
        while (line := await lines.get()) is not None:
            if not first:
                await practice.quiet(quiet, after_line=TURN)
                if editor.unsent not in ("", shown):
                    shown = editor.unsent
                    write(prefixed("entity", f"{shown} (no Return yet)"))
            first = False
            write(prefixed("you", line))
            left_out = await practice.type(line + "\n")
            if left_out:
                write(prefixed("note", f"no key press carries {left_out!r}; left out"))
        await practice.quiet(quiet)
    finally:
        if editor.unsent:
            write(prefixed("entity", f"{editor.unsent} (without Return)"))
        for advice in practice.advice():
            write(prefixed("note", advice))


def _lines(input_fd: int) -> asyncio.Queue[str | None]:
    """The lines of a descriptor as they come, then None. A thread reads, because a loop can't wait
    for files or Windows' pipes. It reads the bare descriptor: a buffered file that still waits
    when the process ends would abort it."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        rest, data = "", b"-"
        while data:
            try:
                data = os.read(input_fd, 65536)
            except OSError:
                data = b""
            *whole, rest = (rest + decoder.decode(data, final=not data)).split("\n")
            ended: list[str | None] = [] if data else [*filter(None, [rest]), None]
            with contextlib.suppress(RuntimeError):  # the loop may be closed by then
                for line in [*(each.removesuffix("\r") for each in whole), *ended]:
                    loop.call_soon_threadsafe(lines.put_nowait, line)

    threading.Thread(target=read, name="standard input", daemon=True).start()
    return lines


# On a terminal

#: Seconds between two drawings, when there is something to draw.
FRAME = 1 / 30
#: A terminal of so many columns has room for the wire log at the side; a narrower one, below.
WIDE = 90
#: Rows of the wire log that are kept for the screen, and characters of a pane that are folded
#: for it: more than any terminal shows.
ROWS, CHARS = 300, 8000

_STYLES = {">": "cyan", "<": "green", "x": "bright_black", "*": "bright_black", "!": "red"}
_ARROWS = {">": "→", "<": "←", "x": "✗"}
#: What the keys that are no characters type; `END` ends the practice.
END = "\x04"
_TYPED: dict[str, str] = {
    Keys.ControlM: "\n",
    Keys.ControlJ: "\n",
    Keys.ControlH: "\b",
    Keys.ControlI: "\t",
    Keys.ControlC: END,
    Keys.ControlD: END,
}


class Screen:
    """The picture of a practice: what both type as a judge would see it, and the wire log.

    Arguments:
        practice: the talk.
        name: what the entity is called.
        console: the terminal.
    """

    def __init__(self, practice: Practice, name: str, console: Console) -> None:
        self._practice, self._name, self._console = practice, name, console
        self._wire: deque[Row] = deque(maxlen=ROWS)
        self.note = ""
        self.changed = asyncio.Event()
        practice.on_wire = self._on_wire
        practice.on_key = lambda key: self.changed.set()

    def _on_wire(self, row: Row) -> None:
        self._wire.append(row)
        self.changed.set()

    def picture(self) -> RenderableType:
        """All that is to be seen now."""
        width, height = self._console.size
        whole, panes, wire = Layout(), Layout(), Layout()
        if width >= WIDE:
            body, left, right = Layout(), width // 2, width - width // 2
            rows = wire_rows = height - 1
            body.split_row(Layout(panes, size=left), Layout(wire, size=right))
        else:
            body, left, right = Layout(), width, width
            wire_rows = height // 3
            rows = height - 1 - wire_rows
            body.split_column(Layout(panes, size=rows), Layout(wire, size=wire_rows))
        whole.split_column(body, Layout(self._status(), size=1))
        yours = max(3, rows // 3)
        panes.split_column(
            Layout(
                self._pane(self._name, self._practice.entity, left, rows - yours, "green"),
                size=rows - yours,
            ),
            Layout(self._pane("you, the judge", self._practice.you, left, yours, "cyan")),
        )
        wire.update(self._wire_log(right, wire_rows))
        return whole

    def _pane(self, title: str, pane: Pane, width: int, height: int, colour: str) -> Panel:
        text = Text(pane.text[-CHARS:].expandtabs(4), style="default")
        text.append("▏", style=colour)
        return self._panel(title, text.wrap(self._console, width - 4), height, colour)

    def _panel(self, title: str, rows: Iterable[Text], height: int, colour: str) -> Panel:
        shown = Text("\n").join([*rows][-(height - 2) :])
        return Panel(shown, title=Text(title), title_align="left", border_style=colour)

    def _wire_log(self, width: int, height: int) -> Panel:
        rows: list[Text] = []
        for row in list(self._wire)[-height:]:
            note = f"  {row.note}" if row.note else ""
            arrow = _ARROWS.get(row.mark, row.mark)
            text = Text(f"{row.number:5} {row.at:8.3f} {arrow} ", style="bright_black")
            text.append(row.name + note, style=_STYLES[row.mark])
            breaches = [Text(f"      ! {breach}", style="bold red") for breach in row.breaches]
            for each in (text, *breaches):
                rows += each.wrap(self._console, width - 4)
        return self._panel("wire log", rows, height, "bright_black")

    def _status(self) -> Text:
        breaches = ", ".join(f"{rule} x {n}" for rule, n in self._practice.breaches.items())
        status = Text(" Ctrl-D ends ", style="reverse")
        status.append(f"  unread keys: {self._practice.unread}", style="not reverse")
        style = "not reverse red" if breaches else "not reverse"
        status.append(f"  breaches: {breaches or 'none'}", style=style)
        status.append(f"  {self.note}", style="not reverse yellow")
        status.truncate(self._console.width)
        return status

    async def draw(self, live: Live) -> None:
        """Draws what changes, until it is cancelled."""
        while True:
            self.changed.clear()
            live.update(self.picture(), refresh=True)
            await asyncio.sleep(FRAME)
            # Also draws without a change now and then: the terminal may have another size by now.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), 1.0)


async def by_keys(practice: Practice, screen: Screen, console: Console) -> None:
    """Talks key by key until the person ends it.

    Arguments:
        practice: the talk, open.
        screen: its picture.
        console: the terminal.
    """
    typed: asyncio.Queue[str] = asyncio.Queue()
    keyboard = create_input()

    def read() -> None:
        for press in keyboard.read_keys():
            typed.put_nowait(_TYPED.get(press.key, press.key if len(press.key) == 1 else ""))
        if keyboard.closed:  # the terminal is gone: nobody types
            typed.put_nowait(END)

    with (
        keyboard.raw_mode(),
        keyboard.attach(read),
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):
        drawing = asyncio.create_task(screen.draw(live), name="drawing")
        try:
            while (text := await typed.get()) != END:
                left_out = await practice.type(text)
                screen.note = f"no key press carries {left_out!r}" if left_out else ""
                screen.changed.set()
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)
