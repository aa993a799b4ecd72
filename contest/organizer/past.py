"""The event log as the board shows it: filtered, page by page, with the keys of one talk.

A talk may have any number of keys, and people type while somebody reads its log. So no more of them
are held than a page shows; and unless a text or a person is looked for, no more of them are read.
A search in a talk reads all of its keys, in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec

from contest import apart
from contest.errors import Surroundings
from contest.history.publication import Published
from contest.organizer.words import in_words
from contest.record import bodies
from contest.record.bodies import OF_KEYS
from contest.record.events import Event
from contest.record.logs import ListLog
from contest.record.store import Record

#: Events on a page.
PAGE = 50
#: Seconds that a search in talks may take.
LONGEST = 60.0


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


class _Question(msgspec.Struct, frozen=True):
    """What the searching process is told.

    Attributes:
        url: the record's.
        events: all but keys.
        wanted: the pages.
    """

    url: str
    events: list[Event]
    wanted: list[Filter]


class History:
    """All events but keys, and the keys of a talk that is asked for.

    Arguments:
        events: all but keys, in their order; more of them come as they happen.
        record: has the talks' own events; it is read in a thread.
    """

    def __init__(self, events: Sequence[Event], record: Record) -> None:
        self.events = events
        self._record = record
        self._latest: dict[str, int] = {}
        self._one_search_at_a_time = asyncio.Lock()

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

    async def pages(self, wanted: Collection[Filter]) -> dict[Filter, Page]:
        """Pages of the log, as `read_all` makes them.

        A search in the keys of a talk may take seconds. It runs in a process of its own, because a
        thread would take turns with the loop that serves keys.

        Raises:
            RecordTrouble: if the record can't be read.
            Surroundings: if a search can't be made, or takes too long.
        """
        searches = [each for each in wanted if each.talk and (each.who or each.text)]
        others = [each for each in wanted if each not in searches]
        found = await asyncio.to_thread(self.read_all, others) if others else {}
        if not searches:
            return found
        question = _Question(self._record.url, list(self.events), searches)
        asked = await asyncio.to_thread(msgspec.msgpack.encode, question)
        try:
            async with self._one_search_at_a_time:
                answer = await apart.run(__name__, asked, LONGEST)
        except TimeoutError:
            raise Surroundings(f"the search was not done within {LONGEST:g} seconds") from None
        made = msgspec.msgpack.decode(answer, type=list[Page])
        return found | dict(zip(searches, made, strict=True))

    def read(self, wanted: Filter) -> Page:
        """A page of the log; see `read_all`."""
        return self.read_all([wanted])[wanted]

    def read_all(self, wanted: Collection[Filter]) -> dict[Filter, Page]:
        """Pages of the log; in a thread, for the keys of talks are read from the record.

        What judges and confederates do not want to have published, is not shown here either.
        """
        events = list(self.events)
        # The rules need the whole record but keys: who agreed to what, and who met whom.
        published = Published(ListLog(events))
        return {each: self._page(each, events, published) for each in wanted}

    def _page(self, wanted: Filter, events: Sequence[Event], published: Published) -> Page:
        if wanted.talk and wanted.talk not in self.talks():
            return Page((), 0, 1, 1)
        if wanted.who or wanted.text:
            return _searched(map(published.event, self._newest(wanted, events)), wanted)
        if wanted.talk:
            found = self._record.count(wanted.talk, wanted.kind or None)
        else:
            found = sum(1 for _ in self._newest(wanted, events))
        last = _last(found)
        number = min(max(1, wanted.page), last)
        shown = self._newest(wanted, events, (number - 1) * PAGE, PAGE)
        return Page(tuple(map(published.event, shown)), found, number, last)

    def _newest(
        self, wanted: Filter, events: Sequence[Event], skip: int = 0, most: int | None = None
    ) -> Iterator[Event]:
        """What is of the talk and the kind, the newest first; neither is ever withheld."""
        kind = wanted.kind or None
        if wanted.talk:
            return self._record.newest(wanted.talk, kind, skip, most)
        found = (event for event in reversed(events) if kind is None or event.kind == kind)
        return islice(found, skip, None if most is None else skip + most)


def answered(question: bytes) -> bytes:
    """What the searching process does; see `contest.apart`."""
    asked = msgspec.msgpack.decode(question, type=_Question)
    with Record(asked.url) as record:
        history = History(asked.events, record)
        return msgspec.msgpack.encode([history.read(each) for each in asked.wanted])


def _searched(events: Iterable[Event], wanted: Filter) -> Page:
    found, shown = 0, list[Event]()
    for event in events:
        if not _fits(event, wanted):
            continue
        if found < max(1, wanted.page) * PAGE:
            # The next page, as long as the one that is asked for has not come.
            if found % PAGE == 0:
                shown.clear()
            shown.append(event)
        found += 1
    last = _last(found)
    return Page(tuple(shown), found, min(max(1, wanted.page), last), last)


def _last(found: int) -> int:
    """The number of the last page."""
    return max(1, -(-found // PAGE))


def _fits(event: Event, wanted: Filter) -> bool:
    """Whether an event, as it may be published, is by or about whom is looked for, and says it."""
    if wanted.who and wanted.who.casefold() not in {who.casefold() for who in _about(event)}:
        return False
    return not wanted.text or wanted.text.casefold() in _text(event).casefold()


def _about(event: Event) -> list[str]:
    names = ("seat", "entry", "judge", "entity")
    return [event.actor, *(str(event.body[name]) for name in names if name in event.body)]


def _text(event: Event) -> str:
    body = {name: value for name, value in event.body.items() if name != "salt"}
    return f"{event.kind} {in_words(event)} {json.dumps(body, ensure_ascii=False)}"
