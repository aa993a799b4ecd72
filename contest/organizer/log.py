"""The log of a contest: filtered pages of all events except key presses, and, on request, the keys
of one talk.

A talk can have any number of keys, and people type while somebody reads its log. So only the keys
that a page shows are read; searches for a person or a text cover the other events only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contest.record import bodies
from contest.record.bodies import KEY_KINDS
from contest.record.events import Event
from contest.record.reading import ListLog
from contest.record.store import Record
from contest.state.incidents import as_text, in_words, unsalted
from contest.state.publication import Published
from texts import Texts

#: Events on a page.
PAGE = 50
#: Fields of an event's body that name a person or a place.
_WHO = ("seat", "judge", "entity", "entry", "where")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for the log; an empty field matches everything.

    Attributes:
        kind: the kind of the events.
        who: the id of the person or program that did it or that it concerns; case is ignored.
        text: a part of the event's words or data.
        talk: a talk's id, to show that talk's events; then only `kind` filters them.
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
        events: newest first, as they may be published.
        found: the number of events on all pages.
        number, last: this page's number, and the last page's.
    """

    events: tuple[Event, ...]
    found: int
    number: int
    last: int


class Log:
    """All events except key presses and their times, and on request the keys of a talk.

    Arguments:
        record: the record, for the talks' own events; read in a thread.
        events: the events so far, if the contest has begun.

    Attributes:
        events: in the order of the record; a contest has a few hundred.
    """

    def __init__(self, record: Record, events: Iterable[Event] = ()) -> None:
        self.events = [event for event in events if event.kind not in KEY_KINDS]
        self._record = record

    def event(self, event: Event) -> None:
        """Takes a durable event."""
        if event.kind not in KEY_KINDS:
            self.events.append(event)

    def kinds(self) -> list[str]:
        """The kinds of events, in alphabetical order."""
        return sorted({event.kind for event in self.events})

    def talks(self) -> list[str]:
        """The talks, in the order of their opening."""
        return [e.talk for e in self.events if e.kind == bodies.TalkOpened.kind and e.talk]

    def newest(self, kind: str, who: str, last: int) -> list[dict[str, Any]]:
        """The latest events of a kind, or about a participant, as JSON.

        Returns:
            For each event `seq`, `at`, `talk`, `actor`, `kind`, `words` and `body`; oldest first.
        """
        wanted = Filter(kind, who)
        found = [event for event in reversed(self.events) if _fits(event, wanted)][:last]
        return [
            {"seq": event.seq, "at": event.at, "talk": event.talk, "actor": event.actor}
            | {"kind": event.kind, "words": in_words(event), "body": unsalted(event)}
            for event in reversed(found)
        ]

    def page(self, wanted: Filter, texts: Texts | None = None) -> Page:
        """A page of the log. Call it in a thread, because it reads keys from the record.

        Anything that judges and confederates withhold from publication is not shown here either.

        Arguments:
            wanted: the filter.
            texts: the texts of the reader's language, in which a text is searched for; English by
                default.

        Raises:
            RecordTrouble: if the record can't be read.
        """
        events = list(self.events)
        # `Published` needs all events except keys: who agreed to what, and who met whom.
        published = Published(ListLog(events)).event
        if wanted.talk:
            known = wanted.talk in self.talks()
            found = self._record.count(wanted.talk, wanted.kind or None) if known else 0
        else:
            fit = [each for each in map(published, reversed(events)) if _fits(each, wanted, texts)]
            found = len(fit)
        last = max(1, -(-found // PAGE))
        number = min(max(1, wanted.page), last)
        skip = (number - 1) * PAGE
        if not wanted.talk:
            shown = fit[skip : skip + PAGE]
        elif found:
            newest = self._record.newest(wanted.talk, wanted.kind or None, skip, PAGE)
            shown = [published(event) for event in newest]
        else:
            shown = []
        return Page(tuple(shown), found, number, last)


def _fits(event: Event, wanted: Filter, texts: Texts | None = None) -> bool:
    """Whether an event has the kind, is by or about the person, and contains the text."""
    if wanted.kind not in ("", event.kind):
        return False
    about = [event.actor, event.talk or "", *(str(event.body.get(name, "")) for name in _WHO)]
    if wanted.who and wanted.who.casefold() not in (who.casefold() for who in about):
        return False
    text = wanted.text.casefold()
    words = in_words(event, texts=texts)
    return not text or text in f"{event.kind} {words} {as_text(event)}".casefold()
