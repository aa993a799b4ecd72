"""Which pseudonyms a judge or confederate may have: none that could be taken for somebody else, for
a side, or for what programs and participants are called here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

#: Characters of a pseudonym at most.
LENGTH = 40

#: What reads like a side, a role, or a label of ours: "the human", "Judge 2", "E1", "1 left".
_LABEL = re.compile(
    r"(the |a |an )?"
    r"((left|right|only)( side| one)?|human( being)?|person|program|programme|machine|computer"
    r"|(chat ?)?bot|ai|judge|entry|entrant|entity|confederate|participant|organi[sz]er|server"
    r"|contest management|withheld|anonymous)"
    r"[ #_-]*[0-9]*"
    r"|[a-z][ #_-]?[0-9]{1,3}"
    r"|[0-9]+[ ._-]*(left|right)"
)


class BadPseudonym(ValueError):
    """A pseudonym that can't be had; the text is for the person who wants it."""


def accepted(wanted: str, who: str, names: Mapping[str, str], pseudonyms: Mapping[str, str]) -> str:
    """A pseudonym as it is kept.

    Arguments:
        wanted: as the person wrote it; empty for none.
        who: the person's id.
        names: id to name, of everybody in the contest, entries included.
        pseudonyms: id to the pseudonym that each has now.

    Returns:
        The same in NFC, blanks at its ends taken off and within it single.

    Raises:
        BadPseudonym: if it can't be had.
    """
    text = " ".join(unicodedata.normalize("NFC", wanted).split())
    if not text:
        return ""
    if len(text) > LENGTH:
        raise BadPseudonym(f"a pseudonym has up to {LENGTH} characters; this has {len(text)}")
    if not text.isprintable() or not any(char.isalnum() for char in text):
        raise BadPseudonym("a pseudonym is made of letters and other characters that can be seen")
    if _LABEL.fullmatch(_alike(text)):
        raise BadPseudonym("this reads like a side or a label of the contest; choose another")
    others = {other for each in (names, pseudonyms) for other in each if other != who}
    taken = {
        _alike(name)
        for other in others
        for name in (other, names.get(other, ""), pseudonyms.get(other, ""))
    }
    if _alike(text) in taken:
        # Not whose: that could be somebody's secret.
        raise BadPseudonym("this is taken in this contest; choose another")
    return text


def _alike(text: str) -> str:
    """The same for names that a reader takes for the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
