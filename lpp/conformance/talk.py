"""A judge's patience: types lines on a stage, listens to answers, learns how the entry behaves.

What is learned here (does it answer, echo, type slowly, take long to load?) decides only how long
to wait and what to play next; judgements are made from the log alone.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import pairwise

from lpp.conformance import texts
from lpp.conformance.log import Event, Kind, Seen, asks, earlier_lines, text_of
from lpp.conformance.stage import Stage
from lpp.names import RETURN, keys_of


@dataclass(frozen=True, slots=True)
class Measures:
    """Seconds that scripts take.

    Attributes:
        still: of watching whether the entry types unasked.
        first: to begin the answer to the first line.
        silence: of silence in a talk.
        slow_keys: keys typed at one a second.
        leftovers: of watching what is done with left-overs.
        alone: of watching what is done with an unknown name, beside what an answer takes.
        gap: between two keys of a line, as a quick person types it.
        whole: for the whole check, its end included.
    """

    still: float = 3.2
    first: float = 30.0
    silence: float = 10.0
    slow_keys: int = len(texts.SLOW)
    leftovers: float = 2.0
    alone: float = 1.5
    gap: float = 0.06
    whole: float = 140.0


USUAL = Measures()
FULL = Measures(
    still=20.0, first=60.0, silence=120.0, slow_keys=20, leftovers=15.0, alone=8.0, whole=580.0
)

#: Seconds between two keys, or groups of keys, typed as by a quick machine.
BRISK, QUICK = 0.01, 0.03
#: How many keys a quick machine types at once before each gap.
FEW = 20
#: An answer that takes longer than this is one of a slow typist.
SLOW_TYPIST = 2.0
#: Seconds of loading up to which a new life costs less than hearing a slow typist out.
QUICK_LOADER = 3.0
#: Longest waits for an answer to end: of an entry that echoes (200 characters at a person's
#: pace), of another.
LONGEST_ECHO, LONGEST = 50.0, 25.0
#: The same for an echo that is to be compared: 200 characters at 3 a second.
LONGEST_COMPARED = 75.0
#: Seconds that an entry may take to read a line, as long as it goes on reading.
LONGEST_READING = 40.0
#: Entries of the log that are looked at for what was typed last; a flood makes it long.
LATELY = 500


class Talk:
    """The judge's side on a stage.

    Arguments:
        stage: where to play.
        measures: how long things take.

    Attributes:
        echoes: whether it says back what it is told; None until both lines were tried.
        latency: seconds to the slowest first key of an answer so far; None without any.
        slow_typist: whether its answers take long.
        load: seconds from a program's start to its first sign of reading.
    """

    def __init__(self, stage: Stage, measures: Measures) -> None:
        self.stage = stage
        self.measures = measures
        self.echoes: bool | None = None
        self.latency: float | None = None
        self.slow_typist = False
        self.load = 0.0
        self.unanswered = False
        self._removal_patience = 10.0

    @property
    def answers(self) -> bool:
        """Whether it has ever answered."""
        return self.latency is not None

    @property
    def patience(self) -> float:
        """Seconds to wait for an answer to begin, by what it has taken so far."""
        if self.latency is None:
            return 4.0
        return min(30.0, max(8.0, 2.5 * self.latency + 5.0))

    # Typing

    async def type(self, keys: list[str], gap: float, *, at_once: int = 1) -> None:
        """Presses keys, with a pause after every `at_once` of them; 0 is all at once."""
        if not gap:
            self.stage.press(*keys)
            return
        for index, key in enumerate(keys, 1):
            self.stage.press(key)
            if index % at_once == 0:
                await self.stage.sleep(gap)

    async def ask(
        self,
        text: str,
        *,
        gap: float | None = None,
        patience: float | None = None,
        whole: bool | None = None,
    ) -> bool:
        """Types a line and listens.

        Arguments:
            text: the line, without its Return.
            gap: seconds between keys; a person's if left out.
            patience: seconds to wait for the answer's first key; by experience if left out.
            whole: whether to hear the answer to its end; if left out, where that costs less than
                a new life.

        Returns:
            Whether an answer began.
        """
        await self.type(keys_of(text), self.measures.gap if gap is None else gap)
        return await self.end_line(text, patience=patience, whole=whole)

    async def end_line(
        self, told: str, *, patience: float | None = None, whole: bool | None = None
    ) -> bool:
        """Presses Return and listens; `told` is the line as it should have been read."""
        self.stage.press(RETURN)
        self.stage.note(Kind.ASKED, told)
        return await self.listen(self.patience if patience is None else patience, whole=whole)

    async def listen(self, patience: float, *, whole: bool | None = None) -> bool:
        """Listens, or listens on, to the answer to the line that was asked last.

        Arguments:
            patience: seconds to wait for its first key.
            whole: as for `ask`.

        Returns:
            Whether an answer began. Of an echo that is heard whole, it must be this line's own.
        """
        log = self.stage.log
        asked = log.of(Kind.ASKED)[-1]
        since = asked.number
        while True:
            ended = await self._listen_once(asked, since, patience, whole)
            keys = log.typed(since, life=log.life)
            if not (keys and whole and self.echoes and self.stage.alive):
                break
            answer = text_of(log.typed(asked.number, life=log.life))
            if texts.own_part(asked.detail, answer, earlier_lines(log, asked)):
                break
            # What came is the late answer to an earlier line: this line's own comes after it.
            since = keys[-1].event.number
        self.unanswered = not keys
        self.stage.note(Kind.HEARD, ended)
        await self._be_read()
        return bool(keys)

    async def _listen_once(
        self, asked: Event, since: int, patience: float, whole: bool | None
    ) -> str:
        """Listens to what comes after the entry `since` of the log; returns how that ended."""
        log = self.stage.log
        until = self.stage.now() + max(patience, LONGEST_READING)
        while True:
            came = await self.stage.wait(
                lambda: bool(log.typed(since, life=log.life)) or not self.stage.alive, patience
            )
            # One that takes a key a turn reads a long line for long, and answers only then.
            if came or not self._is_reading() or self.stage.now() > until:
                break
        keys = log.typed(since, life=log.life)
        if not keys:
            return "ended by itself" if came else "unanswered"
        self.latency = max(self.latency or 0.0, keys[0].event.at - asked.at)
        if whole or (whole is None and not self.may_cut):
            longest = LONGEST_ECHO if self.echoes else LONGEST
            await self._hear_out(since, LONGEST_COMPARED if whole and self.echoes else longest)
        return "still typing" if self._left(since) > 0 else "answered"

    async def prove(self, *, patience: float | None = None) -> bool:
        """Asks a plain line, to see whether the entry still answers."""
        if not self.stage.alive:
            return False
        return await self.ask(texts.PLAIN, patience=patience)

    # Listening

    @property
    def may_cut(self) -> bool:
        """Whether a new life costs less than hearing an answer out."""
        return self.slow_typist and self.stage.restartable and self.load < QUICK_LOADER

    @property
    def still_typing(self) -> bool:
        """Whether the answer that came last may not be at its end."""
        return self._left(0) > 0

    @property
    def owes(self) -> bool:
        """Whether an answer to left-overs that it has read may still come."""
        log = self.stage.log
        read = [
            event
            for event in log.of(Kind.GONE)
            if event.act == "leftovers" and event.life == log.life and not event.detail
        ]
        return bool(read) and self.answers and not log.typed(read[-1].number, life=log.life)

    async def be_paid(self) -> None:
        """Waits until an owed answer begins, as long as any has taken and longer."""
        log = self.stage.log
        read = [event for event in log.of(Kind.GONE) if event.act == "leftovers"]
        due = read[-1].at + min(30.0, 2.5 * (self.latency or 0.0) + 1.0)
        await self.stage.wait(lambda: not (self.owes and self.stage.alive), due - self.stage.now())

    def last_key(self) -> float:
        """When a key was pressed last, by either side."""
        keys = self.stage.log.of(Kind.PRESSED, Kind.MADE)
        return keys[-1].at if keys else self.stage.now()

    def _left(self, after: int) -> float:
        """Seconds until what was typed after an entry of the log counts as ended; 0 if it does."""
        keys = self._lately(after)
        left = keys[-1].event.at + _quiet(keys) - self.stage.now() if keys else 0.0
        return left if left > 0.001 else 0.0

    def _lately(self, after: int) -> list[Seen]:
        log = self.stage.log
        keys = log.typed(max(after, len(log.events) - LATELY), life=log.life)
        return keys or log.typed(after, life=log.life)[-LATELY:]

    async def quiet(self) -> None:
        """Waits until the entry has ended what it types."""
        await self._hear_out(0, LONGEST_ECHO if self.echoes else LONGEST)

    async def _hear_out(self, after: int, longest: float) -> None:
        life = self.stage.log.life
        end = self.stage.now() + longest
        while self.stage.alive and self.stage.now() < end:
            left = self._left(after)
            if not left:
                break
            count = len(self.stage.log.events)
            await self.stage.wait(
                lambda count=count: any(  # type: ignore[misc]
                    event.kind is Kind.MADE for event in self.stage.log.events[count:]
                ),
                left,
            )
        keys = self.stage.log.typed(after, life=life)
        if after and keys and keys[-1].event.at - keys[0].event.at > SLOW_TYPIST:
            self.slow_typist = True

    def _is_reading(self) -> bool:
        gone = self.stage.log.of(Kind.GONE)
        return bool(self.stage.unread() and gone and self.stage.now() - gone[-1].at < 1.0)

    async def _be_read(self) -> None:
        """Waits until our key presses are removed, long only once."""
        read = await self.stage.wait(
            lambda: not self.stage.unread() or not self.stage.alive, self._removal_patience
        )
        if not read:
            self._removal_patience = 0.3

    def note_load(self) -> None:
        """Takes down how long the program took to load, once it has shown a sign of reading."""
        log = self.stage.log
        begun = log.of(Kind.STARTED, where=lambda e: e.life == log.life)
        signs = log.of(Kind.GONE, Kind.MADE, where=lambda e: e.life == log.life)
        if begun and signs:
            self.load = max(self.load, signs[0].at - begun[0].at - self.measures.still)

    def learn_echo(self, *acts: str) -> bool:
        """Whether the last answers in these acts are near to what was told."""
        return all(
            any(texts.nearness(ask.told, ask.text) >= texts.ECHO for ask in asks(self.stage.log, a))
            for a in acts
        )


def _quiet(keys: list[Seen]) -> float:
    """Seconds of quiet after which an answer is at its end, by how it was typed."""
    times = [seen.event.at for seen in keys]
    gaps = [later - sooner for sooner, later in pairwise(times)]
    gap = statistics.median(gaps) if gaps else 0.2
    if text_of(keys[-1:]) == "\n":
        return max(0.5, min(2.5, 8 * gap))
    return max(1.5, min(4.0, 12 * gap))
