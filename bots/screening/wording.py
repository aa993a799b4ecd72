"""What the screening bot knows of English beyond `bots.english`: the core of a question, nouns
and their plurals, verbs and their base forms, number words. The word lists are in `words.toml`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources
from typing import Any

_POLITE = re.compile(
    r"""^(?:
      (?:so|and|but|now|well|ok|okay|oh|hey|hi|hello|please|then|also|alright|right|next|anyway|hmm|
         um)\b[\s,]+
      | (?:just\s+)?(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:just\s+)?
        (?:tell|remind|inform)\s+me[\s,:]+(?:again[\s,:]+)?
      | (?:please\s+)?(?:tell|remind)\s+me[\s,:]+(?:again[\s,:]+)?
        (?=(?:what|who|whom|whose|where|when|which|why|how|if|whether|the|my)\b)
      | (?:do|can|would|could)\s+you\s+(?:still\s+|happen\s+to\s+)?
        (?:know|remember|recall|say|guess|think)\s+
        (?=(?:what|who|whom|whose|where|when|which|why|how|if|whether|the|my)\b)
      | i\s+(?:wonder|would\s+like\s+to\s+know|want\s+to\s+know|forgot|ask\s+you)[\s,]+
        (?=(?:what|who|where|when|which|why|how|if|whether)\b)
      | (?:would|do)\s+you\s+(?:say|think|believe|agree)\s+(?:that\s+)?(?=\w+\s+\w+\s+\w+)
      | is\s+it\s+true\s+that\s+ | true\s+or\s+false\s*[:,]?\s+
      | in\s+your\s+opinion[\s,]+
      | (?:quick|another|one\s+more|my|first)\s+question[\s,:]+
      | (?!.*\b(?:or|and)\b.*\b(?:which|who|what)\b)[\w']+(?:\s[\w']+){0,2}\s*[,:]\s+
        (?=(?:what|who|whom|whose|where|when|which|why|how|is|are|was|were|do|does|did)\b)
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_AFTERTHOUGHT = re.compile(
    r"[\s,]+(?:please|then|again|exactly|right now|do you think|would you say"
    r"|do you (?:still )?(?:know|remember)|remember|i (?:forget|forgot|wonder)"
    r"|if you (?:do not mind|know|remember)|man|dude|huh|tell me)$",
    re.IGNORECASE,
)

# "How many did I say I have" asks "how many I have".
_SAID = re.compile(
    r"\s+did i (?:just )?(?:say|tell you|mention)(?: that)?\s+"
    r"(?=(?:i|my|we|our|he|she|it|they|the)\b)",
    re.IGNORECASE,
)

_ASKING = re.compile(
    r"^(?:(?:in|on|at|of|to|from|with|by|for|about|during)\s+)?"
    r"(?:what|who|whom|whose|where|when|which|why|how|is|are|was|were|am|do|does|did|has|have|had|"
    r"can|could|will|would|should|may|must|name|list|put|order|count|between|if|complete|finish|"
    r"ever|seen|any|got)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"^(?:when|while|where|if|what|who) (?:i|we|he|she|they|my \w+|your \w+|it) \w+.*,? "
    r"(?:i|we|he|she|it|they|my)\b|^is (?:right|true|correct|it)$",
    re.IGNORECASE,
)

# "Tell me the name of a fruit", but not "Tell me about yourself".
_REQUEST = re.compile(r"^(?:please |can you |could you )?(?:tell|give|say)\b", re.IGNORECASE)
_WANTED = re.compile(
    r"^(?:the names? of )?(?:an?|one|two|three|four|five|some) (?!\w+$)|^the names? of ",
    re.IGNORECASE,
)

_ARTICLE = re.compile(
    r"^(?:(?:an?|the|some|any|my|your|his|her|their|our|its|this|that|these|those|every|each|one|"
    r"normal|ordinary|typical|average|adult|regular|common|usual|single|whole|grown|real)\s+)+",
    re.IGNORECASE,
)

_PLURALS = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "knives": "knife",
    "wives": "wife",
    "lives": "life",
    "leaves": "leaf",
    "wolves": "wolf",
    "calves": "calf",
    "loaves": "loaf",
    "shelves": "shelf",
    "scarves": "scarf",
    "oxen": "ox",
    "buses": "bus",
    "policemen": "policeman",
    "firemen": "fireman",
}


@functools.cache
def word_lists() -> dict[str, Any]:
    """The tables of words.toml."""
    file = resources.files("bots.screening").joinpath("words.toml")
    return tomllib.loads(file.read_text("utf-8"))


@functools.cache
def number_words() -> list[str]:
    """The words of the numbers from zero to ninety-nine, in order."""
    table = word_lists()["numbers"]
    words: list[str] = table["to_nineteen"].split()
    ones = words[1:10]
    for tens in table["tens"].split():
        words += [tens, *(f"{tens}-{one}" for one in ones)]
    return words


@functools.cache
def ordinals() -> list[str]:
    """first, second, third, ...: the word for n is at place n - 1."""
    words: list[str] = word_lists()["numbers"]["ordinals"].split()
    return words


def core(sentence: str) -> str:
    """A sentence without politeness before it: "Can you tell me what time it is" asks what
    "what time it is" asks."""
    text = _SAID.sub(" ", sentence.strip(" ,;:.?!"))
    polite = False
    while True:
        shorter = _POLITE.sub("", text, count=1).strip(" ,;:")
        if shorter == text or not shorter:
            break
        text, polite = shorter, True
    if polite:
        # "Do you know if it is late" asks "is it late"; a condition has its question after it.
        text = re.sub(r"^(?:if|whether)\s+(?!.*,)", "", text)
    return _AFTERTHOUGHT.sub("", text).strip(" ,;:")


def asks(sentence: str, asked: bool) -> bool:
    """Whether a sentence is a question or a request, also where its question mark is missing."""
    question = core(sentence)
    if not asked and _TELLING.match(question):
        # "When I was small I lived in Rome."
        return False
    if _REQUEST.match(sentence.strip()) and _WANTED.match(question):
        return True
    return asked or _ASKING.match(question) is not None


def bare(noun: str) -> str:
    """A noun phrase without article and possessive, lower case: "The Red Balls" is "red balls"."""
    return _ARTICLE.sub("", noun.strip(" ,;:.?!\"'").lower()).strip()


def singular(noun: str) -> str:
    """A noun's singular, by rule and a list of exceptions; of several words the last changes."""
    before, _, word = noun.rpartition(" ")
    one = _PLURALS.get(word)
    if one is None:
        if len(word) < 4 or word.endswith(("ss", "us", "is", "news")):
            one = word
        elif word.endswith("ies"):
            one = word[:-3] + "y"
        elif word.endswith(("ches", "shes", "sses", "xes", "zes", "toes")):
            one = word[:-2]
        else:
            one = word.removesuffix("s")
    return f"{before} {one}".strip()


def number(word: str) -> int | None:
    """The number that a word or a row of digits names, up to ninety-nine in words."""
    text = word.lower().strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    words = number_words()
    if text in words:
        return words.index(text)
    tens, _, ones = text.replace(" ", "-").partition("-")
    if tens in words and (not ones or ones in words[1:10]):
        return words.index(tens) + (words.index(ones) if ones else 0)
    return 1 if text in ("a", "an") else None


def number_word(count: int) -> str:
    """A number as one says it: in words up to twenty."""
    return number_words()[count] if 0 <= count <= 20 else str(count)


@functools.cache
def empty_words() -> frozenset[str]:
    """Words that tell nothing of what a sentence is about."""
    return frozenset(word_lists()["empty"]["words"].split())


@functools.cache
def _verb_forms() -> dict[str, str]:
    verbs = word_lists()["verbs"]
    forms: dict[str, str] = {}
    for base in verbs["base"].split():
        for form in _regular_forms(base):
            forms.setdefault(form, base)
    for base, irregular in verbs["irregular"].items():
        for form in _regular_forms(base):
            forms.setdefault(form, base)
        forms.update(dict.fromkeys(irregular.split(), base))
        forms[base] = base
    # A bare form always is its own base: "lay" is no past of "lie" here.
    forms.update((base, base) for base in verbs["base"].split())
    return forms


def _regular_forms(base: str) -> list[str]:
    third = base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    stem, double = base, base + base[-1]
    if base.endswith("y") and base[-2:-1] not in "aeou":
        third, stem = base[:-1] + "ies", base
        return [base, third, base[:-1] + "ied", stem + "ing"]
    if base.endswith("e"):
        return [base, third, base + "d", base[:-1] + "ing"]
    return [base, third, base + "ed", base + "ing", double + "ed", double + "ing"]


def verb_base(word: str) -> str | None:
    """The base form of a verb in any form ("went" is "go"), or None if it is no verb we know."""
    return _verb_forms().get(word.lower())


def verb_group(base: str) -> str:
    """A verb that stands for all that ask for the same thing: own and keep are have."""
    likes: dict[str, str] = word_lists()["verbs"]["like"]
    return likes.get(base, base)


@functools.cache
def _genders() -> dict[str, str]:
    names = word_lists()["names"]
    return {word: gender for gender, words in names.items() for word in words.split()}


def gender(word: str) -> str | None:
    """ "female" or "male" for a name or a noun that tells, else None."""
    return _genders().get(word.lower())
