"""Tests every mutant in memory: the cases that it declares have the declared outcomes, and no other
case fails."""

from __future__ import annotations

import pytest

from lpp.conformance.acts import USUAL
from lpp.conformance.cases import CASES, CaseResult, CheckResult, Level, Outcome, choose
from lpp.conformance.log import Kind, Log
from lpp.conformance.texts import UNKNOWN
from lpp.pace import Pace
from tests.mutants.memory import SHORT, check_mutant
from tests.mutants.mutant import FAULTS


def outcomes(result: CheckResult) -> dict[str, str]:
    return {found.case.id: found.outcome.value for found in result.cases}


def faults(result: CheckResult) -> dict[str, str]:
    return {found.case.id: found.outcome.value for found in result.cases if found.is_faulty}


def explain(result: CheckResult) -> str:
    return "\n".join(f"{o.case.id}: {o.observed} | {o.cause}" for o in result.cases if o.is_faulty)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "flooding"])
def test_each_mutant_fails_its_case_and_what_its_fault_explains(fault: str) -> None:
    measures = USUAL if fault in ("none", "dying-on-long") else SHORT
    result = check_mutant(fault, measures=measures)
    found = outcomes(result)
    declared = FAULTS[fault]
    assert {case: found[case] for case in declared} == declared, explain(result)
    assert set(faults(result)) <= set(declared), explain(result)
    assert [o.case.id for o in result.cases] == [case.id for case in CASES]
    assert result.seconds <= 150
    assert result.passed is ("fail" not in declared.values())
    if fault == "none":
        right = {case.id: "info" if case.level is Level.INFO else "pass" for case in CASES}
        assert found == right | {"2/browse": "not-tested"}
        assert result.seconds < 60


@pytest.mark.parametrize(
    ("gap", "echo", "load"),
    [
        (0.2, False, 0.0),
        (0.02, True, 3.0),
        (0.03, True, 0.2),
        (0.1, True, 0.5),
        (0.0, False, 12.0),
    ],
)
def test_slow_typists_and_slow_loaders_are_right_too(gap: float, echo: bool, load: float) -> None:
    result = check_mutant("none", measures=USUAL, gap=gap, echo=echo, load=load)
    assert not faults(result), explain(result)
    untold = {o.case.id for o in result.cases if o.outcome is Outcome.NOT_TESTED}
    assert untold == {"2/browse"} | (set() if echo else {"2.A.e/spelling", "2.B/backspace"})
    assert result.seconds <= 150


def test_an_entry_that_reads_one_key_at_a_time_gets_enough_time() -> None:
    # As an entry of the real contests did, every 50 ms.
    result = check_mutant("none", measures=USUAL, turn=0.05)
    assert not faults(result), explain(result)
    assert result.seconds <= 150


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("none", "{name}: removed, not answered"),
        ("unknown-not-removed", "{name}: left"),
        (
            "answering-unknown",
            "{name}: removed, answered with 'Did you leave home when you were young?'",
        ),
        ("dying-on-unknown", "{name}: removed, and the program ended"),
    ],
)
def test_what_is_done_with_unknown_names_is_reported(fault: str, told: str) -> None:
    result = check_mutant(fault, cases=choose(("2.B/unknown",)), echo=False, gap=0.05)
    (unknown,) = result.cases
    tried = ("Shift_L",) if fault == "dying-on-unknown" else UNKNOWN
    assert all(told.format(name=name) in unknown.observed for name in tried), unknown.observed


def test_a_bot_that_does_not_read_while_it_types_is_found_without_echoes() -> None:
    result = check_mutant("deaf-while-typing", echo=False)
    assert faults(result) == {"2.B/while-typing": "non-strict"}, explain(result)


def test_a_silence_counts_from_the_last_key_of_either_side() -> None:
    log = check_mutant("none", cases=choose(("3/lives",))).log
    end = next(e for e in log.of(Kind.PRESSED) if e.act == "burst" or e.act == "silence")
    last = [e for e in log.of(Kind.PRESSED, Kind.MADE) if e.number < end.number][-1]
    assert end.at - last.at == pytest.approx(USUAL.silence, abs=0.1)


@pytest.mark.parametrize("pace", [Pace(), Pace(gap=0.24, thought=2.2)], ids=["usual", "leisurely"])
def test_an_echo_at_a_persons_pace_is_never_blamed_for_time(pace: Pace) -> None:
    result = check_mutant("none", measures=USUAL, pace=pace)
    assert not faults(result), explain(result)
    untold = {o.case.id for o in result.cases if o.outcome is Outcome.NOT_TESTED}
    # The longest answer comes last, so that nothing else is lost to it.
    assert untold <= {"2/browse", "2.B/burst"}
    assert result.seconds <= 150


def test_a_key_lost_in_a_burst_is_seen_in_an_echo_that_was_cut() -> None:
    result = check_mutant("losing-in-burst", measures=USUAL, pace=Pace(), seed=1)
    (burst,) = (o for o in result.cases if o.case.id == "2.B/burst")
    assert faults(result) == {"2.B/burst": "non-strict"}
    assert "the 140 seconds" in result.log.trouble
    assert "'f' did not come back" in burst.observed
    assert "read all keys in a listing" in burst.cause


def test_the_late_answer_to_left_overs_is_not_blamed_on_another_line() -> None:
    chosen = choose(("2.B/slow", "3/leftovers"))
    for restartable in (True, False):
        # It thinks for a long time: its answer to leftovers begins after the check has stopped
        # watching them.
        pace = Pace(gap=0.24, thought=5.0)
        result = check_mutant("none", pace=pace, cases=chosen, restartable=restartable)
        assert not faults(result), explain(result)


@pytest.mark.parametrize(
    "fault", ["none", "files", "speaking-beside-leftovers", "dying-on-unknown", "removing-own"]
)
def test_a_running_program_is_checked_without_restarts(fault: str) -> None:
    result = check_mutant(fault, restartable=False)
    found = outcomes(result)
    assert found["3/restart"] == "not-tested"
    assert found["3/leftovers"] == "info"
    if fault == "none":
        assert not faults(result), explain(result)
        assert found["3/waits"] == "pass"
    if fault not in ("none", "speaking-beside-leftovers"):
        case, outcome = next(iter(FAULTS[fault].items()))
        assert found[case] == outcome, explain(result)


def test_a_flood_ends_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lpp.conformance.log.LIMIT", 4000)
    result = check_mutant("flooding")
    assert "flooded" in result.log.trouble
    assert result.seconds < 30
    assert len(result.log.events) < 4100


@pytest.mark.parametrize(
    "case", ["2.A.e/spelling", "2.B/burst", "2.B/while-typing", "2/browse", "3/lives", "3/restart"]
)
def test_a_case_can_be_judged_alone(case: str) -> None:
    found = outcomes(check_mutant("none", cases=choose((case,))))
    assert found == {case: "not-tested" if case == "2/browse" else "pass"}


def test_cases_are_reported_as_soon_as_they_are_known() -> None:
    told: list[tuple[str, int]] = []

    def tell(found: CaseResult, log: Log) -> None:
        told.append((found.case.id, len(log.events)))

    check_mutant("none", tell=tell)
    assert sorted(case for case, _ in told) == sorted(case.id for case in CASES)
    assert len({count for _, count in told}) > 4
