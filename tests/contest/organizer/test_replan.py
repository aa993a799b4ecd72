"""Tests the board's schedule page: both plans side by side, and adopting one."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from contest import worker
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.organizer import replan
from contest.organizer.orders import order_of_form
from contest.organizer.replan import Cell, side_by_side
from contest.serving.server import Server
from contest.setup import folder, settings
from contest.state.schedules import replanned
from scheduler import Pairing, schedule_2010
from scheduler.planning import model
from scheduler.planning.wishes import Wishes
from scheduler.repair import pairings_of, repair
from tests.contest.organizer.board_server import give, organizer, staged, token, visitor
from tests.contest.organizer.test_replanning import known
from texts import load

SCRIPT = "<script>alert(1)</script>"
PLAN = schedule_2010()
JUDGES = ["J1", "J2", "J3", "J4"]
SETTINGS = settings.parse(folder.template())


@pytest.fixture
async def stage(tmp_path: Path, work_in_this_process: None) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest", ("Harriet", SCRIPT)) as made:
        yield made


async def two_rounds(client: httpx.AsyncClient) -> None:
    """Begins the second round."""
    for action, fields in (
        ("start", {"anyway": "yes"}),
        ("end", {"reason": "x"}),
        ("close", {"reason": "x"}),
        ("start", {"anyway": "yes"}),
    ):
        answer = await give(client, action, **fields, sure="yes")
        assert answer.status_code == 200, answer.text


async def page_with_plans(client: httpx.AsyncClient, query: str) -> tuple[str, list[str]]:
    """The page with the plans, and the plans that can be chosen."""
    page = (await client.get(f"/board/schedule?plan=yes&{query}")).text
    return page, re.findall(r'name="rounds" value="([^"]+)"', page)


# The plans


def test_both_plans_are_shown_side_by_side() -> None:
    found = repair(PLAN, 2, ["J1", "C2"])
    old, repaired = side_by_side(found, PLAN, JUDGES, load())
    assert [number for number, _ in old["table"].rounds] == [3, 4]
    rows = dict(old["table"].rows)
    assert rows["J1"][0] == Cell("E4 C3", "out", "dropped: J1 is gone")
    assert rows["J3"] == [Cell("E2 C1"), Cell("E4 C2", "out", "dropped: C2 is gone")]
    after = dict(repaired["table"].rows)
    assert after["J1"] == [Cell(""), Cell("")]
    marks = {cell.mark for cells in after.values() for cell in cells}
    assert {"new", "other"} <= marks
    for judge in JUDGES:
        for i, number in enumerate((3, 4)):
            has = [
                p for p in found.repaired.schedule.pairings if (p.round, p.judge) == (number, judge)
            ]
            assert after[judge][i].words == " ".join(f"{p.entry} {p.confederate}" for p in has)
            had = [p for p in found.as_it_stands.schedule.pairings if p in has]
            assert bool(after[judge][i].mark) == (bool(has) and not had)
    assert (old["lost"], repaired["lost"]) == (4, 2)
    assert ("judge with entry", "10 of 12; repeated: J2E2, J4E3") in repaired["pairs"]
    assert old["why_not"] == repaired["why_not"] == ""


def test_a_desk_that_is_free_now_is_marked() -> None:
    found = repair(PLAN, 2, wishes=Wishes(away=(("J2", 3),)))
    assert "J2 is absent" in found.breach
    both = side_by_side(found, PLAN, JUDGES, load())
    assert dict(both[1]["table"].rows)["J2"][0] == Cell("", "free", "free now")


@pytest.mark.parametrize("gone", [("C2",), ("J1", "C2"), ("E3",), ("J4",)], ids=" ".join)
def test_every_offered_plan_can_be_ordered(gone: tuple[str, ...]) -> None:
    for plan in side_by_side(repair(PLAN, 2, gone), PLAN, JUDGES, load()):
        assert plan["why_not"] == ""
        given = order_of_form({"action": "replan", "rounds": plan["rounds"], "reason": "x"})
        rounds = {int(number): triples for number, triples in given.values["rounds"].items()}
        changed = replanned(PLAN, rounds, 2, known(SETTINGS))
        assert changed.rounds[:2] == PLAN.rounds[:2]
        assert not {name for p in changed.pairings[8:] for name in (p.judge, p.entry)} & set(gone)


def test_unchanged_plans_and_empty_rounds_are_not_offered() -> None:
    (only,) = side_by_side(repair(PLAN, 2), PLAN, JUDGES, load())
    assert only["why_not"] == "this is already the plan"
    few = ["J2", "J3", "J4", "E2", "E3", "E4", "C3", "C4"]
    for plan in side_by_side(repair(PLAN, 2, few), PLAN, JUDGES, load()):
        assert "nobody plays in round" in plan["why_not"]
        assert "No more rounds" in plan["why_not"]


# The page


async def test_a_plan_changes_nothing_until_it_is_adopted(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        page = (await client.get("/board/schedule")).text
        assert '<span class="pair">E4 C1</span>' in page
        assert SCRIPT not in page
        await two_rounds(client)
        page, plans = await page_with_plans(client, "gone=J1&gone=C2")
        assert "loses 2 pairs fewer; no plan loses fewer than 2" in page
        assert "2 rounds played; still taking part: 3 judges, 4 entries and 3 confederates" in page
        await stage.journal.flush()
        assert not list(stage.record.events(kind="schedule-changed"))
        expected = repair(PLAN, 2, ["J1", "C2"]).repaired.schedule
        reason = f"J1 and C2 are ill {SCRIPT}"
        # As the form sends it without scripts.
        form = {"form": await token(client), "action": "replan", "rounds": plans[1]}
        answer = await client.post("/board/order", data={**form, "reason": reason})
        assert (answer.status_code, answer.headers["location"]) == (303, "/board")
        shown = (await client.get("/board")).text
        assert "Done: the later rounds have a new plan; now" in shown
        (event,) = stage.record.events(kind="schedule-changed")
        assert (event.actor, event.body["reason"], event.body["round"]) == ("organizer", reason, 3)
        assert set(stage.conductor.schedule.pairings) == set(expected.pairings)
        answer = await give(client, "replan", rounds=plans[1], reason="x")
        assert "this is already the plan" in answer.json()["error"]


async def test_the_pages_address_holds_the_request(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        await two_rounds(client)
        page, plans = await page_with_plans(client, "gone=C2")
        assert "The old plan can stay" in page
        (old,) = plans
        left = [p for p in PLAN.pairings if p.round > 2 and p.confederate != "C2"]
        assert sorted(old.split()) == sorted([*(["Round", "3", "Round", "4"]), *map(label, left)])
        page, _ = await page_with_plans(client, "void=2&conflicts=J1E4")
        assert "Does not count: round 2 J" in page
        assert "breaks a wish: round 3, J1E4C3: J1 and E4 must not meet" in page
        assert "Planning does not void a round" in page
        await give(client, "void", what="1.1", reason="dark", sure="yes")
        page, _ = await page_with_plans(client, "gone=C2")
        assert "Does not count: round 1 J" in page
        for query, says in (
            ("gone=X", "Nobody has the id &#39;X&#39;"),
            ("void=9", "Round 9 has not begun, so it can&#39;t be void"),
            ("void=0", "There is no round 0"),
            ("gone=C1&gone=C2&gone=C3&gone=C4", "No confederate is left, so nothing can be played"),
            ("conflicts=J1", "&#39;J1&#39; does not name two people"),
            ("conflicts=J1E9", "&#39;E9&#39;, named in a wish (conflict), does not take part"),
            ("gone=%3Cscript%3E", "Nobody has the id &#39;&lt;script&gt;&#39;"),
        ):
            page, plans = await page_with_plans(client, query)
            assert says in page
            assert plans == []
            assert "<script>" not in page
        await give(client, "stop", reason="late", sure="yes")
        page, plans = await page_with_plans(client, "gone=C2")
        assert "Not now: there are no later rounds" in page
        assert plans == []


def label(pairing: Pairing) -> str:
    return "".join(pairing.names)


# In a separate process


async def test_another_process_finds_the_same_plans() -> None:
    given = (PLAN, 2, ("C2",), pairings_of(PLAN, [2]), Wishes(conflicts=(("J1", "E4"),)))
    assert await worker.call(replan.replan, 60.0, "late", *given) == replan.replan(*given)


@pytest.mark.parametrize(
    ("played", "gone", "wishes", "error", "says"),
    [
        (2, ("C9",), Wishes(), BadOrder, "nobody has the id 'C9'"),
        (4, (), Wishes(), WrongMoment, "all 4 rounds have been played"),
        (2, ("C1", "C2", "C3", "C4"), Wishes(), WrongMoment, "no confederate is left"),
        (2, (), Wishes(away=(("J1", 9),)), BadOrder, "J1 is away in round 9, but there are 4"),
    ],
)
def test_impossible_requests_are_explained(
    played: int, gone: tuple[str, ...], wishes: Wishes, error: type[ContestError], says: str
) -> None:
    with pytest.raises(error, match=says):
        replan.replan(PLAN, played, gone, (), wishes)


def test_without_the_solver_the_page_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(model.SolverMissing):
        model.solver()
    found = replan.replan(PLAN, 2, ("J1", "C2"), (), Wishes())
    assert not found.plan.proved
    assert found.repaired.lost <= found.as_it_stands.lost
    assert "the extra 'scheduling'" in found.plan.by
