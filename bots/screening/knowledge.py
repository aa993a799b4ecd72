"""The screening bot's knowledge of words and things, and of what the judge tells it.

The words are in words.toml, the things in things.toml. The figures for things are rough values for
a typical example; they are used for comparisons. Comparisons that the judge states (rules 2010,
section 4, set 3) take precedence over these. Other statements (set 4) are stored as a whole. A
question finds the statement that shares most of its words; the answer is a part of it, or else all
of it.
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from bots.english import as_sentence, join_words, to_listener, with_article, words_of

# Tables of things.toml that don't contain things.
_TABLES = ("kinds", "kind_names", "kind_parts", "no_article")

_ARTICLE = re.compile(r"^(?:(?:an?|the|some|any|my|your|his|her|our|its|this|these|one|word)\s+)+")
# Words that end a noun: "a boy on a bicycle" is a boy.
_AFTER_NOUN = ("of", "on", "in", "at", "with", "that")
#: The most statements, and pairs on a scale, to remember: many more than a judge makes.
KEPT = 200

UNSURE = "That does not follow from what you told me."

_PIECE = re.compile(r"\s*[,;:]\s*(?:(?:and|but|while)\b)?\s*|\s+(?:and|but|while)\s+")
_VERB = re.compile(r"\s+(?:is|are|am|was|were|runs?|goes|go|weighs?)\b.*$", re.IGNORECASE)
_WHETHER = re.compile(r"^(?:is|am|are|was|were|does|do|can)\s+", re.IGNORECASE)
_TOLD = re.compile(
    r",?\s*\b(?:that |who |which )?i (?:just |have )?(?:told|mentioned|said)\b.*$", re.I
)
_OWN = re.compile(r"\b(?:i|my|me|mine|our|we)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:in|on|at|to|near|under|behind|into|from|next to) "
    r"(?:(?:the|an?|my|his|her|our) )?(?!buy|be\b|play)(?:\w+ )*?\w+"
    r"(?=$|,| (?:and|because|with|by|for|near|every|to|in|on|at|this|last|named|who)\b)"
)
_NAMED = re.compile(r"\b(?:named|called|is) ([A-Z]\w+)|(?<=\w )([A-Z]\w+)|^([A-Z]\w+)")
_NO_NAME = re.compile(r"^(?:I|My|The|An?|Our|Yesterday|We|It|This|There|You|\w+day)$")
_OPTIONS = re.compile(r"\s*[,;:]\s*(?:or|and)?\b\s*|\s+(?:or|and)\s+", re.IGNORECASE)


@functools.cache
def read_table(name: str) -> dict[str, Any]:
    """Reads a data file of this package, given its name without the extension."""
    file = resources.files("bots.screening").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


# Words


def singular(noun: str) -> str:
    """A noun's singular, by rules and a list of exceptions; only the last word changes."""
    before, _, word = noun.rpartition(" ")
    one = read_table("words")["singulars"].get(word)
    if one is None and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        one = re.sub(r"(?<=..)ies$", "y", word)
        one = re.sub(r"(?<=ch|sh|ss|to)es$|(?<=x)es$|s$", "", one)
    return f"{before} {one or word}".strip()


@functools.cache
def stem(word: str) -> str:
    """The stem that all forms of a word share, such as "baked", "bakes" and "baking"."""
    verbs = read_table("words")["verbs"]
    found = (str(verb) for verb, forms in verbs.items() if word in forms.split())
    base = next(found, singular(word))
    base = re.sub(r"(?<=...)(?:ing|ed)$", "", base)
    return re.sub(r"(?<=..)e$|(?<=([bdgmnprt]))\1$", "", base)


def content_stems(text: str, empty: str = "words") -> set[str]:
    """The stems of a text's words, except the insignificant words listed in words.toml."""
    left_out = {*read_table("words")["empty"][empty].split()}
    words = words_of(text.replace("'s", ""))
    return {stem(word) for word in words if word not in left_out} - left_out


def bare(noun: str) -> str:
    """A noun phrase in lower case without article or possessive: "The Red Balls" is "red balls"."""
    return _ARTICLE.sub("", noun.strip(" ,;:.?!\"'").lower()).strip()


def options(text: str) -> list[str]:
    """The options in a question: "a cat, a dog or a cow" gives three."""
    parts = (part.strip(" ,:;.?!") for part in _OPTIONS.split(text))
    return [part for part in parts if part]


def number(word: str) -> int | None:
    """The number that a word or digits stand for: cardinals to twenty, ordinals to twelfth."""
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word.lower().strip())
    if text.isascii() and text.isdigit() and len(text) < 5:
        return int(text)
    cardinals, ordinals = map(str.split, read_table("words")["numbers"].values())
    if text in ordinals:
        return int(ordinals.index(text)) + 1
    return int(cardinals.index(text)) if text in cardinals else None


def number_word(value: int) -> str:
    """A number as people say it: in words up to twenty."""
    words: list[str] = read_table("words")["numbers"]["cardinals"].split()
    return words[value] if value < len(words) else str(value)


# Things


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing, an animal, or a person with a job: an entry in things.toml, in its kind's table."""

    name: str
    kind: str
    facts: Mapping[str, Any]


class Knowledge:
    """Finds things by name, by kind and by description."""

    def __init__(self) -> None:
        table = read_table("things")
        self._kinds: dict[str, str] = table["kinds"]
        self._kind_parts: dict[str, str] = table["kind_parts"]
        self.kind_names: dict[str, str] = {kind: kind for kind in table} | table["kind_names"]
        self._no_article = {*table["no_article"]["names"].split()}
        self._the = table["no_article"]["the"].split()
        self.things = [
            Thing(key.replace("_", " "), kind, facts)
            for kind, entries in table.items()
            if kind not in _TABLES
            for key, facts in entries.items()
        ]
        self._by_name = {thing.name: thing for thing in self.things}
        for thing in self.things:
            for other in filter(None, thing.facts.get("also", "").split("|")):
                self._by_name.setdefault(other, thing)
        self._described = [(thing, self._description(thing)) for thing in self.things]

    def find(self, phrase: str) -> Thing | None:
        """The thing that a noun phrase refers to: "the big red balls" is the ball."""
        words = bare(phrase).split()
        if words[1:2] == ["of"] and words[0] in ("pair", "piece", "kind"):
            # "a pair of shoes" is shoes, "a bucket of water" is a bucket.
            words = words[2:]
        cut = next((n for n, word in enumerate(words) if n and word in _AFTER_NOUN), len(words))
        phrases = [words, *(words[start:cut] for start in range(min(cut, 4)))]
        names = [name for each in map(" ".join, phrases) for name in (each, singular(each))]
        return next((self._by_name[name] for name in names if name in self._by_name), None)

    def named(self, phrase: str) -> str:
        """A noun phrase for the thing in general: with a, an, the or no article."""
        noun = bare(phrase)
        if noun in self._the:
            return f"the {noun}"
        head = noun.split()[-1] if noun else ""
        plural = {noun, head} & self._no_article or singular(head) != head
        return noun if plural else with_article(noun)

    def kind_of(self, phrase: str) -> str | None:
        """The kind that a phrase names ("fruits" is fruit); None if it names none."""
        words = bare(phrase).split()
        for start in range(len(words)):
            word = singular(" ".join(words[start:]))
            word = str(read_table("words")["kind_words"].get(word, word))
            if word in self._kinds or word in self._kinds.values():
                return word
        return None

    def kinds_of(self, thing: Thing) -> Iterator[str]:
        """Yields the kind of a thing, the kind of that kind, and so on."""
        here: str | None = thing.kind
        while here is not None:
            yield here
            here = self._kinds.get(here)

    def parts(self, thing: Thing) -> str:
        """The parts of a thing, its own first, or ""."""
        inherited = (self._kind_parts.get(kind, "") for kind in self.kinds_of(thing))
        return ", ".join(filter(None, (thing.facts.get("parts", ""), *inherited)))

    def count(self, thing: Thing, part: str) -> int | None:
        """How many of a part a thing has; None if unknown."""
        if part in thing.facts:
            return int(thing.facts[part])
        told = words_of(self.parts(thing))
        pairs = ((number(before), singular(word)) for before, word in itertools.pairwise(told))
        return next((count for count, word in pairs if count and word == singular(part)), None)

    def best_match(self, text: str, kind: str = "thing") -> Thing | None:
        """The thing that matches a description best.

        Arguments:
            text: the description, lower case.
            kind: only things of this kind; "thing" for all.

        Returns:
            The thing; None if none shares at least a third of the significant words. If several fit
            equally well, the first in the file, where the common ones come first.
        """
        wanted = content_stems(text)
        best, best_fit = None, 0.0
        for thing, description in self._described:
            shared = wanted & description.keys()
            fit = sum(description[word] for word in shared)
            enough = len(shared) * 3 >= len(wanted) and fit > best_fit
            if enough and (kind == "thing" or kind in self.kinds_of(thing)):
                best, best_fit = thing, fit
        return best

    def _description(self, thing: Thing) -> dict[str, float]:
        # The purpose of a thing says more about it than where it is kept.
        found = dict.fromkeys(content_stems(self.parts(thing)), 0.5)
        for fact, weight in read_table("words")["description"].items():
            for word in content_stems(str(thing.facts.get(fact, ""))):
                found[word] = max(weight, found.get(word, 0.0))
        return found

    def odd_one(self, phrases: Sequence[str]) -> tuple[str, str] | None:
        """The one of several things that is of a different kind from the others, and their kind."""
        found = [(phrase, thing) for phrase in phrases if (thing := self.find(phrase))]
        for level in range(3 if len(found) > 2 else 0):
            kinds = [[*self.kinds_of(thing)][: level + 1][-1] for _, thing in found]
            common, count = Counter(kinds).most_common(1)[0]
            if count == len(found) - 1:
                odd = next(n for n, kind in enumerate(kinds) if kind != common)
                return found[odd][0], common
        return None


#: The shared `Knowledge`, read only once because it never changes and takes a while to read.
common_knowledge = functools.cache(Knowledge)


# Scales


@dataclass(frozen=True, slots=True)
class Degree:
    """An adjective in a comparison: more (sign 1) or less (-1) on a scale such as "size"."""

    scale: str
    sign: int
    base: str = ""
    comparative: str = ""
    superlative: str = ""

    def figure(self, thing: Thing) -> float | None:
        """A thing's figure on the scale, or None. "Tall" means the height, "long" the length."""
        scale = self.scale
        if scale == "length" and self.base in ("tall", "high", "low"):
            scale = "height"
        also = "size" if scale in ("length", "height", "width") else scale
        value = thing.facts.get(scale, thing.facts.get(also))
        return None if value is None else float(value)


@functools.cache
def _degrees() -> dict[str, Degree]:
    """All adjectives of the scales, by their comparatives and superlatives."""
    found: dict[str, Degree] = {}
    for scale, ends in read_table("words")["scales"].items():
        for end, sign in (("more", 1), ("less", -1)):
            for row in ends[end].split(", "):
                forms = [form.replace("_", " ") for form in row.split()]
                for form in forms[1:]:
                    found.setdefault(form, Degree(scale, sign, *forms))
    return found


def _find_degree(text: str) -> tuple[Degree, int, int] | None:
    """The first comparative or superlative in a text, with its start and end."""
    for phrase, comparative in read_table("words")["comparing"].items():
        match = re.search(rf"\b{phrase}\b", text)
        if match is not None:
            return _degrees()[comparative], *match.span()
    words = re.finditer(r"\b(?:(?:more|most) )?[a-z]+\b", text)
    return next(((_degrees()[w[0]], *w.span()) for w in words if w[0] in _degrees()), None)


def opposite_of(word: str) -> str | None:
    """The opposite of a word; None if unknown."""
    pairs = (pair.split() for pair in read_table("words")["opposites"]["pairs"].split(","))
    return next((pair[word == pair[0]] for pair in pairs if word in pair), None)


# The judge's statements


class Comparisons:
    """Comparisons on scales: pairs (more, less) that the judge has stated, or else the figures of
    known things."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._pairs: dict[str, deque[tuple[str, str]]] = {}
        self._subject = self._other = ""

    def tell(self, sentence: str) -> None:
        """Remembers the comparisons in a statement."""
        for piece in _PIECE.split(sentence):
            found = _comparison(piece)
            if found is None:
                continue
            one, degree, other = found
            # "He is older than ..." refers to the last name; "but shorter than ..." continues.
            one = self._other if one.lower() in ("he", "she", "it", "who") else one
            self._subject, self._other = one or self._subject, other
            more, less = (self._subject, other)[:: degree.sign]
            pairs = self._pairs.setdefault(degree.scale, deque(maxlen=KEPT))
            if more and less and (less, more) not in pairs:
                pairs.append((more, less))

    def answer(self, question: str) -> str | None:
        """Answers a question that compares; returns None for other questions.

        Arguments:
            question: one sentence with contractions written out, in the judge's spelling.
        """
        low = question.lower()
        found = _find_degree(low)
        middle = re.search(r"\bin the middle\b", low)
        if found is None and middle and self._pairs:
            found = Degree([*self._pairs][-1], 1), len(low), len(low)
        if found is None:
            return None
        degree, start, end = found
        if _WHETHER.match(low) and " than " in low:
            compared = _comparison(_WHETHER.sub("", question))
            return self._whether(*compared) if compared is not None else None
        before = re.split(r"\b(?:which|who)\b", question[:start])[0]
        names = self._among(degree, options(question[end:]))
        names = names or self._among(degree, options(before)) or self._latest(degree.scale)
        above = {n: sum(self._more(degree, other, n) for other in names) for n in names}
        tops = [self._said(name) for name in names if above[name] == 0]
        if len(names) < 2 or " than " in low:
            return None
        if middle:
            ranked = sorted(names, key=above.__getitem__)
            return as_sentence(self._said(ranked[len(ranked) // 2])) if len(tops) == 1 else UNSURE
        if len(tops) > 1:
            return f"I can't tell: it could be {join_words(tops, 'or')}."
        most = len(names) > 2 or degree.superlative in low
        form = f"the {degree.superlative}" if most else degree.comparative
        return as_sentence(f"{tops[0]} {'are' if tops == ['you'] else 'is'} {form}")

    def _whether(self, one: str, degree: Degree, other: str) -> str | None:
        """Says yes or no to whether one is more than the other, in a sentence."""
        if len(self._among(degree, [one, other])) < 2:
            return None
        for yes, more, less in (("Yes", one, other), ("No", other, one)):
            if self._more(degree, more, less):
                said, than = self._said(more), self._said(less)
                return f"{yes}, {said} is {degree.comparative} than {than}."
        return UNSURE

    def _among(self, degree: Degree, named: list[str]) -> list[str]:
        """The names, if the judge has stated an order of all, or all figures are known."""
        names = [_name(option) for option in named]
        if len(names) > 1 and {*names} <= self._told(degree.scale):
            return names
        return names if all(self._figure(degree, name) is not None for name in names) else []

    def _figure(self, degree: Degree, name: str) -> float | None:
        thing = self._knowledge.find(name)
        return degree.figure(thing) if thing is not None else None

    def _told(self, scale: str) -> set[str]:
        return {name for pair in self._pairs.get(scale, ()) for name in pair}

    def _latest(self, scale: str) -> list[str]:
        # All names connected with the last pair stated.
        pairs = self._pairs.get(scale, ())
        linked = {*pairs[-1]} if pairs else set()
        while more := {n for pair in pairs if linked & {*pair} for n in pair} - linked:
            linked |= more
        return list(dict.fromkeys(n for pair in pairs for n in pair if n in linked))

    def _more(self, degree: Degree, one: str, other: str) -> bool:
        """Whether one is more than the other, as the judge stated, or else by their figures."""
        if {one, other} <= self._told(degree.scale):
            pairs = [pair[:: degree.sign] for pair in self._pairs[degree.scale]]
            below = {one}
            while more := {less for top, less in pairs if top in below} - below:
                below |= more
            return one != other and other in below
        figures = self._figure(degree, one) or 0.0, self._figure(degree, other) or 0.0
        return (figures[0] - figures[1]) * degree.sign > 0

    def _said(self, name: str) -> str:
        if name in {n for scale in self._pairs for n in self._told(scale)}:
            return to_listener(name)
        return self._knowledge.named(name)


def _comparison(piece: str) -> tuple[str, Degree, str] | None:
    """The parts of a comparison such as "Tom is taller than Ann": first, degree, second."""
    low = piece.lower()
    found = _find_degree(low)
    if found is None or " than " not in low[found[1] :] or " not " in low:
        return None
    degree, start, _ = found
    subject = _VERB.sub("", f" {piece[:start].strip()} ").strip()
    other = piece[low.index(" than ", start) + 6 :]
    return _name(subject), degree, _name(re.sub(r"\s+(?:is|are|was|does)$", "", other))


def _name(phrase: str) -> str:
    text = re.sub(r"^(?:an?|the|if|that|either) ", "", phrase.strip(" ,.;:?!"), flags=re.I)
    return "I" if text.lower() in ("me", "i") else text


class Statements:
    """The judge's statements; the knowledge gives the kind of a thing ("What game ...")."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._kept: deque[tuple[set[str], str]] = deque(maxlen=KEPT)

    def tell(self, sentence: str) -> None:
        """Remembers a statement."""
        self._kept.append((content_stems(sentence, "in_memory"), sentence))

    def answer(self, question: str, needed: float = 0.6) -> str | None:
        """Answers a question about what was said; returns None if no statement fits.

        Arguments:
            question: one sentence with contractions written out, in the judge's spelling.
            needed: the share of its words that a statement must contain; slightly less is enough if
                the question is about the judge's own things.
        """
        asked = content_stems(_TOLD.sub("", question), "in_memory")
        asked = asked - {stem("name")} or asked
        own = _OWN.search(question) is not None
        if not asked or (len(asked) < 2 and not own and not _name_in(question)):
            return None
        shares = ((len(asked & words) / len(asked), said) for words, said in reversed(self._kept))
        share, best = max(shares, key=lambda pair: pair[0], default=(0.0, ""))
        if share < needed - 0.1 * own:
            return None
        return self._part(question.lower(), asked, best) or _said_back(best)

    def _part(self, low: str, asked: set[str], statement: str) -> str | None:
        """The part of a statement that answers a question."""
        if low.startswith("who") or re.search(r"\b(?:name|called|named)\b", low):
            name = _name_in(statement)
            return f"{name}." if name and stem(name.lower()) not in asked else None
        if low.startswith("where"):
            places = (p for p in _PLACE.findall(statement) if not asked & content_stems(p))
            return next((as_sentence(to_listener(place)) for place in places), None)
        noun = re.match(r"(?:on |in )?(?:what|which) (?:kind of )?(\w+)", low)
        kind = self._knowledge.kind_of(noun[1]) if noun is not None else None
        for word in words_of(statement):
            thing = self._knowledge.find(word)
            right = thing is not None and kind in [*self._knowledge.kinds_of(thing)]
            if right and kind != "thing" and stem(word) not in asked:
                return as_sentence(self._knowledge.named(word))
        return None


def _name_in(statement: str) -> str:
    """The name in a statement, or ""."""
    found = ("".join(match) for match in _NAMED.findall(statement))
    return next((name for name in found if not _NO_NAME.match(name)), "")


def _said_back(statement: str) -> str:
    said = to_listener(statement)
    said = said[0].lower() + said[1:] if _NO_NAME.match(statement.split()[0]) else said
    return as_sentence(f"You told me that {said}")
