"""Papers made from templates, and the vocabulary of questions.

This module draws from the questions and keys in `data/*.toml`. `docs/explanation/questions.md`
gives the reasons. Each set draws independently from the paper's seed; no text occurs twice.

Nouns, adjectives and verbs come "from a dictionary suitable for children or adolescents under the
age of 12" (rules 2010, section 4). `data/ogden.txt` has the 850 words of Basic English (1930),
`data/dolch.txt` 314 words that children read in their first school years (1936). `data/own.toml`
has words missing from both, in groups with a reason for each, and names and irregular forms. Other
forms are recognized by their endings.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, TypeVar

import msgspec

from contest.errors import BadOrder
from contest.screening.paper import SETS, Facts, Paper, Question, SetName

T = TypeVar("T")
#: The maximum number of questions about one statement.
MOST_QUESTIONS = 3
#: Unsuccessful draws after which a family counts as exhausted.
_MAX_DRAWS = 100
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SHORT = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d)?)$")
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "st", "est", "ly")


@cache
def data(name: str) -> dict[str, Any]:
    """A file of `data/` with templates and the words that fill them."""
    return tomllib.loads(_text(f"{name}.toml"))


def _text(name: str) -> str:
    return resources.files("contest.screening").joinpath("data", name).read_text("utf-8")


class Draw:
    """Draws from a seed for one purpose, so that sets don't affect each other. Of `random.Random`
    it uses only `random()`, whose results alone are guaranteed to be the same in all versions of
    Python."""

    def __init__(self, seed: int | str, what: str) -> None:
        self._rng = random.Random(f"{seed} {what}")

    def below(self, number: int) -> int:
        """An integer from 0 up to but not including `number`."""
        return int(self._rng.random() * number)

    def of(self, things: Sequence[T]) -> T:
        """One of several things."""
        return things[self.below(len(things))]

    def some(self, things: Sequence[T], number: int | None = None) -> list[T]:
        """Several different things in random order; all of them if `number` is left out."""
        left = list(things)
        many = len(left) if number is None else min(number, len(left))
        return [left.pop(self.below(len(left))) for _ in range(many)]


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of questions of each set, and the least number of lines between a statement and
    its questions."""

    time: int = 5
    things: int = 5
    relations: int = 5
    memory: int = 5
    between: int = 2


def make(seed: int, counts: Counts | None = None, facts: Facts | None = None) -> Paper:
    """Makes a paper from the templates; the same seed gives the same paper on every machine. If
    left out, `counts` is five of each set, and `facts` are those of the rules. Raises BadOrder if
    the templates have fewer questions for a set."""
    counts, facts = counts or Counts(), facts or Facts()
    questions: list[Question] = []
    for name in SETS[:3]:
        made = _draw_set(name, getattr(counts, name), Draw(seed, name))
        questions += [
            msgspec.structs.replace(each, id=f"{name}-{nth}") for nth, each in enumerate(made, 1)
        ]
    return Paper(seed, tuple(_with_memory(questions, Draw(seed, "memory"), counts)), facts)


# A set


def _draw_set(name: SetName, number: int, draw: Draw) -> list[Question]:
    """Questions of a set: families take turns, and no topic of a family is repeated until all have
    been used."""
    found: dict[str, Question] = {}
    topics: set[str] = set()

    def one(family: str, known: set[str]) -> bool:
        for _ in range(_MAX_DRAWS):
            question, about = _filled(name, family, draw)
            if question.text not in found and known.isdisjoint(about):
                found[question.text] = question
                topics.update(about)
                return True
        return False

    turns = draw.some(data(name)["turns"])
    for known in (topics, set[str]()):
        left = list(turns)
        while left and len(found) < number:
            left = [each for each in left if len(found) == number or one(each, known)]
    if len(found) < number:
        raise BadOrder(
            f"the templates have only {len(found)} different questions for the set {name}, not "
            f"{number}; ask for fewer, or add your own with --add"
        )
    return list(found.values())


def _filled(set_: SetName, name: str, draw: Draw) -> tuple[Question, list[str]]:
    """A question of a family, and its topics. A family has texts with a rule of `paper.RULES` and
    its number (`asked`), texts with their answers (`rows`), or texts that are filled with a thing
    from a table."""
    held, family = data(set_), data(set_)["family"][name]
    if "asked" in family:
        text, rule, number = draw.of(family["asked"])
        return Question(set_, set_, text, rule=rule, number=number), [f"{rule} {number}"]
    if "rows" in family:
        text, full, wrong = draw.of(family["rows"])
        about = [f"{name} {each}" for each in (*full, *wrong)]
        return Question(set_, set_, text, words=tuple(full), wrong=tuple(wrong)), about
    table = family["table"] if isinstance(family["table"], dict) else held[family["table"]]
    it = draw.of(list(table))
    asks = family.get("ask", ["{it}"])
    if it.startswith(("a ", "an ")):
        asks = family.get("ask_of_one", asks)
    text = draw.of(asks).format(it=it, **{"is": "are" if it in held.get("plural", ()) else "is"})
    full, half = table[it] if isinstance(table[it][0], list) else (table[it], [])
    # If the text offers all answers as a choice, the others are wrong.
    others = {other[0] for other in table.values()} if family.get("choose") else set[str]()
    wrong = tuple(sorted(others - set(full)))
    made = Question(set_, set_, text, words=tuple(full), half=tuple(half), wrong=wrong)
    return made, [f"{name} {it}"]


# Memory


def _with_memory(questions: list[Question], draw: Draw, counts: Counts) -> list[Question]:
    """The questions, followed by those of the set memory, with statements made before."""
    teller, tells, left = _Teller(draw), dict[int, list[str]](), counts.memory
    found = list(questions)
    while left:
        # 5 questions are split into 3 and 2, 4 into 2 and 2, to avoid a single one about a
        # statement.
        statement, asked = teller.tell(2 if left == 4 else min(left, MOST_QUESTIONS))
        index = max(len(found) - counts.between, 0)
        here = tells.setdefault(index, [])
        # If the paper has too few earlier questions, add lines that ask nothing.
        missing = counts.between - (len(found) - index)
        here += [statement, *(teller.between() for _ in range(missing))]
        for question in asked:
            id_ = f"memory-{counts.memory - left + 1}"
            found.append(msgspec.structs.replace(question, id=id_, about=statement))
            left -= 1
    return [
        msgspec.structs.replace(question, tells=tuple(tells.get(index, ())))
        for index, question in enumerate(found)
    ]


class _Teller:
    """Draws statements with questions about them. Each question has only one answer: it is not
    asked if another statement of the same paper answers it too."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._left: dict[str, list[Any]] = {}
        #: Questions that were asked, and questions that the statements made so far answer.
        self._asked: set[str] = set()
        self._answered: set[str] = set()

    def tell(self, number: int) -> tuple[str, list[Question]]:
        """A statement with this many questions, or fewer if no statement has this many left; raises
        BadOrder if there are no more."""
        for fewer in range(number, 0, -1):
            for _ in data("memory")["statements"]:
                statement, *asks = self._next("statements")
                clear = [ask for ask in asks if ask[0] not in self._answered]
                if self._asked.isdisjoint(text for text, _ in asks) and len(clear) >= fewer:
                    asked = self._draw.some(clear, fewer)
                    self._asked.update(text for text, _ in asked)
                    self._answered.update(text for text, _ in asks)
                    return statement, [_remembered(text, answer) for text, answer in asked]
        raise BadOrder(
            f"the templates have only {len(self._asked)} different questions for the set memory; "
            "ask for fewer, or add your own with --add"
        )

    def between(self) -> str:
        """A line that no question asks about."""
        return str(self._next("between"))

    def _next(self, what: str) -> Any:
        """Draws an item not drawn before, until all have been drawn."""
        if not self._left.get(what):
            self._left[what] = self._draw.some(data("memory")[what])
        return self._left[what].pop()


def _remembered(text: str, answer: str) -> Question:
    """Makes a question: for an answer `a|b` either is right; for `a&b` both are needed, and one is
    half an answer."""
    if "&" not in answer:
        return Question("memory", "memory", text, words=tuple(answer.split("|")))
    one, other = answer.split("&")
    words = (f"{one} ... {other}", f"{other} ... {one}")
    return Question("memory", "memory", text, words=words, half=(one, other))


# The vocabulary


def words_outside_vocabulary(text: str) -> list[str]:
    """The words of a text that are not in the vocabulary: each once, as written, in order."""
    plain = text.replace("\u2019", "'").replace("\u2018", "'")
    return [word for word in dict.fromkeys(_WORD.findall(plain)) if not known(word)]


@lru_cache(maxsize=50_000)
def known(word: str) -> bool:
    """Whether a word, or its base form, is in the vocabulary. Single letters are; names must be
    capitalized."""
    bare = _SHORT.sub("", word)
    return len(word) == 1 or bare in names() or any(each in words() for each in _bases(bare))


def _bases(word: str) -> Iterator[str]:
    """The possible base forms of a word in lower case, the word itself first."""
    low = word.lower()
    yield irregular().get(low, low)
    for ending in _ENDINGS:
        base = low.removesuffix(ending)
        if base != low and len(base) > 1:
            yield from (base, base + "e")
            if base[-1] == "i":
                yield base[:-1] + "y"
            if base[-1] == "v":
                yield from (base[:-1] + "f", base[:-1] + "fe")
            if base[-1] == base[-2]:
                yield base[:-1]


@cache
def words() -> frozenset[str]:
    """All listed words, in lower case."""
    own = " ".join(group["words"] for group in data("own")["group"])
    lines = (_text("ogden.txt") + _text("dolch.txt")).splitlines()
    listed = " ".join(line for line in lines if not line.startswith("#"))
    # "ca" and "wo" come from "can't" and "won't".
    return frozenset(f"{listed} {own} ca wo".lower().split())


@cache
def names() -> frozenset[str]:
    """Names of persons, animals, days and months."""
    return frozenset(" ".join(data("own")["names"].values()).split())


@cache
def irregular() -> Mapping[str, str]:
    """Irregular forms, each with its base form."""
    return {
        form: word for word, listed in data("own")["irregular"].items() for form in listed.split()
    }
