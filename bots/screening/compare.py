"""Questions relating to relationships (rules 2010, section 4, set 3): "Which is larger, a grape or
a grapefruit?", "Which of them is the oldest?", "What is the opposite of hot?".

Here the question is taken apart; what the judge told (order.py) goes before what the bot knows
(measure.py).
"""

from __future__ import annotations

import re
from dataclasses import replace

from bots.screening.knowledge import Knowledge
from bots.screening.measure import Measures
from bots.screening.order import Orders
from bots.screening.scales import Degree, find_degree, opposite_of, same_as
from bots.screening.telling import RACE
from bots.screening.wording import core, ordinals

_ORDINALS = "|".join(ordinals())
_CAME = r"(?:came|was|finished|arrived|is|ran|got|ended)(?: there| home| up)? (?:in )?(?:the )?"
# Places in a race, where less is earlier.
_RACE_WORDS = (
    (re.compile(rf"\b(?:who|which|what)\b.*\b(?:won|wins|{_CAME}(?:first|winner|fastest))\b"), -1),
    (re.compile(rf"\b(?:who|which|what)\b.*\b(?:lost|loses|{_CAME}(?:last|loser|slowest))\b"), 1),
)
_RACE_PLACE = re.compile(rf"\b{_CAME}(?P<nth>second|third|fourth|fifth)\b")
_WIN = re.compile(r"\b(?:who|which)\b.*\b(?:win|wins|won|come in first|be first|finish first)\b")
_MORE_OF = re.compile(
    r"\b(?:who|which|what)\b.*?\b(?:has|have|had|owns?|got) (?:the )?"
    r"(?P<way>more|most|fewer|fewest|less|least) (?P<what>[a-z]+)\b"
)
_OPPOSITE = re.compile(
    r"\b(?:opposite|reverse|contrary) (?:of|to|for) (?:the word |the )?['\"]?(?P<word>[a-z]+)"
)
_SAME = re.compile(
    r"\b(?:(?:another|other|different) word for|means the same as|synonym (?:of|for)) ['\"]?"
    r"(?P<word>[a-z]+)"
)
_ASKED_FOR = re.compile(r"\b(?:which|what|who|whom)\b")
_WHETHER = re.compile(
    r"(?:is|am|are|was|were|does|do|did|can|would|will)\s+(?P<one>.+)", re.I | re.S
)
_STATED = re.compile(
    r"(?!who|what|which|name)(?:that )?(?P<one>.+?)\s+(?:is|are|am|was|were)(?: much| far)?$", re.I
)
_DOING = re.compile(r"\s+(?:weigh|run|go|fly|swim|move|travel|be|cost|much|a lot|far|even)$", re.I)
_GROUP = re.compile(
    r"(?:of )?(?:them|these|those|all|the (?:two|three|four|five|six)(?: of them)?|everyone"
    r"|everybody)(?: (?:people|children|boys|girls|kids|friends|boxes|animals|things))?"
)
_NTH = re.compile(rf"\b(?P<nth>{_ORDINALS})[- ](?:most )?$")
_MIDDLE = re.compile(r"\b(?:in the middle|neither|in between)\b")
_BREAK = re.compile(r"\s*[,;:]\s*(?:or|and)?\b\s*|\s+(?:or|and|versus|vs\.?)\s+", re.I)
_LEAD = re.compile(
    r"^(?:of|between|among|compare|given|take|if you (?:compare|take|have)|either|from|out of)\s+",
    re.I,
)
_BEFORE_OPTIONS = re.compile(
    r"^\s*(?:one|thing|animal)?\s*[,:;-]?\s*"
    r"(?:(?:between|among|out of|of|is it|would it be|either)\s+)?",
    re.I,
)
_TO_ORDER = re.compile(
    r"^(?:put|order|arrange|sort|list|rank|name)\b(?: (?:them|these|all))?", re.I
)
_THE_ORDER = re.compile(
    r"\bin (?:the )?(?:right )?order\b|\b(?:starting|beginning) with (?:the )?\w+"
    r"|\bfrom (?:the )?\w+(?: one)? to (?:the )?\w+(?: one)?"
    r"|\b(?:by|of) (?:size|age|weight|speed)\b",
    re.I,
)
_EQUAL = re.compile(r"\bas (?P<word>[a-z]+) as\b")
_PLAIN = re.compile(
    r"(?:is|are) (?P<what>.+?) (?:very |really |usually )?(?P<word>[a-z]+)"
    r"(?: or (?P<other>[a-z]+))?"
)


class Comparisons:
    """Answers questions that compare.

    Arguments:
        knowledge: what the bot knows of things.
        orders: what the judge told.
    """

    def __init__(self, knowledge: Knowledge, orders: Orders) -> None:
        self._knowledge = knowledge
        self._orders = orders
        self._measures = Measures(knowledge)

    def answer(self, question: str) -> str | None:
        """Answers a question, or gives None if it compares nothing.

        Arguments:
            question: one sentence, contractions written out.
        """
        text = core(question)
        low = text.lower()
        return (
            self._words(low)
            or self._race(low)
            or self._more_of(text, low)
            or self._equally(text, low)
            or self._compared(text, low)
            or self._plainly(low)
        )

    def _words(self, low: str) -> str | None:
        match = _OPPOSITE.search(low)
        if match is not None:
            opposite = opposite_of(match["word"])
            return None if opposite is None else f"The opposite of {match['word']} is {opposite}."
        match = _SAME.search(low)
        same = same_as(match["word"]) if match is not None else None
        return f"Another word for {match['word']} is {same}." if match and same else None

    def _race(self, low: str) -> str | None:
        if not self._orders.knows(RACE):
            if self._orders.knows("speed") and _WIN.search(low):
                fast = Degree("speed", 1, "superlative", "fast", 0, 0)
                return self._orders.top(fast, [])
            return None
        early = Degree(RACE, -1, "superlative", "early", 0, 0)
        for pattern, sign in _RACE_WORDS:
            if pattern.search(low):
                said = self._orders.top(replace(early, sign=sign), [])
                return said and said.replace("the earliest", "first" if sign < 0 else "last")
        match = _RACE_PLACE.search(low)
        return self._orders.nth(early, ordinals().index(match["nth"]) + 1) if match else None

    def _more_of(self, text: str, low: str) -> str | None:
        match = _MORE_OF.search(low)
        if match is None:
            return None
        more = match["way"] in ("more", "most")
        told = self._orders.who_has(match["what"], more)
        if told is not None:
            return told
        return self._measures.counted(_options(text[match.end() :]), match["what"], more)

    def _equally(self, text: str, low: str) -> str | None:
        match = _EQUAL.search(low)
        plain = find_degree(match["word"], compared=False) if match is not None else None
        if match is None or plain is None:
            return None
        asked = _WHETHER.match(text[: match.start()].strip())
        if asked is None:
            return None
        one, other = _DOING.sub("", asked["one"]), text[match.end() :].strip()
        degree = replace(plain, form="comparative")
        told = self._orders.compare(degree, one, other)
        return told if told is not None else self._measures.equally(one, other, degree)

    def _compared(self, text: str, low: str) -> str | None:
        degree = find_degree(low)
        if degree is None:
            return self._orders.middle() if _MIDDLE.search(low) else None
        ordering = _TO_ORDER.match(low)
        if (ordering and not low.startswith("name")) or re.search(r"\bfrom\b.*\bto\b", low):
            options = _options(_THE_ORDER.sub("", _TO_ORDER.sub("", text)))
            told = self._orders.listed(degree) if len(options) < 2 else None
            return told or self._measures.ordered(options, degree) or self._orders.listed(degree)
        than = low.find(" than ", degree.start)
        if than >= 0:
            return self._than(text, low, degree, than)
        place = _NTH.search(low[: degree.start])
        if place is not None:
            return self._orders.nth(degree, ordinals().index(place["nth"]) + 1)
        if _MIDDLE.search(low):
            return self._orders.nth(degree, 0)
        options = self._question_options(text, low, degree)
        if options:
            told = self._orders.top(degree, options)
            return told if told is not None else self._measures.choose(options, degree)
        kind = self._asked_kind(low)
        if kind is None or _GROUP.search(low):
            return self._orders.top(degree, [])
        return self._measures.most(kind, degree) if degree.form == "superlative" else None

    def _than(self, text: str, low: str, degree: Degree, than: int) -> str | None:
        before, other = text[: degree.start].strip(), text[than + 6 :].strip()
        asked = _WHETHER.match(before) or _STATED.match(before)
        if asked is not None:
            one = _DOING.sub("", asked["one"].strip())
            told = self._orders.compare(degree, one, other)
            return told if told is not None else self._measures.compare(one, other, degree)
        if not _ASKED_FOR.search(low) and not low.startswith("name"):
            return None
        told = self._orders.beyond(degree, other)
        if told is not None:
            return told
        return self._measures.beyond(other, degree, self._asked_kind(before.lower()))

    def _question_options(self, text: str, low: str, degree: Degree) -> list[str]:
        after = text[degree.end :]
        asked = _ASKED_FOR.search(low)
        if asked is not None and asked.start() > 0 and " or " not in after.lower():
            # "A cat or a dog: which is bigger?", "Of a cat and a dog, which is bigger?"
            options = _options(_LEAD.sub("", text[: asked.start()].strip(" ,:;-")))
            if len(options) > 1:
                return options
        options = _options(_BEFORE_OPTIONS.sub("", after))
        if len(options) < 2 and asked is None:
            # "Is a cat or a dog bigger?"
            whether = _WHETHER.match(text[: degree.start].strip())
            options = _options(whether["one"]) if whether is not None else []
        return options if len(options) > 1 else []

    def _asked_kind(self, low: str) -> str | None:
        kinds = (self._knowledge.kind_of(word) for word in re.findall(r"[a-z]+", low))
        return next((kind for kind in kinds if kind is not None and kind != "thing"), None)

    def _plainly(self, low: str) -> str | None:
        match = _PLAIN.fullmatch(low)
        if match is None:
            return None
        said = self._measures.plainly(match["what"], match["word"])
        if said is None or not match["other"]:
            return said
        # "Is sugar sweet or sour?" is no question of yes or no.
        return re.sub(r"^(?:Yes|No), ", "", said).capitalize()


def _options(text: str) -> list[str]:
    parts = [part.strip(" ,:;.?!") for part in _BREAK.split(text)]
    return [part for part in parts if part and not _GROUP.fullmatch(part.lower())]
