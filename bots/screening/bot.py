"""The screening bot: which part of it answers which sentence.

A statement is remembered, as an order if it compares, and acknowledged. A question goes to one
part after the other until one knows the answer: sums, rounds, clock, comparisons, what was told,
facts, uses, features, small talk; last the statement that shares most words with it.
"""

from __future__ import annotations

import re
import tomllib
from importlib import resources

from bots.bot import Bot, Context
from bots.english import Sentence, expand, sentences
from bots.screening import clock, features, groups, kin, rounds, rows, sums, uses
from bots.screening.compare import Comparisons
from bots.screening.knowledge import common_knowledge
from bots.screening.memory import Memory
from bots.screening.order import Orders
from bots.screening.rules import question_text
from bots.screening.smalltalk import SmallTalk
from bots.screening.spelling import mend
from bots.screening.wording import asks, core
from lpp.pace import Pace

#: Sentences of a line that are looked at, and answers of them that are given: the last ones.
SENTENCES, ANSWERS = 12, 2

#: Characters of a sentence that are looked at.
SENTENCE_LIMIT = 300

_PREMISE = re.compile(
    r"^(?:(?:if|suppose|given|say|imagine|assume)(?: that)?\s+)?(?P<told>.+?)[,;:]?\s*"
    r"(?:\b(?:and|then|so)\s+)?\b(?P<asked>(?:who|which|what|where|how many|how old)\b"
    r"(?! is (?:older|taller)\b.*,).+)$",
    re.IGNORECASE,
)


_WANT = re.compile(r"^I (?:want|would like|have|need) to (?P<deed>.+)$", re.IGNORECASE)
_NEED = re.compile(
    r"^what (?:do|should|would|can|must) (?:I|you|one) (?:need|use|take)(?: for (?:that|it))?$",
    re.IGNORECASE,
)

# Questions on the bot itself; "what do you use to ..." is none.
_OF_YOU = re.compile(
    r"\b(?:are|were|have|did) you\b|\bmillion dollars\b"
    r"|\byour (?!teeth|hands?|hair|head|feet|body|house)\w"
    r"|\b(?:do|would|can) you (?:do for|have|like|think|keep|fish|cook|live|work|see|read|take)\b"
)


class ScreeningBot(Bot):
    """Answers the four kinds of screening question of the rules of 2010, section 4."""

    name = "screening"
    summary = "answers the four kinds of screening question: time, things, relations, memory"
    pace = Pace(gap=0.18, spread=0.42, word_pause=0.1, thought=1.8, slips=0.012)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._knowledge = common_knowledge()
        self._small_talk = SmallTalk()
        self._contest = rounds.Contest()
        file = resources.files("bots.screening").joinpath("facts.toml")
        self._facts = [
            (re.compile(fact["ask"]), str(fact["say"]))
            for fact in tomllib.loads(file.read_text("utf-8"))["facts"]
        ]
        self.begin()

    def begin(self) -> None:
        """Forgets what the last judge told."""
        self._orders = Orders()
        self._memory = Memory(self._knowledge)
        self._comparisons = Comparisons(self._knowledge, self._orders)
        self._small_talk.begin()

    def reply(self, line: str) -> str:
        """Answers the questions of a line, or acknowledges what it tells."""
        found = self._sentences(line)
        if not found:
            return self._small_talk.nothing_heard()
        passed = rows.time_sum(expand(line))
        if passed is not None:
            self.overhear(line)
            return passed
        answers: list[str] = []
        heard = ""
        for sentence in found:
            low = sentence.text.lower()
            said = self._small_talk.always(low)
            if said is not None and not (sentence.asked and asks(sentence.text, False)):
                heard = said
            elif asks(sentence.text, sentence.asked):
                answers.append(self._answer(sentence.text))
            else:
                self._tell(sentence.text)
                heard = self._small_talk.heard(low)
        return " ".join(answers[-ANSWERS:]) or heard

    def overhear(self, line: str) -> None:
        """Remembers what a line tells."""
        for sentence in self._sentences(line):
            if not asks(sentence.text, sentence.asked):
                self._tell(sentence.text)

    def _sentences(self, line: str) -> list[Sentence]:
        found: list[Sentence] = []
        for sentence in sentences(expand(line))[-SENTENCES:]:
            text = mend(sentence.text[:SENTENCE_LIMIT])
            premise = self._premise(text) if asks(text, sentence.asked) else None
            want = _WANT.match(found[-1].text) if found and _NEED.match(core(text)) else None
            if want is not None:
                # "I want to cut paper. What do I need?"
                found[-1] = Sentence(f"What do I need to {want['deed']}", True)
            elif premise is not None:
                found += [Sentence(premise[0], False), Sentence(premise[1], True)]
            else:
                found.append(Sentence(text, sentence.asked))
        return found

    def _premise(self, text: str) -> tuple[str, str] | None:
        # "If Ann is taller than Bob and Bob is taller than Cid, who is the tallest?"
        match = _PREMISE.match(core(text))
        if match is None or len(match["told"].split()) < 4:
            return None
        if not re.search(r"\b(?:is|are|has|have|was|were|than|before|after)\b", match["told"]):
            return None
        if asks(match["told"], False) and not text.lower().startswith("if "):
            return None
        plain = question_text(core(text))
        if sums.answer(plain) is not None or rows.RULES.answer(plain, self.context.now()):
            return None
        return match["told"], match["asked"]

    def _tell(self, text: str) -> None:
        self._orders.tell(text)
        self._memory.tell(text)

    def _answer(self, text: str) -> str:
        question = core(text)
        plain = question_text(question)
        now = self.context.now()
        return (
            sums.answer(plain)
            or rounds.RULES.answer(plain, rounds.Asked(self._contest, now))
            or rows.RULES.answer(plain, now)
            or clock.RULES.answer(plain, now)
            or self._comparisons.answer(text)
            or self._memory.answer(text)
            or kin.RULES.answer(plain, None)
            or self._fact(plain)
            or (self._small_talk.answer(plain) if self._of_you(plain) else None)
            or groups.RULES.answer(plain, self._knowledge)
            or uses.RULES.answer(plain, self._knowledge)
            or features.RULES.answer(plain, self._knowledge)
            or self._small_talk.answer(plain)
            or self._memory.recall(text)
            or self._small_talk.not_known(plain)
        )

    @staticmethod
    def _of_you(plain: str) -> bool:
        # "Which of these do you wear: ..." asks for no habit of the bot's.
        return _OF_YOU.search(plain) is not None and not plain.startswith("which ")

    def _fact(self, plain: str) -> str | None:
        return next((say for ask, say in self._facts if ask.search(plain)), None)
