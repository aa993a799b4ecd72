"""The log: filters, pages, and the keys of a talk that is asked for."""

from __future__ import annotations

import pytest

from contest.board.history import PAGE, Filter, History
from contest.record import bodies
from contest.record.bodies import OF_KEYS
from tests.contest.build import Builder, contest, small


def history(b: Builder) -> History:
    return History(
        [event for event in b.events if event.kind not in OF_KEYS],
        lambda talk: [event for event in b.events if event.talk == talk],
    )


def all_of(log: History, wanted: Filter) -> list[int]:
    """The numbers of all events on all pages."""
    found = []
    for number in range(1, log.read(wanted).last + 1):
        page = log.read(Filter(wanted.kind, wanted.who, wanted.text, wanted.talk, number))
        assert page.number == number
        found += [event.seq for event in page.events]
    return found


def test_all_pages_have_all_events_once_the_newest_first() -> None:
    b = contest()
    log = history(b)
    seqs = [event.seq for event in b.events if event.kind not in OF_KEYS]
    assert all_of(log, Filter()) == seqs[::-1]
    first = log.read(Filter())
    assert (len(first.events), first.found, first.last) == (PAGE, len(seqs), -(-len(seqs) // PAGE))


@pytest.mark.parametrize(("asked", "got"), [(-5, 1), (0, 1), (10_000, 4)])
def test_a_page_that_is_not_there(asked: int, got: int) -> None:
    assert history(contest()).read(Filter(page=asked)).number == got


def test_filters() -> None:
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


def test_keys_are_there_for_a_talk_that_is_asked_for_and_for_no_other() -> None:
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


def test_what_somebody_does_not_want_published_is_not_shown_here_either() -> None:
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
