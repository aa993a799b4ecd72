"""A scripted confederate: waits until the judge begins, reads, answers, and types.

What is said comes out of `Mind` (mind.py), how fast out of the persona's pace.
"""

from __future__ import annotations

from contest.people.lines import Persona, persona
from contest.people.mind import Mind
from contest.people.person import Person, Sitting
from contest.people.seat import Seat
from contest.people.seen import PAUSE, Seen
from lpp.clock import Clock
from lpp.wire import Place, RankThese

#: Seconds that reading takes, a character, and at most.
READING = 0.025
LONGEST_READING = 6.0
#: Of the lines that have piled up, so many are answered: the last ones.
ANSWERED_AT_ONCE = 2


class ScriptedConfederate(Person):
    """A confederate who talks by the lines of a persona.

    Arguments:
        name: one of `lines.confederates()`.
        seed: the same seed gives the same person.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.persona: Persona = persona(name)
        super().__init__(name, self.persona.pace, "entity", seed)

    async def talk(self, sitting: Sitting, round_: int) -> None:
        """Answers the judge until the round ends."""
        while not sitting.seat.places:
            await sitting.news(1.0)
        place = sitting.seat.places[0]
        mind = Mind(self.persona, sitting.rng, round_)
        answered = 0
        while True:
            lines = await self._judge_lines(sitting, place, answered)
            if not lines:
                nudge = mind.nudge()
                if nudge is not None:
                    await sitting.type(place, nudge + "\n")
                continue
            answered += len(lines)
            unread = [line for line in lines if line.strip()][-ANSWERED_AT_ONCE:]
            await sitting.clock.sleep(
                min(LONGEST_READING, READING * sum(len(line) for line in unread))
            )
            for line in unread:
                for answer in mind.reply(line):
                    await sitting.type(place, answer + "\n")

    async def score(self, sitting: Sitting, round_: int) -> None:
        """A confederate decides nothing."""

    async def rank(self, seat: Seat, clock: Clock, asked: RankThese) -> None:
        """A confederate is never asked."""

    async def _judge_lines(self, sitting: Sitting, place: Place, answered: int) -> list[str]:
        """Waits for lines of the judge: ended by Return, or by a pause. None come back when the
        judge, who has begun, has been silent for too long."""
        silent_from = sitting.clock.now()
        while True:
            now = sitting.clock.now()
            seen = sitting.seen.setdefault(place, Seen())
            last_key = seen.last_key("judge")
            if last_key is None:
                # The judge begins (rules 2010, section 3).
                silent_from = now
                await sitting.news(60.0)
                continue
            if seen.unsent("judge").strip() and now - last_key >= PAUSE:
                seen.close("judge")
            lines = [line.text for line in seen.by("judge")[answered:]]
            if lines:
                return lines
            silent_from = max(silent_from, last_key)
            patience = silent_from + self.persona.patience
            if now >= patience:
                return []
            until = last_key + PAUSE if seen.unsent("judge") else patience
            await sitting.news(max(0.05, min(until, patience) - now))
