"""Tests a contest that the organizer stops: unplayed rounds are neither open nor counted
as 0."""

from __future__ import annotations

import functools
import json
import re

import pytest

from contest.audience.routes import page_parts
from contest.audience.show import Show
from contest.pages import render
from contest.record import bodies
from contest.results.document import Results
from contest.results.page import page_stream
from contest.results.text import result_in_words
from contest.setup.settings import parse
from contest.verify.verify import verify_rows
from scheduler import schedule_2010
from tests.contest.build import (
    Builder,
    changed,
    exported,
    first,
    play_round,
    rank,
    results_json,
    rows,
)
from texts import load

REASON = "the hall closes at six"


@functools.cache
def stopped(after: int, *, lacking: str = "") -> Builder:
    """A stopped contest of four rounds; one judge's verdict and ballot may be missing."""
    schedule = schedule_2010()
    b = Builder()
    b.open(schedule)
    for number, pairings in enumerate(schedule.rounds[:after], 1):
        play_round(b, number, pairings)
    b.write(bodies.RoundsStopped(REASON), actor="organizer")
    rank(b, schedule)
    if lacking:
        events, kept = b.events, Builder()
        for draft, event in zip(b.drafts, events, strict=True):
            if event.kind not in ("verdict", "ranking") or event.actor != lacking:
                kept.drafts.append(draft)
                kept.events.append(kept.chains.place(draft))
        kept.now_ns, kept.sides = b.now_ns, b.sides
        b = kept
    b.reveal()
    b.finish()
    return b


@pytest.mark.parametrize("after", [1, 2, 3])
def test_unplayed_rounds_are_mentioned_once(after: int) -> None:
    view = stopped(after).read()
    tally = view.tally
    assert tally.open == ()
    assert view.still_open() == []
    (warning,) = [each for each in tally.warnings if "tie" not in each]
    assert f"after round {after}" in warning
    assert REASON in warning
    assert "no verdict" not in " ".join(tally.warnings)
    played = {(p.judge, p.entry) for each in schedule_2010().rounds[:after] for p in each}
    for judge, row in tally.table.items():
        for entry, cell in row.items():
            assert (cell is not None) == ((judge, entry) in played)


def test_a_stopped_contest_has_results_and_exports() -> None:
    b = stopped(1)
    view = b.read()
    document = results_json(view)
    assert document["final"]
    assert document["stopped"] == {"after_round": 1, "not_played": [2, 3, 4], "reason": REASON}
    assert "missing" not in document["words"]["state"]
    page = "".join(page_stream(Results(view)))
    assert "counts 0" not in page
    assert page.count("not played</small>") == 12
    assert "no verdict" not in page
    text = result_in_words(Results(view))
    assert text.count("(not played)") == 3
    pages = exported(b.log(), "html")
    assert b"counts 0" not in pages["index.html"]
    assert b"not played" in pages["index.html"]
    statistics = exported(b.log(), "text")["statistics.txt"].decode()
    assert "\n2 " not in statistics.split("\n\n")[1]


def test_open_items_of_played_rounds_stay_open() -> None:
    view = stopped(1, lacking="J2").read()
    tally = view.tally
    assert [(p.round, p.judge) for p in tally.open] == [(1, "J2")]
    assert view.still_open() == ["round 1: no verdict from J2", "no ballot from J2"]
    assert "round 1: no verdict from J2" in view.state_in_words()
    assert any(each.startswith("Round 1, J2") for each in tally.warnings)


def test_the_record_of_a_stopped_contest_verifies() -> None:
    b = stopped(1)
    assert verify_rows(rows(b)).ok
    # Earlier versions wrote a warning for each pairing that was not played.
    result = first(b, "result")
    named = [f"Round {p.round}, {p.label}: no verdict" for p in schedule_2010().pairings[4:]]
    assert verify_rows(rows(changed(b, result.seq, warnings=named))).ok
    assert json.dumps(bodies.to_json(b.read().result())).count("stopped") == 1
    assert REASON not in json.dumps(result.body)


def test_the_audience_sees_which_rounds_are_not_played() -> None:
    b = stopped(2)
    show, page = Show(), parse("[contest]\nname = 'A'")
    told: list[list[str]] = []
    for event in b.events:
        body = bodies.from_json(event.kind, event.body)
        show.note(event, body) if event.kind != "key" else None
        show.take(event, body)
        if event.kind in ("round-closed", "rounds-stopped", "contest-closed"):
            parts = page_parts(load("en"), page, show.whole(event.mono_ns))
            html = render("audience/watch.html", parts)
            told.append(re.findall(r'<td class="state">([^<]*)</td>', html))
    assert told == [
        ["over", "to come", "to come", "to come"],
        ["over", "over", "to come", "to come"],
        *[["over", "over", "not played", "not played"]] * 2,
    ]
