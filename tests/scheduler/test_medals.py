"""Who wins the silver medal by which rule."""

import pytest

from scheduler import Choice, Pairing, Roster, Verdict
from scheduler.rules import SILVER
from scheduler.tallying import silver_medals


def roster(judges: int, confederates: int) -> Roster:
    return Roster(
        tuple(f"J{i}" for i in range(1, judges + 1)),
        ("E1",),
        tuple(f"C{i}" for i in range(1, confederates + 1)),
    )


@pytest.mark.parametrize(
    ("rule", "judges", "confederates", "needed"),
    [
        ("two-judges-two-humans", 4, 4, (2, 2)),
        ("two-judges-two-humans", 9, 5, (2, 2)),
        ("half", 4, 4, (2, 2)),
        ("half", 5, 3, (3, 2)),
        ("half", 10, 1, (5, 1)),
        ("half", 1, 1, (1, 1)),
    ],
)
def test_so_many_judges_and_humans_it_takes(
    rule: str, judges: int, confederates: int, needed: tuple[int, int]
) -> None:
    people = roster(judges, confederates)
    need_judges, need_humans = needed
    assert SILVER[rule].needed(people) == needed

    def won(judges: int, humans: int) -> bool:
        """Whether so many judges win it that were fooled with so many humans."""
        return bool(
            silver_medals(
                [
                    Verdict(Pairing(i, f"J{i % judges + 1}", "E1", f"C{i % humans + 1}"), choice)
                    for choice in (Choice.ENTRY, Choice.CONFEDERATE)
                    for i in range(1, judges * humans + 1)
                ],
                people,
                SILVER[rule],
            )
        )

    assert won(need_judges, need_humans)
    assert need_judges == 1 or not won(need_judges - 1, need_humans)
    assert need_humans == 1 or not won(need_judges, need_humans - 1)
