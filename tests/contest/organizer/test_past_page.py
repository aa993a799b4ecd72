"""The log: filters, pages, and the keys of a talk that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import product
from typing import Any, TypeAlias

import pytest

from contest.history.publication import publishable
from contest.organizer.past import PAGE, Filter, History, Page
from contest.organizer.words import in_words
from contest.record import bodies
from contest.record.bodies import OF_KEYS
from contest.record.reading import Reader
from contest.record.store import Record
from tests.contest.build import Builder, contest, small

Histories: TypeAlias = Callable[[Builder], History]


@pytest.fixture
def history(record: Record) -> Histories:
    """Puts a contest on record; gives what the board has of it."""

    def put(b: Builder) -> History:
        record.take_over(b.events)
        return History([event for event in b.events if event.kind not in OF_KEYS], record)

    return put


def all_of(log: History, wanted: Filter) -> list[int]:
    """The numbers of all events on all pages."""
    found = []
    for number in range(1, log.read(wanted).last + 1):
        page = log.read(Filter(wanted.kind, wanted.who, wanted.text, wanted.talk, number))
        assert page.number == number
        found += [event.seq for event in page.events]
    return found


def test_all_pages_have_all_events_once_the_newest_first(history: Histories) -> None:
    b = contest()
    log = history(b)
    seqs = [event.seq for event in b.events if event.kind not in OF_KEYS]
    assert all_of(log, Filter()) == seqs[::-1]
    first = log.read(Filter())
    assert (len(first.events), first.found, first.last) == (PAGE, len(seqs), -(-len(seqs) // PAGE))


@pytest.mark.parametrize(("asked", "got"), [(-5, 1), (0, 1), (10_000, 4)])
def test_a_page_that_is_not_there(history: Histories, asked: int, got: int) -> None:
    assert history(contest()).read(Filter(page=asked)).number == got


def test_filters(history: Histories) -> None:
    b = contest()
    log = history(b)
    kinds = {e.seq: e.kind for e in b.events}
    assert {kinds[seq] for seq in all_of(log, Filter(kind="verdict"))} == {"verdict"}
    verdicts = [e.seq for e in b.events if e.kind == "verdict" and e.body["judge"] == "J2"]
    assert all_of(log, Filter(kind="verdict", who="j2")) == verdicts[::-1]
    said = all_of(log, Filter(text="FIRE ALARM"))
    assert [kinds[seq] for seq in said] == ["round-paused"]
    assert all_of(log, Filter(kind="verdict", text="no such words")) == []
    assert log.read(Filter(who="nobody")).found == 0


def test_keys_are_there_for_a_talk_that_is_asked_for_and_for_no_other(history: Histories) -> None:
    b = contest()
    log = history(b)
    talk = "1.1.J1.left"
    assert talk in log.talks()
    mine = [event.seq for event in b.events if event.talk == talk]
    assert all_of(log, Filter(talk=talk)) == mine[::-1]
    assert not OF_KEYS & set(log.kinds())
    assert log.read(Filter(talk="9.9.J1.left")).found == 0
    assert log.read(Filter(kind="key")).found == 0
    keys = log.read(Filter(kind="key", talk=talk, who="J1"))
    assert keys.found == sum(
        e.talk == talk and e.kind == "key" and e.actor == "J1" for e in b.events
    )


def test_what_somebody_does_not_want_published_is_not_shown_here_either(history: Histories) -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
        b.type(talks["C1"], "entity", "C1", "secret")
        b.type(talks["E1"], "entity", "E1", "public")

    b = small(talk)
    log = history(b)
    of = {event.body["entity"]: event.talk for event in b.events if event.kind == "talk-opened"}
    human = log.read(Filter(talk=of["C1"] or ""))
    assert human.found
    assert not any("key" in event.body for event in human.events)
    program = log.read(Filter(talk=of["E1"] or "", kind="key"))
    assert "".join(event.body["key"] for event in reversed(program.events)) == "public"


def test_pages_of_talks_have_what_may_be_published_and_fits(history: Histories) -> None:
    b = talk_of(3 * PAGE, withheld=True)
    log, events = history(b), publishable(b.events)
    for talk, kind, who, text in product(
        ("", *log.talks()), ("", "key", "talk-opened"), ("", "c1", "WITHHELD"), ("", "PRESSED n")
    ):
        fit = [
            event.seq
            for event in reversed(events)
            if (event.talk == talk if talk else event.kind not in OF_KEYS)
            if kind in ("", event.kind)
            if who.casefold()
            in ("", event.actor.casefold(), event.body.get("entity", "").casefold())
            if text.casefold() in f"{in_words(event)}".casefold()
        ]
        wanted = Filter(kind, who, text, talk)
        assert all_of(log, wanted) == fit, wanted
        assert log.read(Filter(kind, who, text, talk, 99)).number == log.read(wanted).last


async def test_a_talk_is_searched_in_another_process(
    history: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = history(talk_of(4 * PAGE, withheld=True))
    talks = log.talks()
    plain = [Filter(), Filter(text="nothing"), Filter(talk=talks[0])]
    searches = [Filter(text="PRESSED n", talk=talk, page=2) for talk in talks]
    expected = log.read_all([*plain, *searches])
    here: list[Filter] = []
    read_all = log.read_all

    def noted(wanted: Collection[Filter]) -> dict[Filter, Page]:
        here.extend(wanted)
        return read_all(wanted)

    monkeypatch.setattr(log, "read_all", noted)
    assert await log.pages([*plain, *searches]) == expected
    assert here == plain
    assert max(expected[each].found for each in searches) > PAGE


@pytest.mark.parametrize("kind", ["", "key"])
@pytest.mark.parametrize("page", [1, 3, 10_000])
def test_no_more_of_a_talk_is_read_than_a_page_shows(
    history: Histories, monkeypatch: pytest.MonkeyPatch, kind: str, page: int
) -> None:
    log = history(talk_of(20 * PAGE))
    read, event_of = 0, Reader._event

    def counted(reader: Reader, row: Any) -> Any:
        nonlocal read
        read += 1
        return event_of(reader, row)

    monkeypatch.setattr(Reader, "_event", counted)
    for talk in log.talks():
        read = 0
        made = log.read(Filter(kind=kind, talk=talk, page=page))
        assert read == len(made.events) <= PAGE
        assert made.found >= len(made.events)
    assert max(log.read(Filter(talk=talk)).found for talk in log.talks()) > 20 * PAGE


def talk_of(keys: int, *, withheld: bool = False) -> Builder:
    """A contest in which everybody's talk has so many keys of the other; of C1 nothing may be
    published, if so."""

    def talk(b: Builder, talks: dict[str, str]) -> None:
        if withheld:
            b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
        for other in ("C1", "E1"):
            b.type(talks[other], "entity", other, "no" * (keys // 2))

    return small(talk)
