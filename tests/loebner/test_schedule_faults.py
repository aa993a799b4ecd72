"""`loebner schedule check` names every fault that is planted into a sound schedule, whatever its
numbers: a pairing left out, one played again, people exchanged, somebody in two places."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loebner.cli import main
from scheduler import Pairing, make, write_csv
from scheduler.schedule import Schedule

NUMBERS = [(3, 3, 3, 3), (4, 4, 4, 4), (4, 5, 3, 5), (5, 4, 4, 6), (4, 4, 4, 5), (10, 10, 10, 10)]
KINDS = {"judge_entry": (0, 1), "judge_confederate": (0, 2), "entry_confederate": (1, 2)}


@cache
def sound(numbers: tuple[int, int, int, int]) -> Schedule:
    return make(*numbers).schedule


@st.composite
def planted(draw: st.DrawFn) -> list[Pairing]:
    """The pairings of a sound schedule with one to three faults in them."""
    schedule = sound(draw(st.sampled_from(NUMBERS)))
    pairings = list(schedule.pairings)
    for _ in range(draw(st.integers(1, 3))):
        i = draw(st.integers(0, len(pairings) - 1))
        p = pairings[i]
        match draw(st.sampled_from(["left out", "again", "moved", "exchanged", "replaced"])):
            case "left out" if len(pairings) > 1:
                del pairings[i]
            case "again":
                pairings.append(
                    Pairing(
                        draw(st.integers(1, len(schedule.rounds))), p.judge, p.entry, p.confederate
                    )
                )
            case "moved":
                number = draw(st.integers(1, len(schedule.rounds)))
                pairings[i] = Pairing(number, p.judge, p.entry, p.confederate)
            case "exchanged":
                k = draw(st.integers(0, len(pairings) - 1))
                q = pairings[k]
                pairings[i] = Pairing(p.round, p.judge, q.entry, p.confederate)
                if i != k:
                    pairings[k] = Pairing(q.round, q.judge, p.entry, q.confederate)
            case _:
                confederate = draw(st.sampled_from(schedule.roster.confederates))
                pairings[i] = Pairing(p.round, p.judge, p.entry, confederate)
    return pairings


@settings(max_examples=40, deadline=None)
@given(planted())
def test_every_planted_fault_is_named(pairings: list[Pairing]) -> None:
    rows = [(p.judge, p.entry, p.confederate) for p in pairings]
    there = [sorted(set(names)) for names in zip(*rows, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.csv"
        file.write_text(write_csv(Schedule.of(pairings)))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main(["schedule", "check", str(file), "--json"])
    found = json.loads(out.getvalue())
    faults = False
    for kind, (i, k) in KINDS.items():
        met = Counter((row[i], row[k]) for row in rows)
        missing = {one + other for one in there[i] for other in there[k]} - {
            "".join(pair) for pair in met
        }
        repeated = {"".join(pair) for pair, count in met.items() if count > 1}
        pairs = found["pairs"][kind]
        assert set(pairs["missing"]) == missing
        assert set(pairs["repeated"]) == repeated
        assert pairs["covered"] == len(met)
        assert pairs["of"] == len(there[i]) * len(there[k])
        faults = faults or bool(missing or repeated)
    places = Counter((p.round, name) for p, row in zip(pairings, rows, strict=True) for name in row)
    clashes = {place for place, count in places.items() if count > 1}
    said = found["rounds"]["clashes"]
    assert {(int(c.split()[1].rstrip(":")), c.split()[2]) for c in said} == clashes
    assert found["schedulable"] is not bool(clashes)
    assert found["valid"] is (not faults and not clashes)
    assert code == (not found["valid"])
    assert bool(found["reason"]) is not found["valid"]
