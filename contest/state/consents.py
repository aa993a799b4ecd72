"""What judges and confederates agreed to: who withholds, and how each is called in public.

Persons sit at a seat in turn: the first is number 0, and each who replaces another the next. What
one of them has agreed to holds for that person's turn only. Of a
person who gave no answer the settings' `[publication] default` holds. Settings without that table
are those of a version that played with scripted people only: it is published.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from contest.state.model import Sitter, State, Talk


def sitter(state: State, who: str, turn: int | None = None) -> Sitter | None:
    """A person of a seat; the present one if the turn is left out."""
    sitters = state.persons.get(who)
    if not sitters:
        return None
    return sitters[-1 if turn is None else min(turn, len(sitters) - 1)]


def withholds(state: State, who: str, turn: int | None = None) -> bool:
    """Whether nothing of a person may be published: of a seat, in turn, the present one if left
    out. Programs are not asked."""
    if who in state.entries:
        return False
    found = sitter(state, who, turn)
    if found is not None and found.consent is not None:
        return not found.consent.publish
    settings = {} if state.opened is None else state.opened.settings
    publication = settings.get("publication")
    return isinstance(publication, dict) and publication.get("default") != "publish"


def withholds_talk(state: State, talk: Talk) -> bool:
    """Whether a talk is left out: if either of those who sat there withholds."""
    judge, entity = talk.turns
    return withholds(state, talk.judge, judge) or withholds(state, talk.entity, entity)


def public_name(state: State, who: str, turn: int | None = None) -> str:
    """How a person is called in public: by the pseudonym if there is one, else the name; empty for
    one who withholds, whom the id alone stands for. For the arguments see `withholds`."""
    found = sitter(state, who, turn)
    if found is None or withholds(state, who, turn):
        return ""
    return (found.consent.pseudonym if found.consent else "") or found.name


# Pseudonyms: none that could be taken for somebody else, for a side, or for what programs and
# participants are called here

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
    """A pseudonym that is not available; the text is for the person who wants it."""


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
        BadPseudonym: if it is not available.
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
