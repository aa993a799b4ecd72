"""A recording as it is played on a terminal: the talks side by side, as judges saw them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from rich.console import Console, Group
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from loebner.replaying.lines import Talk, visible
from loebner.replaying.writing import paced
from lpp.clock import Clock
from lpp.conversation import Conversation
from lpp.log2012 import Place
from lpp.recording import Recorded, Recording

#: Seconds between two drawings of the panes.
FRAME = 0.05


class Panes:
    """The talks side by side: the last lines that fit, and what is being typed."""

    def __init__(self, recording: Recording, console: Console) -> None:
        self._recording = recording
        self._console = console
        self.talk = Talk(recording)
        self._talks = {side: Conversation() for side in recording.sitters}

    def press(self, press: Recorded) -> None:
        """Takes a key press."""
        if self.talk.take(press) is not None:
            self._talks[press.side].press(press.author, press.key)

    def __rich__(self) -> Layout:
        """What stands now, fitted to the terminal."""
        height = max(2, self._console.height - 3)  # less the head and the frame's two lines
        width = max(10, self._console.width // len(self._talks) - 4)
        head = Text(f"{self.talk.offset}  {visible(self._recording.about[-1])}", no_wrap=True)
        panes = Layout()
        panes.split_row(*(self._pane(side, width, height) for side in self._talks))
        whole = Layout()
        whole.split_column(Layout(head, size=1), panes)
        return whole

    def _pane(self, side: Place, width: int, height: int) -> Layout:
        wrapped: list[Text] = []
        for row in self._rows_from_below(side):
            wrapped[:0] = list(row.wrap(self._console, width))
            if len(wrapped) >= height:
                break
        title = Text(f"{side}: {self.talk.who(side, 'entity')}")
        return Layout(Panel(Group(*wrapped[-height:]), title=title))

    def _rows_from_below(self, side: Place) -> Iterator[Text]:
        for block in reversed(self._talks[side].blocks):
            # Text, never markup: what people type may hold square brackets.
            row = Text()
            row.append(f"{self.talk.who(side, block.author)}: ", style="bold")
            state = "…" if block.is_open else ""
            row.append(visible(block.text) + state, "cyan" if block.author == "judge" else "")
            yield row


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
