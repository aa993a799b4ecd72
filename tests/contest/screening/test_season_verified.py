"""Tests the verification of a season: green for an unchanged record, red after any change.

Attacks on the database itself are the same as for any record (tests/contest/verify). Here the
chains are recomputed after each change, so that only recomputed contents can show it.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as altered

from contest.record import bodies as of_contest
from contest.record.events import Body, Chains, Event, canonical, to_json
from contest.record.reading import Row
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
from contest.screening.verify import verify, verify_rows
from contest.setup import settings
from contest.verify.findings import Report
from tests.contest.screening.seasons import opened, play

Drafts = Sequence[Event]


@dataclass(frozen=True)
class Kept:
    """A season's record in memory."""

    folder: Path
    drafts: Drafts
    sealed: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Kept:
        """That of a folder."""
        with opened(folder) as season:
            events = list(season.record.events())
            sealed = season.record.unseal("letters-")
        drafts = [Event(0, e.talk, e.at, e.mono_ns, e.actor, e.kind, e.body) for e in events]
        return cls(folder, drafts, sealed)

    def at(self, kind: str, nth: int = 0) -> int:
        """Where the nth event of a kind stands, from 0; from the end where it is negative."""
        return [at for at, draft in enumerate(self.drafts) if draft.kind == kind][nth]

    def changed(self, kind: str, nth: int = 0, /, **body: Any) -> Kept:
        """With another body of an event: values that are changed, or None for taken out."""
        at = self.at(kind, nth)
        held = self.drafts[at].body | body
        left = {name: value for name, value in held.items() if value is not None}
        return self.put(at, altered(self.drafts[at], body=left))

    def put(self, at: int, *drafts: Event) -> Kept:
        """With others in the place of an event; none: without it."""
        return replace(self, drafts=[*self.drafts[:at], *drafts, *self.drafts[at + 1 :]])

    def said(self, at: int, body: Body, actor: str = "Ada") -> Kept:
        """With an event more, before the one that stands there."""
        here = self.drafts[at - 1]
        made = Event(0, None, here.at, here.mono_ns, actor, body.kind, to_json(body))
        return replace(self, drafts=[*self.drafts[:at], made, *self.drafts[at:]])

    def report(self, folder: Path | None = None) -> Report:
        """What is found in it; every chain is right."""
        return verify_rows(map(row_of, events_of(self.drafts)), self.sealed, folder)

    def red(self, folder: Path | None = None) -> dict[str, list[str]]:
        """What is red: a check's name to its faults."""
        checks = self.report(folder).checks
        return {check.name: [str(f) for f in check.faults] for check in checks if not check.ok}


def events_of(drafts: Drafts) -> list[Event]:
    """Events with right chains."""
    chains = Chains()
    return [chains.place(draft) for draft in drafts]


def row_of(event: Event) -> Row:
    """An event as its row stands in a database."""
    plain = event.as_json()
    return Row(**{**plain, "body": canonical(event.body).decode()})


Forge = Callable[[Kept], Kept]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season; not to be changed."""
    return play(tmp_path_factory.mktemp("season") / "contest")


@pytest.fixture(scope="module")
def kept(whole: Path) -> Kept:
    """Its record."""
    return Kept.of(whole)


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "contest"))


# Green


def test_what_happened_is_green(whole: Path, kept: Kept) -> None:
    report = verify(whole)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []
    assert (report.finished, report.events, len(report.head)) == (True, len(kept.drafts), 64)
    said = {check.name: check.summary for check in report.checks}
    assert list(said) == ["chain", "times", "entries", "sittings", "marks", "ranking"]
    assert "in the season's own chain and those of 5 talks" in said["chain"]
    assert said["entries"] == (
        "5 entries, 6 versions of their forms; 4 screened, the same when recomputed"
    )
    assert said["sittings"].startswith("2 questions; 5 sittings, 5 to the end, ")
    assert said["marks"] == "20 marks, 1 settled; letters as sealed"
    assert said["ranking"] == "finalists E1 and E3, the same when recomputed"


def test_a_season_is_green_as_far_as_it_goes(kept: Kept) -> None:
    for kind in dict.fromkeys(draft.kind for draft in kept.drafts):
        at = kept.at(kind) + 1
        assert replace(kept, drafts=kept.drafts[:at]).red() == {}, kind


def test_there_is_nothing_to_verify_where_no_season_was_begun(tmp_path: Path) -> None:
    assert verify(tmp_path) is None
    assert verify(tmp_path / "nowhere") is None


# The chains, as of any record


def test_a_change_in_the_database_is_named_with_its_event(folder: Path, kept: Kept) -> None:
    at = kept.at("marked")
    with sqlite3.connect(folder / RECORD) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE events SET actor = 'Eve' WHERE seq = ?", (at + 1,))
    connection.close()
    report = verify(folder)
    assert report is not None
    said = str(report.checks[0].faults[0])
    assert said.startswith(f"event {at + 1} (season, marked): its hash is not that of its content")


def test_a_database_that_is_none_is_a_finding(folder: Path) -> None:
    (folder / RECORD).write_bytes(b"\x00\x01" * 4000)
    assert verify(folder) is None, "which is the contest's verification to say"


def test_a_kind_that_no_season_has_is_named(kept: Kept) -> None:
    at = kept.at("tie-rule-stated")
    found = kept.put(at, altered(kept.drafts[at], kind="telepathy")).red()
    assert list(found) == ["chain"]
    assert "'telepathy' is not a kind of event" in found["chain"][0]


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
def test_times_that_can_not_be_are_named(kept: Kept, change: dict[str, Any], said: str) -> None:
    at = kept.at("tie-rule-stated")
    found = kept.put(at, altered(kept.drafts[at], **change)).red()
    assert found == {"times": [f"event {at + 1} (season, tie-rule-stated): {said}"]}


def test_a_season_begins_with_its_opening_and_once(kept: Kept) -> None:
    first = kept.drafts[0]
    assert "has not been opened" in kept.put(0).red()["entries"][0]
    assert "is already open" in kept.put(1, first, kept.drafts[1]).red()["times"][0]
    assert "its format is 9" in kept.changed("season-opened", format=9).red()["times"][0]


# What does not follow from what was before


def changed(kind: str, nth: int = 0, /, **body: Any) -> Forge:
    """Another body of an event."""
    return lambda k: k.changed(kind, nth, **body)


def form(nth: int, **changed: str) -> Forge:
    """Another form of an entry."""

    def forge(k: Kept) -> Kept:
        held = k.drafts[k.at("entry-registered", nth)].body["form"]
        return k.changed("entry-registered", nth, form=held | changed)

    return forge


def without(kind: str, nth: int = 0) -> Forge:
    """An event is left out."""
    return lambda k: k.put(k.at(kind, nth))


def said(before: str, body: Body) -> Forge:
    """An event more, before one of a kind."""
    return lambda k: k.said(k.at(before), body)


def instead(kind: str, other: str) -> Forge:
    """An event of another kind, as it was elsewhere, in the place of one."""
    return lambda k: k.put(k.at(kind), k.drafts[k.at(other)])


def moved(kind: str, talk: str | None, **more: Any) -> Forge:
    """An event in another chain, or by another actor."""
    return lambda k: k.put(k.at(kind), altered(k.drafts[k.at(kind)], talk=talk, **more))


def fewer(k: Kept) -> Kept:
    held = k.drafts[k.at("season-set")].body["settings"]
    return k.changed("season-set", settings={**held, "season": {**held["season"], "screened": 1}})


def other_answer(k: Kept) -> Kept:
    at = next(at for at, d in enumerate(k.drafts) if d.body.get("author") == "entity")
    return k.put(at, altered(k.drafts[at], body=k.drafts[at].body | {"key": "Q"}))


def turned(k: Kept) -> Kept:
    letters = k.drafts[k.at("letters-revealed")].body["letters"]
    turned_ = {item: order[::-1] for item, order in letters.items()}
    return k.changed("letters-revealed", letters=turned_)


def settled_without_need(k: Kept) -> Kept:
    letter = k.drafts[k.at("mark-settled")].body["letter"]
    body = MarkSettled("own-1", "A" if letter != "A" else "B", "1", "so")
    return k.said(k.at("letters-revealed"), body)


def too_early(k: Kept) -> Kept:
    ended = altered(k.drafts[k.at("sitting-begun")], kind="sitting-ended", body={"subject": "E1"})
    return k.put(k.at("line-begun"), ended)


_MUTE = {"sha256": "0" * 64, "passed": True, "cases": {"fail": ["3/waits"]}}
#: The check that names it, to what is forged and what is said of it.
FORGED: dict[str, list[tuple[Forge, str]]] = {
    "entries": [
        (changed("entry-registered", 5, version=3), "its version is 3, not 2"),
        (without("entry-registered", 1), "it registers 'E3'; the next one is E2"),
        (changed("entry-registered", 5, reason=None), "a reason is needed"),
        (form(1, entrant="Person 1"), "is associated with E1 and E2"),
        (form(1, received="2010-05-01"), "is before the date of posting"),
        (changed("entry-withdrawn", entry="E9"), "there is no entry 'E9'"),
        (instead("entry-restored", "entry-withdrawn"), "E5 is already withdrawn"),
        (changed("season-set", settings={"season": {"screened": "many"}}), "can't be used"),
        (fewer, "finalists must be between 1 and 1"),
        (changed("compliance-tested", entry="E9"), "there is no entry 'E9'"),
        (changed("compliance-tested", entry="E5"), "E5 is withdrawn"),
        (changed("compliance-tested", tested="2010-05-13"), "after 2010-05-13"),
        (changed("compliance-tested", items={"luck": {"outcome": "pass"}}), "not an item"),
        (changed("compliance-tested", items={"path": {"outcome": "fail"}}), "fail needs a reason"),
        (changed("compliance-tested", conformance=_MUTE), "verdict contradicts its cases"),
        (changed("screening-begun", entries=["E1", "E2", "E3"]), "should be: E1, E2, E3 and E4"),
        (without("compliance-tested", 3), "This may change: E4 is still to be tested."),
        (said("paper-set", ScreeningBegun(["E1"])), "screening has already begun"),
        (changed("priority-decided", entries=["E2", "E1"]), "were not posted and received at"),
        (said("paper-set", PriorityDecided(["E3", "E4"], "x")), "the list is final"),
    ],
    "sittings": [
        (said("sitting-begun", PaperSet("", 0, {})), "a paper is already set"),
        (changed("paper-set", paper="question = 3"), "its paper: not a paper in TOML"),
        (without("paper-set"), "no paper was set before it"),
        (changed("sitting-begun", subject="E5"), "it names another subject, E5"),
        (changed("sitting-begun", human=True), "E1 is neither a screened entry"),
        (changed("sitting-begun", 4, human=None), "H1 is neither a screened entry"),
        (changed("sitting-key", key="Z"), "the judge typed Z"),
        (moved("sitting-key", "screening.E1", actor="Eve"), "it is by Eve, not by judge"),
        (other_answer, "does not match its key"),
        (changed("line-begun", question="memory-1", asks=True), "next in the paper is own-1"),
        (too_early, "was not asked to its end"),
        (moved("sitting-key", None), "it is not in the chain of a sitting"),
        (instead("marked", "sitting-begun"), "so this subject has no letter"),
    ],
    "marks": [
        (moved("marked", "screening.E1"), "don't belong in a talk's chain"),
        (said("letters-drawn", ScaleSet("0/1")), "the scale was set to 0/0.5/1"),
        (changed("scale-set", scale="0/9"), "there is no scale '0/9'"),
        (instead("marked", "letters-drawn"), "the letters of this round"),
        (changed("letters-drawn", items=["own-1"]), "its items are not those that were asked"),
        (changed("letters-drawn", sha256="0" * 64), "its letters are not among"),
        (lambda k: replace(k, sealed={}), "its letters are not among the sealed values"),
        (turned, "the letters that it reveals are not those that were sealed"),
        (changed("letters-revealed", salt="0" * 32), "are not those that were sealed"),
        (changed("letters-revealed", round="quality"), "nothing to reveal"),
        (changed("marked", item="own-1", marks={"Z": "1"}), "own-1 has no answer 'Z'"),
        (changed("marked", item="own-1", marks={"A": "7"}), "'7' is not a mark of the scale"),
        (changed("marked", item="own-1", marks={"A": "1/0"}), "'1/0' is not a mark"),
        (changed("marked", marker="Bob"), "'Ann' gave marks in the name of 'Bob'"),
        (instead("cut-decided", "marked"), "marking is over"),
        (without("marked"), "marks are missing from Ann 5"),
        (
            lambda k: replace(k, drafts=[d for d in k.drafts if d.actor != "Bob"]),
            "at least 2",
        ),
        (without("mark-settled"), "1 mark to settle"),
        (settled_without_need, "no two markers differ"),
        (changed("mark-settled", reason=""), "a reason is needed"),
        (said("cut-decided", TieRuleStated("full-marks")), "the letters are revealed"),
        (changed("tie-rule-stated", rule="lot"), "there is no rule 'lot'"),
        (said("marked", QualityOpened("nobody answered")), "finish marking"),
    ],
    "ranking": [
        (changed("cut-decided", entries=["E1"]), "E2, E3 and E4, and 1 of them can go through"),
        (changed("cut-decided", reason=""), "a reason is needed"),
        (said("letters-revealed", CutDecided(["E3"], "x")), "marking is not over"),
        (without("cut-decided"), "a tie at the cut is still open"),
        (changed("finalists-set", entries=["E1", "E4"]), "by the marks they are E1 and E3"),
        (changed("mark-settled", mark="0"), "no entry earned a mark"),
    ],
}


@pytest.mark.parametrize(
    ("check", "forge", "words"),
    [(check, *case) for check, cases in FORGED.items() for case in cases],
)
def test_a_season_that_was_made_otherwise_is_red(
    kept: Kept, check: str, forge: Forge, words: str
) -> None:
    found = forge(kept).red()
    assert any(words in fault for fault in found.get(check, [])), found
    assert "chain" not in found
    assert all("\n" not in fault for faults in found.values() for fault in faults)


#: Kinds of which one less is still a season that may have been: what only adds to it, or what its
#: settings said by themselves.
_MAY_LACK = {
    *("tie-rule-stated", "program-started", "program-ended", "priority-decided"),
    *("line-begun", "line-asked"),
}


def test_no_event_can_be_taken_out(kept: Kept) -> None:
    for at in (kept.at(kind) for kind in dict.fromkeys(draft.kind for draft in kept.drafts)):
        kind = kept.drafts[at].kind
        # What was last on record can be left out of any record whose head nobody knows.
        if kind not in _MAY_LACK and kind != "finalists-set":
            assert kept.put(at).red() != {}, kind


# Finalists and the contest


def test_finalists_who_are_not_the_contest_s_are_named(folder: Path, kept: Kept) -> None:
    file = folder / "contest.toml"
    text = file.read_text(encoding="utf-8")
    assert [entry.id for entry in settings.load(folder).entry] == ["E1", "E3"]
    file.write_text(text.replace('"E3"', '"E2"', 1), encoding="utf-8")
    assert kept.red(folder) == {
        "ranking": [
            "contest.toml has E2, which is not a finalist",
            "contest.toml lacks E3, which is a finalist",
        ]
    }
    # Management may enter programs that anybody can have.
    file.write_text(f'{text}\n[[entry]]\nid = "X1"\nname = "Free"\n', encoding="utf-8")
    assert kept.red(folder) == {}
    file.write_text(text.replace('"Program 3"', '"Program 2"', 1), encoding="utf-8")
    (said,) = kept.red(folder)["ranking"]
    assert "contest.toml has Program 2 by Person 3 as E3, but the register does not" in said
    file.write_text("[contest", encoding="utf-8")
    (said,) = kept.red(folder)["ranking"]
    assert "the finalists can't be compared with the contest: " in said
    file.unlink()
    assert kept.red(folder) == {}


def test_a_finalist_who_withdraws_may_be_missing(folder: Path, kept: Kept) -> None:
    file = folder / "contest.toml"
    gone = altered(kept.drafts[kept.at("entry-withdrawn")], body={"entry": "E3", "reason": "ill"})
    since = replace(kept, drafts=[*kept.drafts, altered(gone, mono_ns=kept.drafts[-1].mono_ns)])
    file.write_text(file.read_text(encoding="utf-8").replace('"E3"', '"X1"', 1), encoding="utf-8")
    assert "lacks E3" in kept.red(folder)["ranking"][0]
    assert since.red(folder) == {}


def test_the_finalists_are_held_against_the_contest_s_record(folder: Path, kept: Kept) -> None:
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


# Seasons of the first version, in a file of their own


@pytest.mark.parametrize(("name", "events"), [("finished", 472), ("marking", 466)])
def test_seasons_of_the_first_version_verify(name: str, events: int) -> None:
    report = verify(Path(__file__).with_name("earlier") / name)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []
    assert (report.events, report.finished) == (events, name == "finished")
