"""Questions that set things side by side without an adjective: the odd one out, which of these is
an animal, what the difference is, what fits into what."""

from __future__ import annotations

import re
from collections import Counter

from bots.english import as_sentence
from bots.screening.knowledge import Knowledge, Thing
from bots.screening.rules import Match, Rules
from bots.screening.wording import bare

RULES: Rules[Knowledge] = Rules()

_OPTIONS = r"[:,]? (?P<options>[a-z' -]+(?:, | or | and ).+)$"
_BREAK = re.compile(r"\s*,\s*(?:or|and)?\s*|\s+(?:or|and)\s+")


# What tells two of a kind apart, and how it is said.
_TELLING_APART = (
    ("sound", "says"),
    ("use", "is there to"),
    ("does", "has to"),
    ("eats", "eats"),
)


@RULES.on(
    r"\b(?:which|what)(?: one)?(?: of (?:these|them|the following))?(?: words| things)? (?:is|are) "
    rf"(?P<no>not )?(?:an? )?(?:kind of )?(?P<kind>[a-z ]+?){_OPTIONS}",
)
def _of_kind(match: Match, knowledge: Knowledge) -> str | None:
    kind = knowledge.kind_of(match["kind"])
    if kind is None:
        return None
    found = [
        option
        for option, thing in _things(match["options"], knowledge)
        if knowledge.is_a(thing, kind) == (match["no"] is None)
    ]
    return as_sentence(knowledge.named(found[0])) if len(found) == 1 else None


#: What one does with things of a kind, and what they do.
_DOING = (
    (r"\bwear\b|\bput on\b", "clothing"),
    (r"\beat with\b", "dish"),
    (r"\bwork with\b|\bbuild with\b", "tool"),
    (r"\bplay with\b", "toy"),
    (r"\bmake music\b", "instrument"),
    (r"\beat\b", "food"),
    (r"\bdrink\b", "drink"),
    (r"\bride\b|\bdrive\b|\btake (?:you|people|us|me)\b|\btravel\b", "vehicle"),
    (r"\bsit\b|\blie\b|\bin a room\b", "furniture"),
    (r"\balive\b|\bbreathe\b", "living thing"),
)


@RULES.on(
    r"\b(?:which|what)(?: one)?(?: of (?:these|them|the following))?(?: words| things)? "
    r"(?P<does>(?:do|does|can|could|would|is|has)\b[a-z' ]*): (?P<options>.+)$",
)
def _that_does(match: Match, knowledge: Knowledge) -> str | None:
    kind = next((kind for doing, kind in _DOING if re.search(doing, match["does"])), None)
    if kind is None:
        return None
    options = _things(match["options"], knowledge)
    found = [option for option, thing in options if knowledge.is_a(thing, kind)]
    return as_sentence(knowledge.named(found[0])) if len(found) == 1 else None


@RULES.on(
    r"\b(?:does not (?:belong|fit|go with)|do not belong|odd one out|(?:is|are) different)\b"
    rf".*?{_OPTIONS}",
    r"^(?P<options>[a-z' -]+(?:, | or | and ).+?)[:,]? (?:which|what)\b.*"
    r"\b(?:(?:does|do) not (?:belong|fit|go with)|odd one out|is different|is not like)\b",
)
def _odd_one(match: Match, knowledge: Knowledge) -> str | None:
    options = _things(match["options"], knowledge)
    kinds = Counter(thing.kind for _, thing in options)
    if len(options) < 3:
        return None
    for kinds_of in (kinds, Counter(_widest(thing, knowledge) for _, thing in options)):
        common, count = kinds_of.most_common(1)[0]
        if count == len(options) - 1:
            wide = kinds_of is not kinds
            odd = next(
                (option, thing)
                for option, thing in options
                if (_widest(thing, knowledge) if wide else thing.kind) != common
            )
            named, kind = knowledge.named(odd[0]), knowledge.kind_name(common)
            return as_sentence(f"{named}, for it is no {kind}")
    return None


@RULES.on(
    r"\b(?:difference between|different (?:about|between)) (?P<one>.+?) and (?P<other>.+)$",
    r"\bhow (?:is|are) (?P<one>.+?) different from (?P<other>.+)$",
)
def _difference(match: Match, knowledge: Knowledge) -> str | None:
    one, other = knowledge.find(match["one"]), knowledge.find(match["other"])
    if one is None or other is None:
        return None
    first, second = knowledge.named(match["one"]), knowledge.named(match["other"])
    if one.kind != other.kind:
        kinds = [knowledge.named(knowledge.kind_name(thing.kind)) for thing in (one, other)]
        return as_sentence(f"{first} is {kinds[0]}, and {second} is {kinds[1]}")
    for fact, said in _TELLING_APART:
        if one.text(fact) and other.text(fact) and one.text(fact) != other.text(fact):
            return as_sentence(
                f"{first} {said} {one.text(fact)}, and {second} {said} {other.text(fact)}"
            )
    size, other_size = one.figure("size"), other.figure("size")
    if size is None or other_size is None or size == other_size:
        return None
    bigger, smaller = (first, second) if size > other_size else (second, first)
    return as_sentence(f"{bigger} is bigger than {smaller}")


@RULES.on(
    r"\b(?:can|could|would|will|does|do) (?P<one>[a-z' -]+?) (?:fit|go|get) "
    r"(?:in|into|inside|under) (?P<other>[a-z' -]+)$",
    r"\bput (?P<one>[a-z' -]+?) (?:in|into|inside) (?P<other>[a-z' -]+)$",
)
def _fits(match: Match, knowledge: Knowledge) -> str | None:
    one, other = knowledge.find(match["one"]), knowledge.find(match["other"])
    size = one.figure("size") if one is not None else None
    room = other.figure("size") if other is not None else None
    if size is None or room is None:
        return None
    first, second = knowledge.named(match["one"]), knowledge.named(match["other"])
    if size < room:
        return f"Yes, {first} is small enough for {second}."
    return f"No, {first} is too big for {second}."


def _things(options: str, knowledge: Knowledge) -> list[tuple[str, Thing]]:
    parts = [bare(part) for part in _BREAK.split(options)]
    return [(part, thing) for part in parts if (thing := knowledge.find(part)) is not None]


def _widest(thing: Thing, knowledge: Knowledge) -> str:
    return next(
        (kind for kind in ("animal", "person", "food") if knowledge.is_a(thing, kind)), thing.kind
    )
