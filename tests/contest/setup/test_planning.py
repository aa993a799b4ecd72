"""Tests the choice of a contest's schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

import scheduler
from contest.errors import BadSettings
from contest.setup import folder, settings
from contest.setup.planning import schedule_of

TEMPLATE = folder.template()


def planned(tmp_path: Path, text: str = TEMPLATE) -> scheduler.Schedule:
    return schedule_of(settings.parse(text), tmp_path)


def with_file(tmp_path: Path, content: str, name: str = "schedule.txt") -> str:
    (tmp_path / name).write_text(content)
    return TEMPLATE.replace('schedule = ""', f'schedule = "{name}"')


def test_four_of_each_get_the_schedule_of_2010(tmp_path: Path) -> None:
    assert planned(tmp_path).pairings == scheduler.schedule_2010().pairings


def test_unequal_numbers_give_byes(tmp_path: Path) -> None:
    text = TEMPLATE.replace('[[confederate]]\nid = "C4"\nname = "Priya"\n', "")
    text = text.replace("rounds = 4 ", "rounds = 5 ", 1)
    plan = planned(tmp_path, text)
    assert [len(pairings) for pairings in plan.rounds] == [3] * 5
    assert plan.roster.judges == ("J1", "J2", "J3", "J4")
    assert plan.roster.confederates == ("C1", "C2", "C3")
    report = scheduler.check(plan)
    assert report.clashes == ()
    # Five rounds with three confederates: 15 pairings, for 16 pairs of judge and entry.
    assert [len(pairs.missing) for pairs in report.pairs.values()] == [1, 0, 0]


def of(judges: int, entries: int, confederates: int, rounds: int) -> str:
    """Settings with these numbers of participants and rounds."""
    said = f'[contest]\nname = "Any"\n[rules]\nrounds = {rounds}\n'
    for table, letter, count in (
        *(("judge", "J", judges), ("entry", "E", entries)),
        ("confederate", "C", confederates),
    ):
        said += "".join(f'[[{table}]]\nid = "{letter}{n + 1}"\n' for n in range(count))
    return said


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [
        ((1, 1, 1, 1), 0),
        ((2, 2, 2, 1), 6),
        ((2, 2, 2, 2), 2),
        ((6, 6, 6, 6), 2),
        ((1, 2, 3, 2), None),
        ((2, 1, 1, 2), 0),
        ((3, 4, 2, 3), None),
    ],
)
def test_schedule_for_any_numbers_loses_the_fewest_pairs(
    tmp_path: Path, numbers: tuple[int, int, int, int], lost: int | None
) -> None:
    plan = planned(tmp_path, of(*numbers))
    report = scheduler.check(plan)
    assert len(plan.rounds) == numbers[-1]
    assert not report.clashes
    if lost is not None:
        assert sum(len(pairs.missing) for pairs in report.pairs.values()) == lost


def test_too_many_rounds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(scheduler.Refused, match="1 round or fewer"):
        planned(tmp_path, of(1, 1, 1, 2))


def test_schedule_from_a_file(tmp_path: Path) -> None:
    text = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\nRound 3 J3E3C3\nRound 4 J4E4C4\n"
    plan = planned(tmp_path, with_file(tmp_path, text))
    assert [len(pairings) for pairings in plan.rounds] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Round 1 J1E1C1\nRound 2 J9E1C1\nRound 3 J1E2C2\nRound 4 J1E3C3\n", "J9"),
        ("Round 1 J1E1C1\n", "rounds is 4, but the schedule has 1"),
        (",E1,E2\nJ1,C1,C2\nJ2,C2,C1\n", "without rounds"),
        (
            "Round 1 J1E1C1 J1E2C2\nRound 2 J1E2C1\nRound 3 J1E3C1\nRound 4 J1E4C1\n",
            "can't be played",
        ),
    ],
)
def test_unsuitable_schedule_is_refused(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(BadSettings, match=said) as refused:
        planned(tmp_path, with_file(tmp_path, content))
    assert "\n" not in str(refused.value)


def test_unreadable_or_missing_schedule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(scheduler.BadInput):
        planned(tmp_path, with_file(tmp_path, "Dear Hugh,\n"))
    missing = TEMPLATE.replace('schedule = ""', 'schedule = "none.txt"')
    with pytest.raises(scheduler.BadInput, match=r"none\.txt"):
        planned(tmp_path, missing)


def test_settings_without_participants_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"no \[\[judge\]\]"):
        planned(tmp_path, '[contest]\nname = "x"\n')
