"""General questions relating to things (rules 2010, section 4, set 2): where they are, their
colour, sound and parts, how many of them there are, what they eat and what they can do.
"""

from __future__ import annotations

import itertools
import re

from bots.english import as_sentence, words_of
from bots.screening.knowledge import Knowledge
from bots.screening.rules import Match, Rules
from bots.screening.wording import number_word, singular, verb_base

RULES: Rules[Knowledge] = Rules()

# The thing that is asked for, as little as the rest of the pattern leaves.
_X = r"(?P<x>[\w' -]+?)"

_WHO = r"(?:i|you|we|one|people|they|somebody|someone|a person|children)"
_MAY = r"(?:would|do|does|can|could|should|might|will|did)"
_OWN = ("my ", "his ", "her ", "our ", "their ", "your ", "this ", "that ")


@RULES.on(
    rf"\bwhere {_MAY} {_WHO} (?:usually |normally |often )?"
    rf"(?:find|see|keep|put|buy|get|wear|meet|look for) {_X}$",
    rf"\bwhere (?:do|does|can|would|will) {_X} (?:usually |normally |often )?"
    r"(?:live|grow|work|sleep|stay|belong|go|come from|be|swim|stand)$",
    r"\bwhere (?:is|are) (?P<x>(?:an? )[\w' -]+?)(?: kept| found| usually found)?$",
)
def _where(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None:
        return None
    if re.search(r"\b(?:buy|get)\b", match[0]):
        return "In a shop." if thing.kind not in ("animal",) else None
    return as_sentence(thing.text("place")) if thing.text("place") else None


@RULES.on(
    rf"\bwhat (?:color|colour) (?:is|are|does|do) {_X}(?: have)?$",
    rf"\bwhat is the (?:color|colour) of {_X}$",
)
def _color(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None or not thing.text("color") or match["x"].startswith(("my ", "his ", "her ")):
        return None
    is_are = "are" if knowledge.is_plural(match["x"]) else "is"
    return as_sentence(f"{knowledge.named(match['x'])} {is_are} {thing.text('color')}")


@RULES.on(
    rf"\b(?:is|are) {_X} (?:usually )?(?P<color>red|blue|green|yellow|black|white|brown"
    r"|pink|purple|gray|grey|orange)$"
)
def _is_color(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None or not thing.text("color") or match["x"].startswith(("my ", "his ", "her ")):
        return None
    is_are = "are" if knowledge.is_plural(match["x"]) else "is"
    yes = match["color"].replace("grey", "gray") in thing.text("color")
    return (
        f"{'Yes' if yes else 'No'}, {knowledge.named(match['x'])} {is_are} {thing.text('color')}."
    )


@RULES.on(
    rf"\bwhat (?:sound|noise) (?:does|do|is made by) {_X}(?: make| makes)?$",
    rf"\bwhat (?:does|do) {_X} say$",
)
def _sound(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None or not thing.text("sound"):
        return None
    verb = "say" if knowledge.is_plural(match["x"]) else "says"
    return as_sentence(f"{knowledge.named(match['x'])} {verb} {thing.text('sound')}")


@RULES.on(
    rf"\bwhat (?:does|do) {_X} (?:like to |usually )?"
    r"(?P<fact>eat|give us|give|produce|make)$",
    rf"\bwhat (?:do|can|does) (?:we|you|one|people|i) (?P<fact>get) from {_X}$",
    rf"\bwhat (?:is|are) {_X} (?P<fact>made)(?: of| from| out of)$",
    rf"\bwhat (?:is|do you call|do we call) {_X} (?P<fact>young|baby)\b",
    rf"\b(?:what is|what do you call|what do we call) (?:a |the )?(?P<fact>baby|young) {_X}"
    r"(?: called)?$",
    rf"\bwhat (?:is the name of|are) (?:a |the )?(?P<fact>baby|young) {_X}(?: called)?$",
    rf"\bwhat can {_X} (?P<fact>do)$",
)
def _fact(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None:
        return None
    named, plural = knowledge.named(match["x"]), knowledge.is_plural(match["x"])
    facts = {"eat": "eats", "made": "made", "young": "baby", "baby": "baby", "do": "can"}
    value = thing.text(facts.get(match["fact"], "gives"))
    if not value:
        return None
    if match["fact"] == "eat":
        return as_sentence(f"{named} {'eat' if plural else 'eats'} {value}")
    if match["fact"] == "do":
        return as_sentence(f"{named} can {value}")
    return as_sentence(value)


@RULES.on(
    rf"\bhow many (?P<part>[a-z]+) (?:does|do|has|have|are there on|are on|are in|is on) {_X}"
    r"(?: have| got)?$",
)
def _how_many(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None:
        return None
    part = match["part"]
    figure = thing.figure(part, part + "s")
    count = int(figure) if figure is not None else _counted(part, knowledge.parts(thing))
    if count is None:
        return None
    named, plural = knowledge.named(match["x"]), knowledge.is_plural(match["x"])
    shown = number_word(count) if count else "no"
    return as_sentence(f"{named} {'have' if plural else 'has'} {shown} {part}")


@RULES.on(
    rf"(?<!where )\b(?:does|do) {_X} (?:usually |normally )?have (?:any |an? )?(?P<part>[a-z ]+)$",
    rf"\b(?:has|have) {_X} (?:got )?(?:any |an? )?(?P<part>[a-z]+)$",
)
def _has(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    parts = knowledge.parts(thing) if thing is not None else ""
    if thing is None or match["x"] in ("you", "i", "we"):
        return None
    part = singular(match["part"])
    figure = thing.figure(match["part"], part + "s")
    if not parts and figure is None:
        return None
    named, plural = knowledge.named(match["x"]), knowledge.is_plural(match["x"])
    has = figure > 0 if figure is not None else part in map(singular, words_of(parts))
    if has:
        return as_sentence(f"Yes, {named} {'have' if plural else 'has'} {_some(match['part'])}")
    return f"No, {named} {'do' if plural else 'does'} not have {_some(match['part'])}."


@RULES.on(
    rf"\bwhat (?:parts|features) (?:does|do|has|have) {_X}(?: have| got)?$",
    rf"\bwhat (?:are|is) (?:the |some )?parts? of {_X}$",
    r"\bwhat (?:does|do|has) (?P<x>(?:an? )?[\w' -]+?) (?:have|got|consist of)$",
    rf"\bname (?:a|the|some|one|two) parts? of {_X}$",
)
def _parts(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None or match["x"] in ("you", "i", "we"):
        return None
    parts = thing.text("parts") or knowledge.parts(thing)
    named, plural = knowledge.named(match["x"]), knowledge.is_plural(match["x"])
    return as_sentence(f"{named} {'have' if plural else 'has'} {parts}") if parts else None


@RULES.on(r"\b(?:can|could) (?P<x>[\w' -]+?) (?P<do>fly|swim|hop|jump|climb|talk|sting|bark)$")
def _can(match: Match, knowledge: Knowledge) -> str | None:
    thing = knowledge.find(match["x"])
    if thing is None:
        return None
    able = thing.text("can") + " " + thing.text("does") + " " + thing.text("use")
    verbs = {verb_base(word) for word in words_of(able)}
    person = knowledge.is_a(thing, "person")
    walks = knowledge.is_a(thing, "mammal") or person
    can = match["do"] in verbs or (walks and match["do"] in ("swim", "jump"))
    can = can or (person and match["do"] in ("talk", "climb"))
    return f"{'Yes' if can else 'No'}, {knowledge.named(match['x'])} {'can' if can else 'can not'}."


def _counted(part: str, parts: str) -> int | None:
    words = words_of(parts)
    numbers = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    for before, word in itertools.pairwise(words):
        if singular(word) == singular(part):
            if before in numbers:
                return numbers.index(before) + 1
            return int(before) if before.isdigit() else None
    return None


def _some(part: str) -> str:
    return part if singular(part) != part or part in ("fur", "hair") else f"a {part}"
