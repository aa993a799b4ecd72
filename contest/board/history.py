"""The event log as the board shows it: filtered, page by page, with the keys of one talk."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from contest.board.words import in_words
from contest.history.publication import publishable
from contest.record import bodies
from contest.record.bodies import OF_KEYS
from contest.record.events import Event

#: Events on a page.
PAGE = 50


@dataclass(frozen=True, slots=True)
class Filter:
    """What of the log is to be seen; what is empty lets everything through.

    Attributes:
        kind: of the events.
        who: who did it, or whom it is about: an id, in any case.
        text: stands in what the event says.
        talk: a talk's id; then its keys are among the events.
        page: from 1, the newest first.
    """

    kind: str = ""
    who: str = ""
    text: str = ""
    talk: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the log.

    Attributes:
        events: newest first.
        found: how many there are on all pages.
        number, last: which page this is, and which is the last.
    """

    events: tuple[Event, ...]
    found: int
    number: int
    last: int


class History:
    """All events but keys, and the keys of a talk that is asked for.

    Arguments:
        events: all but keys, in their order; more of them come as they happen.
        keys: reads the events of a talk from the record; called in a thread.
    """

    def __init__(self, events: Sequence[Event], keys: Callable[[str], Iterable[Event]]) -> None:
        self.events = events
        self._keys = keys
        self._latest: dict[str, int] = {}

    def event(self, event: Event) -> None:
        """Takes an event that is durable: of the keys of a talk it is known when more have come."""
        if event.kind in OF_KEYS and event.talk is not None:
            self._latest[event.talk] = event.seq

    def state(self, talk: str = "") -> tuple[int, int]:
        """Another one whenever something has happened.

        Arguments:
            talk: whose keys count, too; empty for none.
        """
        return len(self.events), self._latest.get(talk, 0)

    def kinds(self) -> list[str]:
        """The kinds that there are, by the alphabet."""
        return sorted({event.kind for event in self.events})

    def talks(self) -> list[str]:
        """The talks that there are, in the order of their opening."""
        return [e.talk for e in self.events if e.kind == bodies.TalkOpened.kind and e.talk]

    def read(self, wanted: Filter) -> Page:
        """A page of the log; see `read_all`."""
        return self.read_all([wanted])[wanted]

    def read_all(self, wanted: Collection[Filter]) -> dict[Filter, Page]:
        """Pages of the log; in a thread, for the keys of talks are read from the record.

        What judges and confederates do not want to have published, is not shown here either.
        """
        events = list(self.events)
        known = set(self.talks())
        keys = [
            event
            for talk in sorted({each.talk for each in wanted} & known)
            for event in self._keys(talk)
            if event.kind in OF_KEYS
        ]
        if keys:
            events = sorted([*events, *keys], key=lambda event: event.seq)
        # The rules need the whole record but keys: who agreed to what, and who met whom.
        shown = publishable(events)[::-1]
        return {each: _page(shown, each) for each in wanted}


def _page(shown: Sequence[Event], wanted: Filter) -> Page:
    found = [event for event in shown if _fits(event, wanted)]
    last = max(1, -(-len(found) // PAGE))
    number = min(max(1, wanted.page), last)
    return Page(tuple(found[(number - 1) * PAGE : number * PAGE]), len(found), number, last)


def _fits(event: Event, wanted: Filter) -> bool:
    if wanted.kind and event.kind != wanted.kind:
        return False
    if event.talk != wanted.talk if wanted.talk else event.kind in OF_KEYS:
        return False
    if wanted.who and wanted.who.casefold() not in {who.casefold() for who in _about(event)}:
        return False
    return not wanted.text or wanted.text.casefold() in _text(event).casefold()


def _about(event: Event) -> list[str]:
    names = ("seat", "entry", "judge", "entity")
    return [event.actor, *(str(event.body[name]) for name in names if name in event.body)]


def _text(event: Event) -> str:
    body = {name: value for name, value in event.body.items() if name != "salt"}
    return f"{event.kind} {in_words(event)} {json.dumps(body, ensure_ascii=False)}"
