"""Names as people write them, compared: capitals, spaces, points and accents make no difference."""

from __future__ import annotations

import difflib
import functools
import unicodedata

#: How alike two names are, from 0 to 1, that somebody should look at.
NEAR = 0.85


@functools.lru_cache(4096)
def folded(name: str) -> str:
    """What of a name counts when it is compared: its letters and digits without accents, all small.

    Vowel signs of scripts that write them as marks count, for without them names would be others.

    Arguments:
        name: as written.

    Returns:
        Empty if no letter and no digit is in it.
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    kept = "".join(
        char
        for char in unicodedata.normalize("NFKD", plain)
        if not unicodedata.combining(char)
        and (char.isalnum() or unicodedata.category(char) in ("Mn", "Mc"))
    )
    return kept if any(map(str.isalnum, kept)) else ""


def same(one: str, other: str) -> bool:
    """Whether two names are written alike; a text without any letter is no name and like none."""
    return bool(folded(one)) and folded(one) == folded(other)


def near(one: str, other: str) -> bool:
    """Whether two names that are not the same may be one person's: nearly alike, or the same words
    in another order.

    Symmetric, whichever is given first.
    """
    # In one order, for the ratio is not the same from both sides.
    first, second = sorted((one, other))
    if not folded(first) or not folded(second) or same(first, second):
        return False
    if _words(first) == _words(second):
        return True
    matcher = difflib.SequenceMatcher(None, folded(first), folded(second), autojunk=False)
    return matcher.ratio() >= NEAR


def _words(name: str) -> list[str]:
    """The words of a name, folded, in an order of their own."""
    parted = "".join(char if char.isalnum() or not char.isascii() else " " for char in name)
    return sorted(filter(None, map(folded, parted.split())))
