"""Tests the log: filters, pages, the keys of a chosen talk, and each event in words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.organizer.log import PAGE, Filter, Log
from contest.record import bodies
from contest.record.bodies import KEY_KINDS
from contest.record.events import Event
from contest.record.reading import Reader
from contest.record.store import Record
from contest.state.incidents import in_words
from tests.contest.build import Builder, codebook, contest, small

Logs: TypeAlias = Callable[[Builder], Log]


@pytest.fixture
def log_of(record: Record) -> Logs:
    """Records contests, and returns the board's log of each."""

    def put(b: Builder) -> Log:
        record.append_placed(b.events)
        return Log(record, b.events)

    return put


def all_of(log: Log, wanted: Filter) -> list[int]:
    """The numbers of all events on all pages."""
    found = []
    for number in range(1, log.page(wanted).last + 1):
        page = log.page(Filter(wanted.kind, wanted.who, wanted.text, wanted.talk, number))
        assert page.number == number
        found += [event.seq for event in page.events]
    return found


def test_pages_and_filters_of_the_log(log_of: Logs) -> None:
    b = contest()
    log = log_of(b)

    # All events once, the newest first
    seqs = [event.seq for event in b.events if event.kind not in KEY_KINDS]
    assert all_of(log, Filter()) == seqs[::-1]
    first = log.page(Filter())
    assert (len(first.events), first.found, first.last) == (PAGE, len(seqs), -(-len(seqs) // PAGE))
    for asked, got in ((-5, 1), (0, 1), (10_000, first.last)):
        assert log.page(Filter(page=asked)).number == got

    # Filters
    kinds = {e.seq: e.kind for e in b.events}
    assert {kinds[seq] for seq in all_of(log, Filter(kind="verdict"))} == {"verdict"}
    verdicts = [e.seq for e in b.events if e.kind == "verdict" and e.body["judge"] == "J2"]
    assert all_of(log, Filter(kind="verdict", who="j2")) == verdicts[::-1]
    said = all_of(log, Filter(text="FIRE ALARM"))
    assert [kinds[seq] for seq in said] == ["round-paused"]
    assert all_of(log, Filter(kind="verdict", text="no such words")) == []
    assert log.page(Filter(who="nobody")).found == 0

    # Keys, only of the chosen talk
    talk = "1.1.J1.left"
    assert talk in log.talks()
    mine = [event.seq for event in b.events if event.talk == talk]
    assert all_of(log, Filter(talk=talk)) == mine[::-1]
    assert not KEY_KINDS & set(log.kinds())
    assert log.page(Filter(talk="9.9.J1.left")).found == 0
    assert log.page(Filter(kind="key")).found == 0
    keys = log.page(Filter(kind="key", talk=talk, who="nobody"))
    assert keys.found == sum(e.talk == talk and e.kind == "key" for e in b.events)


def test_withheld_text_is_not_shown_in_the_log(log_of: Logs) -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
        b.type(talks["C1"], "entity", "C1", "secret")
        b.type(talks["E1"], "entity", "E1", "public")

    b = small(talk)
    log = log_of(b)
    of = {event.body["entity"]: event.talk for event in b.events if event.kind == "talk-opened"}
    human = log.page(Filter(talk=of["C1"] or ""))
    assert human.found
    assert not any("key" in event.body for event in human.events)
    program = log.page(Filter(talk=of["E1"] or "", kind="key"))
    assert "".join(event.body["key"] for event in reversed(program.events)) == "public"


def test_only_the_keys_of_the_page_are_read(log_of: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(talk_of(20 * PAGE))
    count, event_of = 0, Reader._event

    def counted(reader: Reader, row: Any) -> Any:
        nonlocal count
        count += 1
        return event_of(reader, row)

    monkeypatch.setattr(Reader, "_event", counted)
    for talk, kind, page in product(log.talks(), ("", "key"), (1, 3, 10_000)):
        count = 0
        made = log.page(Filter(kind=kind, talk=talk, page=page))
        assert count == len(made.events) <= PAGE
        assert made.found >= len(made.events)
    assert max(log.page(Filter(talk=talk)).found for talk in log.talks()) > 20 * PAGE


def talk_of(keys: int) -> Builder:
    """A contest in which each talk has this many keys by the entity."""

    def talk(b: Builder, talks: dict[str, str]) -> None:
        for other in ("C1", "E1"):
            b.type(talks[other], "entity", other, "no" * (keys // 2))

    return small(talk)


# In words


def event(kind: str, body: dict[str, Any], *, redacted: bool = False) -> Event:
    return Event(1, None, "2010-10-23T09:00:00.000000Z", 1, "server", kind, body, "", "", redacted)


@pytest.mark.parametrize("kind", bodies.KINDS)
def test_every_kind_of_event_has_words(kind: str) -> None:
    body = codebook()[kind]
    words = in_words(event(kind, body))
    assert words
    assert not words.startswith("{"), words
    assert body.get("salt", "no salt") not in words


def test_a_keys_words_have_all_its_data() -> None:
    body = bodies.to_json(
        bodies.Key("entity", "left", "a", 7, "0007.a.other", ["2.A.a/unique"], "3/waits")
    )
    assert in_words(event("key", body)) == (
        "entity pressed a (directory 0007.a.other), breaking 2.A.a/unique, not shown: 3/waits"
    )


@given(st.sampled_from(sorted(bodies.KINDS)), st.dictionaries(st.text(), st.text() | st.integers()))
def test_any_event_body_can_be_shown(kind: str, body: dict[str, Any]) -> None:
    assert isinstance(in_words(event(kind, body)), str)
