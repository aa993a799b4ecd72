"""Verification of a season: green for what happened, red for whatever is made of it afterwards.

Attacks on the database itself are those of any record (tests/contest/verify); here the chains
are made again each time, so that only what is computed again can tell.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from contest.record import bodies as of_contest
from contest.record.events import Body, Chains, Draft, Event, canonical, to_json
from contest.record.reading import Row
from contest.record.season import (
    CutDecided,
    MarkSettled,
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

Drafts = Sequence[Draft]


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
        drafts = [Draft(e.talk, e.at, e.mono_ns, e.actor, e.kind, e.body) for e in events]
        return cls(folder, drafts, sealed)

    def at(self, kind: str, nth: int = 0) -> int:
        """Where the nth event of a kind stands, from 0; from the end where it is negative."""
        return [at for at, draft in enumerate(self.drafts) if draft.kind == kind][nth]

    def changed(self, kind: str, nth: int = 0, /, **body: Any) -> Kept:
        """With another body of an event: values that are changed, or None for taken out."""
        at = self.at(kind, nth)
        held = self.drafts[at].body | body
        left = {name: value for name, value in held.items() if value is not None}
        return self.put(at, replace(self.drafts[at], body=left))

    def put(self, at: int, *drafts: Draft) -> Kept:
        """With others in the place of an event; none: without it."""
        return replace(self, drafts=[*self.drafts[:at], *drafts, *self.drafts[at + 1 :]])

    def said(self, at: int, body: Body, actor: str = "Ada") -> Kept:
        """With an event more, before the one that stands there."""
        here = self.drafts[at - 1]
        made = Draft(None, here.at, here.mono_ns, actor, body.kind, to_json(body))
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
        "5 entries, 6 versions of their forms; 4 screened, as computed again"
    )
    assert said["sittings"].startswith("2 questions; 5 sittings, 5 to the end, ")
    assert said["marks"] == "20 marks, 1 settled; letters as sealed"
    assert said["ranking"] == "finalists E1 and E3, as computed again"


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
    assert str(report.checks[0].faults[0]) == (
        f"event {at + 1} (season, marked): its hash is not that of its content: one of both was "
        "changed"
    )


def test_a_database_that_is_none_is_a_finding(folder: Path) -> None:
    (folder / RECORD).write_bytes(b"\x00\x01" * 4000)
    assert verify(folder) is None, "which is the contest's verification to say"


def test_a_kind_that_no_season_has_is_named(kept: Kept) -> None:
    at = kept.at("tie-rule-stated")
    found = kept.put(at, replace(kept.drafts[at], kind="telepathy")).red()
    assert list(found) == ["chain"]
    assert "unknown kind of event of a season 'telepathy'" in found["chain"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mono_ns": 0}, "the season's clock ran back to it"),
        ({"at": "2010-06-31T09:00:00.000000Z"}, "its time 2010-06-31T09:00:00.000000Z is none"),
    ],
)
def test_times_that_can_not_be_are_named(kept: Kept, change: dict[str, Any], said: str) -> None:
    at = kept.at("tie-rule-stated")
    found = kept.put(at, replace(kept.drafts[at], **change)).red()
    assert found == {"times": [f"event {at + 1} (season, tie-rule-stated): {said}"]}


def test_a_season_begins_with_its_opening_and_once(kept: Kept) -> None:
    first = kept.drafts[0]
    assert "was not opened" in kept.put(0).red()["entries"][0]
    assert "was opened before" in kept.put(1, first, kept.drafts[1]).red()["times"][0]
    assert "its format is 9" in kept.changed("season-opened", format=9).red()["times"][0]


# What does not follow from what stands before

_ANN: dict[str, Any] = {"marker": "Ann", "item": "own-1"}

FORGED: dict[str, tuple[Forge, str, str]] = {
    # The register
    "a version that is left out": (
        lambda k: k.changed("entry-registered", 5, version=3),
        *("entries", "its version is 3, not 2"),
    ),
    "an entry that is left out": (
        lambda k: k.put(k.at("entry-registered", 1)),
        *("entries", "it registers 'E3'; the next one is E2"),
    ),
    "a change without a reason": (
        lambda k: k.changed("entry-registered", 5, reason=None),
        *("entries", "a reason is needed"),
    ),
    "one person with two entries": (
        lambda k: k.changed("entry-registered", 1, form=_form(k, 1, entrant="Person 1")),
        *("entries", "is associated with E1 and E2"),
    ),
    "received before it was posted": (
        lambda k: k.changed("entry-registered", 1, form=_form(k, 1, received="2010-05-01")),
        *("entries", "is before it was posted"),
    ),
    "a withdrawal of nobody": (
        lambda k: k.changed("entry-withdrawn", entry="E9"),
        *("entries", "there is no entry 'E9'"),
    ),
    "a withdrawal twice": (
        lambda k: k.put(k.at("entry-restored"), k.drafts[k.at("entry-withdrawn")]),
        *("entries", "E5 is withdrawn already"),
    ),
    "settings that can't be": (
        lambda k: k.changed("season-set", settings={"season": {"screened": "many"}}),
        *("entries", "its settings can't be used"),
    ),
    "settings against each other": (
        lambda k: k.changed("season-set", settings=_fewer(k)),
        *("entries", "finalists is 2; give a number from 1 to 1"),
    ),
    # Compliance
    "a test of nobody": (
        lambda k: k.changed("compliance-tested", entry="E9"),
        *("entries", "there is no entry 'E9'"),
    ),
    "a test of one who was gone": (
        lambda k: k.changed("compliance-tested", entry="E5"),
        *("entries", "E5 is withdrawn"),
    ),
    "a test before it came": (
        lambda k: k.changed("compliance-tested", tested="2010-05-13"),
        *("entries", "E1 was received on 2010-05-14, and not there on 2010-05-13"),
    ),
    "a test of nothing": (
        lambda k: k.changed("compliance-tested", items={"luck": {"outcome": "pass"}}),
        *("entries", "'luck' is nothing that a person tests"),
    ),
    "a failure without a reason": (
        lambda k: k.changed("compliance-tested", items={"path": {"outcome": "fail"}}),
        *("entries", "path: fail needs a reason"),
    ),
    "check-bot's verdict turned round": (
        lambda k: k.changed(
            "compliance-tested",
            conformance={"sha256": "0" * 64, "passed": True, "cases": {"fail": ["3/waits"]}},
        ),
        *("entries", "check-bot's verdict is not that of its cases"),
    ),
    # Who goes on
    "others go on": (
        lambda k: k.changed("screening-begun", entries=["E1", "E2", "E3"]),
        *("entries", "by postings and tests there go on: E1, E2, E3 and E4"),
    ),
    "begun while somebody was to be tested": (
        lambda k: k.put(k.at("compliance-tested", 3)),
        *("entries", "screening can't begin: This may change: E4 is still to be tested."),
    ),
    "begun twice": (
        lambda k: k.said(k.at("paper-set"), ScreeningBegun(["E1"])),
        *("entries", "screening has begun already"),
    ),
    "the dates decided otherwise": (
        lambda k: k.changed("priority-decided", entries=["E2", "E1"]),
        *("entries", "were not posted and received at one moment"),
    ),
    "decided when the list stood": (
        lambda k: k.said(k.at("paper-set"), PriorityDecided(["E3", "E4"], "x")),
        *("entries", "the list is final"),
    ),
    # The paper and the sittings
    "another paper": (
        lambda k: k.put(k.at("sitting-begun"), k.drafts[k.at("paper-set")], _there(k)),
        *("sittings", "a paper was set before"),
    ),
    "a paper that is none": (
        lambda k: k.changed("paper-set", paper="question = 3"),
        *("sittings", "its paper: not a paper in TOML"),
    ),
    "no paper": (
        lambda k: k.put(k.at("paper-set")),
        *("sittings", "no paper was set before it"),
    ),
    "somebody else sits": (
        lambda k: k.changed("sitting-begun", subject="E5"),
        *("sittings", "it is the sitting of E5 by its own words"),
    ),
    "an entry for a human": (
        lambda k: k.changed("sitting-begun", human=True),
        *("sittings", "E1 is not among those that are screened, nor a human"),
    ),
    "somebody sits who was not to": (
        lambda k: k.changed("sitting-begun", 4, human=None),
        *("sittings", "H1 is not among those that are screened, nor a human"),
    ),
    "another key of the judge": (
        lambda k: k.put(k.at("sitting-key"), replace(_key(k), body={**_key(k).body, "key": "Z"})),
        *("sittings", "the judge has typed Z"),
    ),
    "a key by somebody else": (
        lambda k: k.put(k.at("sitting-key"), replace(_key(k), actor="Eve")),
        *("sittings", "it is by Eve, not by judge"),
    ),
    "a name of another key": (
        lambda k: k.put(_answer(k), _with(k.drafts[_answer(k)], key="Q")),
        *("sittings", "is not that of its key"),
    ),
    "a question that comes too early": (
        lambda k: k.changed("line-begun", question="memory-1", asks=True),
        *("sittings", "its line is of memory-1; by the paper there follows own-1"),
    ),
    "an end before the end": (
        lambda k: k.put(
            k.at("line-begun"), replace(_there(k), kind="sitting-ended", body={"subject": "E1"})
        ),
        *("sittings", "was not asked to its end"),
    ),
    "a mark in a sitting's chain": (
        lambda k: k.put(k.at("marked"), replace(k.drafts[k.at("marked")], talk="screening.E1")),
        *("marks", "nothing of its kind stands in a talk's chain"),
    ),
    "a key in no sitting's chain": (
        lambda k: k.put(k.at("sitting-key"), replace(_key(k), talk=None)),
        *("sittings", "it stands in the chain of no sitting"),
    ),
    "a sitting when marking had begun": (
        lambda k: k.put(k.at("marked"), _there(k)),
        *("sittings", "a subject that sits the paper then has no letter"),
    ),
    # Letters and marks
    "another scale": (
        lambda k: k.said(k.at("letters-drawn"), ScaleSet("0/1")),
        *("marks", "the scale was set to 0/0.5/1"),
    ),
    "a scale that is none": (
        lambda k: k.changed("scale-set", scale="0/9"),
        *("marks", "there is no scale '0/9'"),
    ),
    "letters drawn again": (
        lambda k: k.put(k.at("marked"), k.drafts[k.at("letters-drawn")]),
        *("marks", "letters of this round were drawn before"),
    ),
    "letters of other items": (
        lambda k: k.changed("letters-drawn", items=["own-1"]),
        *("marks", "its items are not those that were asked"),
    ),
    "letters that were drawn otherwise": (
        lambda k: k.changed("letters-drawn", sha256="0" * 64),
        *("marks", "its letters are not sealed beside the chains"),
    ),
    "nothing sealed": (
        lambda k: replace(k, sealed={}),
        *("marks", "its letters are not sealed beside the chains"),
    ),
    "letters turned round when all was marked": (
        lambda k: k.changed("letters-revealed", letters=_turned(k)),
        *("marks", "the letters that it reveals are not those that were sealed"),
    ),
    "letters of no chance": (
        lambda k: k.changed("letters-revealed", salt="0" * 32),
        *("marks", "the letters that it reveals are not those that were sealed"),
    ),
    "letters of a round that nobody drew": (
        lambda k: k.changed("letters-revealed", round="quality"),
        *("marks", "nothing was to be revealed"),
    ),
    "a mark for nobody": (
        lambda k: k.changed("marked", **_ANN, marks={"Z": "1"}),
        *("marks", "own-1 has no answer 'Z'"),
    ),
    "a mark of another scale": (
        lambda k: k.changed("marked", **_ANN, marks={"A": "7"}),
        *("marks", "'7' is not a mark of the scale 0/0.5/1"),
    ),
    "a mark that is no number": (
        lambda k: k.changed("marked", **_ANN, marks={"A": "1/0"}),
        *("marks", "'1/0' is not a mark"),
    ),
    "a mark by somebody else": (
        lambda k: k.changed("marked", marker="Bob"),
        *("marks", "'Ann' gave marks of 'Bob'"),
    ),
    "a mark that came too late": (
        lambda k: k.put(k.at("cut-decided"), k.drafts[k.at("marked")]),
        *("marks", "marking is over: it is known whose answers they are"),
    ),
    "marks that are missing": (
        lambda k: k.put(k.at("marked")),
        *("marks", "marks are missing: of Ann 5"),
    ),
    "one marker": (
        lambda k: replace(k, drafts=[d for d in k.drafts if d.actor != "Bob"]),
        *("marks", "2 people at least have to mark; so far Ann has"),
    ),
    "nothing settled": (
        lambda k: k.put(k.at("mark-settled")),
        *("marks", "1 mark to settle"),
    ),
    "settled where nobody differed": (
        lambda k: k.said(
            k.at("letters-revealed"), MarkSettled("own-1", _other_letter(k), "1", "so")
        ),
        *("marks", "no two markers differ"),
    ),
    "settled without a reason": (
        lambda k: k.changed("mark-settled", reason=""),
        *("marks", "a reason is needed"),
    ),
    "a tie's rule when all was known": (
        lambda k: k.said(k.at("cut-decided"), TieRuleStated("full-marks")),
        *("marks", "the letters are revealed"),
    ),
    "a tie's rule that is none": (
        lambda k: k.changed("tie-rule-stated", rule="lot"),
        *("marks", "there is no rule 'lot'"),
    ),
    "a second round before the end of the first": (
        lambda k: k.said(k.at("marked"), QualityOpened("nobody answered")),
        *("marks", "mark the answers to the questions to the end first"),
    ),
    # Ranking
    "a decision that does not fit the tie": (
        lambda k: k.changed("cut-decided", entries=["E1"]),
        *("ranking", "tied at the cut are E2, E3 and E4, and 1 of them go on"),
    ),
    "a decision without a reason": (
        lambda k: k.changed("cut-decided", reason=""),
        *("ranking", "a reason is needed"),
    ),
    "a decision before the marks": (
        lambda k: k.said(k.at("letters-revealed"), CutDecided(["E3"], "x")),
        *("ranking", "marking is not over"),
    ),
    "finalists while the cut was open": (
        lambda k: k.put(k.at("cut-decided")),
        *("ranking", "a tie at the cut was open"),
    ),
    "other finalists": (
        lambda k: k.changed("finalists-set", entries=["E1", "E4"]),
        *("ranking", "its finalists are E1 and E4; by the marks they are E1 and E3"),
    ),
    "another mark, all else left as it is": (
        lambda k: k.changed("mark-settled", mark="0"),
        *("ranking", "no entry earned a mark"),
    ),
}


def _there(k: Kept) -> Draft:
    return k.drafts[k.at("sitting-begun")]


def _key(k: Kept) -> Draft:
    """The first key, which is the judge's."""
    return k.drafts[k.at("sitting-key")]


def _with(draft: Draft, **body: Any) -> Draft:
    return replace(draft, body=draft.body | body)


def _answer(k: Kept) -> int:
    """Where a subject's first key stands."""
    return next(at for at, d in enumerate(k.drafts) if d.body.get("author") == "entity")


def _form(k: Kept, nth: int, **changed: str) -> dict[str, Any]:
    form: dict[str, Any] = k.drafts[k.at("entry-registered", nth)].body["form"]
    return form | changed


def _fewer(k: Kept) -> dict[str, Any]:
    held = k.drafts[k.at("season-set")].body["settings"]
    return {**held, "season": {**held["season"], "screened": 1}}


def _turned(k: Kept) -> dict[str, list[str]]:
    letters = k.drafts[k.at("letters-revealed")].body["letters"]
    return {item: order[::-1] for item, order in letters.items()}


def _other_letter(k: Kept) -> str:
    settled = k.drafts[k.at("mark-settled")].body["letter"]
    return "A" if settled != "A" else "B"


@pytest.mark.parametrize("name", FORGED)
def test_a_season_that_was_made_otherwise_is_red(kept: Kept, name: str) -> None:
    forge, check, said = FORGED[name]
    found = forge(kept).red()
    assert any(said in fault for fault in found.get(check, [])), found
    assert "chain" not in found
    for faults in found.values():
        assert all("\n" not in fault for fault in faults)


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
    assert "contest.toml has Program 2 by Person 3 as E3, which the register does not know" in said
    file.write_text("[contest", encoding="utf-8")
    (said,) = kept.red(folder)["ranking"]
    assert "the finalists can't be held against the contest: " in said
    file.unlink()
    assert kept.red(folder) == {}


def test_a_finalist_who_withdraws_may_be_missing(folder: Path, kept: Kept) -> None:
    file = folder / "contest.toml"
    gone = replace(kept.drafts[kept.at("entry-withdrawn")], body={"entry": "E3", "reason": "ill"})
    since = replace(kept, drafts=[*kept.drafts, replace(gone, mono_ns=kept.drafts[-1].mono_ns)])
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
            record.append([replace(kept.drafts[0], kind=body.kind, body=plain)])
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
