"""Tests the selection of entries: the checklist, the order of tests, check-bot's document; the
order of posting, ties, the cut, decisions, and when the list is final."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.record.season import (
    ComplianceTested,
    Conformance,
    EntryWithdrawn,
    Form,
    ItemTested,
    PriorityDecided,
    ScreeningBegun,
)
from contest.screening.register import (
    COMPLIES,
    FAILS,
    OPEN,
    SCREENED,
    UNTESTED,
    WAITS,
    WITHDRAWN,
    Checklist,
    OutOfOrder,
    Selection,
    assess,
    assess_all,
    read_conformance,
    read_items,
    select_entries,
    waiting_for,
)
from contest.screening.season import Season
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.contest.screening.seasons import (
    BROUGHT,
    GOOD,
    PASSED,
    SPEAKS,
    TABLE,
    WRITTEN,
    add,
    change,
    complied,
    comply,
    event,
    form,
    registered,
    start,
    state_of,
)
from texts import in_english

DAY = dt.date(2010, 5, 20)
ALL = {**PASSED, "runs": ItemTested("pass")}


def assessed(*events: Any) -> Checklist:
    return assess(state_of(*events), "E1")


@pytest.mark.parametrize(
    ("way", "asked"),
    [
        (1, {"platform", "runs"}),
        (2, {"platform", "runs", "agreed", "testing", "present"}),
        (3, {"agreed", "testing", "present"}),
    ],
)
def test_each_way_of_submission_has_its_items(way: Any, asked: set[str]) -> None:
    every = {"posted", "proof", "media", "individual", "lpp", *PASSED}
    found = assessed(*registered(E1=form(way=way)))
    assert {answer.item for answer in found.items} == every | asked


def test_an_entry_is_open_until_all_items_are_answered() -> None:
    found = assessed(*registered(E1=GOOD), complied("E1"))
    assert (found.state, found.why, found.remarks) == (COMPLIES, "", [])
    seen = {answer.item: answer for answer in found.items}
    assert (seen["path"].by, seen["path"].tested) == ("Ada", dt.date(2010, 5, 14))
    assert (seen["posted"].by, seen["posted"].outcome) == ("", "pass")
    assert seen["lpp"].reason == "1 pass"
    for left_out in (*ALL, "lpp"):
        said = {name: item for name, item in ALL.items() if name != left_out}
        body = ComplianceTested("E1", DAY, said, None if left_out == "lpp" else SPEAKS)
        found = assessed(*registered(E1=GOOD), event(body))
        assert (found.state, found.why) == (OPEN, f"not answered yet: {left_out}")


MUTE = Conformance("0" * 64, False, {"fail": ["2.B/removes"], "info": [], "pass": ["2.B/keys"]})


@pytest.mark.parametrize(
    ("base", "events", "broken", "reason"),
    [
        (form(posted="2010-06-08", received="2010-06-09"), [], "posted", "after 2010-06-07"),
        (form(BROUGHT, present=False), [], "present", "will not be at the contest"),
        *(
            (
                GOOD,
                [complied("E1", GOOD, **{name: ItemTested("fail", "so it is")})],
                name,
                "so it is",
            )
            for name in ALL
        ),
        (
            *(GOOD, [complied("E1"), event(ComplianceTested("E1", DAY, {}, MUTE))]),
            *("lpp", "1 pass, 1 fail: 2.B/removes"),
        ),
    ],
)
def test_one_failed_item_fails_an_entry(base: Form, events: Any, broken: str, reason: str) -> None:
    found = assessed(*registered(E1=base), *events)
    assert found.state == FAILS
    assert [answer.item for answer in found.of("fail")] == [broken]
    assert reason in found.why


def test_the_latest_answer_counts_and_items_may_not_apply() -> None:
    better = ComplianceTested("E1", DAY, {"path": ItemTested("not-applicable", "he types it")})
    path = complied("E1", path=ItemTested("fail", "a path"))
    assert assessed(*registered(E1=GOOD), path, event(better)).state == COMPLIES
    found = assessed(*registered(E1=BROUGHT), complied("E1", BROUGHT))
    assert "tested on another day" in found.remarks[-1]


def test_entries_are_tested_in_the_order_of_receipt() -> None:
    forms = {
        "E1": form(received="2010-05-16"),
        "E2": form(received="2010-05-15", entrant="B"),
        "E3": form(received="2010-05-15", received_at="10:00", entrant="C"),
        "E4": form(received="2010-05-14", media="tape", entrant="D"),
        "E5": form(received="2010-05-15", entrant="E"),
    }
    state = state_of(*registered(**forms))
    assert [each.entry for each in assess_all(state)] == ["E4", "E3", "E2", "E5", "E1"]
    assert waiting_for(state, "E1").startswith("E3, E2 and E5 were received before E1")
    assert waiting_for(state, "E2").startswith("E3 was"), "entries of one day can be in any order"
    assert waiting_for(state, "E3") == "", "an entry that fails by the register doesn't wait"
    gone = state_of(*registered(**forms), event(EntryWithdrawn("E3", "ill")))
    assert waiting_for(gone, "E1").startswith("E2 and E5")


# check-bot's document, and items on the command line


def document(**changed: str) -> dict[str, Any]:
    outcomes = {case.id: "info" if case.level.value == "INFO" else "pass" for case in choose(())}
    outcomes |= {"2/browse": "not-tested"} | changed
    cases = [{"id": id_, "outcome": outcome, "level": "x"} for id_, outcome in outcomes.items()]
    return {"cases": cases, "passed": "fail" not in outcomes.values()}


def test_a_complete_check_is_accepted() -> None:
    read = read_conformance(json.dumps(document(**{"2.B/prompt": "non-strict"})), "e1.json")
    assert read.passed
    assert (read.cases["non-strict"], read.cases["not-tested"]) == (["2.B/prompt"], ["2/browse"])
    assert sum(map(len, read.cases.values())) == len(choose(()))
    failed = read_conformance(json.dumps(document(**{"2.B/removes": "fail"})), "e1.json")
    assert (failed.passed, failed.cases["fail"]) == (False, ["2.B/removes"])
    assert len(failed.sha256) == 64
    assert failed.sha256 != read.sha256


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "not a document of check-bot") for text in ("no", "[" * 100_000, "[]")),
        (json.dumps({"cases": [["a"]], "passed": True}), "not a document of check-bot"),
        (json.dumps(document(**{"2.B/removes": "fine"})), "not a document of check-bot"),
        (
            json.dumps(document() | {"cases": document()["cases"][1:]}),
            "lacks the case 2.A.a/unique",
        ),
        (json.dumps({**document(), "passed": False}), "contradicts its cases (no fail)"),
        (json.dumps(document(**{"2.B/removes": "non-strict"})), "its cases (2.B/removes)"),
        (json.dumps({"cases": document()["cases"] * 2, "passed": True}), "twice"),
    ],
)
def test_an_incomplete_check_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadOrder) as caught:
        read_conformance(text, "e1.json")
    assert said in str(caught.value)
    assert "check-bot --json" in str(caught.value)


def test_items_are_read_from_the_command_line() -> None:
    assert read_items(["path=pass", " runs = fail : a: b ", "browse=pass:a button"]) == {
        "path": ItemTested("pass"),
        "runs": ItemTested("fail", "a: b"),
        "browse": ItemTested("pass", "a button"),
    }
    for word, said in (
        *((word, "write ITEM=pass") for word in ("path", "posted=pass", "lpp=pass")),
        ("pth=pass", "did you mean path"),
        ("path=yes", "'yes' is not an outcome"),
        ("path=fail", "fail needs a reason"),
        ("path=not-applicable: ", "not-applicable needs a reason"),
        ("path=fail:\x1b", "unprintable character"),
        ("programs=pass", "programs is given twice"),
    ):
        with pytest.raises(BadOrder, match=said):
            read_items(["programs=pass", word])


# Selection

SMALL = msgspec.structs.replace(TABLE, screened=3, finalists=2)


def chosen(*events: Any, table: Any = SMALL) -> Selection:
    return select_entries(state_of(*events, table=table))


def complying(**forms: Form) -> list[Any]:
    named = {id_: msgspec.structs.replace(each, entrant=id_) for id_, each in forms.items()}
    return [*registered(**named), *(complied(id_) for id_ in named)]


def on(day: int, **changed: Any) -> Form:
    return form(posted=f"2010-05-{day:02}", **{"received": "2010-05-30", **changed})


def fates(found: Selection) -> dict[str, str]:
    return {row.entry: row.fate for row in found.entries}


@pytest.mark.parametrize(
    ("forms", "screened", "places"),
    [
        # The earliest posting counts, not the receipt.
        (
            [on(13), on(10, received="2010-06-20"), on(12), on(14, received="2010-05-14")],
            *(["E2", "E3", "E1"], [1, 2, 3, 4]),
        ),
        # Then the time stamp, then receipt.
        (
            [
                *(on(10, posted_at=None), on(10, posted_at="16:00"), on(10, posted_at="09:00")),
                on(10, posted_at=None, received="2010-05-29"),
            ],
            *(["E3", "E2", "E4"], [1, 2, 3, 4]),
        ),
        # Entries that are still equal share the place, and all are screened.
        ([on(9), on(10), on(10), on(10), on(11)], ["E1", "E2", "E3", "E4"], [1, 2, 2, 2, 5]),
    ],
)
def test_the_earliest_postings_are_screened(
    forms: list[Form], screened: list[str], places: list[int]
) -> None:
    found = chosen(*complying(**{f"E{n}": each for n, each in enumerate(forms, 1)}))
    assert found.screened == screened
    assert [row.place for row in found.entries] == places
    assert found.entries[-1].fate == WAITS
    assert not found.provisional
    assert "“The 16 compliant entries having the earliest time stamps" in found.words[0]
    assert any("at the same time" in words for words in found.words) == (len(screened) > 3)


def test_the_organizers_decision_orders_equal_entries() -> None:
    events = complying(E1=on(9), E2=on(10), E3=on(10), E4=on(10), E5=on(8))
    decided = event(PriorityDecided(["E4", "E2", "E3"], "by lot"))
    for more, screened in (
        ([decided], ["E5", "E1", "E4"]),
        ([decided, event(PriorityDecided(["E3", "E2", "E4"], "again"))], ["E5", "E1", "E3"]),
        ([decided, event(EntryWithdrawn("E4", "x"))], ["E5", "E1", "E2"]),
        ([event(PriorityDecided(["E2", "E3"], "without E4"))], ["E5", "E1", "E2", "E3", "E4"]),
        ([decided, event(PriorityDecided(["E1", "E5"], "against"))], ["E5", "E1", "E4"]),
    ):
        assert chosen(*events, *more).screened == screened


def test_the_next_entry_moves_up_until_screening_has_begun() -> None:
    events = complying(E1=on(8), E2=on(9), E3=on(10), E4=on(11))
    gone = event(EntryWithdrawn("E2", "ill"))
    moved = chosen(*events, gone)
    assert moved.screened == ["E1", "E3", "E4"]
    assert fates(moved)["E2"] == WITHDRAWN
    begun = event(ScreeningBegun(["E1", "E2", "E3"]))
    late = ComplianceTested("E3", DAY, {"path": ItemTested("fail", "after all")})
    after = chosen(*events, begun, gone, event(late))
    assert after.screened == ["E1", "E2", "E3"]
    assert state_of(*events, begun, gone).to_ask == ["E1", "E3"]
    assert fates(after) == {"E1": SCREENED, "E2": WITHDRAWN, "E3": SCREENED, "E4": WAITS}
    # Later findings don't change the list, but are mentioned.
    assert {row.entry: row.why for row in after.entries}["E3"] == "after all"
    assert after.words[0].startswith("Screening has begun with 3 entries: the list is final")


def test_remarks_on_a_list_that_may_change() -> None:
    found = chosen(*complying(E1=on(8), E2=on(9)), *registered(E3=on(1, entrant="C"), E4=on(7)))
    assert found.provisional
    assert fates(found) == {"E1": SCREENED, "E2": SCREENED, "E3": FAILS, "E4": UNTESTED}
    assert found.words == ["This may change: E4 is still to be tested."]
    four = msgspec.structs.replace(TABLE, finalists=4)
    for events, said in (
        (complying(E1=on(8), E2=on(9), E3=on(10)), "3 entries comply, fewer than the 4 finalists"),
        (complying(E1=on(8)), "1 entry complies, fewer"),
        (registered(E1=form(media="tape")), "the prize money, US$ 5000, is added to"),
        (registered(E1=GOOD), "This may change: E1 is still to be tested."),
        ([], "The register is empty."),
    ):
        assert said in chosen(*events, table=four).words[0]
    assert chosen(*complying(**{f"E{n}": on(8 + n) for n in range(4)}), table=four).words == []


some = st.builds(
    on,
    st.integers(3, 6),
    posted_at=st.sampled_from([None, "09:00", "10:00"]),
    media=st.sampled_from(["CD", "CD", "CD", "tape"]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(some, max_size=9), st.randoms())
def test_the_cut_by_counting(forms: list[Form], random: Any) -> None:
    events = complying(**{f"E{n}": each for n, each in enumerate(forms, 1)})
    found = chosen(*events)
    last = dt.time.max
    keys = {f"E{n}": (each.posted, each.posted_at or last) for n, each in enumerate(forms, 1)}
    good = [f"E{n}" for n, each in enumerate(forms, 1) if each.media == "CD"]
    for row in found.entries:
        place = 1 + sum(keys[other] < keys[row.entry] for other in good)
        assert row.place == (place if row.entry in good else None)
        assert (row.entry in found.screened) == (row.entry in good and place <= SMALL.screened)
        assert (row.fate == FAILS) == (row.entry not in good)
    # The order of registration has no effect.
    registrations, tests = events[: len(forms)], events[len(forms) :]
    random.shuffle(registrations)
    assert chosen(*registrations, *tests) == found


# In the record


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    text = folder.template().replace("screened = 16", "screened = 2")
    text = text.replace("finalists = 4", "finalists = 2")
    folder.make(tmp_path / "contest", text)
    at = dt.datetime(2010, 6, 1, tzinfo=dt.UTC)
    with Season(tmp_path / "contest", wall=lambda: at) as made:
        for name, day in (("Ann", 16), ("Bo", 14), ("Cy", 15)):
            posted = "2010-05-10" if name == "Ann" else "2010-05-11"
            received = {"received": f"2010-05-{day}"}
            add(made, {**WRITTEN, "entrant": name, "posted": posted, **received})
        yield made


def test_a_test_out_of_order_needs_a_reason(season: Season) -> None:
    with pytest.raises(OutOfOrder) as caught:
        season.write("Ada", ComplianceTested("E1", DAY, PASSED))
    assert "E2 and E3 were received before E1 and must be tested first" in str(caught.value)
    assert "in order of receipt" in str(caught.value)
    season.write("Ada", ComplianceTested("E1", DAY, PASSED, None, "Ann came on that day"))
    found = assess(season.state, "E1")
    assert found.remarks[-1] == "tested out of the order of receipt: Ann came on that day"
    # A test that has begun can be continued.
    season.write("Bo", ComplianceTested("E1", DAY, {"runs": ALL["runs"]}, SPEAKS))
    assert assess(season.state, "E1").state == COMPLIES


@pytest.mark.parametrize(
    ("body", "error", "said"),
    [
        (ComplianceTested("E9", DAY, PASSED), BadOrder, "no entry 'E9'"),
        (ComplianceTested("E2", DAY, {}), BadOrder, "no result for E2"),
        (ComplianceTested("E2", dt.date(2010, 5, 13), PASSED), WrongMoment, "received on 2010-05"),
        (PriorityDecided(["E2", "E9"], "x"), BadOrder, "no entry 'E9'"),
        (PriorityDecided(["E2"], "x"), BadOrder, "at least two entries"),
        (PriorityDecided(["E2", "E2"], "x"), BadOrder, "each once"),
        (PriorityDecided(["E1", "E2"], "x"), WrongMoment, "were not posted and received at"),
        (PriorityDecided(["E2", "E3"], ""), BadOrder, "a reason is needed"),
        (ScreeningBegun(["E1"]), WrongMoment, "can't begin: E1, E2 and E3 are"),
    ],
)
def test_impossible_steps_are_refused(
    season: Season, body: Any, error: type[ContestError], said: str
) -> None:
    before = season.record.last_number()
    with pytest.raises(error, match=said):
        season.write("Ada", body)
    assert season.record.last_number() == before


def test_withdrawn_and_brought_entries_do_not_wait_for_their_turn(season: Season) -> None:
    season.write("Ada", EntryWithdrawn("E2", "ill"))
    with pytest.raises(WrongMoment, match=r"E2 is withdrawn \(ill\)"):
        season.write("Ada", ComplianceTested("E2", DAY, PASSED))
    brought = {"way": "3", "testing": "2010-06-09", "agreed": "2010-06-01", "present": "yes"}
    change(season, "E3", brought, "Ada", "he comes")
    with pytest.raises(BadOrder, match="runs does not apply to E3"):
        season.write("Ada", ComplianceTested("E3", DAY, ALL))


def test_screening_begins_once_and_the_list_is_final(season: Season) -> None:
    change(season, "E3", {"received": "2010-05-14"}, "Ada", "a slip")
    comply(season, "E2", "E3", "E1")
    assert select_entries(season.state).screened == ["E1", "E2", "E3"]
    add(season, {**WRITTEN, "entrant": "Dee", "posted": "2010-05-11"})
    with pytest.raises(WrongMoment, match="E4 is equal to these"):
        season.write("Ada", PriorityDecided(["E2", "E3"], "by lot"))
    season.write("Ada", EntryWithdrawn("E4", "it is gone"))
    season.write("Bo", PriorityDecided(["E3", "E2"], "by lot"))
    with pytest.raises(BadOrder, match="E1 and E3"):
        season.write("Ada", ScreeningBegun(["E1", "E2"]))
    start(season)
    for body in (ScreeningBegun(["E1", "E3"]), PriorityDecided(["E2", "E3"], "x")):
        with pytest.raises(WrongMoment, match="the list is final"):
            season.write("Ada", body)
    row = msgspec.to_builtins(select_entries(season.state).entries[1], enc_hook=in_english)
    assert (row["entry"], row["posted"], row["posted_at"]) == ("E3", "2010-05-11", None)
    assert (row["fate"], row["place"], row["tied"]) == ("screened", 2, [])


def test_a_wrong_contest_date_is_a_remark_on_the_list(season: Season) -> None:
    toml = season.folder / "contest.toml"
    text = toml.read_text(encoding="utf-8").replace("date = 2010-10-23", "date = 2010-11-06")
    toml.write_text(text, encoding="utf-8")
    season.__exit__(None, None, None)
    at = dt.datetime(2010, 6, 1, tzinfo=dt.UTC)
    with Season(season.folder, wall=lambda: at) as later:
        words = select_entries(later.state).words
    assert "The contest's date is 2010-11-06, not between" in words[-2]
    assert "changed from 2010-10-23 to 2010-11-06 on 2010-06-01, after 2010-05-01" in words[-1]
