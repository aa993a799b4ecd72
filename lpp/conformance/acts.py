"""The judge's side of a check: short scripts, called *acts*, in a few lives of the program. A life
is one run of the program.

An act types, waits and listens; it doesn't judge. What the `ActPlayer` learns meanwhile (whether
the entry answers, echoes, types slowly, or loads slowly) only decides how long to wait and
what to play next. Judgements are based on the log alone.

There are only a few lives, so that a correct program is checked in under a minute: the first starts
in an empty directory, the second with old keys and unrelated files, the third with `.judge`
leftovers. A program that has died, stopped answering, or is still typing at a person's pace is
restarted in between.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from lpp.conformance import texts
from lpp.conformance.log import DIRECTORY, FILE, NON_EMPTY, Event, Kind, Log, LogFull, text_of
from lpp.conformance.stage import Stage
from lpp.keypress import WIDTH
from lpp.names import BACKSPACE, BACKSPACE_CHAR, NAMES, RETURN, keys_of


@dataclass(frozen=True, slots=True)
class Durations:
    """The durations of acts, in seconds, except for `slow_keys` and `long_keys`.

    Attributes:
        still: how long to watch whether the entry types unprompted.
        first: how long the entry may take to begin its first answer.
        silence: how long both sides are silent in a talk.
        slow_keys: how many keys are typed at one a second.
        long_keys: how many characters the long line has.
        leftovers: how long to watch what the entry does with leftovers.
        alone: how long to watch what the entry does with an unknown name, in addition to the time
            that an answer takes.
        gap: the time between two keys of a line, as typed by a fast person.
        whole: the limit for the whole check, including its end.
    """

    still: float = 3.2
    first: float = 30.0
    silence: float = 10.0
    slow_keys: int = len(texts.SLOW)
    long_keys: int = len(texts.LONG)
    leftovers: float = 2.0
    alone: float = 1.5
    gap: float = 0.06
    whole: float = 140.0


USUAL = Durations()
THOROUGH = Durations(
    still=20.0, first=60.0, silence=120.0, slow_keys=20, leftovers=15.0, alone=8.0, whole=580.0
)

#: The acts by the program's lives.
LIVES = (
    "waits-empty greet probe spelling backspace unknown silence burst",
    "waits-with-others empty-lines keys while-typing long with-others",
    "leftovers slow restart alone",
)
#: Acts that only watch the directory and type nothing.
_WATCHING = {"waits-empty", "waits-with-others", "leftovers"}
#: Unrelated directories and files, put into the directory of the talk.
UNRELATED = (("notes", DIRECTORY), ("pictures", NON_EMPTY), ("Thumbs.db", FILE))
#: Restarts in addition to the planned ones; a program that dies each time needs no more.
EXTRA_STARTS = 6
#: Seconds for a program to load before keys are in its directory, unless an act waits anyway.
LOADING_TIME = 1.5
#: Seconds reserved for stopping the program and for judging.
ENDING_TIME = 6.0

#: Seconds between two keys, or groups of keys, typed as fast as by a machine.
BRISK, QUICK = 0.01, 0.03
#: How many keys are typed at once before each gap.
KEYS_PER_GROUP = 20
#: An entry is a slow typist if an answer takes longer than this many seconds.
SLOW_TYPIST = 2.0
#: With a load time up to this many seconds, a new life is faster than waiting for a slow typist.
QUICK_LOADER = 3.0
#: Seconds to wait at most for the end of an answer: by an entry that echoes (200 characters at a
#: person's pace), of an echo to be compared (3 characters a second), by any other entry.
LONGEST_ECHO, LONGEST_COMPARED, LONGEST = 50.0, 75.0, 25.0
#: Seconds that an entry may take to read a line, as long as it keeps reading.
LONGEST_READING = 40.0
#: How many of the last log entries are searched for the latest keys; a flood makes the log long.
RECENT_ENTRIES = 500


class Line(NamedTuple):
    """How an act types its line.

    Attributes:
        keys: the keys pressed before Return.
        expected: the line as the entry should read it.
        gap: seconds after every `at_once` keys; 0 presses all at once.
        at_once: how many keys are pressed without a gap.
        echo: whether to ask only entries that echo.
        again: seconds between keys when the line is typed once more in the plain way because it
            did not come back as typed; 0 for never.
    """

    keys: list[str]
    expected: str
    gap: float
    at_once: int = 1
    echo: bool = False
    again: float = 0.0


def _lines(measures: Durations) -> dict[str, Line]:
    """The acts that type one line."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [name for name in NAMES if name not in (RETURN, BACKSPACE)]
    every = [*"0123456789", *letters, *letters.upper(), *names, BACKSPACE, texts.NON_ASCII]
    words = ["plain", " words", " only"]
    pairs = zip(words, texts.UNKNOWN, strict=True)
    amid = [key for word, name in pairs for key in (*keys_of(word), name)]
    back = f"ask me{BACKSPACE_CHAR * 2}the aold{BACKSPACE_CHAR * 4}old one"
    slow = (texts.SLOW + " my good friend")[: measures.slow_keys]
    long = texts.LONG[: measures.long_keys]
    return {
        "spelling": Line(keys_of(texts.SPELLING), texts.SPELLING, BRISK, echo=True),
        "backspace": Line(keys_of(back), "ask the old one", BRISK, echo=True, again=measures.gap),
        "unknown": Line(amid, "".join(words), BRISK, echo=True, again=measures.gap),
        "keys": Line([*every, *texts.UNKNOWN], "(all keys)", QUICK, KEYS_PER_GROUP),
        "burst": Line(keys_of(texts.BURST), texts.BURST, 0.0, again=QUICK),
        "slow": Line(keys_of(slow), slow, 1.0, again=measures.gap),
        "long": Line(keys_of(long), long, QUICK, KEYS_PER_GROUP),
    }


class ActPlayer:
    """Plays the judge's side on a stage.

    Arguments:
        stage: an open stage.
        measures: the durations of acts.
        wanted: the acts that the cases need.
        played: called when an act won't be played again.

    Attributes:
        lives: the acts in each life of the program.
        remaining: the acts still to be played.
        echoes: whether the entry repeats the judge's lines; None until both lines were tried.
        latency: the longest time so far to the first key of an answer, in seconds; None if it never
            answered.
        slow_typist: whether its answers take long to type.
        load: seconds from a program's start to the first sign that it reads.
        unanswered: whether the last line asked was not answered.
    """

    def __init__(
        self,
        stage: Stage,
        measures: Durations,
        wanted: Iterable[str],
        played: Callable[[], None] = lambda: None,
    ) -> None:
        self.stage = stage
        self.log = stage.log
        self.measures = measures
        self.echoes: bool | None = None
        self.latency: float | None = None
        self.slow_typist = False
        self.load = 0.0
        self.unanswered = False
        self._lines = _lines(measures)
        self._played = played
        self._removal_patience = 10.0
        wanted = set(wanted)
        self.lives = [[act for act in life.split() if act in wanted] for life in LIVES]
        if not self.log.restartable:
            # There is no start with leftovers; and the longest answer can't be cut short by a
            # restart, so it comes last.
            moved = ("leftovers", "long")
            self.lives = [[act for act in life if act not in moved] for life in self.lives]
            self.lives.append([act for act in ("long",) if act in wanted])
        self.remaining = {act for life in self.lives for act in life}
        self._extra = EXTRA_STARTS if self.log.restartable else 0

    # Lives

    async def play(self) -> None:
        """Plays until the end, or until time is up. `log.trouble` says why it ended early.

        Raises:
            CantStart: if the program can't be started.
        """
        whole = self.measures.whole
        try:
            async with asyncio.timeout(whole - ENDING_TIME - self.stage.now()):
                for acts in self.lives:
                    if acts and not await self._play_life(acts):
                        break
        except TimeoutError:
            self.log.trouble = f"the {whole:.0f} seconds of the whole check were used up"
        except LogFull:
            self.log.trouble = "the program flooded the directory, so the check was stopped"

    async def _play_life(self, acts: list[str]) -> bool:
        """Plays one life's acts; returns whether to go on with the next life."""
        if not self.log.life or self.log.restartable:
            await self._begin(acts)
        else:
            # The program can't be restarted, so it now gets what others find when they start.
            self._plant(acts)
            await self._quiet()
        merged = False
        for act in list(acts):
            if self._ended_at_once():
                return False
            self._postpone_burst(acts)
            if act not in acts:
                continue
            if self._can_skip(act):
                self.remaining.discard(act)
                continue
            if not await self._make_ready(act):
                return False
            last = act == acts[-1]
            answered = await self._act(act, last)
            if merged and answered is False and self._extra:
                # Was this act the cause, or the previous one? Repeat this one alone.
                await self._start_again()
                await self._act(act, last)
            merged = answered is None and act in ("silence", "empty-lines")
            self.remaining.discard(act)
            self._played()
        self._played()
        return not self._ended_at_once()

    def _ended_at_once(self) -> bool:
        log = self.log
        ended = log.life == 1 and not self.stage.alive and not log.of(Kind.PRESSED)
        if ended:
            log.trouble = "the program ended by itself before the judge had pressed a key"
        return ended

    def _postpone_burst(self, acts: list[str]) -> None:
        """Moves the longest act to the end, where it can't delay others: typing an echo of 200 keys
        at a person's pace takes almost a minute."""
        # For a program that we can't restart, the longest answer comes even later.
        last = self.lives[-1 if self.log.restartable else -2]
        if "burst" in acts and acts is not last and self.echoes and self.slow_typist:
            acts.remove("burst")
            # `alone`, which is only reported, comes after it.
            last.insert(last.index("alone") if "alone" in last else len(last), "burst")

    def _can_skip(self, act: str) -> bool:
        """Whether an act can be skipped because others have already shown what it tests."""
        if act == "restart":
            return self.log.life < 2 or any(key.life > 1 for key in self.log.typed())
        planted = self.log.of(Kind.PLANTED) if act == "with-others" else []
        return bool(planted and self.log.of(Kind.ASKED, after=planted[0].number))

    async def _make_ready(self, act: str) -> bool:
        """Makes sure that the entry is running and quiet; returns False if it can't be started."""
        if not self.stage.alive:
            self.log.trouble = "the program repeatedly ended by itself"
            if self._extra:
                await self._start_again()
                self.log.trouble = ""
                if not self.stage.alive:
                    self.log.trouble = "after a restart, the program ended by itself at once"
            return self.stage.alive
        if act == "leftovers":
            return True
        hangs = self.unanswered and self.answers
        # The last answer may not be complete.
        busy = self._left(0) > 0 or self._may_answer_leftovers
        if self._extra and (hangs or (busy and self._restart_is_faster and act != "silence")):
            await self._start_again()
        elif busy:
            if self._may_answer_leftovers:
                # Waits for the answer to begin, somewhat longer than any answer has taken so far.
                read = self.log.of(Kind.GONE, act="leftovers")
                due = read[-1].at + min(30.0, 2.5 * (self.latency or 0.0) + 1.0)
                await self.stage.wait(
                    lambda: not (self._may_answer_leftovers and self.stage.alive),
                    due - self.stage.now(),
                )
            await self._quiet()
        return True

    async def _start_again(self) -> None:
        self._extra -= 1
        await self._begin([])

    async def _begin(self, acts: list[str]) -> None:
        await self.stage.stop()
        self.stage.clean_up()
        self.unanswered = False
        self._plant(acts)
        await self.stage.start()
        if _WATCHING.isdisjoint(acts):
            # Waits until the program writes something, for example that it is ready; for a limited
            # time if it writes nothing.
            self.log.act = "start"
            until = self.stage.now() + LOADING_TIME + min(15.0, self.load)
            while self.stage.alive and not self.stage.has_output and self.stage.now() < until:
                await self._pause(0.05)
            if self.stage.has_output:
                await self._pause(0.3)

    def _plant(self, acts: list[str]) -> None:
        if "waits-with-others" in acts or "with-others" in acts:
            self.log.act = "waits-with-others"
            for name in old_keys(self.log):
                self.stage.plant(name)
            for name, what in UNRELATED:
                self.stage.plant(name, what)
        if "leftovers" in acts:
            self.log.act = "leftovers"
            self.stage.press(*keys_of(texts.LEFT_OVER + "\n"))

    # Typing

    async def _type(self, keys: list[str], gap: float, at_once: int = 1) -> None:
        if not gap:
            self.stage.press(*keys)
            return
        for index, key in enumerate(keys, 1):
            self.stage.press(key)
            if index % at_once == 0:
                await asyncio.sleep(gap)

    async def _ask(
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
            gap: seconds between keys; a person's by default.
            patience: seconds to wait for the answer's first key; by default estimated from earlier
                answers.
            whole: whether to wait for the end of the answer; by default only if that is faster than
                a new life.

        Returns:
            Whether an answer began.
        """
        await self._type(keys_of(text), self.measures.gap if gap is None else gap)
        return await self._end_line(text, patience=patience, whole=whole)

    async def _end_line(
        self, expected: str, *, patience: float | None = None, whole: bool | None = None
    ) -> bool:
        """Presses Return and listens; `expected` is the line as the entry should have read it."""
        self.stage.press(RETURN)
        self.stage.note(Kind.ASKED, expected)
        if patience is None and self.latency is not None:
            patience = min(30.0, max(8.0, 2.5 * self.latency + 5.0))
        return await self._listen(4.0 if patience is None else patience, whole)

    async def _ask_plain(self) -> bool:
        """Asks a plain line to check whether the entry still answers; skipped if it never did."""
        return self.answers and self.stage.alive and await self._ask(texts.PLAIN)

    # Listening

    @property
    def answers(self) -> bool:
        """Whether it has ever answered."""
        return self.latency is not None

    async def _listen(self, patience: float, whole: bool | None = None) -> bool:
        """Starts or continues to listen to the answer to the last line; arguments as for `_ask`.

        Returns:
            Whether an answer began. A complete echo counts only if it answers this line.
        """
        asked = self.log.of(Kind.ASKED)[-1]
        since = asked.number
        while True:
            ended = await self._listen_once(asked, since, patience, whole)
            keys = self.log.typed(since, life=self.log.life)
            if not (keys and whole and self.echoes and self.stage.alive):
                break
            answer = text_of(self.log.typed(asked.number, life=self.log.life))
            if texts.answering_part(asked.detail, answer, self.log.earlier_lines(asked)):
                break
            # This was the late answer to an earlier line: keep waiting for the answer to this one.
            since = keys[-1].number
        self.unanswered = not keys
        self.stage.note(Kind.HEARD, ended)
        # Waits until our key presses are removed; a long time only once.
        if not await self.stage.wait(
            lambda: not self.stage.unread() or not self.stage.alive, self._removal_patience
        ):
            self._removal_patience = 0.3
        return bool(keys)

    async def _listen_once(
        self, asked: Event, since: int, patience: float, whole: bool | None
    ) -> str:
        """Listens for keys after the log entry `since`; returns how that ended."""
        log = self.log
        until = self.stage.now() + max(patience, LONGEST_READING)
        while True:
            came = await self.stage.wait(
                lambda: bool(log.typed(since, life=log.life)) or not self.stage.alive, patience
            )
            gone = log.of(Kind.GONE)
            reads = self.stage.unread() and gone and self.stage.now() - gone[-1].at < 1.0
            # An entry that reads one key per loop takes a long time to read a long line.
            if came or not reads or self.stage.now() > until:
                break
        keys = log.typed(since, life=log.life)
        if not keys:
            return "ended by itself" if came else "unanswered"
        self.latency = max(self.latency or 0.0, keys[0].at - asked.at)
        if whole or (whole is None and not self._restart_is_faster):
            longest = LONGEST_COMPARED if whole else LONGEST_ECHO
            await self._listen_to_end(since, longest if self.echoes else LONGEST)
        return "still typing" if self._left(since) > 0 else "answered"

    @property
    def _restart_is_faster(self) -> bool:
        """Whether a new life is faster than waiting for the end of an answer."""
        return self.slow_typist and self.log.restartable and self.load < QUICK_LOADER

    @property
    def _may_answer_leftovers(self) -> bool:
        """Whether the entry has read leftovers, and may still answer them."""
        read = self.log.of(Kind.GONE, act="leftovers", life=self.log.life)
        read = [event for event in read if not event.detail]
        return (
            self.answers and bool(read) and not self.log.typed(read[-1].number, life=self.log.life)
        )

    async def _quiet(self) -> None:
        """Waits until the entry has stopped typing."""
        await self._listen_to_end(0, LONGEST_ECHO if self.echoes else LONGEST)

    async def _pause(self, seconds: float) -> None:
        """Waits, but stops if the program ends."""
        await self.stage.wait(lambda: not self.stage.alive, seconds)

    async def _listen_to_end(self, after: int, longest: float) -> None:
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
        """Seconds until the typing after a log entry counts as ended; 0 if it does already."""
        life = self.log.life
        keys = self.log.typed(max(after, len(self.log.events) - RECENT_ENTRIES), life=life)
        keys = keys or self.log.typed(after, life=life)[-RECENT_ENTRIES:]
        left = keys[-1].at + _quiet_after(keys) - self.stage.now() if keys else 0.0
        return left if left > 0.001 else 0.0

    # The acts

    async def _act(self, name: str, last: bool) -> bool | None:
        """Plays an act.

        Arguments:
            name: the act.
            last: whether it is the last act in this life.

        Returns:
            Whether the entry still answered at its end; None if nothing was asked.
        """
        self.stage.log.act = name
        self.stage.note(Kind.ACT, name)
        if name in self._lines:
            return await self._type_line(name, last)
        if name in _WATCHING:
            # Does the entry type unprompted? What does it do with leftovers? Watch longer if it
            # loads slowly.
            watched = self.measures.leftovers if name == "leftovers" else self.measures.still
            await self._pause(watched + min(15.0, self.load))
            self.stage.note(Kind.WATCHED)
            return None
        if name in ("silence", "empty-lines"):
            await (self._silence() if name == "silence" else self._empty_lines())
            # Then a line, unless the next act is a line.
            return await self._ask_plain() if last or not self.slow_typist else None
        if name in ("with-others", "restart"):
            # To see whether it removes more than the judge's keys, and its numbers after a restart.
            return await self._ask_plain()
        played: bool | None = await getattr(self, f"_{name.replace('-', '_')}")()
        return played

    async def _type_line(self, name: str, last: bool) -> bool | None:
        """Types the act's line. If it doesn't come back as typed (or isn't answered, if the entry
        doesn't echo), types it again in the plain way, to find out whether the way of typing or the
        line is the cause."""
        line, log = self._lines[name], self.log
        if line.echo and not self.echoes:
            return None
        await self._type(line.keys, line.gap, line.at_once)
        whole: bool | None = None
        if line.at_once == 1:
            whole = self.echoes or None
        elif last and name == "long":
            whole = False  # it is not compared, and no act follows
        answered = await self._end_line(line.expected, whole=whole) or await self._ask_plain()
        asked, _ = log.trial(name)
        begun = log.begun(name)
        if not line.again or asked is None or begun is None or not answered or self._left(0) > 0:
            return answered
        right = log.came_back(asked) if self.echoes else bool(asked.keys)
        if right or (not self.echoes and log.typed(begun.number, asked.event.number)):
            return True
        return await self._ask(line.expected, gap=line.again, whole=self.echoes or None)

    async def _greet(self) -> bool:
        """Types the first line of a talk."""
        half = self.measures.first / 2
        answered = await self._ask(texts.GREETING, patience=half, whole=True)
        if not answered and self.stage.alive:
            begun = self.log.begun("greet")
            assert begun is not None
            if self.log.of(Kind.GONE, after=begun.number):
                answered = await self._listen(half, whole=True)
            else:
                # It may have been loading, and ignores keys from before its start: try again.
                answered = await self._ask(texts.GREETING, patience=half, whole=True)
        # Measure how long it took to load, if there was a sign that it reads.
        started = self.log.of(Kind.STARTED, life=self.log.life)
        signs = self.log.of(Kind.GONE, Kind.MADE, life=self.log.life)
        if started and signs:
            self.load = max(self.load, signs[0].at - started[0].at - self.measures.still)
        if not (answered and self.log.echoes("greet")):
            self.echoes = False
        return answered

    async def _probe(self) -> bool | None:
        """Types a line that nobody would say unprompted: an entry that repeats it echoes."""
        if self.echoes is not None:
            return None
        answered = await self._ask(texts.PROBE, whole=True)
        self.echoes = answered and self.log.echoes()
        return answered

    async def _silence(self) -> None:
        """Waits for a time of silence on both sides."""
        if not self.answers:
            return
        if not self.log.typed(life=self.log.life):
            # The silence must be within a talk, not before it.
            await self._ask_plain()
        await self._quiet()
        # The silence began with the last key.
        pressed = self.log.of(Kind.PRESSED, Kind.MADE)
        await self._pause(self.measures.silence - (self.stage.now() - pressed[-1].at))

    async def _empty_lines(self) -> None:
        """Types three empty lines."""
        await self._type([RETURN] * 3, self.measures.gap * 2)
        await self._pause(0.4)

    async def _while_typing(self) -> bool | None:
        """Types a line, and when the answer begins, more keys at 10 a second."""
        if not self.answers:
            return None
        if not await self._ask(texts.STORY, whole=False):
            return False
        return await self._ask(texts.MEANWHILE, gap=0.1)

    async def _alone(self) -> bool:
        """Presses unknown names, one at a time, while nothing else is typed."""
        for name in texts.UNKNOWN:
            if not self.stage.alive or self._left(0) > 0:
                break
            self.stage.press(name)
            self.stage.note(Kind.ALONE, name)
            since = len(self.log.events)
            await self.stage.wait(
                lambda since=since: bool(self.log.typed(since)) or not self.stage.alive,  # type: ignore[misc]
                self.measures.alone + min(2.0, self.latency or 0.0),
            )
            await self._quiet()
            self.stage.note(Kind.WATCHED, name)
        # An entry that hangs must be restarted before the next act.
        return await self._ask_plain()


def _quiet_after(keys: list[Event]) -> float:
    """Seconds of quiet after which an answer counts as complete, depending on its typing."""
    gaps = [later.at - sooner.at for sooner, later in pairwise(keys)]
    gap = statistics.median(gaps) if gaps else 0.2
    if text_of(keys[-1:]) == "\n":
        return max(0.5, min(2.5, 8 * gap))
    return max(1.5, min(4.0, 12 * gap))


def old_keys(log: Log) -> list[str]:
    """Names of two `.other` directories such as an earlier talk could have left. Their numbers are
    below all that the entry has used, so that its next names can't collide with them."""
    keys = [key for key in log.typed() if key.value is not None and key.extension == "other"]
    lowest = min((key.value or 0 for key in keys), default=2)
    width = len(keys[0].sequence) if keys else WIDTH
    numbers = [lowest - 2, lowest - 1] if lowest >= 2 else [0]
    taken = {key.name for key in keys}
    names = [f"{number:0{width}d}.{key}.other" for number, key in zip(numbers, "qz", strict=False)]
    return [name for name in names if name not in taken]
