"""What a scripted confederate answers: lines in, lines out, with no seat and no clock.

A line of the judge is taken, in this order, for: too long to read, noise, a question that came
before, something that anybody knows (knowledge.py), a matter on which the persona has something to
say, a question without an answer, a statement. No line of the persona's is used twice in a talk
while there is another one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from contest.people import knowledge
from contest.people.lines import Persona, Topic, common
from contest.people.words import (
    holds,
    is_noise,
    is_question,
    matter,
    similarity,
    tokens,
)

#: What nobody reads to its end, in characters.
TOO_LONG = 400
#: A topic has to match at least this well: one word that says something, or three that don't.
GOOD_MATCH = 3
#: The chance of saying two things on one matter.
SAYS_MORE = 0.2
#: How far back a matter has to lie to be come back to, in the judge's lines.
EARLIER = 3


class Mind:
    """A confederate's head in one talk.

    Arguments:
        persona: who this is.
        rng: where chance comes from.
        round_: the number of the round.

    Attributes:
        told: the judge's lines so far.
    """

    def __init__(self, persona: Persona, rng: random.Random, round_: int = 1) -> None:
        self.persona = persona
        self.told: list[str] = []
        self._rng = rng
        self._round = round_
        self._used: set[str] = set()

    def reply(self, line: str) -> list[str]:
        """Answers a line of the judge.

        Arguments:
            line: the line as it stood when it was finished; anything.

        Returns:
            The lines to type; none for an empty line.
        """
        if not line.strip():
            return []
        said = self._answer(line)
        self.told.append(line[:TOO_LONG])
        if self._rng.random() < self.persona.asks_back:
            ask = self._pick(self.persona.ask, {})
            if ask is not None:
                said = [*said, ask]
        if self._rng.random() < self.persona.two_lines:
            return said
        return [_join(said)]

    def nudge(self) -> str | None:
        """Something to say into the judge's silence; None when there is nothing left."""
        return self._pick(self.persona.manner.nudge, {})

    def _answer(self, line: str) -> list[str]:
        manner = self.persona.manner
        if len(line) > TOO_LONG:
            return self._first_of([manner.long, manner.statement])
        if is_noise(line):
            return self._first_of([manner.noise, manner.statement])
        words = tokens(line)
        question = is_question(line)
        asked_before = len(words) > 3 and any(
            similarity(words, tokens(told)) > 0.9 for told in self.told
        )
        if question and asked_before and self._rng.random() < 0.6:
            again = self._pick(manner.again, {})
            if again is not None:
                return [again]
        known = self._known(line) if question else None
        if known is not None:
            return [known]
        topic = self._topic(words)
        if topic is not None:
            return topic
        slots = self._slots(line)
        if not question:
            return self._first_of([manner.statement, manner.earlier, self.persona.ask], slots)
        puzzled = [manner.unknown, manner.earlier]
        if self._rng.random() < self.persona.wanders:
            puzzled.reverse()
        return self._first_of([*puzzled, self.persona.ask, manner.statement], slots)

    def _known(self, line: str) -> str | None:
        manner = self.persona.manner
        thing = knowledge.compare(line, common())
        if thing is not None and self._rng.random() < 0.5:
            thing = f"the {thing}"
        certain = (
            thing
            or knowledge.confirm(line, common())
            or knowledge.arrange(line, self.told)
            or knowledge.add_up(line)
        )
        if certain is not None:
            return self._put(manner.certain, {"answer": certain})
        used = knowledge.use(line, common())
        if used is not None:
            return self._put(manner.use, {"answer": used})
        recalled = knowledge.recall(line, self.told)
        if recalled is not None:
            if self._rng.random() < self.persona.remembers:
                return self._put(manner.recall, {"answer": recalled})
            return self._pick(manner.forgot, {})
        return None

    def _topic(self, words: Sequence[str]) -> list[str] | None:
        def score(topic: Topic) -> int:
            return max(holds(words, pattern) for pattern in topic.on)

        scored = [(score(topic), -index) for index, topic in enumerate(self.persona.topic)]
        for points, negative in sorted(scored, reverse=True):
            if points < GOOD_MATCH:
                return None
            say = self.persona.topic[-negative].say
            first = self._pick(say, self._slots(""))
            if first is None:
                continue
            second = self._pick(say, {}) if self._rng.random() < SAYS_MORE else None
            return [first] if second is None else [first, second]
        return None

    def _slots(self, line: str) -> dict[str, str]:
        slots = {"round": str(self._round)}
        word = matter(line)
        if word is not None:
            slots["word"] = word
        earlier = [found for told in self.told[:-EARLIER] if (found := matter(told)) is not None]
        earlier = [found for found in earlier if found not in self._used and found != word]
        if earlier:
            slots["earlier"] = self._rng.choice(earlier)
        return slots

    def _first_of(
        self, pools: Sequence[Sequence[str]], slots: dict[str, str] | None = None
    ) -> list[str]:
        """A line of the first pool that has one left; of the first pool again, if none has."""
        for pool in pools:
            line = self._pick(pool, slots or {})
            if line is not None:
                return [line]
        plain = [line for line in pools[-1] if "{" not in line]
        return [self._finish(self._rng.choice(plain))]

    def _put(self, pool: Sequence[str], slots: dict[str, str]) -> str:
        # With an answer in it, the same form of words is no repetition.
        line = self._pick(pool, slots)
        return line if line is not None else self._finish(_fill(self._rng.choice(pool), slots))

    def _pick(self, pool: Sequence[str], slots: dict[str, str]) -> str | None:
        """An unused line whose slots can all be filled."""
        fits = [line for line in pool if line not in self._used and "{" not in _fill(line, slots)]
        if not fits:
            return None
        line = self._rng.choice(fits)
        self._used.add(line)
        if "{earlier}" in line:
            self._used.add(slots["earlier"])
        return self._finish(_fill(line, slots))

    def _finish(self, line: str) -> str:
        return line[:1].upper() + line[1:] if self.persona.capitals else line


def _join(sentences: Sequence[str]) -> str:
    text = sentences[0]
    for sentence in sentences[1:]:
        text += (". " if text[-1].isalnum() else " ") + sentence
    return text


def _fill(line: str, slots: dict[str, str]) -> str:
    for slot, text in slots.items():
        line = line.replace("{" + slot + "}", text)
    return line
