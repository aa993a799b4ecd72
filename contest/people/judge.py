"""A scripted judge: goes to and fro between two talks, then decides and, at the end, ranks.

What is said comes out of a `Conversation` for each side (questions.py); the decision out of the
rule in judgement.py, over what this judge saw.
"""

from __future__ import annotations

from contest.people.judgement import Impression, decide, half_steps, impression
from contest.people.lines import Character, character, weights
from contest.people.person import Person, Sitting
from contest.people.questions import Answer, Conversation
from contest.people.seat import Seat
from contest.people.seen import PAUSE, Seen
from lpp.clock import Clock
from lpp.wire import Place, RankThese

#: Seconds that reading takes, a character, and at most.
READING = 0.02
LONGEST_READING = 5.0
#: A side that has been still for so many seconds after a Return has finished, it seems.
FINISHED = 1.5
#: Nobody is waited for longer than so many times the judge's patience, even while typing.
STILL_TYPING = 2.0
#: Seconds before the end at which it is time for last words.
LAST_WORDS = 40.0
#: Seconds of thought before the verdict, and before the ranking; never more than a part of what
#: is left of the phase.
DECIDING = (8.0, 45.0)
PART_OF_PHASE = 0.5


class ScriptedJudge(Person):
    """A judge with the questions, habits and weights of a character.

    Arguments:
        name: one of `lines.judges()`.
        seed: the same seed gives the same judge.

    Attributes:
        impressions: what was taken away from each talk, by round and place; the last attempt's.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.character: Character = character(name)
        self.weights = weights()[name]
        self.impressions: dict[tuple[int, Place], Impression] = {}
        super().__init__(name, self.character.pace, "judge", seed)

    async def talk(self, sitting: Sitting, round_: int) -> None:
        """Talks with both sides until the round ends."""
        sides: dict[Place, _Side] = {}
        conversations: list[Conversation] = []
        places = list(sitting.seat.places)
        while not places:
            await sitting.news(1.0)
            places = list(sitting.seat.places)
        sitting.rng.shuffle(places)
        for place in places:
            conversation = Conversation(self.character, sitting.rng)
            conversations.append(conversation)
            sides[place] = _Side(place, conversation)
        for conversation in conversations:
            conversation.others = [each for each in conversations if each is not conversation]
        while True:
            for side in sides.values():
                await self._turn(sitting, side)
                while sitting.rng.random() < self.character.habits.stays:
                    await self._turn(sitting, side)

    async def score(self, sitting: Sitting, round_: int) -> None:
        """Decides by the rule, and says so; a judge without talks in this round has nothing to
        say."""
        if not sitting.seat.places:
            return
        for place, seen in sitting.seen.items():
            self.impressions[round_, place] = impression(
                seen.keys, self.weights, self.character.probes, self.character.habits.span
            )
        nothing = impression([], self.weights)
        left, right = (
            self.impressions.get((round_, place), nothing) for place in ("left", "right")
        )
        decision = decide(left, right, self.weights)
        await _think(sitting.seat, sitting.clock, sitting.rng.uniform(*DECIDING))
        await sitting.seat.verdict(decision.human, decision.confidence, decision.reason)

    async def rank(self, seat: Seat, clock: Clock, asked: RankThese) -> None:
        """Ranks everybody by the mean impression."""
        likenesses = {
            label: [
                self.impressions[round_, place].likeness
                for round_, _, place in met
                if (round_, place) in self.impressions
            ]
            for label, met in asked.participants.items()
        }
        await _think(seat, clock, DECIDING[1])
        await seat.rank(half_steps(likenesses))

    async def _turn(self, sitting: Sitting, side: _Side) -> None:
        """One look at a side, and one line."""
        remaining = sitting.seat.remaining()
        ending = remaining is not None and remaining < LAST_WORDS
        if ending and side.conversation.closed:
            await sitting.news(5.0)
            return
        if side.spoke_at is not None:
            await sitting.clock.sleep(sitting.rng.expovariate(1 / self.character.habits.muses))
            if sitting.rng.random() >= self.character.habits.hurries:
                await self._listen(sitting, side)
        answer = side.hear(sitting.seen[side.place])
        await sitting.clock.sleep(min(LONGEST_READING, READING * len(answer.text)))
        line = side.conversation.close() if ending else side.conversation.next(answer)
        if sitting.rng.random() < self.character.habits.empty_returns:
            line += "\n"
        await sitting.type(side.place, line + "\n")
        side.spoke_at = sitting.clock.now()

    async def _listen(self, sitting: Sitting, side: _Side) -> None:
        """Waits until the answer seems to be complete, or patience is at its end."""
        assert side.spoke_at is not None
        rng, habits = sitting.rng, self.character.habits
        give_up = side.spoke_at + habits.patience * rng.uniform(0.7, 1.3)
        while True:
            now = sitting.clock.now()
            seen = sitting.seen[side.place]
            last_key = seen.last_key("entity")
            last_key = -PAUSE if last_key is None else last_key
            typing = now - last_key < PAUSE and bool(seen.unsent("entity"))
            answered = len(seen.by("entity")) > side.heard
            if seen.unsent("entity").strip() and not typing:
                seen.close("entity")
                return
            if answered and not typing and now - last_key >= FINISHED:
                return
            if now >= give_up and (not typing or now >= give_up + STILL_TYPING * habits.patience):
                return
            until = [last_key + PAUSE] if typing else [give_up, last_key + FINISHED]
            later = [moment for moment in until if moment > now] or [now + FINISHED]
            await sitting.news(max(0.05, min(later) - now))


class _Side:
    """One of a judge's two talks."""

    def __init__(self, place: Place, conversation: Conversation) -> None:
        self.place = place
        self.conversation = conversation
        self.spoke_at: float | None = None
        self.heard = 0

    def hear(self, seen: Seen) -> Answer:
        """What has come since the last time."""
        lines = [line.text for line in seen.by("entity")]
        new = [line for line in lines[self.heard :] if line.strip()]
        old = [line for line in lines[: self.heard] if line.strip()]
        self.heard = len(lines)
        return Answer(new, old)


async def _think(seat: Seat, clock: Clock, seconds: float) -> None:
    remaining = seat.remaining()
    if remaining is not None:
        seconds = min(seconds, remaining * PART_OF_PHASE)
    await clock.sleep(seconds)
