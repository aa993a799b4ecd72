"""Papers made from templates: `data/*.toml` has the templates and what fills them, this draws.

`docs/explanation/questions.md` gives the reasons. Each set draws for itself from the paper's seed,
family of templates by family, in turns; no text comes twice, and topics come twice only when no
others are left. Comparisons, chains, groups and sums are computed here, so that nothing they ask
can be doubted.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import msgspec

from contest.errors import BadOrder
from contest.screening.answers import DAYS, MONTHS, data, face
from contest.screening.paper import SETS, Facts, Paper, Question, SetName

T = TypeVar("T")
#: Items between a statement and its questions, at most; seeds that a person can say and type.
BETWEEN_LIMIT, SEED_LIMIT = 50, 2**63
#: Questions about one statement, at most.
MOST = 3
#: Draws in vain after which a family, or the statements, are taken to have no more.
_VAIN, _VAIN_STATEMENTS = 60, 100
_SLOT = re.compile(r"\{(\w+)\}")


class Draw:
    """Draws from a seed. Only `random()` is used: of all that `random.Random` has, it alone is
    promised to stay the same from one version of Python to the next.

    Arguments:
        seed: the paper's.
        what: which set is drawn, so that one set does not change another.
    """

    def __init__(self, seed: int, what: str) -> None:
        self._rng = random.Random(f"{seed} {what}")
        self._fresh: list[str] = []

    def below(self, number: int) -> int:
        """A whole number from 0 up to, and without, `number`."""
        return int(self._rng.random() * number)

    def between(self, first: int, last: int) -> int:
        """A whole number, both ends included."""
        return first + self.below(last - first + 1)

    def of(self, things: Sequence[T]) -> T:
        """One of several things; a single one takes no chance."""
        return things[self.below(len(things))] if len(things) > 1 else things[0]

    def some(self, things: Sequence[T], number: int) -> list[T]:
        """Some different ones, in a random order; all of them if there are no more."""
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(min(number, len(left)))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """All of them, in a random order."""
        return self.some(things, len(things))

    def fresh(self, things: Sequence[str], number: int) -> list[str]:
        """Some that were not drawn before, while there are so many."""
        if len(self._fresh) < number:
            self._fresh = self.shuffled(things)
        drawn, self._fresh = self._fresh[:number], self._fresh[number:]
        return drawn


@dataclass(frozen=True, slots=True)
class Counts:
    """How many questions of each set, and items between a statement and its questions, at least."""

    time: int = 5
    things: int = 5
    relations: int = 5
    memory: int = 5
    between: int = 2


def make(seed: int, counts: Counts | None = None, facts: Facts | None = None) -> Paper:
    """Makes a paper from the templates.

    Arguments:
        seed: the same one gives the same paper, on every machine.
        counts: how many questions of each set; five of each if left out.
        facts: what is taken for true; the rules' own if left out.

    Raises:
        BadOrder: if a number can't be used, or is more than the templates have.
    """
    counts, facts = counts or Counts(), facts or Facts()
    if not 0 <= seed < SEED_LIMIT:
        raise BadOrder(f"the seed is {seed}; give a whole number from 0 to {SEED_LIMIT - 1}")
    for name in SETS:
        if getattr(counts, name) < 0:
            raise BadOrder(f"{getattr(counts, name)} questions of the set {name}; give 0 or more")
    if not 0 <= counts.between <= BETWEEN_LIMIT:
        raise BadOrder(
            f"{counts.between} items between a statement and its questions; give 0 to "
            f"{BETWEEN_LIMIT}"
        )
    questions: list[Question] = []
    for name in SETS[:3]:
        made = _draw_set(name, getattr(counts, name), Draw(seed, name), facts)
        questions += [
            msgspec.structs.replace(each.question, id=f"{name}-{nth}")
            for nth, each in enumerate(made, 1)
        ]
    return Paper(seed, tuple(_with_memory(questions, Draw(seed, "memory"), counts)), facts)


# A set


@dataclass(frozen=True, slots=True)
class Made:
    """A question that a template made; two of one topic are much the same."""

    topic: str
    question: Question


Family: TypeAlias = Callable[[Draw, Facts], Made]


def family(set_: SetName, name: str) -> Family:
    """What makes the questions of a family."""
    if name in COMPUTED:
        return COMPUTED[name]
    return lambda draw, _facts: _filled(set_, name, draw)


def _draw_set(name: SetName, number: int, draw: Draw, facts: Facts) -> list[Made]:
    found: list[Made] = []
    texts: set[str] = set()
    topics: set[str] = set()

    def one(make_: Family, known: set[str]) -> Made | None:
        for _ in range(_VAIN):
            made = make_(draw, facts)
            if made.question.text not in texts and made.topic not in known:
                return made
        return None

    turns = draw.shuffled(data(name)["turns"])
    for known in (topics, set[str]()):
        left = list(turns)
        while left and len(found) < number:
            for each in list(left):
                made = one(family(name, each), known)
                if made is None:
                    left.remove(each)
                    continue
                found.append(made)
                texts.add(made.question.text)
                topics.add(made.topic)
                if len(found) == number:
                    break
    if len(found) < number:
        raise BadOrder(
            f"the templates have no more than {len(found)} different questions for the set {name}, "
            f"not {number}; ask for fewer, or add your own with --add"
        )
    return found


def _filled(set_: SetName, name: str, draw: Draw) -> Made:
    """A question of a family that is only data."""
    held, template = data(set_), data(set_)["family"][name]
    if "asked" in template:
        text, rule, number = draw.of(template["asked"])
        return Made(f"{rule} {number}", Question("", set_, text, rule=rule, number=number))
    table = template["table"] if isinstance(template["table"], dict) else held[template["table"]]
    it = draw.of(list(table))
    asks = template.get("ask", ["{it}"])
    if it.startswith(("a ", "an ")):
        asks = template.get("ask_of_one", asks)
    text = draw.of(asks).format(it=it, **{"is": "are" if it in held.get("plural", ()) else "is"})
    full, half = table[it] if isinstance(table[it][0], list) else (table[it], [])
    wrong = {other[0] for other in table.values()} - set(full) if template.get("choose") else set()
    shown = [pattern.replace(" ... ", " ") for pattern in full[:4]]
    last = f" or {shown.pop()}" if len(shown) > 1 else ""
    why = f"A full answer has {', '.join(shown)}{last}{' or the like' if full[4:] else ''}."
    if "why" in template:
        why = template["why"].format(it=it, first=full[0])
    return Made(
        f"{name} {it}", _question(set_, text, full, why, half=half, wrong=sorted(map(str, wrong)))
    )


def _question(
    set_: SetName,
    text: str,
    words: Iterable[str],
    why: str,
    half: Iterable[str] = (),
    wrong: Iterable[str] = (),
) -> Question:
    return Question(
        "", set_, text, words=tuple(words), half=tuple(half), wrong=tuple(wrong), explanation=why
    )


# Time


def clock_later(draw: Draw, _facts: Facts) -> Made:
    """The time, some minutes from now or ago."""
    minutes = draw.between(1, 23) * 5
    text, sign = f"What time was it {minutes} minutes ago?", -1
    if draw.below(2):
        text, sign = f"What time will it be in {minutes} minutes?", 1
    topic = f"clock {sign * minutes}"
    return Made(topic, Question("", "time", text, rule="clock", number=sign * minutes))


def clock_sum(draw: Draw, _facts: Facts) -> Made:
    """A time, some time after another one."""
    start = dt.datetime(2010, 1, 1, draw.between(1, 11), 15 * draw.below(4))
    minutes = 15 * draw.between(1, 8)
    shown = f"{start.hour % 12 or 12}:{start.minute:02d}"
    spoken = {60: "one hour", 120: "two hours"}.get(minutes, f"{minutes} minutes")
    text = draw.of(data("time")["clock_sum"]["ask"]).format(start=shown, spoken=spoken)
    words = _times(start + dt.timedelta(minutes=minutes))
    why = f"{shown} and {spoken} is {words[0]}."
    return Made(f"sum {shown} {minutes}", _question("time", text, words, why))


def contest(draw: Draw, facts: Facts) -> Made:
    """What the facts say of the contest."""
    held, start = data("time")["contest"], facts.start
    weekday, month = DAYS[start.weekday()], MONTHS[start.month - 1]
    nth = draw.between(1, min(facts.rounds, 6))
    minutes = facts.round_minutes
    answers: dict[str, Sequence[str]] = {
        "start": _times(start),
        "end": _times(facts.start_of(facts.rounds + 1)),
        "day": (weekday,),
        "month": (month,),
        "rounds": (str(facts.rounds),),
        "length": (f"{minutes} minute", *(("half ... hour",) if minutes == 30 else ())),
        "minutes": (str(minutes),),
        "opens": _times(facts.start_of(nth)),
        "closes": _times(facts.start_of(nth + 1)),
    }
    asked, what = draw.of(held["ask"])
    text = asked.format(number=held["numbers"][nth - 1], nth=held["nths"][nth - 1])
    why = (
        f"The contest starts on {weekday}, {start.day} {month} {start.year}, at {face(start)}, "
        f"with {facts.rounds} rounds of {minutes} minutes each."
    )
    topic = f"contest {what}{f' {nth}' if what in ('opens', 'closes') else ''}"
    return Made(topic, _question("time", text, answers[what], why))


def next_(draw: Draw, _facts: Facts) -> Made:
    """What comes next, or before: days, months, seasons, parts of the day, meals."""
    held = data("time")["next"]
    row = draw.of(held["lists"])
    names, after = row["names"], draw.below(2) == 1
    spots = range(len(names))
    if not row["turning"]:
        spots = range(len(names) - 1) if after else range(1, len(names))
    index, way = draw.of(spots), "after" if after else "before"
    answer = names[(index + (1 if after else -1)) % len(names)]
    text = draw.of(held["ask"]).format(kind=row["kind"], way=way, name=names[index])
    words = (answer, *held["also"].get(answer, ()))
    why = f"{answer.capitalize()} comes {way} {names[index]}."
    return Made(f"{way} {names[index]}", _question("time", text, words, why))


def days_on(draw: Draw, _facts: Facts) -> Made:
    """The day some days from a named one."""
    today, days = draw.below(7), draw.between(2, 6)
    number = data("time")["contest"]["numbers"][days - 1]
    text = draw.of(data("time")["days_on"]["ask"]).format(day=DAYS[today], number=number)
    answer = DAYS[(today + days) % 7]
    why = f"{days} days after {DAYS[today]} is {answer}."
    return Made(f"{today} {days}", _question("time", text, (answer,), why))


def _times(moment: dt.datetime) -> tuple[str, ...]:
    """A time of the day as patterns: on a clock's face, and in words."""
    hour, minute = moment.hour % 12 or 12, moment.minute
    following = hour % 12 + 1
    spoken = {
        0: (f"{hour} o'clock", f"{hour} am", f"{hour} pm", f"at {hour}"),
        15: (f"{hour} {minute}", f"quarter past {hour}", f"quarter after {hour}"),
        30: (f"{hour} {minute}", f"half past {hour}", f"half {hour}"),
        45: (f"{hour} {minute}", f"quarter to {following}", f"quarter before {following}"),
    }
    return (face(moment).split()[0], *spoken.get(minute, (f"{hour} {minute}",)))


# Things


def odd(draw: Draw, _facts: Facts) -> Made:
    """Three things of which one is of another kind."""
    groups = data("things")["groups"]
    group, other = _groups(draw, list(groups), 2)
    two = draw.some(groups[group], 2)
    one = draw.of(groups[other])
    names = draw.shuffled([*two, one])
    text = _of_three(draw.of(data("things")["odd"]["ask"]), names)
    why = f"{one}: the others belong to {group}."
    question = _question("things", text, (_bare(one),), why, wrong=map(_bare, two))
    return Made(f"odd {one} {group}", question)


def which(draw: Draw, _facts: Facts) -> Made:
    """Which of three things is of a kind."""
    held, groups = data("things")["which"], data("things")["groups"]
    group, *others = _groups(draw, list(held["what"]), 3)
    right = draw.of(groups[group])
    rest = [draw.of(groups[other]) for other in others]
    text = _of_three(draw.of(held["ask"]), draw.shuffled([right, *rest]), held["what"][group])
    why = f"{right}: it belongs to {group}."
    question = _question("things", text, (_bare(right),), why, wrong=map(_bare, rest))
    return Made(f"which {group} {right}", question)


def _of_three(ask: str, names: Sequence[str], what: str = "") -> str:
    one, two, three = names
    return ask.format(one=one, One=one.capitalize(), two=two, three=three, what=what)


def _groups(draw: Draw, names: list[str], number: int) -> list[str]:
    """Some groups, in a random order, that nobody can confuse."""
    order, near = draw.shuffled(names), set(data("things")["odd"]["near"])
    near.remove(next(name for name in order if name in near))
    return [name for name in order if name not in near][:number]


def _bare(thing: str) -> str:
    return thing.split(" ", 1)[1]


# Relations


def comparison(draw: Draw, _facts: Facts, number: int | None = None) -> Made:
    """Two things that everybody knows, by one of the scales."""
    scales = data("relations")["scale"]
    scale = scales[draw.below(len(scales)) if number is None else number]
    steps = scale["steps"]
    # Far enough from each other that nobody can doubt.
    apart = 2 if len(steps) > 4 and scale["name"] != "length" else 1
    low = draw.below(len(steps) - apart)
    high = draw.between(low + apart, len(steps) - 1)
    less, more = _any(draw, steps[low]), _any(draw, steps[high])
    up = draw.below(3) > 0
    answer, wrong = (more, less) if up else (less, more)
    one, other = draw.shuffled((less, more))
    word = _any(draw, scale["more"] if up else scale["less"])
    text = f"{'Who' if scale['name'] == 'age' else 'Which'} is {word}, {one} or {other}?"
    why = f"{more} is {_any(draw, scale['more'])} than {less}."
    question = _question("relations", text, (core(answer),), why, wrong=(core(wrong),))
    return Made(f"{scale['name']} {less} {more}", question)


def _any(draw: Draw, things: Sequence[str]) -> str:
    """One of several; a single one takes a chance, too."""
    return things[draw.below(len(things))]


def chain(draw: Draw, _facts: Facts) -> Made:
    """Three or four persons whose order follows from what is said of pairs."""
    words = draw.of(data("relations")["chain"])
    # Others than in the chains before: what was told of them would count, too. From the most down.
    people = draw.fresh(data("relations")["people"]["names"], 3 + (draw.below(3) == 0))
    told = draw.shuffled(
        [
            f"{first} is {words['more']} than {second}"
            if draw.below(2)
            else f"{second} is {words['less']} than {first}"
            for first, second in itertools.pairwise(people)
        ]
    )
    said = draw.of((f"{', '.join(told[:-1])}, and {told[-1]}.", ". ".join(told) + "."))
    first, last, most, least = people[0], people[-1], words["most"], words["least"]
    asked = [
        (f"Which of them is the {most}?", first),
        (f"Who is the {most}?", first),
        (f"Which of them is the {least}?", last),
        (f"Who is the {least}?", last),
        (f"Who is {words['more']}, {last} or {first}?", first),
        (f"Who is {words['less']}, {first} or {last}?", last),
    ]
    if len(people) == 3:
        asked.append(("Which of them is in the middle?", people[1]))
    text, answer = draw.of(asked)
    why = f"From the {most} to the {least}: {', '.join(people)}."
    others = (name for name in people if name != answer)
    question = _question("relations", f"{said} {text}", (answer,), why, wrong=others)
    return Made("chain " + " ".join(sorted(people)), question)


def order(draw: Draw, _facts: Facts) -> Made:
    """Which of two comes first, or last."""
    first, last = draw.of(data("relations")["orders"]["pairs"])
    one, other = draw.shuffled((first, last))
    answer, wrong, asked = first, last, "first"
    if draw.below(2):
        answer, wrong, asked = last, first, "later"
    text = f"Which comes {asked}, {one} or {other}?"
    why = f"{first} comes before {last}."
    question = _question("relations", text, (core(answer),), why, wrong=(core(wrong),))
    return Made(f"order {first}", question)


def core(thing: str) -> str:
    """What of a thing's name an answer has to hold: the name without its article and without what
    is said about it besides."""
    words = thing.split()
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    words = list(itertools.takewhile(lambda word: word not in ("in", "on", "that"), words))
    return " ".join(words[1:] if words[0] in ("number", "letter") and len(words) > 1 else words)


#: Families that are computed; size, speed and age are asked most often.
COMPUTED: dict[str, Family] = {
    "clock_later": clock_later,
    "clock_sum": clock_sum,
    "contest": contest,
    "next": next_,
    "days_on": days_on,
    "odd": odd,
    "which": which,
    "comparison": comparison,
    "chain": chain,
    "order": order,
    "size": functools.partial(comparison, number=0),
    "speed": functools.partial(comparison, number=1),
    "age": functools.partial(comparison, number=3),
}


# Memory


def _with_memory(questions: list[Question], draw: Draw, counts: Counts) -> list[Question]:
    """The questions, those of the set memory behind them, and statements told before."""
    teller, tells, left = _Teller(draw), dict[int, list[str]](), counts.memory
    found = list(questions)
    while left:
        # 5 are 3 and 2; 4 are 2 and 2, for a single one about a statement is the exception.
        statement, asked = teller.tell(2 if left == 4 else min(left, MOST))
        index = max(len(found) - counts.between, 0)
        here = tells.setdefault(index, [])
        # Lines that ask nothing stand in where the paper has too few questions before.
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
    """Draws statements with questions about them. A question has one answer only: none is asked
    that another statement of the same paper answers, too."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._left: dict[str, list[Any]] = {}
        #: Texts that were asked, and texts that what was told could answer.
        self._asked: set[str] = set()
        self._answered: set[str] = set()

    def tell(self, number: int) -> tuple[str, list[Question]]:
        """A statement with so many questions, or fewer if none is left that has so many.

        Raises:
            BadOrder: if the templates have no more that were not asked yet.
        """
        for fewer in range(number, 0, -1):
            for _ in range(_VAIN_STATEMENTS):
                told = self._filled(self._next("statement", data("memory")["statement"]), fewer)
                if told is not None:
                    return told
        raise BadOrder(
            f"the templates have no more than {len(self._asked)} different questions for the set "
            "memory; ask for fewer, or add your own with --add"
        )

    def between(self) -> str:
        """A line that tells nothing that is asked about."""
        return str(self._next("between", data("memory")["between"]["lines"]))

    def _next(self, what: str, things: Sequence[Any]) -> Any:
        """One that was not drawn yet, while there are any."""
        if not self._left.get(what):
            self._left[what] = self._draw.shuffled(things)
        return self._left[what].pop()

    def _filled(self, template: dict[str, Any], number: int) -> tuple[str, list[Question]] | None:
        # In the order of the text, for a set's order is another in each process.
        values: dict[str, str] = {}
        for slot in dict.fromkeys(_SLOT.findall(template["text"])):
            values[slot] = self._value(slot, data("memory")["named"].get(values.get("kin")))
        statement = template["text"].format_map(values)
        possible = {
            ask.format_map(values): answer.format_map(values) for ask, answer in template["ask"]
        }
        clear = [text for text in possible if text not in self._answered]
        if not self._asked.isdisjoint(possible) or len(clear) < number:
            return None
        texts = self._draw.some(clear, number)
        self._asked.update(texts)
        self._answered.update(possible)
        return statement, [_remembered(text, possible[text], statement) for text in texts]

    def _value(self, slot: str, of: str | None) -> str:
        """What fills a slot; a name as it fits a man or a woman."""
        name = str(self._next(slot, data("memory")["slots"][slot]))
        left = self._left[slot]
        if slot == "name" and of is not None:
            left.append(name)
            fitting = [value for value in left if value in data("memory")["of"][of]]
            name = fitting[-1] if fitting else name
            left.remove(name)
        return name


def _remembered(text: str, answer: str, statement: str) -> Question:
    """`a|b` is answered by either; `a&b` by both, and half by one."""
    if "&" in answer:
        one, other = answer.split("&")
        words = (f"{one} ... {other}", f"{other} ... {one}")
        return _question("memory", text, words, statement, half=(one, other))
    return _question("memory", text, answer.split("|"), statement)
