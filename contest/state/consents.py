"""What judges and confederates agreed to: who withholds, and how each is called in public.

Persons sit at a seat in turn: the first is number 0, and each who replaces another the next. What
one of them has agreed to holds for that person's turn only. Of a
person who gave no answer the settings' `[publication] default` holds. Settings without that table
are those of a version that played with scripted people only: it is published.
"""

from __future__ import annotations

from contest.record import bodies
from contest.state.model import Sitter, State, Talk


def sitter(state: State, who: str, turn: int | None = None) -> Sitter | None:
    """A person of a seat; the present one if the turn is left out."""
    sitters = state.persons.get(who)
    if not sitters:
        return None
    return sitters[-1 if turn is None else min(turn, len(sitters) - 1)]


def withholds(state: State, who: str, turn: int | None = None) -> bool:
    """Whether nothing of a person may be published; programs are not asked.

    Arguments:
        state: the contest's.
        who: the seat's id, or an entry's.
        turn: which person of that seat; the present one if left out.
    """
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


def public_name(state: State, who: str, name: str, turn: int | None = None) -> str:
    """How a person is called in public.

    Arguments:
        state: the contest's.
        who: the seat's id.
        name: as the settings, or the event that replaced another, have it.
        turn: which person of that seat; the present one if left out.

    Returns:
        The pseudonym if there is one, else the name; empty for one who withholds, whom the id
        alone stands for.
    """
    if withholds(state, who, turn):
        return ""
    found = sitter(state, who, turn)
    consent = None if found is None else found.consent
    return name if consent is None else consent.pseudonym or name


def holds(state: State, answer: bodies.ConsentGiven) -> bool:
    """Whether an answer is the last one of its person."""
    return any(
        each.consent is not None and each.consent.version == answer.version
        for each in state.persons.get(answer.seat, ())
    )
