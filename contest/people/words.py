"""Words out of lines, as roughly as somebody reads who is in a hurry.

Everything here is plain and small on purpose: tokens, a few endings cut off, one slip of the
finger forgiven. Scripted people find their topics by it, and the judges' rule compares by it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+(?::[0-9]{2})?")
#: Endings of a contraction that carry nothing: "what's" is "what". "n't" does carry something.
_CONTRACTED = re.compile(r"(?<!n)'(?:s|m|re|ve|ll|d|t)$")


def word_set(text: str) -> frozenset[str]:
    """The words of a text that is a list of words."""
    return frozenset(text.split())


#: Words that say nothing about what is spoken of.
STOP = word_set(
    """
    a about after again ago all also am an and any anyone anything are arent as ask at away be
    because been before being best but by came can cant come could couldnt did didnt do does
    doesnt doing done dont down each else ever every for from get getting go going good got had
    has hasnt have havent he hello her here hers hey hi him his how i id if im in into is isnt it
    its ive just kind know last less let like lot made make many maybe me mean mine more most much
    must my myself never new next no none nope nor not now of off oh ok okay on once one only or
    other our out over own people please quite rather really right said same say see she should
    shouldnt so some somebody someone something sort still such sure take tell than thank thanks
    that the their them then there these they thing things think this those though thought to too
    try up us use used very want was wasnt way we well went were werent what whats when where which
    while who whom whose why will with wont would wouldnt yeah yep yes yet you your yours yourself
    """
)
_QUESTION_WORDS = word_set(
    "what who where when why how which whose do does did is are was were can could would will "
    "have has should may whats whos wheres hows any ever got"
)
_BEFORE_A_MATTER = word_set("a an the my your his her our their of about with for any some that")
_NUMBER_WORDS = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred thousand million noon midnight half quarter"
)


def tokens(text: str) -> list[str]:
    """The words of a text, in lower case; apostrophes and marks are gone ("don't" is "dont")."""
    found = _TOKEN.findall(text.lower().replace("\u2019", "'").replace("`", "'"))
    return [_CONTRACTED.sub("", word).replace("'", "") for word in found]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without a common English ending; rough, but the same for the forms of one word."""
    for ending, instead in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("ly", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + instead
            break
    else:
        if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
            word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeilos":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def content_words(text: str) -> list[str]:
    """The stems of the words that say what is spoken of, in order, each once."""
    return list(dict.fromkeys(stem(word) for word in tokens(text) if word not in STOP))


def near(one: str, other: str) -> bool:
    """Whether two words are the same but for one slip: a letter more, less, other, or two that
    changed places. Words of fewer than five letters have to be equal."""
    if one == other:
        return True
    if min(len(one), len(other)) < 5 or abs(len(one) - len(other)) > 1:
        return False
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or swapped


def shared(one: str, other: str) -> int:
    """How many content words of one text come up in the other, slips forgiven."""
    there = content_words(other)
    return sum(any(near(word, known) for known in there) for word in content_words(one))


def similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """How much two lists of tokens have in common: 0 (nothing) to 1 (the same words)."""
    if not one or not other:
        return 0.0
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other))


def same_but_for_slips(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of tokens are the same words in the same order, slips forgiven."""
    return len(one) == len(other) and all(map(near, one, other))


def holds(text_tokens: Sequence[str], pattern: str) -> int:
    """Whether all words of a pattern come in a text, in their order.

    Arguments:
        text_tokens: the text's tokens.
        pattern: words, compared by their stems, slips forgiven.

    Returns:
        0 if not; else how telling the match is: 5 for each content word, 1 for each other one.
    """
    position = 0
    score = 0
    for word in _pattern(pattern):
        while position < len(text_tokens):
            met = text_tokens[position]
            position += 1
            if met == word or near(stem(met), stem(word)):
                break
        else:
            return 0
        score += 1 if word in STOP else 5
    return score


@lru_cache(maxsize=8192)
def _pattern(pattern: str) -> tuple[str, ...]:
    return tuple(tokens(pattern))


def is_question(text: str) -> bool:
    """Whether a line asks something: by its mark, or by its first word where the mark is left
    out, as happens."""
    if "?" in text:
        return True
    words = tokens(text)
    return len(words) >= 3 and words[0] in _QUESTION_WORDS


def matter(text: str) -> str | None:
    """What a line is about, guessed: the last word after an article, a possessive or a
    preposition that says something; None if there is none."""
    words = tokens(text)
    found = None
    for before, word in pairwise(words):
        if (
            before in _BEFORE_A_MATTER
            and len(word) > 3
            and word.isalpha()
            and word not in STOP
            and word not in _NUMBER_WORDS
        ):
            found = word
    return found


def is_noise(text: str) -> bool:
    """Whether a line looks like a hand that fell on the keyboard: most of its longer words have
    hardly a vowel."""
    longer = [word for word in tokens(text) if len(word) >= 4 and word.isalpha()]
    odd = [word for word in longer if sum(letter in "aeiouy" for letter in word) * 6 < len(word)]
    return bool(longer) and len(odd) * 2 > len(longer)


def has_number(text: str) -> bool:
    """Whether a line names a number or a time, in digits or words."""
    return any(word[0].isdigit() or word in _NUMBER_WORDS for word in tokens(text))
