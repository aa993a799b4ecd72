"""The consents of judges and confederates: who withholds their text, and everybody's public name.

Several people may sit at a seat, one after another: the first person is number 0, and each
replacement gets the next number. An answer covers that person's own turn only. For a person who
gave no answer, the settings' `[publication] default` applies. Settings without that table come from
a version that played with scripted people only; those talks are published.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from contest.state.model import Occupant, State, Talk


def occupant(state: State, who: str, turn: int | None = None) -> Occupant | None:
    """The person who had this turn at a seat; by default the current one."""
    occupants = state.persons.get(who)
    if not occupants:
        return None
    return occupants[-1 if turn is None else min(turn, len(occupants) - 1)]


def withholds(state: State, who: str, turn: int | None = None) -> bool:
    """Whether nothing by a person may be published. Programs are not asked.

    Arguments:
        state: the contest's.
        who: an id: the person's seat, or an entry.
        turn: which person at that seat; by default the current one.
    """
    if who in state.entries:
        return False
    found = occupant(state, who, turn)
    if found is not None and found.consent is not None:
        return not found.consent.body.publish
    settings = {} if state.opened is None else state.opened.settings
    publication = settings.get("publication")
    return isinstance(publication, dict) and publication.get("default") != "publish"


def withholds_talk(state: State, talk: Talk) -> bool:
    """Whether a talk is left out: either of the two participants withholds."""
    judge, entity = talk.turns
    return withholds(state, talk.judge, judge) or withholds(state, talk.entity, entity)


def public_name(state: State, who: str, turn: int | None = None) -> str:
    """A person's public name: the pseudonym if there is one, otherwise the name. It is empty for a
    person who withholds; use the id instead. For the arguments see `withholds`."""
    found = occupant(state, who, turn)
    if found is None or withholds(state, who, turn):
        return ""
    return (found.consent.body.pseudonym if found.consent else "") or found.name


# Pseudonyms: they must not be mistaken for another person, a side, or one of our labels for
# programs and participants

#: The maximum number of characters in a pseudonym.
LENGTH = 40

#: Texts that look like a side, a role, or a label of ours: "the human", "Judge 2", "E1", "1 left".
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
    """The pseudonym is not available; the text is for the person who asked for it."""


def check_pseudonym(
    wanted: str, who: str, names: Mapping[str, str], pseudonyms: Mapping[str, str]
) -> str:
    """Checks and normalizes a pseudonym.

    Arguments:
        wanted: as the person wrote it; empty for none.
        who: the person's id.
        names: id to name, of everybody in the contest, entries included.
        pseudonyms: id to each person's current pseudonym.

    Returns:
        The pseudonym in NFC, without blanks at its ends and with single blanks inside.

    Raises:
        BadPseudonym: if it is not available.
    """
    text = " ".join(unicodedata.normalize("NFC", wanted).split())
    if not text:
        return ""
    if len(text) > LENGTH:
        raise BadPseudonym(f"a pseudonym has at most {LENGTH} characters; this one has {len(text)}")
    if not text.isprintable() or not any(char.isalnum() for char in text):
        raise BadPseudonym("a pseudonym needs a letter or a digit, and only visible characters")
    if _LABEL.fullmatch(_alike(text)):
        raise BadPseudonym("this looks like a side or a label of the contest; choose another")
    others = {other for each in (names, pseudonyms) for other in each if other != who}
    taken = {
        _alike(name)
        for other in others
        for name in (other, names.get(other, ""), pseudonyms.get(other, ""))
    }
    if _alike(text) in taken:
        # Don't say by whom: that could be somebody's secret.
        raise BadPseudonym("this is already taken in this contest; choose another")
    return text


def _alike(text: str) -> str:
    """Normalizes a name, so that names that a reader would confuse are equal."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
