"""Tests the organizer's orders in a running contest: two persons, another person at a seat, another
schedule, new codes, and the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from contest.errors import BadOrder, WrongMoment
from contest.net import addresses, codes, limits
from contest.organizer.orders import order_of
from contest.results.contest import Contest, shown_steps, steps_of
from contest.results.published import verify_all
from contest.serving import set_up as setting_up
from contest.serving.server import Server
from contest.serving.set_up import Sockets, set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from contest.state.incidents import in_words
from contest.state.reducer import fold
from contest.verify.verify import verify
from loebner.common import send
from lpp import wire
from lpp.clock import LoopClock
from scheduler import check, read_schedule, rounds_json
from tests.contest.console import Console

#: Entries on other machines that never connect; these tests don't need them.
SETTINGS = """\
[contest]
name = "A contest of orders"

[rules]
rounds = 2
schedule = "plan.txt"
two_persons = false

[publication]
default = "publish"

[[judge]]
id = "J1"
name = "Harriet"
[[judge]]
id = "J2"
name = "Ines"
[[entry]]
id = "E1"
link = "remote"
[[entry]]
id = "E2"
link = "remote"
[[confederate]]
id = "C1"
name = "Ben"
[[confederate]]
id = "C2"
name = "Gordon"
"""
PLAN = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"


@dataclass
class Stage:
    """A running contest, and ways to act on it."""

    stage: Server
    play: asyncio.Task[str]

    async def order(self, action: str, by: str = "organizer", **more: Any) -> dict[str, Any]:
        answer = await self.stage.controls.perform(order_of({"action": action, **more}), by)
        for _ in range(5):  # lets people receive it and respond
            await asyncio.sleep(0)
        return answer

    @property
    def codes(self) -> dict[str, str]:
        return codes.read_file(self.stage.folder / codes.FILE_NAME)

    def sit(self, *seats: str) -> dict[str, Console]:
        seats = seats or ("J1", "J2", "C1", "C2")
        return {seat: Console(self.stage.conductor, seat, ("h",)).sit() for seat in seats}

    def kinds(self, *kinds: str) -> list[tuple[str, str, dict[str, Any]]]:
        """The recorded events of some kinds: kind, actor, body without its salt."""
        return [
            (event.kind, event.actor, {k: v for k, v in event.body.items() if k != "salt"})
            for event in self.stage.record.events()
            if event.kind in kinds
        ]

    async def round(self, *, by: str = "organizer") -> None:
        """Plays the next round without any typing."""
        await self.order("start", by, anyway=True)
        await self.order("end", by, reason="enough")
        await self.order("close", by, reason="all are sure")

    async def ranked(self) -> None:
        """Plays the ranking, and waits for the result."""
        await self.order("start", anyway=True)
        await self.order("close", reason="all have ranked")
        await self.until(lambda: self.stage.conductor.state.result is not None)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that changes what seats or the organizer see."""
        while not holds():
            changed = self.stage.conductor.seats.changed
            changed.clear()
            await changed.wait()


@asynccontextmanager
async def staged_contest(
    place: Path, *, two_persons: bool = False, with_codes: bool = False
) -> AsyncIterator[Stage]:
    """A contest; it has codes only if it has sockets."""
    text = SETTINGS.replace("two_persons = false", f"two_persons = {str(two_persons).lower()}")
    if not place.exists():
        folder.make(place, text)
        (place / "plan.txt").write_text(PLAN, encoding="utf-8")
    own = settings.load(place)
    sockets = Sockets() if with_codes else None
    async with set_up(place, own, schedule_of(own, place), LoopClock(), sockets=sockets) as stage:
        play = asyncio.create_task(stage.play())
        try:
            yield Stage(stage, play)
        finally:
            play.cancel()
            await asyncio.wait([play])


# Two persons


async def test_orders_that_change_results_need_two_persons(tmp_path: Path) -> None:
    async with staged_contest(tmp_path / "c", two_persons=True, with_codes=True) as on:
        on.sit()
        status = (await on.order("start", anyway=True))["status"]
        assert (status["two_persons"], status["proposals"]) == (True, [])
        answer = await on.order("end", reason="fire drill")
        assert answer["proposed"] == 1
        assert "the witness must confirm it with `confirm 1`" in answer["done"]
        assert answer["status"]["phase"] == "interaction", "nothing was done"
        assert [each["words"] for each in answer["status"]["proposals"]] == ["end"]
        await on.order("end", reason="fire drill, once more")
        with pytest.raises(WrongMoment, match="is your own"):
            await on.order("confirm", number=1)
        answer = await on.order("confirm", "witness", number=1)
        assert answer["done"].startswith("order 1 was confirmed: the interaction is over")
        assert (answer["status"]["phase"], answer["status"]["proposals"]) == ("scoring", [])
        with pytest.raises(WrongMoment, match="it was confirmed"):
            await on.order("confirm", "witness", number=1)
        with pytest.raises(WrongMoment, match=r"order 2 \(end\) .* the contest has moved on"):
            await on.order("confirm", "witness", number=2)

        # The witness proposes; the organizer drops it, then confirms another one.
        assert (await on.order("close", "witness", reason="all sure"))["proposed"] == 3
        assert "(close) was dropped" in (await on.order("drop", number=3))["done"]
        assert (await on.order("tally"))["state"] == "provisional"
        await on.order("close", "witness", reason="all are sure")
        assert (await on.order("confirm", number=4))["status"]["phase"] == "closed"

        # An order that is impossible when it is confirmed is refused and dropped.
        for _ in range(2):
            await on.order("void", what="1.1.J1.left", reason="a lamp")
        assert "does not count" in (await on.order("confirm", "witness", number=5))["done"]
        with pytest.raises(WrongMoment, match=r"1\.1\.J1\.left is already void"):
            await on.order("confirm", "witness", number=6)
        with pytest.raises(WrongMoment, match="it was dropped"):
            await on.order("confirm", "witness", number=6)
        # Neither person can get both codes.
        for seat, by in (("organizer", "witness"), ("witness", "organizer")):
            with pytest.raises(WrongMoment, match=f"only the {seat} can renew"):
                await on.order("codes", by, seat=seat)
            assert "code" in await on.order("codes", seat, seat=seat)
        # Either person alone can give orders that change no result.
        await on.order("start", "witness", anyway=True)
        await on.order("pause", "witness", reason="a lamp")
        rows = on.kinds("order-proposed", "order-confirmed", "order-dropped")
        assert [(kind, actor, body["number"]) for kind, actor, body in rows] == [
            ("order-proposed", "organizer", 1),
            ("order-proposed", "organizer", 2),
            ("order-confirmed", "witness", 1),
            ("order-proposed", "witness", 3),
            ("order-dropped", "organizer", 3),
            ("order-proposed", "witness", 4),
            ("order-confirmed", "organizer", 4),
            ("order-proposed", "organizer", 5),
            ("order-proposed", "organizer", 6),
            ("order-confirmed", "witness", 5),
            ("order-confirmed", "witness", 6),
            ("order-dropped", "server", 6),
        ]
        assert rows[0][2] == {
            "number": 1,
            "order": {"action": "end"},
            "reason": "fire drill",
            "round": 1,
            "attempt": 1,
            "phase": "interaction",
        }
        effects = on.kinds("round-ended", "scoring-closed", "round-paused")
        assert [(kind, actor) for kind, actor, _ in effects] == [
            ("round-ended", "organizer"),
            ("scoring-closed", "witness"),
            ("round-paused", "witness"),
        ]
        assert [actor for _, actor, _ in on.kinds("round-started")] == ["organizer", "witness"]
    assert verify(tmp_path / "c").ok


async def test_an_impossible_order_is_refused_to_the_person_who_proposes_it(
    tmp_path: Path,
) -> None:
    async with staged_contest(tmp_path / "c", two_persons=True) as on:
        on.sit()
        for action, more, fault in (
            ("void", {"what": "1.1"}, "nothing can be voided"),
            ("end", {}, "no interaction is running"),
            ("replace", {"seat": "C9", "name": "Walter"}, "no seat 'C9'"),
            ("swap", {"round": 7, "one": "J1", "other": "J2"}, "no round 7"),
            ("replan", {"rounds": {n: [["J9", "E1", "C1"]] for n in "12"}}, "no judge 'J9'"),
            ("final", {}, "no result"),
        ):
            with pytest.raises((WrongMoment, BadOrder)) as refused:
                await on.order(action, reason="a slip", **more)
            assert fault in str(refused.value)
        assert on.kinds("order-proposed") == []


async def test_a_ballot_can_be_voided_only_before_the_result_is_known(
    tmp_path: Path,
) -> None:
    async with staged_contest(tmp_path / "c") as on:
        on.sit()
        await on.round()
        await on.order("stop", reason="the hall closes")
        with pytest.raises(WrongMoment, match="J2 has given no ballot"):
            await on.order("void", what="J2", reason="too early")
        await on.order("start", anyway=True)
        await on.until(lambda: len(on.kinds("ranking")) == 2)
        answer = await on.order("void", what="J2", reason="J2 has met an entrant")
        assert answer["done"] == "J2 does not count"
        with pytest.raises(WrongMoment, match="the ballot of J2 is already void"):
            await on.order("void", what="J2", reason="once more")
        told = await on.order("tally")
        assert (
            "The ballot of J2 does not count: J2 has met an entrant" in (told["tally"]["warnings"])
        )
        await on.order("close", reason="all have ranked")
        await on.until(lambda: on.stage.conductor.state.result is not None)
        with pytest.raises(WrongMoment, match="nothing can be voided now"):
            await on.order("void", what="J1", reason="too late")
        assert on.kinds("ballot-excluded") == [
            ("ballot-excluded", "organizer", {"judge": "J2", "reason": "J2 has met an entrant"})
        ]
    assert verify(tmp_path / "c").ok


async def test_a_new_plan_replaces_the_remaining_rounds(tmp_path: Path) -> None:
    rest = {"2": [["J1", "E2", "C1"], ["J2", "E1", "C2"]]}
    async with staged_contest(tmp_path / "c", two_persons=True) as on:

        async def both(action: str, **more: Any) -> dict[str, Any]:
            number = (await on.order(action, **more))["proposed"]
            return await on.order("confirm", "witness", number=number)

        on.sit()
        await on.order("start", anyway=True)
        await both("end", reason="enough")
        await both("close", reason="all are sure")
        with pytest.raises(BadOrder, match="there is no judge 'J9'"):
            await both("replan", rounds={"2": [["J9", "E1", "C1"]]}, reason="a slip")
        await on.order("replan", rounds=rest, reason="J1 has met C2 before")
        proposals = (await on.order("status"))["status"]["proposals"]
        assert [each["words"] for each in proposals] == ["replan rounds 2"]
        answer = await on.order("confirm", "witness", number=proposals[0]["number"])
        assert "the later rounds have a new plan; now" in answer["done"]
        assert "missing: J1C2, J2C1" in answer["done"]
        assert answer["schedule"]["pairs"]["judge_entry"]["covered"] == 4
        await on.order("start", anyway=True)
        talks = [talk for talk in on.stage.conductor.hub.talks.values() if talk.round == 2]
        assert {(talk.judge, talk.entity) for talk in talks} == {
            *(("J1", "E2"), ("J1", "C1"), ("J2", "E1"), ("J2", "C2"))
        }
        with pytest.raises(WrongMoment, match="there are no later rounds"):
            await both("replan", rounds=rest, reason="once more")
        assert [(actor, body["round"]) for _, actor, body in on.kinds("schedule-changed")] == [
            ("organizer", 2)
        ]
    assert verify(tmp_path / "c").ok


# Codes


async def test_every_code_can_be_reissued_and_no_code_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SPACING", 0.05)
    async with staged_contest(tmp_path / "c", two_persons=True, with_codes=True) as on:
        before = on.codes
        assert list(before) == ["J1", "J2", "C1", "C2", "E1", "E2", "witness", "organizer"]
        on.sit("J1")
        told = await on.order("codes")
        assert [(each["name"], each["role"]) for each in told["codes"]] == [
            *(("J1", "judge"), ("J2", "judge"), ("C1", "confederate"), ("C2", "confederate")),
            *(("E1", "entry"), ("E2", "entry"), ("organizer", "organizer"), ("witness", "witness")),
        ]
        assert [each["name"] for each in told["codes"] if each["used"]] == ["J1", "organizer"]
        assert not any(code in json.dumps(told) for code in before.values())

        for name in ("E1", "witness", "organizer"):
            by = "witness" if name == "witness" else "organizer"
            answer = await on.order("codes", by, seat=name)
            assert answer["code"] == on.codes[name] != before[name]
        assert addresses.find_control(on.stage.folder).code == on.codes["organizer"]
        assert {name for name in before if before[name] == on.codes[name]} == {
            *("J1", "J2", "C1", "C2", "E2")
        }
        at = addresses.find_control(on.stage.folder)
        for old in ("organizer", "witness"):
            with pytest.raises(BadOrder, match="not the organizer's code"):
                await asyncio.to_thread(send, replace(at, code=before[old]), {"action": "status"})
        await on.order("status", "witness")
        assert [body["seat"] for _, _, body in on.kinds("code-issued")] == [
            *("E1", "witness", "organizer")
        ]
        sealed = on.stage.record.unseal("codes")
        assert codes.matches(on.codes["E1"], sealed["codes/1"]["E1"])
        record = b"".join(file.read_bytes() for file in on.stage.folder.glob("record.db*"))
        assert not any(code.encode() in record for code in on.codes.values())


# People and schedule


async def test_a_seat_can_be_given_to_another_person(tmp_path: Path) -> None:
    async with staged_contest(tmp_path / "c", with_codes=True) as on:
        people = on.sit()
        say = on.stage.conductor.seats.handle
        say(people["J1"].seat, wire.Consent(True, "Heron"))
        await on.order("start", anyway=True)
        with pytest.raises(WrongMoment, match="J1 is in a talk"):
            await on.order("replace", seat="J1", name="Walter", reason="ill")
        await on.order("end", reason="enough")
        await on.order("close", reason="all are sure")
        old = on.codes["J1"]
        for name in ("Ines", " iNES ", "Gordon"):
            with pytest.raises(WrongMoment, match="has this name"):
                await on.order("replace", seat="J1", name=name, reason="ill")
        with pytest.raises(BadOrder, match="no seat 'E1'"):
            await on.order("replace", seat="E1", name="Walter", reason="ill")
        answer = await on.order("replace", seat="J1", name=" Walter  Scott ", reason="ill")
        assert answer["done"].startswith("Walter Scott takes the seat J1; the new code of J1")
        assert answer["code"] == on.codes["J1"] != old
        assert people["J1"].closed == "a new code was issued for this seat"
        (seat,) = (each for each in answer["status"]["seats"] if each["seat"] == "J1")
        assert seat["name"] == "Walter Scott"

        new = on.sit("J1")["J1"]
        (welcome,) = [f for f in new.frames if isinstance(f, wire.Welcome)]
        (agreement,) = [f for f in new.frames if isinstance(f, wire.Agreement)]
        assert (welcome.name, agreement.name) == ("Walter Scott", "Walter Scott")
        assert not [f for f in new.frames if isinstance(f, wire.Saved)], "nothing is agreed to"
        say(new.seat, wire.Consent(False))
        await on.round()
        await on.order("start", anyway=True)
        with pytest.raises(WrongMoment, match="nobody can be replaced now"):
            await on.order("replace", seat="J1", name="Third", reason="?")
        state = fold(on.stage.record.events())
    assert [sitter.name for sitter in state.persons["J1"]][1:]
    view = Contest.load(tmp_path / "c")
    assert verify(tmp_path / "c").ok
    mine = [talk for talk in view.talks if talk.judge == "J1"]
    assert [(talk.round, view.name_in(talk, "J1"), view.withheld(talk)) for talk in mine] == [
        *[(1, "Heron", False)] * 2,
        *[(2, "J1", True)] * 2,
    ]
    assert [name for name, _ in view.names("J1")] == [
        "Heron",
        "J1",
    ]


async def test_two_people_can_swap_desks_in_the_remaining_rounds(tmp_path: Path) -> None:
    async with staged_contest(tmp_path / "c") as on:
        on.sit()
        for one, other in (("J1", "C1"), ("E1", "E2"), ("C1", "C1"), ("C1", "C9")):
            with pytest.raises(BadOrder, match="must be two judges or two confederates"):
                await on.order("swap", round=1, one=one, other=other, reason="?")
        answer = await on.order("swap", round=2, one="C1", other="C2", reason="they asked")
        assert answer["done"].startswith("C1 and C2 have swapped desks in round 2; now ")
        assert "judge with confederate repeated: J1C1, J2C2" in answer["done"]
        assert answer["schedule"]["pairs"]["judge_confederate"]["missing"] == ["J1C2", "J2C1"]
        # Swapping them again restores the schedule.
        answer = await on.order("swap", round=2, later=True, one="C2", other="C1", reason="no")
        assert "from round 2 on; now entry with confederate repeated: E1C1" in answer["done"]
        assert answer["schedule"] == check(read_schedule(PLAN)).as_json()
        await on.order("swap", round=1, later=True, one="J1", other="J2", reason="both")
        await on.order("start", anyway=True)
        row = (await on.order("status"))["status"]["pairings"][0]
        assert (row["judge"], row["entry"], row["confederate"]) == ("J2", "E1", "C1")
        for number, said in ((1, "round 1 has begun"), (3, "no round 3: the last one is 2")):
            with pytest.raises(WrongMoment, match=said):
                await on.order("swap", round=number, one="C1", other="C2", reason="?")
        state = fold(on.stage.record.events())
        assert state.schedule == on.stage.conductor.state.schedule
        assert [each[2]["round"] for each in on.kinds("schedule-changed")] == [2, 2, 1]
        await on.order("end", reason="enough")
        await on.order("close", reason="all are sure")
        await on.order("stop", reason="late")
        with pytest.raises(WrongMoment, match="there are no later rounds"):
            await on.order("swap", round=2, one="C1", other="C2", reason="?")
        held_to = {"rounds": rounds_json(on.stage.conductor.schedule)}
    report = verify(tmp_path / "c")
    assert report.ok, report
    assert Contest.load(tmp_path / "c").state.schedule == held_to


# The end


async def test_the_result_is_provisional_until_it_is_declared_final(tmp_path: Path) -> None:
    place = tmp_path / "c"
    async with staged_contest(place, with_codes=True) as on:
        people = on.sit()
        for early in ({"action": "reveal"}, {"action": "final", "reason": "x"}):
            with pytest.raises(WrongMoment, match="there is no result yet"):
                await on.order(**early)
        await on.round()
        told = await on.order("tally")
        assert told["state"] == "provisional"
        assert told["tally"]["table"]["J1"]["E2"] is None, "round 2 is not played"
        await on.round()
        await on.ranked()
        status = (await on.order("status"))["status"]
        assert status["words"] == "the result is provisional until it is declared final"
        assert status["result"]["state"] == "provisional"
        assert status["result"]["shown"] == []
        every = status["result"]["steps"]
        assert every[:2] == ["names", "table"]
        assert every[-2:] == ["place 1", "prizes"]
        told_over = [f for f in people["J1"].frames if isinstance(f, wire.State)][-1]
        assert told_over.phase == "over", "the seats are not needed any more"
        assert not on.play.done()

        for step in every[:2]:
            answer = await on.order("reveal")
            assert answer["shown"] == [step]
        view = Contest.load(place)
        assert shown_steps(view.state) == every[:2]
        assert not view.is_final
        assert answer["status"]["result"]["next"] == every[2]
        tally = await on.order("tally")
        assert tally["words"]
        answer = await on.order("final", reason="no objection")
        assert answer["status"]["result"] == {
            "state": "final",
            "steps": every,
            "shown": every,
            "next": None,
        }
        head = await on.play
        await _refuses_all_orders_but_queries(on)
    assert (place / "head.txt").read_text() == f"{head}\n"
    view = Contest.load(place)
    assert view.state.final is not None
    assert (view.state.final.reason, view.state.final.open) == ("no objection", [])
    assert steps_of(view.state) == shown_steps(view.state) == every
    assert view.is_final
    assert verify(place).ok
    state = fold(on.stage.record.events())
    assert (state.shown, state.closed) == (list(every), True)
    live = on.stage.conductor.state
    for name in state.__struct_fields__:
        assert getattr(state, name) == getattr(live, name), name


async def test_a_stopped_contest_can_be_final_without_its_remaining_rounds(
    tmp_path: Path,
) -> None:
    place = tmp_path / "c"
    async with staged_contest(place) as on:
        on.sit()
        await on.round()
        assert (await on.order("status"))["status"]["last_round"] == 2
        status = (await on.order("stop", reason="the hall closes"))["status"]
        assert (status["rounds"], status["last_round"], status["next"]) == (2, 1, "ranking")
        assert "the last one" in status["words"]
        await on.ranked()
        (warning,) = [w for w in (await on.order("tally"))["tally"]["warnings"] if "tie" not in w]
        assert "round 2 was not played" in warning
        await on.order("final", reason="no objection")
        await on.play
    view = Contest.load(place)
    assert view.state.stopped == (1, "the hall closes")
    assert view.state.final is not None
    assert view.state.final.open == []
    assert view.is_final
    assert verify_all(place).ok


async def _refuses_all_orders_but_queries(on: Stage) -> None:
    """A finished contest answers queries, and refuses all other orders at once."""
    for order in (
        {"action": "codes", "seat": "J1"},
        {"action": "restart", "entry": "E1", "reason": "x"},
        {"action": "void", "what": "1.1.J1.left", "reason": "x"},
        {"action": "start"},
    ):
        with pytest.raises(WrongMoment, match="the contest is over"):
            await on.order(**order)
    assert [each["name"] for each in (await on.order("codes"))["codes"]][:2] == ["J1", "J2"]
    answer = await on.order("check")
    assert (answer["ready"], answer["checks"]) == (True, []), "nothing needs to be ready any more"


async def test_open_items_delay_the_final_result_unless_the_organizer_overrides(
    tmp_path: Path,
) -> None:
    place = tmp_path / "c"
    async with staged_contest(place) as on:
        on.sit("J1", "C1", "C2")
        await on.round()
        await on.round()
        await on.ranked()
        assert (await on.order("reveal", everything=True))["shown"][-1] == "prizes"
        with pytest.raises(WrongMoment, match="the whole result has been shown"):
            await on.order("reveal")
        said = r"(?s)round 1: no verdict from J2.*no ballot from J2.*final --anyway"
        with pytest.raises(WrongMoment, match=said):
            await on.order("final", reason="J2 never came")
        await on.order("final", reason="J2 never came", anyway=True)
        await on.play
        ((_, actor, body),) = on.kinds("declared-final")
        assert (actor, body["reason"], len(body["open"])) == ("organizer", "J2 never came", 3)
    view = Contest.load(place)
    assert view.is_final
    told = [in_words(each.event) for each in view.incidents]
    assert any("(open: round 1: no verdict from J2" in each for each in told)


async def test_orders_survive_a_restart_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setting_up, "RETURN_LIMIT", 0.05)
    place = tmp_path / "c"
    async with staged_contest(place, two_persons=True, with_codes=True) as on:

        async def both(action: str, **more: Any) -> None:
            number = (await on.order(action, **more))["proposed"]
            await on.order("confirm", "witness", number=number)

        await both("replace", seat="C1", name="Walter", reason="Ben is ill")
        await both("swap", round=1, later=True, one="J1", other="J2", reason="they asked")
        await on.order("start", anyway=True)
        await on.order("void", what="1.1", reason="it began late")
        await both("end", reason="enough")
        before = (await on.order("status"))["status"]
        given = on.codes
    async with staged_contest(place, two_persons=True, with_codes=True) as on:
        on.sit()
        assert on.codes == given
        after = (await on.order("status", "witness"))["status"]
        for part in ("proposals", "two_persons", "phase", "round", "attempt"):
            assert after[part] == before[part], part
        desks = [
            [row[who] for who in ("judge", "entry", "confederate")] for row in after["pairings"]
        ]
        assert desks == [["J2", "E1", "C1"], ["J1", "E2", "C2"]]
        assert {seat["seat"]: seat["name"] for seat in after["seats"]}["C1"] == "Walter"
        assert (await on.order("confirm", "witness", number=3))["done"].endswith("does not count")
        await both("close", reason="all are sure")
        await both("stop", reason="the hall closes")
        await on.order("start", anyway=True)
        await both("close", reason="all have ranked")
        await on.order("reveal")
    async with staged_contest(place, two_persons=True, with_codes=True) as on:
        status = (await on.order("status"))["status"]
        assert status["result"]["shown"] == ["names"]
        assert status["result"]["state"] == "provisional"
        await both("final", reason="a short day", anyway=True)
        await on.play
    report = verify(place)
    assert report.ok, report
    assert (final := Contest.load(place).state.final) is not None
    assert final.reason == "a short day"


async def test_a_program_that_does_not_exist_or_runs_elsewhere_is_not_restarted(
    tmp_path: Path,
) -> None:
    async with staged_contest(tmp_path / "c") as on:
        on.sit()
        on.stage.conductor.state.programs["E2"] = True
        for entry, fault in (("E9", "there is no entry 'E9'"), ("E1", "restart it where it runs")):
            with pytest.raises(BadOrder, match=fault):
                await on.order("restart", entry=entry, reason="it hangs")


# The log


async def test_the_log_has_all_events_except_keys(tmp_path: Path) -> None:
    async with staged_contest(tmp_path / "c") as on:
        on.sit()
        await on.order("start", anyway=True)
        await on.order("pause", reason="a lamp")
        log = (await on.order("log", last=1000))["log"]
        assert [each["seq"] for each in log] == sorted(each["seq"] for each in log)
        assert log[0]["kind"] == "contest-opened"
        assert not {"key", "times"} & {each["kind"] for each in log}
        assert "talk-opened" in {each["kind"] for each in log}
        (last,) = (await on.order("log", last=1))["log"]
        assert (last["kind"], last["words"]) == (
            "round-paused",
            "round 1 was paused: a lamp",
        )
        assert "salt" not in last["body"]
        of_kind = (await on.order("log", kind="seat-joined"))["log"]
        assert [each["actor"] for each in of_kind] == ["J1", "J2", "C1", "C2"]
        of_who = (await on.order("log", who="C1"))["log"]
        assert {each["kind"] for each in of_who} == {"seat-joined", "talk-opened"}
