"""Tests the verification of a season: green for an unchanged record, red after any change.

Attacks on the database and on the chains are the same as for any record (tests/contest/verify).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as altered

from contest.record import bodies as of_contest
from contest.record.events import Body, Event, to_json
from contest.record.season import (
    CutDecided,
    MarkSettled,
    PaperSet,
    PriorityDecided,
    QualityOpened,
    ScaleSet,
    ScreeningBegun,
    TieRuleStated,
)
from contest.record.store import FILE_NAME as RECORD
from contest.record.store import Record, sqlite_url
from contest.screening.verify import verify, verify_events
from contest.setup import settings
from contest.verify.findings import Report
from tests.contest.screening.seasons import opened, play

Drafts = Sequence[Event]


@dataclass(frozen=True)
class StoredSeason:
    """A season's record in memory."""

    folder: Path
    drafts: Drafts
    sealed: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> StoredSeason:
        """The season of a folder."""
        with opened(folder) as season:
            events = list(season.record.events())
            sealed = season.record.unseal("letters-")
        drafts = [Event(0, e.talk, e.at, e.mono_ns, e.actor, e.kind, e.body) for e in events]
        return cls(folder, drafts, sealed)

    def at(self, kind: str, nth: int = 0) -> int:
        """The index of the nth event of a kind, from 0; a negative `nth` counts from the end."""
        return [at for at, draft in enumerate(self.drafts) if draft.kind == kind][nth]

    def changing(self, kind: str, nth: int = 0, /, **body: Any) -> StoredSeason:
        """The season with changed values in an event's body; None removes a value."""
        at = self.at(kind, nth)
        held = self.drafts[at].body | body
        left = {name: value for name, value in held.items() if value is not None}
        return self.put(at, altered(self.drafts[at], body=left))

    def put(self, at: int, *drafts: Event) -> StoredSeason:
        """The season with an event replaced by these, or removed if there are none."""
        return replace(self, drafts=[*self.drafts[:at], *drafts, *self.drafts[at + 1 :]])

    def inserting(self, at: int, body: Body, actor: str = "Ada") -> StoredSeason:
        """The season with another event inserted at an index."""
        here = self.drafts[at - 1]
        made = Event(0, None, here.at, here.mono_ns, actor, body.kind, to_json(body))
        return replace(self, drafts=[*self.drafts[:at], made, *self.drafts[at:]])

    def report(self, folder: Path | None = None) -> Report:
        """The report on the season."""
        # Without hashes, because the contest's verification checks these.
        events = [altered(draft, seq=number) for number, draft in enumerate(self.drafts, 1)]
        return verify_events(events, self.sealed, folder)

    def faults(self, folder: Path | None = None) -> dict[str, list[str]]:
        """The failed checks: name to faults."""
        checks = self.report(folder).checks
        return {check.name: [str(f) for f in check.faults] for check in checks if not check.ok}


Forge = Callable[[StoredSeason], StoredSeason]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season; tests must not change it."""
    return play(tmp_path_factory.mktemp("season") / "contest")


@pytest.fixture(scope="module")
def kept(whole: Path) -> StoredSeason:
    """The record of this season."""
    return StoredSeason.of(whole)


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of the season's folder."""
    return Path(shutil.copytree(whole, tmp_path / "contest"))


# Green


def test_an_unchanged_season_is_green(whole: Path, kept: StoredSeason) -> None:
    report = verify(whole)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []
    assert (report.finished, report.events) == (True, len(kept.drafts))
    said = {check.name: check.summary for check in report.checks}
    assert list(said) == ["times", "entries", "sittings", "marks", "ranking"]
    assert said["entries"] == (
        "5 entries, 6 versions of their forms; 4 screened, the same when recomputed"
    )
    assert said["sittings"].startswith("2 questions; 5 sittings, 5 to the end, ")
    assert said["marks"] == "20 marks, 1 settled; letters as sealed"
    assert said["ranking"] == "finalists E1 and E3, the same when recomputed"


def test_an_unfinished_season_is_green(kept: StoredSeason) -> None:
    for kind in dict.fromkeys(draft.kind for draft in kept.drafts):
        at = kept.at(kind) + 1
        assert replace(kept, drafts=kept.drafts[:at]).faults() == {}, kind


def test_without_a_season_there_is_nothing_to_verify(tmp_path: Path) -> None:
    assert verify(tmp_path) is None
    assert verify(tmp_path / "nowhere") is None


def test_a_file_that_is_not_a_database_is_a_fault(folder: Path) -> None:
    (folder / RECORD).write_bytes(b"\x00\x01" * 4000)
    assert verify(folder) is None, "the contest's own verification reports this"


def test_malformed_events_are_found(kept: StoredSeason) -> None:
    found = kept.changing("marked", marks=3).faults()
    assert "the body of a 'marked' event is malformed" in found["marks"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mono_ns": 0}, "the season's clock ran backwards before it"),
        (
            {"at": "2010-06-31T09:00:00.000000Z"},
            "its time 2010-06-31T09:00:00.000000Z is not a time",
        ),
    ],
)
def test_impossible_times_are_found(kept: StoredSeason, change: dict[str, Any], said: str) -> None:
    at = kept.at("tie-rule-stated")
    found = kept.put(at, altered(kept.drafts[at], **change)).faults()
    assert found == {"times": [f"event {at + 1} (season, tie-rule-stated): {said}"]}


def test_a_season_has_one_opening_at_its_beginning(kept: StoredSeason) -> None:
    first = kept.drafts[0]
    assert "has not been opened" in kept.put(0).faults()["entries"][0]
    assert "is already open" in kept.put(1, first, kept.drafts[1]).faults()["times"][0]
    assert "its format is 9" in kept.changing("season-opened", format=9).faults()["times"][0]


# Events that contradict earlier ones


def changing(kind: str, nth: int = 0, /, **body: Any) -> Forge:
    """Changes an event's body."""
    return lambda k: k.changing(kind, nth, **body)


def form(nth: int, **changed: str) -> Forge:
    """Changes the form of an entry."""

    def forge(k: StoredSeason) -> StoredSeason:
        held = k.drafts[k.at("entry-registered", nth)].body["form"]
        return k.changing("entry-registered", nth, form=held | changed)

    return forge


def omitting(kind: str, nth: int = 0) -> Forge:
    """Removes an event."""
    return lambda k: k.put(k.at(kind, nth))


def inserting(before: str, body: Body) -> Forge:
    """Inserts an event before one of a kind."""
    return lambda k: k.inserting(k.at(before), body)


def replacing(kind: str, other: str) -> Forge:
    """Replaces an event by a copy of one of another kind."""
    return lambda k: k.put(k.at(kind), k.drafts[k.at(other)])


def moving(kind: str, talk: str | None, **more: Any) -> Forge:
    """Moves an event to another chain, or changes its actor."""
    return lambda k: k.put(k.at(kind), altered(k.drafts[k.at(kind)], talk=talk, **more))


def fewer(k: StoredSeason) -> StoredSeason:
    held = k.drafts[k.at("season-set")].body["settings"]
    return k.changing("season-set", settings={**held, "season": {**held["season"], "screened": 1}})


def other_answer(k: StoredSeason) -> StoredSeason:
    at = next(at for at, d in enumerate(k.drafts) if d.body.get("author") == "entity")
    return k.put(at, altered(k.drafts[at], body=k.drafts[at].body | {"key": "Q"}))


def reversed_letters(k: StoredSeason) -> StoredSeason:
    letters = k.drafts[k.at("letters-revealed")].body["letters"]
    turned_ = {item: order[::-1] for item, order in letters.items()}
    return k.changing("letters-revealed", letters=turned_)


def settled_without_need(k: StoredSeason) -> StoredSeason:
    letter = k.drafts[k.at("mark-settled")].body["letter"]
    body = MarkSettled("own-1", "A" if letter != "A" else "B", "1", "so")
    return k.inserting(k.at("letters-revealed"), body)


def too_early(k: StoredSeason) -> StoredSeason:
    ended = altered(k.drafts[k.at("sitting-begun")], kind="sitting-ended", body={"subject": "E1"})
    return k.put(k.at("line-begun"), ended)


_MUTE = {"sha256": "0" * 64, "passed": True, "cases": {"fail": ["3/waits"]}}
#: The failing check, to forgeries, each with its message.
FORGED: dict[str, list[tuple[Forge, str]]] = {
    "entries": [
        (changing("entry-registered", 5, version=3), "its version is 3, not 2"),
        (omitting("entry-registered", 1), "it registers 'E3'; the next one is E2"),
        (changing("entry-registered", 5, reason=None), "a reason is needed"),
        (form(1, entrant="Person 1"), "is associated with E1 and E2"),
        (form(1, received="2010-05-01"), "is before the date of posting"),
        (changing("entry-withdrawn", entry="E9"), "there is no entry 'E9'"),
        (replacing("entry-restored", "entry-withdrawn"), "E5 is already withdrawn"),
        (changing("season-set", settings={"season": {"screened": "many"}}), "can't be used"),
        (fewer, "finalists must be between 1 and 1"),
        (changing("compliance-tested", entry="E9"), "there is no entry 'E9'"),
        (changing("compliance-tested", entry="E5"), "E5 is withdrawn"),
        (changing("compliance-tested", tested="2010-05-13"), "after 2010-05-13"),
        (changing("compliance-tested", items={"luck": {"outcome": "pass"}}), "not an item"),
        (changing("compliance-tested", items={"path": {"outcome": "fail"}}), "fail needs a reason"),
        (changing("compliance-tested", conformance=_MUTE), "verdict contradicts its cases"),
        (
            changing("screening-begun", entries=["E1", "E2", "E3"]),
            "should begin with E1, E2, E3 and E4",
        ),
        (omitting("compliance-tested", 3), "E4 is still to be tested"),
        (inserting("paper-set", ScreeningBegun(["E1"])), "screening has already begun"),
        (changing("priority-decided", entries=["E2", "E1"]), "were not posted and received at"),
        (inserting("paper-set", PriorityDecided(["E3", "E4"], "x")), "the list is final"),
    ],
    "sittings": [
        (inserting("sitting-begun", PaperSet("", 0, {})), "a paper is already set"),
        (changing("paper-set", paper="question = 3"), "its paper: not a paper in TOML"),
        (omitting("paper-set"), "no paper was set before it"),
        (changing("sitting-begun", subject="E5"), "it names another subject, E5"),
        (changing("sitting-begun", human=True), "E1 is neither a screened entry"),
        (changing("sitting-begun", 4, human=None), "H1 is neither a screened entry"),
        (changing("sitting-key", key="Z"), "the judge typed Z"),
        (moving("sitting-key", "screening.E1", actor="Eve"), "it is by Eve, not by judge"),
        (other_answer, "does not match its key"),
        (changing("line-begun", question="memory-1", asks=True), "next in the paper is own-1"),
        (too_early, "was not asked to its end"),
        (moving("sitting-key", None), "it is not in the chain of a sitting"),
        (replacing("marked", "sitting-begun"), "so this subject has no letter"),
    ],
    "marks": [
        (moving("marked", "screening.E1"), "don't belong in a talk's chain"),
        (inserting("letters-drawn", ScaleSet("0/1")), "the scale was set to 0/0.5/1"),
        (changing("scale-set", scale="0/9"), "there is no scale '0/9'"),
        (replacing("marked", "letters-drawn"), "the letters of this round"),
        (changing("letters-drawn", items=["own-1"]), "its items are not those that were asked"),
        (changing("letters-drawn", sha256="0" * 64), "its letters are not among"),
        (lambda k: replace(k, sealed={}), "its letters are not among the sealed values"),
        (reversed_letters, "the letters that it reveals are not those that were sealed"),
        (changing("letters-revealed", salt="0" * 32), "are not those that were sealed"),
        (changing("letters-revealed", round="quality"), "nothing to reveal"),
        (changing("marked", item="own-1", marks={"Z": "1"}), "own-1 has no answer 'Z'"),
        (changing("marked", item="own-1", marks={"A": "7"}), "'7' is not a mark of the scale"),
        (changing("marked", item="own-1", marks={"A": "1/0"}), "'1/0' is not a mark"),
        (changing("marked", marker="Bob"), "'Ann' gave marks in the name of 'Bob'"),
        (replacing("cut-decided", "marked"), "marking is over"),
        (omitting("marked"), "marks are missing from Ann (5)"),
        (
            lambda k: replace(k, drafts=[d for d in k.drafts if d.actor != "Bob"]),
            "at least 2",
        ),
        (omitting("mark-settled"), "1 mark to settle"),
        (settled_without_need, "no two markers differ"),
        (changing("mark-settled", reason=""), "a reason is needed"),
        (inserting("cut-decided", TieRuleStated("full-marks")), "the letters are revealed"),
        (changing("tie-rule-stated", rule="lot"), "there is no rule 'lot'"),
        (inserting("marked", QualityOpened("nobody answered")), "finish marking"),
    ],
    "ranking": [
        (changing("cut-decided", entries=["E1"]), "E2, E3 and E4, and 1 of them can go through"),
        (changing("cut-decided", reason=""), "a reason is needed"),
        (inserting("letters-revealed", CutDecided(["E3"], "x")), "marking is not over"),
        (omitting("cut-decided"), "a tie at the cut is still open"),
        (changing("finalists-set", entries=["E1", "E4"]), "by the marks they are E1 and E3"),
        (changing("mark-settled", mark="0"), "no entry earned a mark"),
    ],
}


@pytest.mark.parametrize(
    ("check", "forge", "words"),
    [(check, *case) for check, cases in FORGED.items() for case in cases],
)
def test_forged_events_are_found(kept: StoredSeason, check: str, forge: Forge, words: str) -> None:
    found = forge(kept).faults()
    assert any(words in fault for fault in found.get(check, [])), found
    assert all("\n" not in fault for faults in found.values() for fault in faults)


#: The kinds of events that can be removed without a contradiction, because the season would be
#: possible without them.
_MAY_LACK = {
    *("tie-rule-stated", "program-started", "program-ended", "priority-decided"),
    *("line-begun", "line-asked"),
}


def test_a_removed_event_is_found(kept: StoredSeason) -> None:
    for at in (kept.at(kind) for kind in dict.fromkeys(draft.kind for draft in kept.drafts)):
        kind = kept.drafts[at].kind
        # The last event can be removed from any record whose head is not published.
        if kind not in _MAY_LACK and kind != "finalists-set":
            assert kept.put(at).faults() != {}, kind


# Finalists and the contest


def test_finalists_that_are_not_in_the_contest_are_found(folder: Path, kept: StoredSeason) -> None:
    file = folder / "contest.toml"
    text = file.read_text(encoding="utf-8")
    assert [entry.id for entry in settings.load(folder).entry] == ["E1", "E3"]
    file.write_text(text.replace('"E3"', '"E2"', 1), encoding="utf-8")
    assert kept.faults(folder) == {
        "ranking": [
            "contest.toml has E2, which is not a finalist",
            "contest.toml lacks E3, which is a finalist",
        ]
    }
    # The organizer may enter publicly available programs.
    file.write_text(f'{text}\n[[entry]]\nid = "X1"\nname = "Free"\n', encoding="utf-8")
    assert kept.faults(folder) == {}
    file.write_text(text.replace('"Program 3"', '"Program 2"', 1), encoding="utf-8")
    (said,) = kept.faults(folder)["ranking"]
    assert "contest.toml has Program 2 by Person 3 as E3, but the register does not" in said
    file.write_text("[contest", encoding="utf-8")
    (said,) = kept.faults(folder)["ranking"]
    assert "the finalists can't be compared with the contest: " in said
    file.unlink()
    assert kept.faults(folder) == {}


def test_a_withdrawn_finalist_may_be_missing(folder: Path, kept: StoredSeason) -> None:
    file = folder / "contest.toml"
    gone = altered(kept.drafts[kept.at("entry-withdrawn")], body={"entry": "E3", "reason": "ill"})
    since = replace(kept, drafts=[*kept.drafts, altered(gone, mono_ns=kept.drafts[-1].mono_ns)])
    file.write_text(file.read_text(encoding="utf-8").replace('"E3"', '"X1"', 1), encoding="utf-8")
    assert "lacks E3" in kept.faults(folder)["ranking"][0]
    assert since.faults(folder) == {}


def test_the_finalists_are_compared_with_the_contests_record(
    folder: Path, kept: StoredSeason
) -> None:
    own = settings.load(folder).as_json()
    for entries, said in ((own["entry"], ""), (own["entry"][:1], "lacks E3, which is a finalist")):
        (folder / RECORD).unlink(missing_ok=True)
        body = of_contest.ContestOpened(of_contest.FORMAT, "x", own | {"entry": entries}, {}, 1000)
        plain = of_contest.to_json(body)
        with Record(sqlite_url(folder / RECORD), create=True) as record:
            record.append([altered(kept.drafts[0], kind=body.kind, body=plain)])
        found = kept.report(folder).checks[-1]
        assert [str(fault) for fault in found.faults] == (
            [f"the contest's record {said}"] if said else []
        )
