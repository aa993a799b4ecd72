"""Remembers what the judge said, and answers questions on it (rules 2010, section 4, set 4):
"I have a friend named Harry who likes to play tennis", other things in between, and then "What is
the name of the friend I just told you about?", "Do you know what game Harry likes to play?".

Statements are kept whole and as clauses (clauses.py). A question is taken apart (asking.py) and
held against each clause, the latest first; what fits best fills the gap. Where no clause fits,
`recall` finds the statement that shares most words with the question and says it back.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bots.english import as_sentence, to_listener, words_of
from bots.screening.asking import Asked, Gap, read_question
from bots.screening.clauses import Clause, read_statement
from bots.screening.knowledge import Knowledge
from bots.screening.matching import Matcher
from bots.screening.names import Names
from bots.screening.wording import core, empty_words, singular, verb_base

#: Statements that are kept; a judge makes some dozens.
STATEMENTS = 200

_TOLD = re.compile(
    r"\s*(?:,|\b(?:that|who|whom|which)\b)?\s*\bi (?:just |have |had )?(?:just )?"
    r"(?:told|mentioned|talked|spoke|said|spoken|was talking|was telling)\b.*$",
    re.IGNORECASE,
)
# "the notebook that I lost" is the notebook.
_THAT_I = re.compile(r"\b(the \w+(?: \w+)?) (?:that|which|whom) (?:i|we) \w+$", re.IGNORECASE)
_NAME_OF = (
    re.compile(r"^(?:what|who) (?:is|was|are) the names? of (?P<x>.+)$", re.I),
    re.compile(r"^(?:what|who) (?:is|was|are) (?P<x>.+?)'s? names?$", re.I),
    re.compile(r"^(?:what|who) (?:is|was|are) (?P<x>(?:my|his|her|their)) names?$", re.I),
    re.compile(r"^what (?:is|was|are) (?P<x>.+?) (?:called|named)$", re.I),
    re.compile(r"^what (?:do|did) i (?:call|name) (?P<x>.+)$", re.I),
    re.compile(r"^what name did i give (?:to )?(?P<x>.+)$", re.I),
    re.compile(r"^(?:the )?name of (?P<x>.+)$", re.I),
    re.compile(r"^what (?P<x>.+?)'s? name (?:is|was)$", re.I),
    re.compile(r"^what (?P<x>my) name (?:is|was)$", re.I),
    re.compile(r"^what (?P<x>.+?) (?:is|was) (?:called|named)$", re.I),
)
_WHO_AM_I = re.compile(r"^who (?:am i|i am)$", re.I)
_ABOUT = re.compile(
    r"^(?:what (?:did|do|have|can) (?:i|you) (?:just )?(?:say|tell|told|know|remember)(?: to)?"
    r"(?: you| me)? (?:about|of)|tell me (?:something |what you know )?about|who (?:is|was)|"
    r"(?:do )?you remember|remember) (?P<x>.+)$",
    re.I,
)
_SAID = re.compile(
    r"^what (?:did|have) i (?:just |last )?(?:say|said|tell|told)(?: to)?(?: you)?"
    r"(?: just now| before)?$"
    r"|^what was the last thing (?:that )?i (?:said|told you)$",
    re.I,
)
_SAID_FIRST = re.compile(r"\bfirst thing (?:that )?i (?:said|told)", re.I)


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    clauses: tuple[Clause, ...]
    words: frozenset[str]


class Memory:
    """What the judge said.

    Arguments:
        knowledge: tells what kind a thing is of ("What pet ...").
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._statements: deque[_Statement] = deque(maxlen=STATEMENTS)
        self._names = Names()
        self._matcher = Matcher(knowledge, self._names)

    def tell(self, sentence: str) -> None:
        """Remembers a statement.

        Arguments:
            sentence: contractions written out, without its full stop.
        """
        text = self._names.resolve(sentence)
        clauses = tuple(read_statement(text))
        self._names.learn(text, clauses)
        self._statements.append(_Statement(text, clauses, frozenset(_telling(text))))

    def answer(self, question: str) -> str | None:
        """Answers a question on what was said, or gives None if no statement holds the answer.

        Arguments:
            question: one sentence, contractions written out.
        """
        if not self._statements:
            return None
        text = self._names.resolve(_TOLD.sub("", core(question)))
        text = _THAT_I.sub(r"\1", text)
        return self._name(text) or self._fill(text) or self._about(core(question))

    def recall(self, question: str) -> str | None:
        """Says back the statement that shares most with a question, or gives None."""
        asked = frozenset(_telling(self._names.resolve(_TOLD.sub("", core(question)))))
        best, best_shared = None, 0.0
        for age, statement in enumerate(reversed(self._statements)):
            shared = len(asked & self._names.widened(statement.words)) - 0.01 * age
            if shared > best_shared:
                best, best_shared = statement, shared
        needed = max(1.0, len(asked) / 2)
        if best is None or best_shared < needed - 0.5:
            return None
        return _said_back(best.text)

    def _name(self, text: str) -> str | None:
        if _WHO_AM_I.match(text):
            name = self._names.name_of("my")
            return f"You are {name}." if name else None
        for pattern in _NAME_OF:
            match = pattern.match(text)
            if match is not None:
                name = self._names.name_of(_TOLD.sub("", match["x"]))
                return as_sentence(name) if name else None
        return None

    def _fill(self, text: str) -> str | None:
        asked = read_question(text)
        if asked is None:
            return None
        best, best_fit = None, 0.0
        for statement in reversed(self._statements):
            for clause in statement.clauses:
                filled = self._matcher.fill(asked, clause)
                # Of two that fit alike the later one holds.
                if filled is not None and filled.fit > best_fit:
                    best, best_fit = filled, filled.fit
        if best is None:
            return self._rephrased(asked)
        return as_sentence(to_listener(best.text) if best.reflect else best.text)

    def _rephrased(self, asked: Asked) -> str | None:
        # "What is Harry's favourite game?" where it was only said what Harry likes to play.
        favorite = re.match(
            r"(?P<who>.+?)(?:'s)? (?:favou?rite) (?P<what>\w+)$", asked.subject, re.I
        )
        if favorite is not None:
            who = {"my": "I"}.get(favorite["who"].lower(), favorite["who"])
            again = Asked(Gap.OBJECT, favorite["what"], who, ("like",))
            return self._first(again)
        job = re.match(
            r"(?P<who>.+?)(?:'s)? (?:job|work|profession|occupation)$", asked.subject, re.I
        )
        if job is not None:
            who = {"my": "I"}.get(job["who"].lower(), job["who"])
            return self._first(Asked(Gap.OBJECT, "", who, ("do",)))
        if asked.gap in (Gap.OBJECT, Gap.SUBJECT) and asked.verbs == ("be",) and asked.subject:
            return self._first(replace(asked, gap=Gap.SUBJECT, subject="", object=asked.subject))
        return None

    def _first(self, asked: Asked) -> str | None:
        for statement in reversed(self._statements):
            for clause in statement.clauses:
                filled = self._matcher.fill(asked, clause)
                if filled is not None:
                    return as_sentence(to_listener(filled.text) if filled.reflect else filled.text)
        return None

    def _about(self, question: str) -> str | None:
        if _SAID_FIRST.search(question):
            return _said_back(self._statements[0].text)
        if _SAID.match(question):
            return _said_back(self._statements[-1].text)
        match = _ABOUT.match(question)
        if match is None:
            return None
        wanted = frozenset(_telling(self._names.resolve(match["x"])))
        # Who somebody is was said when they were brought up.
        order = list(self._statements)
        for statement in order if question.lower().startswith("who") else reversed(order):
            if wanted and wanted <= self._names.widened(statement.words):
                return _said_back(statement.text)
        return None


def _telling(text: str) -> Iterable[str]:
    # Words that tell what a sentence is about, in their base forms; names as they are.
    for word in words_of(text.replace("'s", "")):
        stem = verb_base(word) or singular(word)
        if word not in empty_words() and stem not in empty_words():
            yield stem


def _said_back(text: str) -> str:
    said = to_listener(text)
    first = said.split()[0] if said else ""
    # "My sister ..." loses its capital within the sentence, a name keeps it.
    if first.lower() in (
        "you",
        "your",
        "the",
        "a",
        "an",
        "there",
        "she",
        "he",
        "it",
        "this",
        "yesterday",
    ):
        said = said[0].lower() + said[1:]
    return as_sentence(f"You told me that {said}")
