"""The screening bot, which answers questions using tables of patterns.

questions.toml contains the patterns and answers. This module computes the fields of the answers and
a few whole answers, and determines the order in which patterns are tried.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import re
from collections import Counter
from typing import Any

from bots.bot import Bot, Context
from bots.english import as_sentence, expand, join_words, sentences, with_article, words_of
from bots.screening.knowledge import (
    Comparisons,
    Statements,
    Thing,
    bare,
    common_knowledge,
    number,
    number_word,
    opposite_of,
    options,
    read_table,
    singular,
)
from lpp.pace import Pace

#: The maximum number of sentences of a line that are read, and of answers to them that are given:
#: the last ones.
SENTENCES, ANSWERS = 12, 2

#: The maximum number of characters of a line that are read: the last ones.
LINE_LIMIT = 1000

#: The schedule of the contest (rules 2010, background facts).
START, ROUNDS, ROUND = dt.datetime(2010, 10, 23, 9, 30), 6, dt.timedelta(minutes=30)

_TABLE = read_table("questions")


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    named: dict[str, str] = _TABLE["patterns"]
    return re.compile(re.sub(r"(?<!P)<(\w+)>", lambda m: named[m[1]], text), re.IGNORECASE)


class ScreeningBot(Bot):
    """Answers the four kinds of screening questions in the rules of 2010, section 4."""

    name = "screening"
    summary = "answers the four kinds of screening questions: time, things, relations, memory"
    pace = Pace(gap=0.18, spread=0.42, word_pause=0.1, thought=1.8, slips=0.012)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._knowledge = common_knowledge()
        self.begin()

    def begin(self) -> None:
        """Forgets what the last judge said."""
        self._comparisons = Comparisons(self._knowledge)
        self._statements = Statements(self._knowledge)
        self._turns: Counter[str] = Counter()

    def reply(self, line: str) -> str:
        """Answers the questions in a line, or acknowledges its statements."""
        text, heard = expand(line[-LINE_LIMIT:]), ""
        answers: list[str] = []
        wish = _pattern("<wish>").match(_plain(text))
        whole = self._answer(f"What do I need to {wish['do']}") if wish else ""
        found = self._sentences(text)
        for sentence, asks in found:
            if not asks:
                self._comparisons.tell(sentence)
                self._statements.tell(sentence)
        for sentence, asks in found:
            small = self._by_rules("always", sentence.lower())
            if small and not (asks and _pattern(_TABLE["asking"]).match(sentence)):
                heard = small
            elif asks and not whole:
                answers.append(self._answer(sentence))
            elif not asks:
                heard = self._in_turn(_TABLE["heard"]["told"])
        return (
            whole
            or " ".join(answers[-ANSWERS:])
            or heard
            or self._in_turn(_TABLE["heard"]["empty"])
        )

    def _sentences(self, text: str) -> list[tuple[str, bool]]:
        """The sentences without polite phrases, and whether each is a question."""
        found: list[tuple[str, bool]] = []
        for sentence in sentences(text)[-SENTENCES:]:
            said, before = sentence.text.strip(" ,;:"), ""
            while said != before:
                before = said
                for polite in _TABLE["polite"]:
                    said = _pattern(polite).sub("", said).strip(" ,;:") or said
            found.append((said, sentence.asked or bool(_pattern(_TABLE["asking"]).match(said))))
        return found

    def _answer(self, question: str) -> str:
        plain, unknown = _plain(question), _TABLE["unknown"]
        of_you = _pattern("<of_you>").search(plain) and not plain.startswith("which ")
        sections = ("facts", *(["personal"] if of_you else []), "things", "personal")
        return (
            _in_sequence(plain)
            or self._by_rules("time", plain)
            or self._by_rules("relations", plain)
            or self._comparisons.answer(question)
            or self._statements.answer(question)
            or next((said for each in sections if (said := self._by_rules(each, plain))), None)
            or self._statements.answer(question, needed=0.5)
            or self._in_turn(unknown.get(plain.partition(" ")[0], unknown["other"]))
        )

    def _in_turn(self, say: list[str]) -> str:
        self._turns[say[0]] += 1
        return say[(self._turns[say[0]] - 1) % len(say)]

    def _by_rules(self, section: str, text: str) -> str | None:
        """The answer of the first rule that matches and whose fields are known."""
        for rule in _TABLE[section]:
            for match in (_pattern(ask).search(text) for ask in rule["ask"]):
                if match is not None and section in ("always", "personal"):
                    return self._in_turn(rule["say"])
                fields = self._fields(match, rule) if match is not None else {}
                for say in rule["say"] if match is not None else []:
                    with contextlib.suppress(KeyError):
                        return as_sentence(say.format_map(fields))
        return None

    def _fields(self, match: re.Match[str], rule: dict[str, Any]) -> dict[str, str]:
        """The fields for an answer; unknown ones are left out."""
        given = {name: value for name, value in match.groupdict().items() if value}
        fields = {**given, **_moment_fields(self.context.now(), given, match.string)}
        opposite = opposite_of(given.get("word", ""))
        fields |= {"opposite": opposite} if opposite is not None else {}
        thing = self._knowledge.find(given["x"]) if "x" in given else None
        fields |= self._thing_fields(thing, given) if thing is not None else {}
        kind = rule.get("kind", "thing")
        kind = self._knowledge.kind_of(given["sort"]) if "sort" in given else kind
        fields |= self._kind_fields(kind, given) if kind is not None else {}
        if "about" in rule:
            said = given["said"].lower()
            words = words_of(fields.get(rule["about"], ""))
            held = {said, str(number(said)), self._knowledge.kind_of(said)} & {*words}
            fields["yes"] = "Yes" if held else "No"
        return fields

    def _thing_fields(self, thing: Thing, given: dict[str, str]) -> dict[str, str]:
        knowledge, name = self._knowledge, self._knowledge.named(singular(bare(given["x"])))
        fields = {key: str(value) for key, value in thing.facts.items()}
        kind = knowledge.kind_names[thing.kind]
        fields |= {"name": name, "a_kind": with_article(kind), "is": "is", "has": "has"}
        fields |= {"kinds": " ".join(knowledge.kinds_of(thing)), "says": "says", "eat": "eats"}
        if name == thing.name and name.endswith("s") and not name.endswith(("ss", "is")):
            fields |= {"is": "are", "has": "have", "says": "say", "eat": "eat"}
        parts = knowledge.parts(thing)
        fields |= {"parts": parts} if parts else {}
        if "does" in fields:
            fields["purpose"] = f"{name} {fields['has']} to {fields['does']}"
        elif "use" in fields and "place" in fields["kinds"].split():
            fields["purpose"] = f"{name} is a place to {fields['use']}"
        elif "use" in fields or thing.kind == "food":
            fields["purpose"] = f"You use {name} to {fields.get('use', 'eat')}"
        if "part" in given:
            count = knowledge.count(thing, given["part"])
            fields |= {"count": number_word(count)} if count is not None else {}
        return fields

    def _kind_fields(self, kind: str, given: dict[str, str]) -> dict[str, str]:
        knowledge = self._knowledge
        fields: dict[str, str] = {}
        found = knowledge.best_match(given.get("do", ""), kind)
        fields |= {"found": knowledge.named(found.name)} if found is not None else {}
        if "number" in given and kind != "thing":
            names = [thing.name for thing in knowledge.things if kind in knowledge.kinds_of(thing)]
            count = min(number(given["number"]) or 1, len(names))
            chosen = [names[index * len(names) // count] for index in range(count)]
            fields["members"] = join_words([knowledge.named(name) for name in chosen])
        things = {each: knowledge.find(each) for each in options(given.get("options", ""))}
        right = [each for each, it in things.items() if it and kind in knowledge.kinds_of(it)]
        fields |= {"chosen": knowledge.named(right[0])} if len(right) == 1 else {}
        odd = knowledge.odd_one([*things])
        if odd is not None:
            fields |= {"odd": knowledge.named(odd[0]), "odd_from": knowledge.kind_names[odd[1]]}
        return fields


# Computed answers


def _plain(question: str) -> str:
    """A question in the form for patterns: lower case, words and a few marks, single spaces."""
    text = re.sub(r"[^\w:,'\- ]+", " ", question.lower())
    return " ".join(text.replace(" ,", ",").split()).strip(" ,:")


def _span(count: str, unit: str) -> dt.timedelta:
    amount = {"half an": 0.5, "a": 1, "an": 1}.get(count, number(count))
    return (amount or 0) * dt.timedelta(**{f"{unit}s": 1})


def _in_sequence(plain: str) -> str | None:
    """Which item comes next, before, or first of two, in a sequence such as the months."""
    name = r"(?:the )?(?:number |letter |month |day )?(?!this |today)(\d+|[a-z -]+)"
    after = re.search(rf"\b(?:what|which)\b.*\b(?<!days )(after|before|follows) {name}$", plain)
    first = re.search(
        rf"\b(?:comes?|came|is) (first|earlier|later|last)[:,]? {name},? or {name}$", plain
    )
    asked = [each for each in (first, after) if each is not None][:1]
    names = [bare(each) or each for match in asked for each in match.groups()[1:]]
    names = [name if (value := number(name)) is None else number_word(value) for name in names]
    rows: list[str] = _TABLE["rows"]
    for row in [*rows, ", ".join(number_word(value) for value in range(22))]:
        words = row.removesuffix(" (cyclic)").split(", ")
        places = [words.index(each) for each in names if each in words]
        if not asked or len(places) < len(names):
            continue
        if first is not None:
            return as_sentence(names[(places[0] < places[1]) != (first[1] in ("first", "earlier"))])
        place = places[0] + (-1 if asked[0][1] == "before" else 1)
        if row.endswith("(cyclic)") or 0 <= place < len(words):
            return as_sentence(words[place % len(words)])
    return None


# Time


def _moment_fields(now: dt.datetime, given: dict[str, str], question: str) -> dict[str, str]:
    """Fields about the time that a question asks for: clock, calendar and contest."""
    way, unit = given.get("way", "").lower(), given.get("unit", "day")
    steps: dict[str, int] = _TABLE["steps"]
    sign = -1 if way in ("ago", "earlier", "before", "last") else 1
    span = sign * _span(given["count"], unit) if "count" in given else dt.timedelta()
    there = now + (span or dt.timedelta(days=steps.get(way, 0)))
    if unit in ("month", "year") and way:
        there = now.replace(day=15) + sign * dt.timedelta(days=30 if unit == "month" else 365)
    hour = now.hour + now.minute / 60
    parts = next(part["names"] for part in _TABLE["parts_of_day"] if hour < part["until"])
    named = parts.split() if " or " in question else []
    fields = {
        "clock": _clock(there),
        "half": f"{there:%p}",
        "day": f"{there:%A}",
        "date": f"{there:%A}, {there:%B} {there.day}, {there.year}",
        "month": f"{there:%B}",
        "year": str(there.year),
        "season": ("winter", "spring", "summer", "fall")[there.month % 12 // 3],
        "part_of_day": next((each for each in named if each in question), parts.split()[0]),
        "parts": parts,
        "day_kinds": f"{now:%A} {'weekend' if now.weekday() > 4 else 'weekday'}".lower(),
        "be": "was" if there < now else "will be" if there > now else "is",
        "way": f"the {way}" if " " in way else way,
        # The judge's own relatives are "your" relatives.
        "my": "your" if given.get("my") == "my" else "my",
        **_contest_fields(now, given.get("nth", "")),
    }
    if "name" in given:
        days = _TABLE["rows"][0].removesuffix(" (cyclic)").split(", ")
        step = steps.get(given.get("asked", ""), 0) - steps.get(given.get("given", ""), 0)
        fields["shifted_day"] = days[
            (days.index(given["name"]) + step + span.days) % 7
        ].capitalize()
    return fields


def _contest_fields(now: dt.datetime, nth: str) -> dict[str, str]:
    here = min(max((now - START) // ROUND + 1, 0), ROUNDS + 1)
    phase = "before" if here == 0 else "over" if here > ROUNDS else "playing"
    contest: dict[str, dict[str, str]] = _TABLE["contest"]
    special = {1: contest["first"], ROUNDS: contest["last"]}.get(here, {})
    name = nth.replace("round", "").strip()
    near = {"this": here, "current": here, "next": here + 1, "last": ROUNDS, "final": ROUNDS}
    nth_round = near.get(name, number(name) or 0)
    known: dict[str, Any] = {"here": here, "before": here - 1, "after": here + 1}
    known["left"], known["round_ends"] = (
        number_word(ROUNDS - here % 7),
        _clock(START + here * ROUND),
    )
    known["done"] = "One is" if here == 2 else f"{number_word(max(here - 1, 0))} are"
    fields = {key: text.format_map(known) for key, text in {**contest[phase], **special}.items()}
    if 1 <= nth_round <= ROUNDS:
        fields |= {"number": str(nth_round), "begins": _clock(START + (nth_round - 1) * ROUND)}
        fields["ends"] = _clock(START + nth_round * ROUND)
    return fields


def _clock(moment: dt.datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment:%M %p}"
