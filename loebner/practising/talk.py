"""The talk of a practice: what the person types goes out as the judge's key presses, what the
entity types comes in, and all that happens in the directory is written into the wire log."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import NotAKey
from lpp.keypress import Rule, Side, Violation, printable
from lpp.lines import Pane
from lpp.names import RETURN, name_of, plain_text
from lpp.numbers import Numbers
from lpp.program import Program
from lpp.session import Received

#: Seconds between two looks at which of our keys still stand, and at how the program is.
LOOK = 0.05
#: Seconds after which a key that nobody has removed is a breach.
OVERDUE = 5.0
#: Seconds within which a key is to be removed; longer is told of at the end.
PROMPT = 1.0

#: What to do about a breach, in words for whoever writes the program.
REMEDIES = {
    Rule.UNIQUE: "count one up for every key",
    Rule.LEXICAL: "pad the numbers with zeros to ten digits",
    Rule.NUMERIC: "count one up for every key, also after a restart",
    Rule.WIDTH: "pad the numbers with zeros to ten digits",
    Rule.NAME: "send a letter, a digit, or a name of the appendix",
    Rule.EXTENSION: "end each name in .other",
    Rule.DIRECTORY: "make a directory (mkdir), not a file, and put nothing in it",
    Rule.REMOVES: "remove each .judge directory as soon as it is read",
    Rule.WAITS: "type nothing before the judge's first key",
}


@dataclass(frozen=True, slots=True)
class Entry:
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
    """A judge's side of a talk, for a person at a terminal.

    Use as `async with`; all methods belong to the loop's thread.

    Arguments:
        directory: the communications directory.
        program: the entity's program if it is ours to watch; it is running already.
        numbers: what remembers the judge's sequence numbers; as the channel's.

    Attributes:
        you, entity: what each has typed, as the judge sees it.
        breaches: how often each rule was broken.
        last_sound: when the last key was pressed by either, in seconds of the loop.
        lines_heard: how many lines the entity has ended.
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
        self._begun = self._loop.time()
        self._tasks: list[asyncio.Task[None]] = []
        self._rows = 0
        self._stood: set[str] = set()
        self._standing: dict[str, float] = {}
        self._overdue_told = False
        self._late = 0
        self._slowest = 0.0
        self._spoken = False
        self._lines_before = 0
        self.you = Pane()
        self.entity = Pane()
        self.breaches: Counter[str] = Counter()
        self.last_sound = self._begun
        self.lines_heard = 0
        self._early: list[Entry] = []
        self._on_wire: Callable[[Entry], None] = self._early.append
        self._on_key: Callable[[str], None] = lambda key: None

    async def __aenter__(self) -> Self:
        """Opens the judge's side.

        Raises:
            BadDirectory: if the directory is none, or can't be written.
            Surroundings: if it can't be listed for another reason.
        """
        self._directory.check()
        # Of an earlier talk, or of a program that did not wait: nobody can tell any more.
        with contextlib.suppress(OSError):  # which the channel tells better
            self._stood = set(self._directory.names())
        await self._channel.__aenter__()
        self._tasks = [
            asyncio.create_task(self._listen(), name="listening"),
            asyncio.create_task(self._look(), name="looking"),
        ]
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._channel.close()
        for result in done:
            if isinstance(result, Exception):
                raise result

    def attach(self, on_wire: Callable[[Entry], None], on_key: Callable[[str], None]) -> None:
        """Says who is told of what happens.

        Arguments:
            on_wire: called with each row of the wire log, those that are there already first.
            on_key: called with the name of each key of the entity's that the judge sees.
        """
        self._on_wire, self._on_key = on_wire, on_key
        for entry in self._early:
            on_wire(entry)
        self._early.clear()

    @property
    def died(self) -> bool:
        """Whether the entity's program has ended by itself."""
        return self._program is not None and not self._program.running

    @property
    def unread(self) -> int:
        """How many of the judge's keys still stand in the directory."""
        return len(self._standing)

    def told(self) -> list[str]:
        """What there is to mend, a line each: the rules that were broken, how often, and what to do
        about it. To be asked for at the end."""
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
            lines.append("no Return: end each answer by it, or a judge sees them run together")
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
            self.last_sound = self._loop.time()
            self._standing[press.raw] = self.last_sound
            self._lines_before = self.lines_heard
            self.you.press(key)
            self._write(">", press.raw)
        return left_out

    async def quiet(self, seconds: float, after_line: float | None = None) -> None:
        """Waits until nobody has pressed a key for so long.

        Arguments:
            seconds: how long.
            after_line: if given, so many seconds will do where the entity has ended a line since
                we typed last.
        """
        while True:
            answered = self.lines_heard > self._lines_before
            needed = min(seconds, after_line) if answered and after_line is not None else seconds
            left = self.last_sound + needed - self._loop.time()
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
            self._write("*", press.raw, received.violations, "stood here before; not shown")
            return
        violations = received.violations
        if not self._spoken:
            seen = "typed before the judge's first key; not shown"
            violations = (*violations, Violation(Rule.WAITS, press.raw, seen))
        self._write("<", press.raw, violations)
        if self._spoken:
            self.last_sound = self._loop.time()
            lines = len(self.entity.lines)
            self.entity.press(press.key)
            self.lines_heard += len(self.entity.lines) > lines
            self._on_key(press.key)

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
                seen = f"still stands after {OVERDUE:g} s, {len(self._standing)} unread in all"
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
        self._on_wire(Entry(self._rows, at, mark, printable(name), told, note))
