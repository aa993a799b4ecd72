"""What a scripted judge says next on one side: answers in, lines out, with no seat and no clock.

After the opening, a line comes in this order of chances: something about silence, about a line
said twice, about a question asked back; something on a matter in the answer; the question's own
follow-up; a memory test that is due; a thing told to be asked for later; what was asked on the
other side; a new question of some sort. No line is used twice in a talk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from contest.people.lines import Character, Memory, Question
from contest.people.words import holds, is_noise, similarity, tokens

#: How often a judge picks each sort of question, when it is time for a new one.
SORTS = {
    "smalltalk": 9,
    "topical": 4,
    "things": 2,
    "relations": 2,
    "time": 1.5,
    "nonsense": 1.2,
}
#: Lines between what is told and what is asked about it: at least, and at most as a rule.
INTERVENING = (3, 7)
#: The chance of telling something for later, and how often in a talk.
TELLS = 0.14
TOLD_AT_MOST = 3
#: Chances of remarks.
ON_SILENCE = 0.75
ON_REPETITION = 0.7
ON_QUESTION_BACK = 0.4
ON_SHORTNESS = 0.3
ON_NOISE = 0.8
#: An answer of so many words or fewer is short.
SHORT = 2
_LONGER_WORD = re.compile(r"[A-Za-z]{5,}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What has come on one side since the judge's last line there.

    Attributes:
        lines: the new lines, without empty ones.
        earlier: those that stood there before.
    """

    lines: Sequence[str] = ()
    earlier: Sequence[str] = field(default=())

    @property
    def text(self) -> str:
        """The new lines as one."""
        return " ".join(self.lines)


class Conversation:
    """A judge's part of one talk.

    Arguments:
        character: the judge.
        rng: where chance comes from.

    Attributes:
        others: the judge's conversations on the other sides.
        asked: the questions put so far.
        closed: whether the last words are said.
    """

    def __init__(self, character: Character, rng: random.Random) -> None:
        self.others: Sequence[Conversation] = ()
        self.asked: list[tuple[str, Question]] = []
        self.closed = False
        self._character = character
        self._rng = rng
        self._used: set[str] = set()
        self._spoken = 0
        self._then: list[str] = []
        self._told: list[tuple[int, Memory]] = []

    def next(self, answer: Answer) -> str:
        """The judge's next line.

        Arguments:
            answer: what has come since the last one.
        """
        if not self._spoken:
            line = self._unused(self._character.openings) or "Hello."
        else:
            line = self._remark(answer) or self._follow(answer) or self._new()
        self._spoken += 1
        self._used.add(line)
        return self._misspell(line)

    def close(self) -> str:
        """The judge's last line."""
        self.closed = True
        return self._unused(self._character.closings) or "Goodbye."

    def _remark(self, answer: Answer) -> str | None:
        retorts = self._character.retorts
        words = tokens(answer.text)
        said_before = any(
            len(tokens(line)) >= 4 and similarity(tokens(line), tokens(old)) > 0.85
            for line in answer.lines
            for old in answer.earlier
        )
        for fits, chance, pool in (
            (not answer.lines, ON_SILENCE, retorts.silence),
            (said_before, ON_REPETITION, retorts.repeated),
            (is_noise(answer.text), ON_NOISE, retorts.odd),
            ("?" in answer.text, ON_QUESTION_BACK, retorts.asked_back),
            (bool(answer.lines) and len(words) <= SHORT, ON_SHORTNESS, retorts.short),
        ):
            if fits and self._rng.random() < chance:
                # What is said into silence grows in impatience, in its order.
                return self._unused(pool if answer.lines else self._next(pool))
        return None

    def _next(self, pool: Sequence[str]) -> Sequence[str]:
        return [line for line in pool if line not in self._used][:1]

    def _follow(self, answer: Answer) -> str | None:
        then, self._then = self._then, []
        if not answer.lines or self._rng.random() >= self._character.habits.follows:
            return None
        words = tokens(answer.text)
        on_matter = [
            line
            for topic in self._character.reaction
            if any(holds(words, pattern) for pattern in topic.on)
            for line in topic.say
        ]
        if then and (not on_matter or self._rng.random() < 0.6):
            self._then = then[1:]
            return self._unused(then[:1])
        return self._unused(on_matter)

    def _new(self) -> str:
        return self._memory() or self._from_other_side() or self._question()

    def _memory(self) -> str | None:
        for told_at, memory in self._told:
            waited = self._spoken - told_at
            if memory.ask in self._used or waited <= INTERVENING[0]:
                continue
            if waited >= INTERVENING[1] or self._rng.random() < 0.3:
                return memory.ask
        if len(self._told) < TOLD_AT_MOST and self._rng.random() < TELLS:
            untold = [each for each in self._character.memory if each.tell not in self._used]
            if untold:
                memory = self._rng.choice(untold)
                self._told.append((self._spoken, memory))
                return memory.tell
        return None

    def _from_other_side(self) -> str | None:
        if self._rng.random() >= self._character.habits.both_sides:
            return None
        for other in self.others:
            for sort, question in other.asked:
                if question.ask not in self._used:
                    return self._ask(sort, question)
        return None

    def _question(self) -> str:
        last = self.asked[-1][0] if self.asked else ""
        left = {
            sort: [question for question in questions if question.ask not in self._used]
            for sort, questions in self._character.questions.items()
        }
        sorts = [sort for sort, questions in left.items() if questions]
        # Screening questions do not come in rows; small talk may.
        fresh = [sort for sort in sorts if sort != last or sort == "smalltalk"] or sorts
        if not fresh:
            self._used.clear()
            return self._question()
        sort = self._rng.choices(fresh, [SORTS[each] for each in fresh])[0]
        return self._ask(sort, self._rng.choice(left[sort]))

    def _ask(self, sort: str, question: Question) -> str:
        self.asked.append((sort, question))
        self._then = list(question.then)
        return question.ask

    def _unused(self, pool: Sequence[str]) -> str | None:
        left = [line for line in pool if line not in self._used]
        return self._rng.choice(left) if left else None

    def _misspell(self, line: str) -> str:
        """Leaves a slip in: two letters inside a longer word change places."""
        if self._rng.random() >= self._character.habits.misspells:
            return line
        places = [
            at
            for word in _LONGER_WORD.finditer(line)
            for at in range(word.start() + 1, word.end() - 2)
            if line[at] != line[at + 1]
        ]
        if not places:
            return line
        at = self._rng.choice(places)
        return line[:at] + line[at + 1] + line[at] + line[at + 2 :]
