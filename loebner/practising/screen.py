"""Practice on a terminal: what both type on the left, the wire log on the right.

The panes show what a judge would see: characters appear as they come, and BackSpace takes them
away again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from rich.console import Console, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from loebner.practising.keyboard import END, keyboard
from loebner.practising.talk import Entry, Practice
from lpp.lines import Pane

#: Seconds between two drawings, when there is something to draw.
FRAME = 1 / 30
#: A terminal of so many columns has room for the wire log at the side; a narrower one, below.
WIDE = 90
#: Rows of the wire log that are kept for the screen, and characters of a pane that are folded
#: for it: more than any terminal shows.
ROWS, CHARS = 300, 8000

_STYLES = {">": "cyan", "<": "green", "x": "bright_black", "*": "bright_black", "!": "red"}


class Screen:
    """The picture of a practice.

    Arguments:
        practice: the talk.
        name: what the entity is called.
        console: the terminal.
    """

    def __init__(self, practice: Practice, name: str, console: Console) -> None:
        self._practice = practice
        self._name = name
        self._console = console
        self._wire: deque[Entry] = deque(maxlen=ROWS)
        self._note = ""
        self.changed = asyncio.Event()
        practice.attach(self._on_wire, lambda key: self.changed.set())

    def note(self, text: str) -> None:
        """Shows a word to the person in the last line."""
        self._note = text
        self.changed.set()

    def picture(self) -> RenderableType:
        """All that is to be seen now."""
        width, height = self._console.size
        layout = Layout()
        status = Layout(self._status(), name="status", size=1)
        if width >= WIDE:
            body, left, right = Layout(), width // 2, width - width // 2
            panes, wire = Layout(size=left), Layout(size=right)
            body.split_row(panes, wire)
            rows, wire_rows = height - 1, height - 1
        else:
            body, left, right = Layout(), width, width
            wire_rows = height // 3
            rows = height - 1 - wire_rows
            panes, wire = Layout(size=rows), Layout(size=wire_rows)
            body.split_column(panes, wire)
        layout.split_column(body, status)
        yours = max(3, rows // 3)
        upper, lower = Layout(size=rows - yours), Layout(size=yours)
        panes.split_column(upper, lower)
        upper.update(self._pane(self._name, self._practice.entity, left, rows - yours, "green"))
        lower.update(self._pane("you, the judge", self._practice.you, left, yours, "cyan"))
        wire.update(self._wire_log(right, wire_rows))
        return layout

    def _on_wire(self, entry: Entry) -> None:
        self._wire.append(entry)
        self.changed.set()

    def _pane(self, title: str, pane: Pane, width: int, height: int, colour: str) -> Panel:
        text = Text(pane.text[-CHARS:].expandtabs(4), style="default")
        text.append("▏", style=colour)
        rows = text.wrap(self._console, width - 4)
        shown = Text("\n").join(rows[-(height - 2) :])
        return Panel(shown, title=Text(title), title_align="left", border_style=colour)

    def _wire_log(self, width: int, height: int) -> Panel:
        rows: list[Text] = []
        for entry in reversed(self._wire):
            if len(rows) >= height - 2:
                break
            rows[:0] = self._rows_of(entry, width - 4)
        shown = Text("\n").join(rows[-(height - 2) :])
        return Panel(shown, title=Text("wire log"), title_align="left", border_style="bright_black")

    def _rows_of(self, entry: Entry, width: int) -> list[Text]:
        arrow = {">": "→", "<": "←", "x": "✗"}.get(entry.mark, entry.mark)
        note = f"  {entry.note}" if entry.note else ""
        row = Text(f"{entry.number:5} {entry.at:8.3f} {arrow} ", style="bright_black")
        row.append(entry.name + note, style=_STYLES[entry.mark])
        rows = [*row.wrap(self._console, width)]
        for breach in entry.breaches:
            rows.extend(Text(f"      ! {breach}", style="bold red").wrap(self._console, width))
        return rows

    def _status(self) -> Text:
        practice = self._practice
        status = Text(" Ctrl-D ends ", style="reverse")
        status.append(f"  unread keys: {practice.unread}", style="not reverse")
        breaches = ", ".join(f"{rule} x {n}" for rule, n in practice.breaches.items())
        style = "not reverse red" if breaches else "not reverse"
        status.append(f"  breaches: {breaches or 'none'}", style=style)
        status.append(f"  {self._note}", style="not reverse yellow")
        status.truncate(self._console.width)
        return status


async def by_keys(practice: Practice, name: str, console: Console) -> None:
    """Talks key by key until the person ends it.

    Arguments:
        practice: the talk, open.
        name: what the entity is called.
        console: the terminal.
    """
    typed: asyncio.Queue[str] = asyncio.Queue()
    screen = Screen(practice, name, console)
    with keyboard(typed.put_nowait), Live(console=console, screen=True, auto_refresh=False) as live:
        drawing = asyncio.create_task(_draw(screen, live), name="drawing")
        try:
            while True:
                text, end, _ = (await typed.get()).partition(END)
                left_out = await practice.type(text)
                screen.note(f"no key press carries {left_out!r}" if left_out else "")
                if end:
                    return
        finally:
            drawing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drawing


async def _draw(screen: Screen, live: Live) -> None:
    while True:
        screen.changed.clear()
        live.update(screen.picture(), refresh=True)
        await asyncio.sleep(FRAME)
        # Now and then without a change: the terminal may have another size by now.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await screen.changed.wait()
