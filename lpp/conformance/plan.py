"""Which acts are played, in which lives of the program, and what is done between them.

Few lives, so that a right program is through in under a minute: the first in an empty directory,
the second beside old keys and things that are nobody's, the third finds `.judge` left-overs. A
program that died, fell silent or is still typing at a person's pace is started anew in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from lpp.conformance import texts
from lpp.conformance.acts import ACTS, FOREIGN, spared
from lpp.conformance.cases import Case
from lpp.conformance.log import Full, Kind, Log
from lpp.conformance.stage import Stage
from lpp.conformance.talk import Measures, Talk
from lpp.keypress import WIDTH
from lpp.names import keys_of

LIVES: tuple[tuple[str, ...], ...] = (
    (
        *("waits-empty", "greet", "probe", "spelling", "backspace", "unknown"),
        *("silence", "burst"),
    ),
    ("waits-beside", "empties", "keys", "while-typing", "long", "beside"),
    ("leftovers", "slow", "restart", "alone"),
)

#: Starts of a program beyond the planned ones; one that dies each time has shown what it does.
EXTRA_STARTS = 6
#: Seconds to let a program load before keys stand in its directory, where no act waits anyway.
LOADING = 1.5
#: Seconds kept back for stopping the program and for judging.
ENDING = 6.0


#: Acts of a running program that are left out, or played at the end.
_LAST = ("leftovers", "long")
_AT_ONCE = "the program ended by itself before the judge had pressed a key"


class Player:
    """Plays the acts that some cases need.

    Arguments:
        stage: an open stage.
        measures: how long things take.
        cases: what is to be judged.
        played: told when an act will not be played again.
    """

    def __init__(
        self,
        stage: Stage,
        measures: Measures,
        cases: Iterable[Case],
        played: Callable[[], None] = lambda: None,
    ) -> None:
        self.stage = stage
        self.talk = Talk(stage, measures)
        self._measures = measures
        self._played = played
        wanted = {act for case in cases for act in case.acts}
        self.lives = [[act for act in life if act in wanted] for life in LIVES]
        if not stage.restartable:
            # It can't be cut short: what makes it type longest comes last.
            self.lives = [[a for a in life if a not in _LAST] for life in self.lives]
            self.lives.append([act for act in ("long",) if act in wanted])
        self.to_come = {act for life in self.lives for act in life}
        self._extra = EXTRA_STARTS
        self._speaks = self._speaks_late = False
        self.trouble = ""

    async def play(self) -> None:
        """Plays, until the end or until time is up. `trouble` says what kept it from its end.

        Raises:
            CantStart: if the program can't be started.
        """
        try:
            async with asyncio.timeout(self._measures.whole - ENDING - self.stage.now()):
                for acts in self.lives:
                    if acts and not await self._play_life(acts):
                        break
        except TimeoutError:
            self.trouble = f"the {self._measures.whole:.0f} seconds of the whole check were used up"
        except Full:
            self.trouble = "the program flooded the directory, so the check was ended"

    async def _play_life(self, acts: list[str]) -> bool:
        """Plays one life's acts; returns whether to go on with the next life."""
        first = not self.stage.log.life
        if first or self.stage.restartable:
            await self._begin(acts)
            if first and not self.stage.alive:
                self.trouble = _AT_ONCE
                return False
        else:
            # It runs on: what others find at a start comes while it runs.
            self._plant(acts)
            await self.talk.quiet()
        merged = False
        for act in list(acts):
            self._put_off(acts)
            if act not in acts:
                continue
            if spared(act, self.stage.log):
                self.to_come.discard(act)
                continue
            if not await self._ready(act):
                return False
            last = act == acts[-1]
            answered = await self._act(act, last)
            if first and not self.stage.alive and not self.stage.log.of(Kind.PRESSED):
                self.trouble = _AT_ONCE
                return False
            if merged and answered is False and self._may_start():
                # Was it this act, or the one before? This one again, alone.
                await self._anew()
                answered = await self._act(act, last)
            merged = answered is None and act in ("silence", "empties")
            self.to_come.discard(act)
            self._played()
        self._played()
        return True

    def _put_off(self, acts: list[str]) -> None:
        """Puts what takes longest last, where nothing else can be lost to it: to type an echo of
        200 keys takes a person most of a minute."""
        # What a running program types longest can't be cut, and comes later still.
        last = self.lives[-1 if self.stage.restartable else -2]
        if "burst" in acts and acts is not last and self.talk.echoes and self.talk.slow_typist:
            acts.remove("burst")
            # What is only told comes after it.
            last.insert(last.index("alone") if "alone" in last else len(last), "burst")

    async def _act(self, act: str, last: bool) -> bool | None:
        self.stage.act(act)
        return await ACTS[act](self.talk, last)

    async def _ready(self, act: str) -> bool:
        """Sees to it that the entry is there, and quiet; returns False if it can't be had."""
        if not self.stage.alive:
            if not self._may_start():
                self.trouble = self.trouble or "the program ended by itself again and again"
                return False
            await self._anew()
            if not self.stage.alive:
                self.trouble = "started again, the program ended by itself at once"
            return self.stage.alive
        if act == "leftovers":
            return True
        hangs = self.talk.unanswered and self.talk.answers
        busy = self.talk.still_typing or self.talk.owes
        cut = act != "silence" and busy and self.talk.may_cut
        if (hangs or cut) and self._may_start():
            await self._anew()
        elif busy:
            if self.talk.owes:
                await self.talk.be_paid()
            await self.talk.quiet()
        return True

    def _may_start(self) -> bool:
        return self.stage.restartable and self._extra > 0

    async def _anew(self) -> None:
        self._extra -= 1
        await self._begin([])

    async def _begin(self, acts: list[str]) -> None:
        stage = self.stage
        # What one wrote that has died may have been its last words, and not its first.
        self._speaks = self._speaks or (stage.spoke and stage.alive and not self._speaks_late)
        await stage.stop()
        stage.sweep()
        self.talk.unanswered = False
        self._plant(acts)
        await stage.start()
        if not any(act in ("waits-empty", "waits-beside", "leftovers") for act in acts):
            stage.log.act = "start"
            await self._let_load()

    async def _let_load(self) -> None:
        if self._speaks:
            for _ in range(100):
                if self.stage.spoke or not self.stage.alive:
                    break
                await self.stage.sleep(0.05)
            else:
                # It writes something, but not when it starts: that is not waited for again.
                self._speaks, self._speaks_late = False, True
            await self.stage.wait(lambda: not self.stage.alive, 0.3)
        else:
            await self.stage.wait(lambda: not self.stage.alive, LOADING + min(15.0, self.talk.load))

    def _plant(self, acts: list[str]) -> None:
        if "waits-beside" in acts or "beside" in acts:
            self.stage.log.act = "waits-beside"
            for name in old_keys(self.stage.log):
                self.stage.plant(name)
            for name, what in FOREIGN:
                self.stage.plant(name, what)
        if "leftovers" in acts:
            self.stage.log.act = "leftovers"
            for key in keys_of(texts.LEFT_OVER + "\n"):
                self.stage.press(key)


def old_keys(log: Log) -> list[str]:
    """Names of two `.other` directories as an earlier talk may have left them: below all that the
    entry has typed, so that its own next ones can't meet them."""
    keys = [seen for seen in log.typed() if seen.number is not None and seen.extension == "other"]
    lowest = min((seen.number for seen in keys if seen.number is not None), default=2)
    width = len(keys[0].sequence) if keys else WIDTH
    numbers = [lowest - 2, lowest - 1] if lowest >= 2 else [0]
    taken = {seen.event.name for seen in keys}
    names = [f"{number:0{width}d}.{key}.other" for number, key in zip(numbers, "qz", strict=False)]
    return [name for name in names if name not in taken]
