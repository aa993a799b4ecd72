"""Holds a question against a clause of a statement: what in the clause fills the question's gap,
and how well the rest fits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bots.english import words_of
from bots.screening.asking import Asked, Gap
from bots.screening.clauses import PLACES, Clause
from bots.screening.knowledge import Knowledge
from bots.screening.names import Names, key_words
from bots.screening.wording import number, singular, verb_group

#: Verbs after which what was moved is where they put it.
_PUTTING = frozenset(("put", "find", "lose", "see", "hide", "drop", "leave", "buy", "lay", "have"))
_TIME_PREPOSITIONS = ("at", "on", "in", "after", "before", "during", "until", "since")
_WAYS = ("by", "with", "on")


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills a gap.

    Attributes:
        text: in the judge's words.
        fit: how well the rest of the question fits the clause, above 0.
        reflect: whether the persons have to be changed before it is said.
    """

    text: str
    fit: float
    reflect: bool = True


class Matcher:
    """Fills questions from clauses.

    Arguments:
        knowledge: what kind a thing is of.
        names: who is who.
    """

    def __init__(self, knowledge: Knowledge, names: Names) -> None:
        self._knowledge = knowledge
        self._names = names

    def fill(self, asked: Asked, clause: Clause) -> Filled | None:
        """What in the clause fills the question's gap, or None."""
        if asked.gap is Gap.WHETHER:
            return self._whether(asked, clause)
        fit = self._fit(asked, clause)
        if fit is None:
            return None
        text = self._filler(asked, clause)
        if not text or (clause.negated and asked.gap is not Gap.WHY):
            return None
        return Filled(text, fit + (0.3 if self._of_asked_kind(asked.noun, text) else 0.0))

    # How well it fits

    def _fit(self, asked: Asked, clause: Clause) -> float | None:
        fit = self._verbs_fit(asked, clause)
        if fit is None:
            return None
        if asked.subject:
            if self._names.same(asked.subject, clause.subject):
                fit += 1.0
            elif self._located(asked, clause) or self._in_subject(asked, clause):
                fit += 0.8
            else:
                return None
        if asked.object:
            shared = self._overlap(asked.object, f"{clause.object} {_nouns(clause)}")
            if not shared:
                return None
            fit += shared
        for preposition, noun in asked.phrases:
            shared = self._overlap(noun, f"{_nouns(clause)} {clause.object} {clause.when}")
            if not shared and asked.gap is Gap.SUBJECT and not asked.object:
                return None
            fit += shared if shared else -0.4
            fit += 0.1 if clause.phrase(preposition) else 0.0
        if asked.when:
            if clause.when and not self._overlap(asked.when, clause.when):
                return None
            fit += 0.5 if clause.when else -0.2
        return fit if fit > 0 else None

    def _verbs_fit(self, asked: Asked, clause: Clause) -> float | None:
        wanted = [verb_group(verb) for verb in asked.verbs]
        told = [verb_group(verb) for verb in clause.verbs]
        if not wanted:
            return None
        if wanted == told:
            return 1.0
        if wanted[-1] == "do" and wanted[:-1] == told[: len(wanted) - 1]:
            return 0.5
        if told[: len(wanted)] == wanted or told[-len(wanted) :] == wanted:
            return 0.8
        indirect = (Gap.WHERE, Gap.COLOR, Gap.SUBJECT, Gap.WHOSE, Gap.PHRASE)
        if wanted == ["be"] and asked.gap in indirect:
            # Where a thing is follows from where it was put, its colour from "a red hat".
            return 0.3
        if wanted == ["be"] and asked.gap in (Gap.WHEN, Gap.HOW_OLD, Gap.WHY):
            return 0.2 if told[0] == "have" else None
        near = ({"have", "buy", "get"}, {"have", "eat", "drink"})
        if any({wanted[-1], told[-1]} <= group for group in near) or asked.gap is Gap.HOW_MANY:
            return 0.4
        return None

    def _located(self, asked: Asked, clause: Clause) -> bool:
        # "Where is the book?" of "Tom put the book on the table."
        gaps = (Gap.WHERE, Gap.COLOR, Gap.WHEN, Gap.PHRASE)
        fits = asked.gap in gaps and asked.verbs == ("be",)
        return fits and bool(clause.object) and self._names.same(asked.subject, clause.object)

    def _in_subject(self, asked: Asked, clause: Clause) -> bool:
        # "Why was she late", "where was I born": what follows the person stands in the subject.
        first, _, rest = asked.subject.partition(" ")
        if not rest or asked.verbs != ("be",):
            return False
        whole = f"{clause.subject} {clause.object} {' '.join(clause.verbs)} {clause.predicate}"
        return self._names.same(first, clause.subject) and bool(self._overlap(rest, whole))

    def _overlap(self, one: str, other: str) -> float:
        keys = key_words(one)
        shared = keys & self._names.widened(key_words(other))
        return len(shared) / len(keys) if keys else 0.0

    # What fills

    def _filler(self, asked: Asked, clause: Clause) -> str:
        match asked.gap:
            case Gap.SUBJECT:
                return self._subject(asked, clause)
            case Gap.OBJECT:
                return self._object(asked, clause)
            case Gap.PHRASE:
                return self._after_preposition(asked, clause)
            case Gap.WHERE:
                return clause.place
            case Gap.WHEN:
                timed = [f"{p} {n}" for p, n in clause.phrases if p in _TIME_PREPOSITIONS]
                at_times = [phrase for phrase in timed if phrase.split()[0] not in PLACES]
                return clause.when or " ".join(at_times)
            case Gap.WHY:
                return f"because {clause.why}" if clause.why else ""
            case Gap.HOW:
                way = clause.phrase(*_WAYS)
                return way or (clause.object if clause.verbs[-1] in ("feel", "be") else "")
            case Gap.HOW_MANY:
                return _count_of(asked.noun, f"{clause.object} {_nouns(clause)} {clause.subject}")
            case Gap.HOW_OLD:
                return clause.object if any(map(number, clause.object.split())) else ""
            case Gap.COLOR:
                return self._color(asked, clause)
            case Gap.WHOSE:
                return _owner(asked, clause)
            case Gap.WHETHER:
                return ""

    def _after_preposition(self, asked: Asked, clause: Clause) -> str:
        phrase = clause.phrase(asked.preposition)
        if not phrase and asked.preposition == "with" and " and " in clause.subject:
            # "Who did I go fishing with?" of "Tom and I went fishing."
            others = clause.subject.split(" and ")
            return " and ".join(o for o in others if not self._names.same(asked.subject, o))
        if not phrase and asked.preposition in ("to", "for") and asked.object:
            # "To whom did Susan tell a secret?"
            whole, thing = clause.object, asked.object
            return whole[: -len(thing)].strip() if whole.lower().endswith(thing.lower()) else ""
        return phrase.removeprefix(f"{asked.preposition} ")

    def _subject(self, asked: Asked, clause: Clause) -> str:
        if asked.verbs == ("be",) and asked.phrases and not asked.object:
            # "What is on the table?"
            if clause.verbs[0] == "be" and clause.subject.lower() != "there":
                return clause.subject
            putting = clause.verbs[-1] in _PUTTING or clause.subject.lower() == "there"
            return clause.object if putting else ""
        if asked.subject and asked.verbs == ("be",):
            # "Who is Bob?" of "Bob is a doctor."
            described = re.match(r"(?:an?|the|my) ", clause.object, re.IGNORECASE)
            return clause.object if clause.verbs == ("be",) and described else ""
        if asked.verbs == ("be",) and clause.verbs[0] != "be":
            return ""
        return clause.subject

    def _object(self, asked: Asked, clause: Clause) -> str:
        wanted = [verb_group(verb) for verb in asked.verbs]
        told = [verb_group(verb) for verb in clause.verbs]
        if wanted[-1] == "do" and told[-1] != "do":
            if wanted == ["do"]:
                return f"{clause.subject} {clause.predicate} {clause.when}".strip()
            rest = [*clause.verbs[len(wanted) - 1 :], clause.object, _phrases(clause)]
            return " ".join(filter(None, rest))
        if len(told) > len(wanted) and told[: len(wanted)] == wanted:
            if self._of_asked_kind(asked.noun, clause.object):
                return clause.object
            rest = ["to", *clause.verbs[len(wanted) :], clause.object, _phrases(clause)]
            return " ".join(filter(None, rest))
        if asked.verbs == ("be",) and not clause.object:
            return clause.place or clause.when
        if asked.object and clause.object.lower().startswith(f"{asked.object.lower()} "):
            # "What did Susan tell Frank?" of "Susan told Frank a secret."
            return clause.object[len(asked.object) :].strip()
        return clause.object

    def _of_asked_kind(self, noun: str, text: str) -> bool:
        word = re.sub(r"^(?:kind|sort|type)s? of ", "", noun.lower())
        kind = self._knowledge.kind_of(word) if word else None
        thing = self._knowledge.find(re.sub(r"\b(?:named|called)\b.*", "", text))
        return kind is not None and thing is not None and self._knowledge.is_a(thing, kind)

    def _color(self, asked: Asked, clause: Clause) -> str:
        if self._names.same(asked.subject, clause.subject) and clause.verbs[0] == "be":
            phrase = clause.object
        else:
            phrase = next(
                (
                    part
                    for part in (clause.object, clause.subject, *(n for _, n in clause.phrases))
                    if part and asked.subject and self._names.same(asked.subject, part)
                ),
                "",
            )
        colors = {thing.name for thing in self._knowledge.of_kind("color")} | {"grey", "orange"}
        return " and ".join(word for word in words_of(phrase) if word in colors)

    def _whether(self, asked: Asked, clause: Clause) -> Filled | None:
        if asked.verbs == ("be",):
            return self._whether_is(asked, clause)
        fit = self._verbs_fit(asked, clause)
        if fit is None or fit < 0.8 or not self._names.same(asked.subject, clause.subject):
            return None
        told = f"{clause.object} {_nouns(clause)} {clause.when}"
        wanted = f"{asked.object} {' '.join(noun for _, noun in asked.phrases)}"
        same = self._overlap(wanted, told) if key_words(wanted) else 1.0
        sentence = f"{clause.subject} {clause.predicate}"
        if same >= 0.5:
            return Filled(f"{'No' if clause.negated else 'Yes'}, {sentence}", fit + 1 + same)
        # That Harry likes tennis does not deny that he likes golf; that he lives in Rome does
        # deny that he lives in Paris.
        if clause.verbs[-1] in ("live", "work", "go", "put") and clause.place:
            return Filled(f"No, {sentence}", fit)
        return None

    def _whether_is(self, asked: Asked, clause: Clause) -> Filled | None:
        if clause.verbs != ("be",):
            return None
        keys = key_words(asked.subject)
        subject = key_words(clause.subject)
        if not subject or not (subject <= keys or clause.subject.lower() == asked.subject.lower()):
            return None
        rest = " ".join(keys - subject) + " " + " ".join(noun for _, noun in asked.phrases)
        if not rest.strip():
            return None
        told = f"{clause.object} {_nouns(clause)}"
        yes = self._overlap(rest, told) >= 0.5 and not clause.negated
        return Filled(f"{'Yes' if yes else 'No'}, {clause.subject} {clause.predicate}", 2.0)


def _nouns(clause: Clause) -> str:
    return " ".join(noun for _, noun in clause.phrases)


def _phrases(clause: Clause) -> str:
    return " ".join(f"{preposition} {noun}" for preposition, noun in clause.phrases)


def _count_of(noun: str, text: str) -> str:
    wanted = key_words(noun)
    tokens = words_of(text)
    for index, token in enumerate(tokens):
        if number(token) is None:
            continue
        counted = tokens[index + 1 : index + 4]
        if wanted & {singular(word) for word in counted}:
            return "one" if token in ("a", "an") else token
    return ""


def _owner(asked: Asked, clause: Clause) -> str:
    noun = key_words(asked.noun or asked.object or asked.subject)
    for part in (clause.subject, clause.object, *(n for _, n in clause.phrases)):
        if noun & key_words(part):
            owner = re.match(r"(?P<who>.+?'s|my)\s", part, re.IGNORECASE)
            if owner is not None:
                return "mine" if owner["who"].lower() == "my" else owner["who"]
            if clause.verbs[-1] == "belong":
                return clause.phrase("to").removeprefix("to ")
    if noun & key_words(clause.object) and clause.verbs[-1] == "have":
        return clause.subject
    return ""
