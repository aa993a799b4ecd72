"""Who goes on: the order of posting, ties, the cut, decisions, and when the list stands."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder, WrongMoment
from contest.record.season import (
    ComplianceTested,
    EntryWithdrawn,
    Form,
    ItemTested,
    PriorityDecided,
    ScreeningBegun,
)
from contest.screening import register, selection
from contest.screening.compliance import COMPLIES, FAILS
from contest.screening.season import Season
from contest.screening.selection import (
    SCREENED,
    UNTESTED,
    WAITS,
    WITHDRAWN,
    Selection,
    priority,
    select,
)
from contest.setup import folder
from tests.contest.screening.seasons import (
    TABLE,
    WRITTEN,
    add,
    complied,
    comply,
    event,
    form,
    registered,
    state_of,
)

SMALL = msgspec.structs.replace(TABLE, screened=3, finalists=2)


def chosen(*events: Any, table: Any = SMALL) -> Selection:
    return select(state_of(*events, table=table))


def complying(**forms: Form) -> list[Any]:
    named = {id_: msgspec.structs.replace(each, entrant=id_) for id_, each in forms.items()}
    return [*registered(**named), *(complied(id_) for id_ in named)]


def on(day: int, **changed: Any) -> Form:
    return form(posted=f"2010-05-{day:02}", received="2010-05-30", **changed)


def fates(found: Selection) -> dict[str, str]:
    return {row.id: row.fate for row in found.rows}


def test_the_earliest_posting_goes_on_whatever_the_receipt() -> None:
    found = chosen(
        *complying(
            E1=on(13),
            E2=form(on(10), received="2010-06-20"),
            E3=on(12),
            E4=form(on(14), received="2010-05-14"),
        )
    )
    assert found.screened == ("E2", "E3", "E1")
    assert [(row.id, row.place) for row in found.rows] == [
        ("E2", 1),
        ("E3", 2),
        ("E1", 3),
        ("E4", 4),
    ]
    assert found.rows[-1].fate == WAITS
    assert not found.provisional
    assert "“The 16 compliant entries having the earliest time stamps" in found.words[0]


def test_a_tie_is_settled_by_the_time_stamp_then_by_receipt() -> None:
    found = chosen(
        *complying(
            E1=on(10, posted_at=None),
            E2=on(10, posted_at="16:00"),
            E3=on(10, posted_at="09:00"),
            E4=form(on(10, posted_at=None), received="2010-05-29"),
        )
    )
    assert found.screened == ("E3", "E2", "E4")


def test_who_is_equal_even_so_shares_the_place_and_all_go_on() -> None:
    events = complying(E1=on(9), E2=on(10), E3=on(10), E4=on(10), E5=on(11))
    found = chosen(*events)
    assert found.screened == ("E1", "E2", "E3", "E4")
    assert [row.place for row in found.rows] == [1, 2, 2, 2, 5]
    assert found.rows[1].tied == ("E3", "E4")
    assert any("E2, E3 and E4 were posted and received at one moment" in w for w in found.words)
    inside = chosen(*events, table=msgspec.structs.replace(SMALL, screened=4))
    assert not any("at one moment" in words for words in inside.words), "the cut is not there"


def test_the_organizers_decision_settles_what_nothing_else_does() -> None:
    events = complying(E1=on(9), E2=on(10), E3=on(10), E4=on(10), E5=on(8))
    decided = event(PriorityDecided(["E4", "E2", "E3"], "by lot"))
    assert chosen(*events, decided).screened == ("E5", "E1", "E4")
    again = event(PriorityDecided(["E3", "E2", "E4"], "drawn anew"))
    assert chosen(*events, decided, again).screened == ("E5", "E1", "E3")
    gone = event(EntryWithdrawn("E4", "x"))
    assert chosen(*events, decided, gone).screened == ("E5", "E1", "E2"), "the rest still holds"
    part = event(PriorityDecided(["E2", "E3"], "without E4"))
    assert chosen(*events, part).screened == ("E5", "E1", "E2", "E3", "E4")
    against = event(PriorityDecided(["E1", "E5"], "against the dates"))
    assert chosen(*events, decided, against).screened == ("E5", "E1", "E4")


def test_the_next_one_moves_up_until_screening_has_begun() -> None:
    events = complying(E1=on(8), E2=on(9), E3=on(10), E4=on(11))
    gone = event(EntryWithdrawn("E2", "ill"))
    moved = chosen(*events, gone)
    assert moved.screened == ("E1", "E3", "E4")
    assert fates(moved)["E2"] == WITHDRAWN
    begun = event(ScreeningBegun(["E1", "E2", "E3"]))
    after = chosen(*events, begun, gone)
    assert after.screened == ("E1", "E2", "E3")
    assert state_of(*events, begun, gone).to_ask == ["E1", "E3"]
    assert fates(after)["E4"] == WAITS
    assert after.words[0].startswith("Screening has begun with 3 entries: the list stands")
    assert after.words[1:] == ("Withdrawn since: E2.",)


def test_what_is_known_since_changes_no_list_that_stands_and_is_told() -> None:
    events = complying(E1=on(8), E2=on(9), E3=on(10), E4=on(11))
    begun = event(ScreeningBegun(["E1", "E2", "E3"]))
    late = ComplianceTested("E2", dt.date(2010, 6, 1), {"path": ItemTested("fail", "after all")})
    earlier = [*registered(E5=on(7)), complied("E5")]
    found = chosen(*events, begun, event(late), *earlier)
    assert found.screened == ("E1", "E2", "E3")
    assert "E2 is on the list and does not comply by what is known now." in found.words
    assert "E5 is not on the list and was posted before one that is." in found.words
    assert not found.provisional


def test_who_is_still_to_be_tested_may_change_it() -> None:
    tested = complying(E1=on(8), E2=on(9))
    found = chosen(*tested, *registered(E3=on(1, entrant="C"), E4=on(7)))
    assert found.provisional
    assert fates(found) == {"E1": SCREENED, "E2": SCREENED, "E3": FAILS, "E4": UNTESTED}
    assert found.words == ("This may change: E4 is still to be tested.",)
    assert "programs, runs, path" in found.rows[-1].why


def test_fewer_than_the_finalists() -> None:
    table = msgspec.structs.replace(TABLE, finalists=4)
    found = chosen(*complying(E1=on(8), E2=on(9), E3=on(10)), table=table)
    assert found.screened == ("E1", "E2", "E3")
    assert "3 entries comply, fewer than the 4 finalists" in found.words[0]
    assert "publicly available open source programs" in found.words[0]
    one = chosen(*complying(E1=on(8)), table=table)
    assert "1 entry complies, fewer" in one.words[0]
    enough = chosen(*complying(**{f"E{n}": on(8 + n) for n in range(4)}), table=table)
    assert enough.words == ()


def test_none() -> None:
    found = chosen(*registered(E1=form(media="tape")))
    assert found.screened == ()
    assert "the prize money, US$ 5000, is added to that of the next year" in found.words[0]
    assert "2011 Competition" in found.words[0]
    assert chosen().words == ("The register is empty.",)


some = st.builds(
    on,
    st.integers(3, 6),
    posted_at=st.sampled_from([None, "09:00", "10:00"]),
    media=st.sampled_from(["CD", "CD", "CD", "tape"]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(some, max_size=9), st.randoms())
def test_the_order_of_what_is_given_changes_nothing(forms: list[Form], random: Any) -> None:
    events = complying(**{f"E{n}": each for n, each in enumerate(forms, 1)})
    found = chosen(*events)
    # In which order they were registered.
    registrations, tests = events[: len(forms)], events[len(forms) :]
    random.shuffle(registrations)
    again = chosen(*registrations, *tests)
    assert dataclasses.replace(again, rows=()) == dataclasses.replace(found, rows=())
    assert [row.id for row in again.rows] == [row.id for row in found.rows]


@settings(max_examples=40, deadline=None)
@given(st.lists(some, max_size=9))
def test_those_that_go_on_are_the_earliest(forms: list[Form]) -> None:
    found = chosen(*complying(**{f"E{n}": each for n, each in enumerate(forms, 1)}))
    keys = {row.id: priority(row.form) for row in found.rows}
    good = [row.id for row in found.rows if row.assessment.state == COMPLIES]
    out = [id_ for id_ in good if id_ not in found.screened]
    assert all(keys[one] < keys[other] for one in found.screened for other in out)
    assert len(found.screened) >= min(len(good), SMALL.screened)
    if len(found.screened) > SMALL.screened:
        # More go on only where the cut goes through a tie.
        assert keys[found.screened[SMALL.screened - 1]] == keys[found.screened[-1]]
    for row in found.rows:
        if row.place is not None:
            assert row.place == 1 + sum(keys[other] < keys[row.id] for other in good)
    assert all(row.fate == FAILS for row in found.rows if row.id not in good)


# On record


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    place = tmp_path / "contest"
    text = folder.template().replace("screened = 16", "screened = 2")
    text = text.replace("finalists = 4", "finalists = 2")
    folder.make(place, text)
    with Season(place) as season:
        for name, posted in (("Ann", "2010-05-10"), ("Bo", "2010-05-11"), ("Cy", "2010-05-11")):
            values = {**WRITTEN, "entrant": name, "posted": posted}
            add(season, values, "Ada")
    return place


def decide(season: Season, ids: list[str], by: str = "Ada", reason: str = "by lot") -> Selection:
    season.write(by, PriorityDecided(ids, reason))
    return select(season.state)


def test_screening_begins_when_all_are_tested_and_once(contest: Path) -> None:
    with Season(contest) as season:
        with pytest.raises(WrongMoment, match="can't begin: This may change: E1, E2 and E3 are"):
            selection.begin(season, "Ada")
        comply(season, "E1")
        with pytest.raises(WrongMoment, match="E2 and E3 are still to be tested"):
            selection.begin(season, "Ada")
        comply(season, "E1", "E2", "E3")
        selection.begin(season, "Ada")
        assert select(season.state).screened == ("E1", "E2", "E3")
        with pytest.raises(WrongMoment, match="has begun already"):
            selection.begin(season, "Ada")
        with pytest.raises(WrongMoment, match="the list stands"):
            decide(season, ["E2", "E3"], "Ada", "by lot")


def test_screening_does_not_begin_with_nobody(contest: Path) -> None:
    with Season(contest) as season:
        for id_ in ("E1", "E2", "E3"):
            register.change(season, id_, {"media": "tape"}, "Ada", "it is a tape")
        with pytest.raises(WrongMoment, match="can't begin: No entry complies"):
            selection.begin(season, "Ada")


def test_the_organizer_decides_about_equals_only(contest: Path) -> None:
    with Season(contest) as season:
        comply(season, "E1", "E2", "E3")
        for ids, error, said in (
            (["E2", "E9"], BadOrder, "no entry 'E9'"),
            (["E2"], BadOrder, "two entries at least"),
            (["E2", "E2"], BadOrder, "each once"),
            (["E1", "E2"], WrongMoment, "E1 and E2 were not posted and received at one moment"),
        ):
            with pytest.raises(error, match=said):
                decide(season, ids, "Ada", "by lot")
        for reason in ("", "\x1b"):
            with pytest.raises(BadOrder, match="reason"):
                decide(season, ["E3", "E2"], "Ada", reason)
        assert decide(season, ["E3", "E2"], "Bo", "by lot").screened == ("E1", "E3")
        add(season, {**WRITTEN, "entrant": "Dee", "posted": "2010-05-11"}, "Ada")
        with pytest.raises(WrongMoment, match="E4 is equal to these; say where it goes, too"):
            decide(season, ["E2", "E3"], "Ada", "by lot")
        decided = list(season.record.events(kind=PriorityDecided.kind))
    assert [(each.actor, each.body["entries"]) for each in decided] == [("Bo", ["E3", "E2"])]


def test_a_date_that_may_not_be_is_told_with_the_list(contest: Path) -> None:
    toml = contest / "contest.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace("date = 2010-10-23", "date = 2010-11-06"), encoding="utf-8")
    at = dt.datetime(2010, 6, 1, tzinfo=dt.UTC)
    with Season(contest, wall=lambda: at) as season:
        found = select(season.state)
    assert "The contest's date is 2010-11-06, and not between" in found.words[-2]
    assert (
        "changed from 2010-10-23 to 2010-11-06 on 2010-06-01, after 2010-05-01" in found.words[-1]
    )


def test_what_programs_are_told(contest: Path) -> None:
    with Season(contest) as season:
        comply(season, "E1", "E2", "E3")
        plain = select(season.state).as_json()
    assert plain["screened"] == ["E1", "E2", "E3"]
    assert (plain["begun"], plain["provisional"]) == (False, False)
    rows = plain["entries"]
    assert isinstance(rows, list)
    assert rows[1] == {
        "entry": "E2",
        "program": "Suzette",
        "entrant": "Bo",
        "posted": "2010-05-11",
        "posted_at": None,
        "received": "2010-05-14",
        "fate": "screened",
        "place": 2,
        "tied": ["E3"],
        "why": "posted on 2010-05-11",
    }
