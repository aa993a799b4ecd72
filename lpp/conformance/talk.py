"""The judge's side of a check: patience, and one short script (an *act*) for each thing to try.

A script types, waits and listens; it judges nothing. What the `Talk` learns meanwhile (does the
entry answer, echo, type slowly, take long to load?) decides only how long to wait and what to play
next; judgements are made from the log alone.
"""

from __future__ import annotations

import asyncio
import statistics
from dataclasses import dataclass
from itertools import pairwise

from lpp.conformance import texts
from lpp.conformance.log import Event, Kind, Log, text_of
from lpp.conformance.stage import Stage
from lpp.names import BACKSPACE, BACKSPACE_CHAR, NAMES, RETURN, keys_of


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
THOROUGH = Measures(
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
#: pace), of an echo that is to be compared (at 3 a second), of another entry.
LONGEST_ECHO, LONGEST_COMPARED, LONGEST = 50.0, 75.0, 25.0
#: Seconds that an entry may take to read a line, as long as it goes on reading.
LONGEST_READING = 40.0
#: Entries of the log that are looked at for what was typed last; a flood makes it long.
LATELY = 500
#: Acts that are played like others, under a name of their own.
_SHARED = {"waits-empty": "waits", "waits-beside": "waits", "beside": "plain", "restart": "plain"}


class Talk:
    """The judge's side on a stage.

    Arguments:
        stage: where to play.
        measures: how long things take.

    Attributes:
        echoes: whether the entry repeats the judge's lines; None until both lines were tried.
        latency: seconds to the slowest first key of an answer so far; None if it never answered.
        slow_typist: whether its answers take long.
        load: seconds from a program's start to its first sign of reading.
        unanswered: whether the line that was asked last was not answered.
    """

    def __init__(self, stage: Stage, measures: Measures) -> None:
        self.stage = stage
        self.log = stage.log
        self.measures = measures
        self.echoes: bool | None = None
        self.latency: float | None = None
        self.slow_typist = False
        self.load = 0.0
        self.unanswered = False
        self._removal_patience = 10.0
        self._last = False

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
                await asyncio.sleep(gap)

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

    async def prove(self) -> bool:
        """Asks a plain line, to see whether the entry still answers; not of one that never did."""
        return self.answers and self.stage.alive and await self.ask(texts.PLAIN)

    # Listening

    async def listen(self, patience: float, *, whole: bool | None = None) -> bool:
        """Listens, or listens on, to the answer to the line that was asked last; arguments as for
        `ask`.

        Returns:
            Whether an answer began. Of an echo that is heard whole, it must be this line's own.
        """
        asked = self.log.of(Kind.ASKED)[-1]
        since = asked.number
        while True:
            ended = await self._listen_once(asked, since, patience, whole)
            keys = self.log.typed(since, life=self.log.life)
            if not (keys and whole and self.echoes and self.stage.alive):
                break
            answer = text_of(self.log.typed(asked.number, life=self.log.life))
            if texts.own_part(asked.detail, answer, self.log.earlier_lines(asked)):
                break
            # What came is the late answer to an earlier line: this line's own comes after it.
            since = keys[-1].number
        self.unanswered = not keys
        self.stage.note(Kind.HEARD, ended)
        # Waits until our key presses are removed, long only once.
        if not await self.stage.wait(
            lambda: not self.stage.unread() or not self.stage.alive, self._removal_patience
        ):
            self._removal_patience = 0.3
        return bool(keys)

    async def _listen_once(
        self, asked: Event, since: int, patience: float, whole: bool | None
    ) -> str:
        """Listens to what comes after the entry `since` of the log; returns how that ended."""
        log = self.log
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
        self.latency = max(self.latency or 0.0, keys[0].at - asked.at)
        if whole or (whole is None and not self.may_cut):
            longest = LONGEST_COMPARED if whole else LONGEST_ECHO
            await self._hear_out(since, longest if self.echoes else LONGEST)
        return "still typing" if self._left(since) > 0 else "answered"

    def _is_reading(self) -> bool:
        gone = self.log.of(Kind.GONE)
        return bool(self.stage.unread() and gone and self.stage.now() - gone[-1].at < 1.0)

    @property
    def may_cut(self) -> bool:
        """Whether a new life costs less than hearing an answer out."""
        return self.slow_typist and self.log.restartable and self.load < QUICK_LOADER

    @property
    def still_typing(self) -> bool:
        """Whether the answer that came last may not be at its end."""
        return self._left(0) > 0

    @property
    def owes(self) -> bool:
        """Whether an answer to left-overs that it has read may still come."""
        read = self.log.of(Kind.GONE, act="leftovers", life=self.log.life)
        read = [event for event in read if not event.detail]
        return (
            self.answers and bool(read) and not self.log.typed(read[-1].number, life=self.log.life)
        )

    async def be_paid(self) -> None:
        """Waits until an owed answer begins, as long as any has taken and longer."""
        read = self.log.of(Kind.GONE, act="leftovers")
        due = read[-1].at + min(30.0, 2.5 * (self.latency or 0.0) + 1.0)
        await self.stage.wait(lambda: not (self.owes and self.stage.alive), due - self.stage.now())

    async def quiet(self) -> None:
        """Waits until the entry has ended what it types."""
        await self._hear_out(0, LONGEST_ECHO if self.echoes else LONGEST)

    async def pause(self, seconds: float) -> None:
        """Waits, but not for a program that has ended."""
        await self.stage.wait(lambda: not self.stage.alive, seconds)

    async def _hear_out(self, after: int, longest: float) -> None:
        life = self.log.life
        end = self.stage.now() + longest
        while self.stage.alive and self.stage.now() < end and (left := self._left(after)):
            count = len(self.log.events)
            await self.stage.wait(
                lambda count=count: bool(self.log.of(Kind.MADE, after=count)),  # type: ignore[misc]
                left,
            )
        keys = self.log.typed(after, life=life)
        if after and keys and keys[-1].at - keys[0].at > SLOW_TYPIST:
            self.slow_typist = True

    def _left(self, after: int) -> float:
        """Seconds until what was typed after an entry of the log counts as ended; 0 if it does."""
        life = self.log.life
        keys = self.log.typed(max(after, len(self.log.events) - LATELY), life=life)
        keys = keys or self.log.typed(after, life=life)[-LATELY:]
        left = keys[-1].at + _quiet_after(keys) - self.stage.now() if keys else 0.0
        return left if left > 0.001 else 0.0

    def note_load(self) -> None:
        """Takes down how long the program took to load, once it has shown a sign of reading."""
        begun = self.log.of(Kind.STARTED, life=self.log.life)
        signs = self.log.of(Kind.GONE, Kind.MADE, life=self.log.life)
        if begun and signs:
            self.load = max(self.load, signs[0].at - begun[0].at - self.measures.still)

    # The acts

    async def act(self, name: str, last: bool) -> bool | None:
        """Plays an act.

        Arguments:
            name: as cases.toml has it: a method below, or one of `_SHARED`.
            last: whether it is the last of the program's life.

        Returns:
            Whether the entry still answered at its end; None where nothing was asked.
        """
        self.stage.act(name)
        self._last = last
        answered: bool | None = await getattr(self, _SHARED.get(name, name.replace("-", "_")))()
        return answered

    async def waits(self) -> None:
        """Watches whether the entry types unasked: longer if it was found slow to load."""
        await self.pause(self.measures.still + min(15.0, self.load))
        self.stage.note(Kind.WATCHED)

    async def greet(self) -> bool:
        """The first line of a talk."""
        half = self.measures.first / 2
        answered = await self.ask(texts.GREETING, patience=half, whole=True)
        if not answered and self.stage.alive:
            begun = self.log.begun("greet")
            assert begun is not None
            if self.log.of(Kind.GONE, after=begun.number):
                answered = await self.listen(half, whole=True)
            else:
                # It was loading, perhaps, and passes over what it found at its start: once more.
                answered = await self.ask(texts.GREETING, patience=half, whole=True)
        self.note_load()
        if not (answered and self.log.echoes("greet")):
            self.echoes = False
        return answered

    async def probe(self) -> bool | None:
        """A line that nobody would say unasked: an entry that says it back echoes."""
        if self.echoes is not None:
            return None
        answered = await self.ask(texts.PROBE, whole=True)
        self.echoes = answered and self.log.echoes()
        return answered

    async def spelling(self) -> bool | None:
        """All the marks of the appendix in a phrase."""
        return await self.ask(texts.SPELLING, gap=BRISK, whole=True) if self.echoes else None

    async def backspace(self) -> bool | None:
        """A line with two mistakes, corrected."""
        if not self.echoes:
            return None
        typed = f"ask me{BACKSPACE_CHAR * 2}the aold{BACKSPACE_CHAR * 4}old one"
        await self.type(keys_of(typed), BRISK)
        return await self._again(await self.end_line("ask the old one", whole=True))

    async def unknown(self) -> bool | None:
        """A line with unknown names within it."""
        if not self.echoes:
            return None
        words = ["plain", " words", " only"]
        for word, name in zip(words, texts.UNKNOWN, strict=True):
            await self.type([*keys_of(word), name], BRISK)
        return await self._again(await self.end_line("".join(words), whole=True))

    async def keys(self) -> bool:
        """Every name of the appendix, letter and digit, one beyond ASCII, and unknown names, in one
        line."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        names = [name for name in NAMES if name not in (RETURN, BACKSPACE)]
        pressed = [*"0123456789", *letters, *letters.upper(), *names, BACKSPACE]
        pressed += [texts.BEYOND_ASCII, *texts.UNKNOWN]
        await self.type(pressed, QUICK, at_once=FEW)
        return await self.end_line("(all keys)") or await self.prove()

    async def burst(self) -> bool:
        """200 keys at once, Return among them."""
        answered = await self.ask(texts.BURST, gap=0, whole=self.echoes or None)
        return await self._again(answered, gap=QUICK)

    async def slow(self) -> bool:
        """A line at one key a second."""
        text = (texts.SLOW + " my good friend")[: self.measures.slow_keys]
        return await self._again(await self.ask(text, gap=1.0, whole=self.echoes or None))

    async def silence(self) -> bool | None:
        """Silence on both sides, and then a line, unless the next act is one."""
        if not self.answers:
            return None
        if not self.log.typed(life=self.log.life):
            # A silence before anything was said is none in a talk.
            await self.prove()
        await self.quiet()
        # Both sides have been silent since the last key.
        pressed = self.log.of(Kind.PRESSED, Kind.MADE)
        await self.pause(self.measures.silence - (self.stage.now() - pressed[-1].at))
        return await self.prove() if self._last or not self.slow_typist else None

    async def empties(self) -> bool | None:
        """Three empty lines, and then a line, unless the next act is one."""
        await self.type([RETURN] * 3, self.measures.gap * 2)
        await self.pause(0.4)
        return await self.prove() if self._last or not self.slow_typist else None

    async def long(self) -> bool:
        """A line of 500 characters."""
        await self.type(keys_of(texts.LONG), QUICK, at_once=FEW)
        return (
            await self.end_line(texts.LONG, whole=False if self._last else None)
            or await self.prove()
        )

    async def leftovers(self) -> None:
        """Watches what is done with `.judge` directories that the start found."""
        await self.pause(self.measures.leftovers + min(15.0, self.load))

    async def while_typing(self) -> bool | None:
        """A line, and keys at 10 a second from the moment at which its answer begins."""
        if not self.answers:
            return None
        if not await self.ask(texts.STORY, whole=False):
            return False
        await self.type(keys_of(texts.MEANWHILE), 0.1)
        return await self.end_line(texts.MEANWHILE)

    async def alone(self) -> bool:
        """Unknown names, one at a time, where nothing else is typed."""
        for name in texts.UNKNOWN:
            if not self.stage.alive or self.still_typing:
                break
            self.stage.press(name)
            self.stage.note(Kind.ALONE, name)
            since = len(self.log.events)
            await self.stage.wait(
                lambda since=since: bool(self.log.typed(since)) or not self.stage.alive,  # type: ignore[misc]
                self.measures.alone + min(2.0, self.latency or 0.0),
            )
            await self.quiet()
            self.stage.note(Kind.WATCHED, name)
        # One that hangs has to be restarted before the next act.
        return await self.prove()

    async def plain(self) -> bool:
        """A line: to see the numbers after a restart, or what is removed beside the judge's."""
        return await self.prove()

    async def _again(self, answered: bool, *, gap: float | None = None) -> bool:
        """Types the act's line once more, plainly, if it did not come back as typed (or was not
        answered, where the entry does not echo): is it the way of typing, or the line?

        Arguments:
            answered: whether the line was answered.
            gap: seconds between keys; a person's if left out.

        Returns:
            Whether the entry still answers.
        """
        log = self.log
        answered = answered or await self.prove()
        line, _ = log.trial(log.act)
        begun = log.begun(log.act)
        if line is None or begun is None or not answered or self.still_typing:
            return answered
        right = log.came_back(line) if self.echoes else bool(line.keys)
        if right or (not self.echoes and log.typed(begun.number, line.event.number)):
            return True
        return await self.ask(line.told, gap=gap, whole=self.echoes or None)


def _quiet_after(keys: list[Event]) -> float:
    """Seconds of quiet after which an answer is at its end, by how it was typed."""
    gaps = [later.at - sooner.at for sooner, later in pairwise(keys)]
    gap = statistics.median(gaps) if gaps else 0.2
    if text_of(keys[-1:]) == "\n":
        return max(0.5, min(2.5, 8 * gap))
    return max(1.5, min(4.0, 12 * gap))


def is_spared(act: str, log: Log) -> bool:
    """Whether an act can be left out, as others have shown already what it is to show."""
    if act == "restart":
        return log.life < 2 or any(key.life > 1 for key in log.typed())
    planted = log.of(Kind.PLANTED) if act == "beside" else []
    return bool(planted and log.of(Kind.ASKED, after=planted[0].number))
