"""Takes questions apart that ask for what was told: what is asked for, and the clause around it.

"What game does Harry like to play?" asks for the object of like and play with Harry as subject;
"what game Harry likes to play" asks the same.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from bots.screening.clauses import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    find_participle,
    find_verb,
    read_verbs,
    split_phrases,
    take_time,
    words,
)
from bots.screening.wording import verb_base


class Gap(enum.Enum):
    """What a question asks for."""

    SUBJECT = "who or what does it"
    OBJECT = "what or whom"
    PHRASE = "with whom, from where: what follows a preposition"
    WHERE = "the place"
    WHEN = "the time"
    WHY = "the reason"
    HOW = "in what way, in what state"
    HOW_MANY = "a number of things"
    HOW_OLD = "an age, a height: a measure"
    COLOR = "a colour"
    WHOSE = "the owner"
    WHETHER = "yes or no"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        gap: what is asked for.
        noun: what sort of thing is asked for: "game" in "what game"; the things that are counted;
            the measure ("old"). "" if none is named.
        subject: who or what the question is about, "" if that is asked for.
        verbs: base forms, outermost first.
        object: what stands after the verbs.
        phrases: (preposition, noun phrase).
        preposition: whose noun is asked for, with Gap.PHRASE.
        when: the time that the question tells, or "".
    """

    gap: Gap
    noun: str = ""
    subject: str = ""
    verbs: tuple[str, ...] = ()
    object: str = ""
    phrases: tuple[tuple[str, str], ...] = ()
    preposition: str = ""
    when: str = ""


_WH = {
    "who": Gap.SUBJECT,
    "whom": Gap.OBJECT,
    "what": Gap.OBJECT,
    "which": Gap.OBJECT,
    "where": Gap.WHERE,
    "when": Gap.WHEN,
    "why": Gap.WHY,
    "how": Gap.HOW,
    "whose": Gap.WHOSE,
}
_MEASURES = frozenset(("old", "tall", "big", "long", "heavy", "high", "far", "much"))
_TIMES = frozenset(("time", "day", "year", "month", "season", "date"))
_PLACES = frozenset(("place", "city", "town", "country", "street", "village", "state"))


def read_question(text: str) -> Asked | None:
    """Takes a question apart.

    Arguments:
        text: without politeness before it, contractions written out, without question mark.

    Returns:
        The question, or None if it is none that we can take apart.
    """
    text, when = take_time(text.replace(",", " "))
    asked = _read(words(text))
    return replace(asked, when=when) if asked is not None and when else asked


def _read(tokens: list[str]) -> Asked | None:
    if not tokens:
        return None
    preposition = ""
    if tokens[0].lower() in PREPOSITIONS and len(tokens) > 1 and tokens[1].lower() in _WH:
        preposition = tokens.pop(0).lower()
    first = tokens[0].lower()
    if first in AUXILIARIES:
        return _whether(tokens)
    gap = _WH.get(first)
    if gap is None:
        return None
    rest = tokens[1:]
    noun = ""
    if first == "how" and rest:
        gap, noun, rest = _how(rest)
    elif first in ("what", "which") and rest[:1] == ["of"]:
        # "which of my friends likes golf"
        at = find_verb(rest)
        rest = rest[at:] if at is not None else rest
    elif first in ("what", "which", "whose"):
        taken = _noun_asked_for(rest)
        noun, rest = " ".join(rest[:taken]), rest[taken:]
        if noun.lower() in ("color", "colour"):
            gap = Gap.COLOR
        elif noun.lower() in _TIMES and first != "whose":
            gap = Gap.WHEN
        elif noun.lower() in _PLACES and preposition:
            gap = Gap.WHERE
    if preposition and gap not in (Gap.WHEN, Gap.WHERE):
        gap = Gap.PHRASE
    return _around(gap, noun, rest, preposition)


def _how(rest: list[str]) -> tuple[Gap, str, list[str]]:
    word = rest[0].lower()
    if word in ("many", "much") and len(rest) > 1 and rest[1].lower() not in AUXILIARIES:
        taken = max(1, _noun_asked_for(rest[1:]))
        return Gap.HOW_MANY, " ".join(rest[1 : 1 + taken]), rest[1 + taken :]
    if word in _MEASURES:
        return Gap.HOW_OLD, word, rest[1:]
    if word in ("often", "long"):
        return Gap.WHEN, word, rest[1:]
    return Gap.HOW, "", rest


def _noun_asked_for(rest: list[str]) -> int:
    # "what kind of pet does", "which friend of mine likes", "what game Harry likes"
    for index, token in enumerate(rest):
        low = token.lower()
        begins_subject = low in DETERMINERS or low in ("i", "you", "he", "she", "it", "we", "they")
        if low in AUXILIARIES or begins_subject or (index and token[0].isupper()):
            return index
        if index and verb_base(low) is not None and verb_base(low) != low:
            return index
    return 0


def _around(gap: Gap, noun: str, rest: list[str], preposition: str) -> Asked | None:
    if not rest:
        return None
    first = rest[0].lower()
    if first in AUXILIARIES:
        inverted = _inverted(gap, noun, rest, preposition)
        if inverted is not None:
            return inverted
    asks_subject = gap in (Gap.SUBJECT, Gap.OBJECT, Gap.HOW_MANY, Gap.WHOSE)
    if verb_base(first) is not None and asks_subject and not preposition:
        # "who likes tennis", "which friend plays chess", "what is on the table"
        verbs, after, _ = read_verbs(rest)
        kept, phrases = split_phrases(after)
        gap = Gap.SUBJECT if gap is Gap.OBJECT else gap
        return Asked(gap, noun, "", verbs, kept, phrases)
    # "where my sister lives", "what my name is"
    at = find_verb(rest)
    if at is None:
        return None
    verbs, after, _ = read_verbs(rest[at:])
    return _asked(gap, noun, rest[:at], verbs, after, preposition)


def _inverted(gap: Gap, noun: str, rest: list[str], preposition: str) -> Asked | None:
    auxiliary, after = rest[0].lower(), rest[1:]
    is_be = verb_base(auxiliary) == "be"
    if gap is Gap.SUBJECT and not is_be and auxiliary not in ("did", "do", "does"):
        # "who has a dog", "who can swim"
        verbs, left, _ = read_verbs(rest)
        if verb_base(" ".join(left[1:2])) is None:
            thing, phrases = split_phrases(left)
            return Asked(gap, noun, "", verbs, thing, phrases)
    if not after:
        return None
    at = find_participle(after) if is_be else find_verb(after)
    if at is None:
        if not is_be:
            if auxiliary in ("has", "have", "had"):
                thing, phrases = split_phrases(after)
                return Asked(Gap.SUBJECT, noun, "", ("have",), thing, phrases)
            return None
        return _be(gap, noun, after, preposition)
    if is_be and after[0].lower() in PREPOSITIONS:
        return _be(gap, noun, after, preposition)
    verbs, kept, _ = read_verbs([auxiliary, *after[at:]] if is_be else after[at:])
    if gap is Gap.SUBJECT:
        # "who did Mary meet", "who is Tom looking for"
        gap = Gap.OBJECT
    return _asked(gap, noun, after[:at], verbs, kept, preposition)


def _be(gap: Gap, noun: str, after: list[str], preposition: str) -> Asked:
    # "where is the book", "what colour is my car", "who is in the garden"
    if len(after) > 1 and after[-1].lower() in PREPOSITIONS and gap in (Gap.OBJECT, Gap.SUBJECT):
        # "what is my book about"
        gap, preposition, after = Gap.PHRASE, after[-1].lower(), after[:-1]
    thing, phrases = split_phrases(after)
    if gap in (Gap.SUBJECT, Gap.OBJECT) and not thing:
        return Asked(Gap.SUBJECT, noun, "", ("be",), "", phrases, preposition)
    if gap in (Gap.SUBJECT, Gap.OBJECT) and re.match(r"an? |\d|\w+ years\b", thing, re.I):
        return Asked(Gap.SUBJECT, noun, "", ("be",), thing, phrases, preposition)
    return Asked(gap, noun, thing, ("be",), "", phrases, preposition)


def _asked(
    gap: Gap, noun: str, subject: list[str], verbs: tuple[str, ...], after: list[str], before: str
) -> Asked:
    if after and after[-1].lower() in PREPOSITIONS and gap in (Gap.OBJECT, Gap.SUBJECT):
        # "what does Tom write with"
        gap, before, after = Gap.PHRASE, after[-1].lower(), after[:-1]
    kept, phrases = split_phrases(after)
    return Asked(gap, noun, " ".join(subject), verbs, kept, phrases, before)


def _whether(tokens: list[str]) -> Asked | None:
    after = tokens[1:]
    if not after:
        return None
    is_be = verb_base(tokens[0]) == "be"
    at = find_participle(after) if is_be else find_verb(after)
    if at:
        verbs, kept, _ = read_verbs([tokens[0], *after[at:]] if is_be else after[at:])
        thing, phrases = split_phrases(kept)
        return Asked(Gap.WHETHER, "", " ".join(after[:at]), verbs, thing, phrases)
    if not is_be:
        return None
    # "is my car red": where the subject ends is found by who asks.
    thing, phrases = split_phrases(after)
    return Asked(Gap.WHETHER, "", thing, ("be",), "", phrases)
