"""Scripted judges and confederates. A confederate waits for the judge to begin, reads, and types
answers; a judge talks with both sides, then decides and, at the end, ranks.

A judge's decision uses only a few features of the text on the screen: a rule of thumb, described in
docs/explanation/scripted-people.md.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

from contest.scripted.characters import (
    STOP,
    Judge,
    Repertoire,
    facts,
    is_question,
    matching,
    shared,
    similarity,
    tokens,
)
from contest.scripted.person import LOOK, PAUSE, Person, SeatInterface, Turn
from lpp.clock import Clock
from lpp.wire import Author, Place, RankThese

#: Seconds of silence after a finished line that end an answer.
FINISHED = 1.5
#: Seconds of thought before a decision; at most half of the time left in the phase.
DECIDING = 30.0
#: The probability of a remark on an answer or a missing answer.
REMARKS = {"silence": 0.75, "repeated": 0.7, "asked_back": 0.4, "short": 0.3}
#: The maximum number of words in a short answer; the minimum number in a line that counts as
#: repeated.
SHORT, LONG = 2, 4

#: The features that a judge looks at, with the words for the reason.
FEATURES = {
    "silent": "left lines of mine unanswered",
    "repeated": "repeated itself",
    "evasive": "did not answer my questions",
    "wrong": "could not answer easy questions",
}
#: The minimum similarity of two lines that count as the same.
SAME_LINE = 0.85
#: From this many repetitions on, an entity seems entirely like a machine.
MANY = 3
#: The value of a feature that a talk was too short to show, and of a talk not seen.
NEUTRAL = 0.5
#: A difference in machine-likeness that makes a judge completely sure.
SURE = 0.25


def features(lines: Sequence[tuple[Author, str]], character: Judge) -> dict[str, float]:
    """Computes the features of one talk.

    Arguments:
        lines: (author, text) in the order of their ends.
        character: the judge.

    Returns:
        A value for each of `FEATURES`, from 0 (like a person) to 1 (like a machine).
    """
    own = [at for at, (author, _) in enumerate(lines) if author == "judge"]
    # Turns overlap: everything until the judge's next line but one counts as the answer.
    ends = [*own[2:], len(lines), len(lines)]
    exchanges = [
        (lines[at][1], " ".join(text for author, text in lines[at:end] if author == "entity"))
        for at, end in zip(own, ends, strict=False)
    ]
    answered = [(ask, answer) for ask, answer in exchanges if answer]
    accepted = {each.ask: {*each.accept} for each in character.questions if each.accept}
    said = [text for author, text in lines[own[0] if own else 0 :] if author == "entity"]
    repeated = sum(_repeats(text, said[:at]) for at, text in enumerate(said))
    return {
        # The last line may have come too late to be answered.
        "silent": _share(not answer for _, answer in exchanges[:-1]),
        "repeated": min(1.0, repeated / MANY),
        "evasive": _share(not shared(ask, answer) for ask, answer in answered if is_question(ask)),
        "wrong": _share(
            not accepted[ask] & {*tokens(answer)} for ask, answer in answered if ask in accepted
        ),
    }


def _share(cases: Iterable[bool]) -> float:
    found = list(cases)
    return fmean(found) if found else NEUTRAL


def _repeats(line: str, earlier: Sequence[str]) -> bool:
    return len(tokens(line)) >= LONG and any(
        similarity(line, each) >= SAME_LINE for each in earlier
    )


def decide(
    left: Mapping[str, float],
    right: Mapping[str, float],
    weights: Mapping[str, float],
    rng: random.Random,
) -> tuple[Literal["left", "right"], int, str]:
    """Decides which side the human is on: the side that seems less like a machine.

    Arguments:
        left, right: the features of the two talks.
        weights: the judge's weights.
        rng: chooses between equal sides.

    Returns:
        The side, the confidence from 0 to 100, and the reason in words.
    """
    gaps = {name: weights[name] * (right[name] - left[name]) for name in FEATURES}
    difference = sum(gaps.values()) / sum(weights.values())
    confidence = min(100, round(100 * abs(difference) / SURE))
    if abs(difference) < 1e-9:
        return rng.choice(("left", "right")), 0, "can't tell them apart"
    if difference > 0:
        return "left", confidence, f"the right side {FEATURES[max(gaps, key=gaps.__getitem__)]}"
    return "right", confidence, f"the left side {FEATURES[min(gaps, key=gaps.__getitem__)]}"


class Questions:
    """Chooses a judge's lines in one talk, given the entity's lines.

    Arguments:
        character: the judge.
        rng: the source of randomness.

    Attributes:
        heard: how many of the entity's lines the judge has read.
        spoke_at: when the judge's last line was finished; None before the first.
    """

    def __init__(self, character: Judge, rng: random.Random) -> None:
        self.heard = 0
        self.spoke_at: float | None = None
        self._character = character
        self._rng = rng
        self._repertoire = Repertoire(character, rng)
        self._then: list[str] = []

    def next(self, lines: Sequence[str]) -> str:
        """The judge's next line.

        Arguments:
            lines: all of the entity's lines so far.
        """
        new, earlier, self.heard = lines[self.heard :], lines[: self.heard], len(lines)
        character, text = self._character, " ".join(new)
        pools = [(1.0, character.lines["opening"])] if self.spoke_at is None else []
        found = {
            "silence": not new,
            "repeated": any(_repeats(line, earlier) for line in new),
            "asked_back": "?" in text,
            "short": 0 < len(tokens(text)) <= SHORT,
        }
        pools += [
            (chance, character.lines[name]) for name, chance in REMARKS.items() if found[name]
        ]
        matters = [self._then, *matching(text, character.topic)] if new else []
        pools += [(character.follows, say) for say in matters]
        for chance, pool in pools:
            if self._rng.random() < chance and (line := self._repertoire.pick(pool)):
                self._then = []
                return line
        questions = {each.ask: each.then for each in character.questions}
        line = self._repertoire.say([*questions])
        self._then = questions[line]
        return line


class ScriptedJudge(Person):
    """A judge: see `Person`.

    Attributes:
        likenesses: the machine-likeness of each talk, by round and place, from the last attempt.
    """

    author = "judge"
    character: Judge

    def __init__(self, character: Judge, seed: int = 0) -> None:
        super().__init__(character, seed)
        self.likenesses: dict[tuple[int, Place], float] = {}

    async def talk(self, turn: Turn) -> None:
        """Talks with both sides in turn until the round ends."""
        sides = [(place, Questions(self.character, turn.rng)) for place in turn.seat.places]
        turn.rng.shuffle(sides)
        while True:
            for place, questions in sides:
                if questions.spoke_at is not None:
                    await turn.look(turn.rng.expovariate(1 / self.character.muses))
                    if turn.rng.random() >= self.character.hurries:
                        await self._listen(turn, place, questions)
                line = questions.next(turn.read(place).by("entity"))
                await turn.type(place, line + "\n")
                questions.spoke_at = turn.clock.now()

    async def _listen(self, turn: Turn, place: Place, questions: Questions) -> None:
        """Waits until the answer seems complete, for at most the judge's patience; three times as
        long while the entity is typing."""
        since = questions.spoke_at or 0.0
        patience = self.character.patience * turn.rng.uniform(0.7, 1.3)
        while (waited := turn.clock.now() - since) < 3 * patience:
            transcript = turn.read(place)
            silence = transcript.silence("entity", turn.clock.now())
            answered = len(transcript.by("entity")) > questions.heard and silence >= FINISHED
            if not transcript.editors["entity"].unsent and (answered or waited >= patience):
                return
            await turn.look(LOOK)

    async def score(self, turn: Turn) -> None:
        """Decides and gives the verdict."""
        weights = self.character.weights
        found = {
            place: features(turn.read(place).lines, self.character) for place in turn.seat.places
        }
        for place, values in found.items():
            weighted = sum(weights[name] * value for name, value in values.items())
            self.likenesses[turn.seat.round, place] = weighted / sum(weights.values())
        human, confidence, reason = decide(found["left"], found["right"], weights, turn.rng)
        await _think(turn.seat, turn.clock)
        await turn.seat.verdict(human, confidence, reason)

    async def rank(self, seat: SeatInterface, clock: Clock, asked: RankThese) -> None:
        """Ranks everybody by the mean machine-likeness of their talks."""
        known = self.likenesses
        means = {
            label: fmean([known.get((round_, place), NEUTRAL) for round_, _, place in met])
            for label, met in asked.participants.items()
        }
        every = [*means.values()]
        await _think(seat, clock)
        # Twice the rank; equal means share the mean of their places.
        await seat.rank(
            {
                label: 2 * sum(other < mean for other in every) + every.count(mean) + 1
                for label, mean in means.items()
            }
        )


async def _think(seat: SeatInterface, clock: Clock) -> None:
    remaining = seat.remaining()
    await clock.sleep(DECIDING if remaining is None else min(DECIDING, remaining / 2))


# Confederates

#: If several lines are waiting, only this many, the last ones, are answered.
ANSWERED_AT_ONCE = 2


class ScriptedConfederate(Person):
    """A confederate: see `Person`."""

    author = "entity"

    async def talk(self, turn: Turn) -> None:
        """Answers the judge until the round ends."""
        [place] = turn.seat.places
        repertoire = Repertoire(self.character, turn.rng)
        answered = 0
        silent_from = turn.clock.now()
        while True:
            await turn.look(LOOK)
            now, transcript = turn.clock.now(), turn.read(place)
            lines = transcript.by("judge")
            if len(lines) > answered:
                unread, answered = lines[answered:][-ANSWERED_AT_ONCE:], len(lines)
                for line in unread:
                    await turn.type(place, answer(line, repertoire, turn.seat.round) + "\n")
            elif not answered or transcript.silence("judge", now) < PAUSE:
                silent_from = now  # the judge must begin (rules 2010, section 3), or may be typing
            elif now - silent_from >= self.character.patience:
                if nudge := repertoire.pick(self.character.lines["nudge"]):
                    await turn.type(place, nudge + "\n")
                silent_from = turn.clock.now()


def answer(line: str, repertoire: Repertoire, round_: int) -> str:
    """A confederate's answer to a line of the judge.

    Arguments:
        line: the finished line, not blank.
        repertoire: the confederate's lines in this talk.
        round_: the number of the round.
    """
    character, say = repertoire.character, repertoire.say
    lines, topics = character.lines, matching(line, character.topic)
    content = [word for word in tokens(line) if word not in STOP and 3 < len(word) < 20]
    slots = {"round": str(round_)} | ({"word": content[-1]} if content else {})
    if known := matching(line, facts()):
        return say(lines["fact"], answer=known[0][0])
    if is_question(line):
        return say(*topics, lines["unknown"], lines["ask"], lines["statement"], **slots)
    return say(*topics, lines["statement"], lines["ask"], lines["statement"], **slots)
