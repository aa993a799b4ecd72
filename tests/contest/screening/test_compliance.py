"""Compliance: the checklist of each way, what decides, the order of tests, check-bot's document."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from contest.errors import BadOrder, WrongMoment
from contest.record.season import ComplianceTested, Conformance, EntryWithdrawn, Form, ItemTested
from contest.screening import register
from contest.screening.compliance import (
    ASKED,
    COMPLIES,
    FAILS,
    ITEMS,
    OPEN,
    Assessment,
    BadEvidence,
    OutOfOrder,
    assess_all,
    read_conformance,
    read_items,
    record_test,
    waiting_for,
)
from contest.screening.season import Season
from contest.setup import folder
from contest.setup.rules import RULES
from lpp.conformance.cases import choose
from tests.contest.screening.seasons import (
    BROUGHT,
    GOOD,
    PASSED,
    SPEAKS,
    WRITTEN,
    add,
    complied,
    event,
    form,
    registered,
    state_of,
)


def assessed(*events: Any) -> dict[str, Assessment]:
    return {each.entry.id: each for each in assess_all(state_of(*events))}


def fails(reason: str) -> ItemTested:
    return ItemTested("fail", reason)


def test_each_item_rests_on_a_rule() -> None:
    assert {item.rule for item in ITEMS.values()} <= set(RULES)
    assert all(item.id == id_ for id_, item in ITEMS.items())


@pytest.mark.parametrize(
    ("way", "asked"),
    [
        (1, {"platform", "runs"}),
        (2, {"platform", "runs", "agreed", "testing", "present"}),
        (3, {"agreed", "testing", "present"}),
    ],
)
def test_what_is_asked_of_each_way(way: Any, asked: set[str]) -> None:
    everybody = {"posted", "proof", "media", "individual", "lpp", *PASSED}
    found = assessed(*registered(E1=form(way=way)))["E1"]
    assert {answer.item.id for answer in found.answers} == everybody | asked


def test_an_entry_complies_when_all_is_kept() -> None:
    found = assessed(*registered(E1=GOOD), complied("E1"))["E1"]
    assert (found.state, found.open, found.broken) == (COMPLIES, [], [])
    seen = {answer.item.id: answer for answer in found.answers}
    assert (seen["path"].by, seen["path"].tested) == ("Ada", dt.date(2010, 5, 14))
    assert (seen["posted"].by, seen["posted"].outcome) == ("", "pass")
    assert seen["lpp"].reason == "1 pass"


@pytest.mark.parametrize("left_out", ["programs", "path", "variable", "browse", "runs", "lpp"])
def test_until_all_is_told_it_is_open(left_out: str) -> None:
    said = {k: v for k, v in {**PASSED, "runs": ItemTested("pass")}.items() if k != left_out}
    speaks = None if left_out == "lpp" else SPEAKS
    body = ComplianceTested("E1", dt.date(2010, 5, 14), said, speaks)
    found = assessed(*registered(E1=GOOD), event(body))["E1"]
    assert found.state == OPEN
    assert found.open == [left_out]


@pytest.mark.parametrize(
    ("base", "events", "broken", "reason"),
    [
        (form(posted="2010-06-08", received="2010-06-09"), [], "posted", "after 2010-06-07"),
        (form(proof=""), [], "proof", "no number of a receipt"),
        (form(media="tape"), [], "media", "'tape'"),
        (form(platforms=("Debian",)), [], "platform", "'Debian'"),
        (form(BROUGHT, agreed="2010-06-07"), [], "agreed", "not before"),
        (form(BROUGHT, testing="2010-07-01"), [], "testing", "not between"),
        (form(BROUGHT, present=False), [], "present", "not said to be present"),
        (GOOD, [complied("E1", path=fails("asks for one"))], "path", "asks for one"),
        (GOOD, [complied("E1", variable=fails("PATH"))], "variable", "PATH"),
        (GOOD, [complied("E1", programs=fails("Perl is not on it"))], "programs", "Perl"),
        (GOOD, [complied("E1", browse=fails("none"))], "browse", "none"),
        (GOOD, [complied("E1", runs=fails("a blue screen"))], "runs", "a blue screen"),
    ],
)
def test_whatever_is_broken_it_does_not_comply(
    base: Form, events: list[Any], broken: str, reason: str
) -> None:
    found = assessed(*registered(E1=base), *events)["E1"]
    assert found.state == FAILS
    assert [answer.item.id for answer in found.broken] == [broken]
    assert reason in found.broken[0].reason
    plain = found.as_json()
    assert plain["state"] == "does not comply"


def test_who_is_associated_with_two_makes_both_fail() -> None:
    two = registered(E1=form(entrant="Ann"), E2=form(entrant="ann"))
    found = assessed(*two)
    assert [each.broken[0].item.id for each in found.values()] == ["individual"] * 2


def test_check_bots_verdict_decides_about_lpp() -> None:
    # As canonical JSON gives it back: sorted.
    cases = {"fail": ["2.B/removes"], "info": [], "pass": ["2.B/keys"]}
    failed = Conformance("0" * 64, False, cases)
    body = ComplianceTested("E1", dt.date(2010, 5, 14), {}, failed)
    found = assessed(*registered(E1=GOOD), complied("E1"), event(body))["E1"]
    assert [answer.item.id for answer in found.broken] == ["lpp"]
    assert found.broken[0].reason == "1 pass, 1 fail: 2.B/removes"


def test_the_latest_word_counts_and_what_does_not_apply_is_no_fault() -> None:
    better = ComplianceTested(
        "E1",
        dt.date(2010, 5, 20),
        {"path": ItemTested("not-applicable", "the entrant types it")},
    )
    found = assessed(*registered(E1=GOOD), complied("E1", path=fails("a path")), event(better))
    assert found["E1"].state == COMPLIES
    path = next(answer for answer in found["E1"].answers if answer.item.id == "path")
    assert (path.outcome, path.tested) == ("not-applicable", dt.date(2010, 5, 20))


def test_a_test_on_another_day_than_was_agreed_is_told() -> None:
    events = [*registered(E1=BROUGHT), complied("E1", BROUGHT)]
    assert "tested on another day" in assessed(*events)["E1"].remarks[-1]
    on_day = ComplianceTested("E1", dt.date(2010, 6, 9), {"path": ItemTested("pass")})
    assert assessed(*events, event(on_day))["E1"].remarks == ()


def test_who_is_to_be_tested_first() -> None:
    forms = {
        "E1": form(received="2010-05-16"),
        "E2": form(received="2010-05-15", entrant="B"),
        "E3": form(received="2010-05-15", received_at="10:00", entrant="C"),
        "E4": form(received="2010-05-14", media="tape", entrant="D"),
        "E5": form(received="2010-05-15", entrant="E"),
    }
    state = state_of(*registered(**forms))
    assert [each.entry.id for each in assess_all(state)] == ["E4", "E3", "E2", "E5", "E1"]
    assert waiting_for(state, "E1") == ["E3", "E2", "E5"]
    assert waiting_for(state, "E2") == ["E3"], "of those of one day either may be first"
    assert waiting_for(state, "E3") == [], "one that fails by the register waits for nothing"
    gone = state_of(*registered(**forms), event(EntryWithdrawn("E3", "ill")))
    assert waiting_for(gone, "E1") == ["E2", "E5"], "nobody waits for one that is withdrawn"


# On record


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    with Season(tmp_path / "contest") as season:
        for number, name in enumerate(("Ann", "Bo", "Cy")):
            received = f"2010-05-{16 - number}"
            add(season, {**WRITTEN, "entrant": name, "received": received}, "Ada")
    return tmp_path / "contest"


DAY = dt.date(2010, 5, 20)
ALL = {**PASSED, "runs": ItemTested("pass")}


def test_a_test_out_of_order_is_refused_unless_a_reason_is_given(contest: Path) -> None:
    with Season(contest) as season:
        with pytest.raises(OutOfOrder) as caught:
            record_test(season, "E1", PASSED, "Ada", tested=DAY)
        assert "E3 and E2 were received before E1 and are to be tested first" in str(caught.value)
        assert "in order of receipt" in str(caught.value)
        done = record_test(
            season, "E1", PASSED, "Ada", tested=DAY, out_of_order="Ann came on that day"
        )
        assert done.remarks == ("tested out of the order of receipt: Ann came on that day",)
        # What was begun is gone on with; and the first one waits for nobody.
        done = record_test(
            season, "E1", {"runs": ALL["runs"]}, "Bo", tested=DAY, conformance=SPEAKS
        )
        assert done.state == COMPLIES
        record_test(season, "E3", ALL, "Ada", tested=DAY, conformance=SPEAKS, out_of_order="none")
        done = record_test(season, "E2", ALL, "Ada", tested=DAY)
        assert done.remarks == ()
        found = assess_all(season.state)
    assert [(each.entry.id, each.state) for each in found] == [
        ("E3", "complies"),
        ("E2", "open"),
        ("E1", "complies"),
    ]
    assert found[0].remarks == (), "a reason that was not needed is none"


def test_tests_that_can_not_have_been(contest: Path) -> None:
    with Season(contest) as season:
        events = len(list(season.record.events()))
        with pytest.raises(BadOrder, match="no entry 'E9'"):
            record_test(season, "E9", PASSED, "Ada", tested=DAY)
        with pytest.raises(BadOrder, match="nothing is said of E3"):
            record_test(season, "E3", {}, "Ada", tested=DAY)
        with pytest.raises(WrongMoment, match="received on 2010-05-14"):
            record_test(season, "E3", PASSED, "Ada", tested=dt.date(2010, 5, 13))
        with pytest.raises(BadOrder, match="does not print"):
            record_test(season, "E1", PASSED, "Ada", tested=DAY, out_of_order="\x07")
        register.withdraw(season, "E3", "Ada", "ill")
        with pytest.raises(WrongMoment, match=r"E3 is withdrawn \(ill\)"):
            record_test(season, "E3", PASSED, "Ada", tested=DAY)
        brought = {"way": "3", "testing": "2010-06-09", "agreed": "2010-06-01", "present": "yes"}
        register.change(season, "E2", brought, "Ada", "he comes")
        with pytest.raises(BadOrder, match="runs is not asked of E2, which is submitted by way 3"):
            record_test(season, "E2", ALL, "Ada", tested=DAY)
        assert len(list(season.record.events())) == events + 2


@pytest.mark.parametrize(
    ("word", "said"),
    [
        *((word, "write ITEM=pass") for word in ("path", "posted=pass", "lpp=pass")),
        ("pth=pass", "did you mean path?"),
        ("path=yes", "'yes' is not an outcome"),
        ("path=", "'' is not an outcome"),
        ("path=fail", "fail needs a reason"),
        ("path=not-applicable: ", "not-applicable needs a reason"),
        ("path=fail:\x1b", "does not print"),
    ],
)
def test_items_that_can_not_be_read(word: str, said: str) -> None:
    with pytest.raises(BadOrder) as caught:
        read_items(["programs=pass", word])
    assert said in str(caught.value)


def test_items_as_they_are_written() -> None:
    read = read_items(["path=pass", " runs = fail : a: b ", "browse=pass:a button"])
    assert read == {
        "path": ItemTested("pass"),
        "runs": ItemTested("fail", "a: b"),
        "browse": ItemTested("pass", "a button"),
    }
    with pytest.raises(BadOrder, match="path is given twice"):
        read_items(["path=pass", "path=pass"])
    assert set(ASKED) == set(ALL)


# check-bot's document


def document(**changed: str) -> dict[str, Any]:
    outcomes = {case.id: "info" if case.level.value == "INFO" else "pass" for case in choose(())}
    outcomes |= {"2/browse": "not-tested"} | changed
    cases = [{"id": id_, "outcome": outcome, "level": "x"} for id_, outcome in outcomes.items()]
    return {"cases": cases, "passed": "fail" not in outcomes.values()}


def test_a_whole_check_is_taken_over() -> None:
    text = json.dumps(document(**{"2.B/prompt": "non-strict"}))
    read = read_conformance(text, "e1.json")
    assert read.passed
    assert (read.cases["non-strict"], read.cases["not-tested"]) == (["2.B/prompt"], ["2/browse"])
    assert sum(map(len, read.cases.values())) == len(choose(()))
    assert len(read.sha256) == 64
    failed = read_conformance(json.dumps(document(**{"2.B/removes": "fail"})), "e1.json")
    assert (failed.passed, failed.cases["fail"]) == (False, ["2.B/removes"])
    assert failed.sha256 != read.sha256


def _lacking() -> dict[str, Any]:
    found = document()
    return {**found, "cases": found["cases"][1:]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "not a document of check-bot"),
        ("[" * 100_000, "not a document of check-bot"),
        ("[]", "not a document of check-bot"),
        ('{"cases": [], "passed": true}', "is not in it: it checks a part"),
        (json.dumps(_lacking()), "2.A.a/unique is not in it"),
        (json.dumps({**document(), "passed": False}), "not that of its cases (no fail)"),
        (
            json.dumps({**document(**{"2.B/removes": "fail"}), "passed": True}),
            "not that of its cases (2.B/removes)",
        ),
        (json.dumps(document(**{"2.B/removes": "non-strict"})), "(2.B/removes)"),
        (json.dumps(document(**{"2.B/removes": "fine"})), "not a document of check-bot"),
        (json.dumps({"cases": [["a"]], "passed": True}), "not a document of check-bot"),
        (json.dumps({"cases": document()["cases"] * 2, "passed": True}), "twice"),
    ],
)
def test_what_is_no_whole_check_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadEvidence) as caught:
        read_conformance(text, "e1.json")
    assert said in str(caught.value)
    assert "check-bot --json" in str(caught.value)
    assert "\n" not in str(caught.value)
