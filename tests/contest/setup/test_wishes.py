"""Tests the wishes for the schedule in contest.toml: their effect, and that each error is one
line."""

from __future__ import annotations

from pathlib import Path

import pytest

import scheduler
from contest.errors import BadSettings, RecordTrouble
from contest.setup import folder, settings
from contest.setup.planning import make_schedule, schedule_of
from contest.setup.settings import ScheduleTable, wishes_in
from scheduler.planning.wishes import Wishes

TEMPLATE = folder.template()
#: Three rounds; with four, the solver would take seconds for these wishes.
SHORT = TEMPLATE.replace("rounds = 4 ", "rounds = 3 ", 1)
WISHES = {
    "conflicts = []": 'conflicts = ["J1E2", "J3/C1"]',
    "away = {}": "away = { J2 = [3] }",
    "weights = {}": "weights = { a = 2 }",
}


def wished(*changes: tuple[str, str], text: str = TEMPLATE) -> str:
    """The template with wishes: each change is an option in the template, and its replacement."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_template_and_old_records_have_no_wishes() -> None:
    assert settings.parse(TEMPLATE).schedule == ScheduleTable()
    assert ScheduleTable().wishes() == Wishes() == wishes_in({})


def test_wishes_are_read_from_settings_and_from_the_record() -> None:
    text = wished(
        *WISHES.items(),
        ("desks = []", "desks = 4"),
        ("hard = []", 'hard = ["b"]'),
    )
    read = settings.parse(text)
    assert read.schedule.wishes() == Wishes(
        conflicts=(("J1", "E2"), ("J3", "C1")),
        away=(("J2", 3),),
        desks=(4,),
        weights=(("a", 2),),
        hard=("b",),
    )
    assert wishes_in(read.as_json()) == read.schedule.wishes(), "the same wishes from the record"


def test_made_schedule_respects_the_wishes(tmp_path: Path) -> None:
    read = settings.parse(wished(*WISHES.items(), text=SHORT))
    plan = schedule_of(read, tmp_path)
    met = {(p.round, frozenset((p.judge, p.entry, p.confederate))) for p in plan.pairings}
    assert not any(names >= {"J1", "E2"} or names >= {"J3", "C1"} for _, names in met)
    assert not any("J2" in names for number, names in met if number == 3)
    assert len(plan.rounds) == 3
    made = make_schedule(read, tmp_path)
    assert made.schedule == plan
    assert made.optimal
    assert not scheduler.check(plan).clashes


def test_proof_names_participants_by_their_ids(tmp_path: Path) -> None:
    text = SHORT.replace('id = "E2"', 'id = "suzette"')
    made = make_schedule(settings.parse(text), tmp_path)
    lost = {name for each in made.lost for pair in each.pairs for name in pair}
    assert "suzette" in lost
    assert "E2" not in lost
    pairs = made.report.pairs["judge_entry"]
    missing = {pair for each in made.lost for pair in each.pairs if each.kind == "judge_entry"}
    assert missing == set(pairs.missing)


def test_schedule_from_a_file_must_respect_the_wishes(tmp_path: Path) -> None:
    (tmp_path / "plan.csv").write_text(scheduler.write_csv(scheduler.schedule_2010()))
    file = ('schedule = ""', 'schedule = "plan.csv"')
    assert schedule_of(settings.parse(wished(file)), tmp_path).rounds
    with pytest.raises(BadSettings, match=r"round 3, J1E4C3: J1 and E4 must not meet; correct one"):
        schedule_of(
            settings.parse(wished(file, ("conflicts = []", 'conflicts = ["J1E4"]'))), tmp_path
        )
    with pytest.raises(BadSettings, match="round 3 has only 3 desks"):
        schedule_of(settings.parse(wished(file, ("desks = []", "desks = [4, 4, 3, 4]"))), tmp_path)


def test_impossible_hard_wish_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = wished(("desks = []", "desks = 3"), ("hard = []", 'hard = ["b"]'))
    with pytest.raises(scheduler.NoValidSchedule, match=r"at least 4 of 16"):
        schedule_of(settings.parse(text), tmp_path)


BAD = {
    "not two": ("conflicts = []", 'conflicts = ["J1"]', "conflicts[0]: 'J1' does not name two"),
    "nobody": (
        "conflicts = []",
        'conflicts = ["J1E9"]',
        "'E9', named in a wish (conflict), does",
    ),
    "one kind": ("conflicts = []", 'conflicts = ["J1J2"]', "J1 and J2 never meet anyway"),
    "no list": ("conflicts = []", 'conflicts = "J1E2"', "[schedule], conflicts: expected `array`"),
    "away and nobody": ("away = {}", "away = { J9 = [1] }", "'J9', named in a wish (absence)"),
    "away in no round": (
        "away = {}",
        "away = { J2 = [9] }",
        "J2 is away in round 9, but there are",
    ),
    "no desks": ("desks = []", "desks = 0", "[schedule] desks: 0 is not a whole number from"),
    "no wish": (
        "weights = {}",
        "weights = { d = 1 }",
        "[schedule] weights.d: 'd' is not a wish; the",
    ),
    "a key": ("hard = []", "hard = []\nwishes = []", "unknown option 'wishes' in [schedule]"),
}


@pytest.mark.parametrize(("old", "new", "says"), BAD.values(), ids=BAD.keys())
def test_bad_wishes_are_refused_in_one_line(old: str, new: str, says: str) -> None:
    with pytest.raises(BadSettings) as refused:
        settings.parse(wished((old, new)), "here.toml")
    message = str(refused.value)
    assert message.startswith("here.toml: ")
    assert "[schedule]" in message
    assert says in message
    assert "\n" not in message


def test_bad_wishes_in_a_record_are_reported() -> None:
    for held in ({"schedule": {"conflicts": ["J1"]}}, {"schedule": 3}):
        with pytest.raises(RecordTrouble, match="the wishes in the record's settings"):
            wishes_in(held)
