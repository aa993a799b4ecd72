"""Mends single slips of the fingers: judges mistype, and "What wolud you use a hamer for?" is to
be understood. Only a word that nothing knows is mended, and only to a known one that is one slip
away: two neighbours exchanged, a letter doubled, or only one of two struck. Other slips are left:
with letters changed or left out, every twentieth word of English would be "mended" to another.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from bots.screening.knowledge import common_knowledge
from bots.screening.scales import adjective_forms
from bots.screening.wording import gender, number, verb_base, word_lists

#: Shorter words have too many neighbours.
SHORTEST = 5

_PLAIN = re.compile(rf"(?<![\w'])[a-z]{{{SHORTEST},}}(?![\w'])")


def mend(text: str) -> str:
    """A text with single slips mended; words with a capital are names and stay."""
    return _PLAIN.sub(lambda match: _mended(match[0]), text)


@functools.lru_cache(maxsize=2000)
def _mended(word: str) -> str:
    if _is_known(word):
        return word
    found = {near for near in _one_slip(word) if near in _vocabulary()}
    # Of several that are as near none is chosen: a wrong word is worse than a strange one.
    return found.pop() if len(found) == 1 else word


def _is_known(word: str) -> bool:
    return (
        word in _vocabulary()
        or verb_base(word) is not None
        or number(word) is not None
        or gender(word) is not None
        or common_knowledge().find(word) is not None
    )


@functools.cache
def _vocabulary() -> frozenset[str]:
    lists = word_lists()
    words = {*lists["empty"]["words"].split(), *lists["common"]["words"].split()}
    for group in lists["little"].values():
        words.update(group.split())
    for form in adjective_forms():
        words.update(form.split())
    words.update(re.findall(r"[a-z]+", lists["opposites"]["pairs"]))
    words.update(common_knowledge().names())
    return frozenset(words)


def _one_slip(word: str) -> Iterator[str]:
    for cut in range(len(word)):
        head, tail = word[:cut], word[cut:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield head + tail[0] + tail
        if head.endswith(tail[0]):
            yield head + tail[1:]
