"""A whole season: twenty submissions, compliance, sixteen screened over LPP on virtual time, two
markers who can't tell whose answers they mark, a tie at the cut, four finalists, and the contest
set up from them."""

from __future__ import annotations

import asyncio
import csv
import datetime as dt
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bots.registry import find
from contest.errors import WrongMoment
from contest.record.season import ComplianceTested, Conformance, ItemTested
from contest.screening.ask import ask, set_paper, subjects_of
from contest.screening.paper import Paper
from contest.screening.questions import Counts, make
from contest.screening.register import ITEMS, assess_all, select_entries
from contest.screening.season import Season
from contest.setup import planning, settings
from loebner.cli import main
from lpp.channel import DirectoryChannel
from tests.contest.rehearse.build import run
from tests.contest.screening.seasons import (
    PASSED,
    SPEAKS,
    Life,
    Quiet,
    add,
    answers,
    asking_options,
    bot,
    dies,
    lines,
    new_contest,
    opened,
    press,
    silent,
    start,
)

#: Questions with word patterns as keys, so that the test knows the right answers.
PAPER = make(11, Counts(0, 2, 2, 1))
ASKED = len(PAPER.questions)
Output = pytest.CaptureFixture[str]


def submission(nth: int, **changed: str) -> dict[str, str]:
    """A submission that complies with all rules; a smaller number means an earlier posting."""
    day = dt.date(2010, 5, 3) + dt.timedelta(days=nth)
    return {
        "program": f"Program {nth}",
        "entrant": f"Person {nth}",
        "posted": f"{day} 10:00",
        "received": str(day + dt.timedelta(days=3)),
        "way": "1",
        "service": "FedEx",
        "proof": f"P{nth}",
        "media": "CD",
        "platforms": "Windows XP",
        "command": f"program{nth} {{dir}}",
    } | changed


#: The faults of these submissions; together they break every item of the checklist.
WRONG: dict[int, dict[str, str]] = {
    3: {
        "posted": "2010-06-08",
        "received": "2010-06-09",
        "media": "floppy disk",
        "proof": "",
        "service": "",
    },
    7: {"platforms": "Debian"},
    11: {"way": "3", "testing": "2010-07-01", "agreed": "2010-06-07", "present": "no"},
    15: {},
}
SEEN: dict[int, dict[str, ItemTested]] = {
    7: {
        name: ItemTested("fail", "has to be done by hand") for name in ("path", "variable", "runs")
    },
    15: {name: ItemTested("fail", "is not there") for name in ("programs", "browse")},
}
MUTE = Conformance("1" * 64, False, {"fail": ["3/answers"], "pass": ["2.B/removes"]})


def keys_of(paper: Paper) -> dict[str, str]:
    """Question to a right answer."""
    return {question.text: question.words[0].replace("...", "") for question in paper.questions}


def knows(number: int, after: float = 1.0, end: str = "\n") -> Life:
    """Knows the answers to this many questions of the paper."""
    right = dict(list(keys_of(PAPER).items())[:number])
    return answers(lambda line: f"{right.get(line, 'Who knows')}.", after, end)


def slow(number: int) -> Life:
    """Answers after the time limit."""
    right = dict(list(keys_of(PAPER).items())[:number])

    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for line in lines(channel):
            if line in right:
                await asyncio.sleep(48)
                await press(channel, f"{right[line]}.\n")

    return live


#: The behaviour of the sixteen screened entries, by id: special cases, bundled bots, variants.
LIVES: dict[str, Life] = {
    "E1": bot(find("screening")),
    "E2": knows(5),
    "E4": knows(4),
    "E5": knows(3),
    "E6": knows(3, end=""),
    "E8": knows(3, after=4),
    "E9": dies("?"),
    "E10": silent,
    "E12": slow(2),
    "E13": bot(find("therapist")),
    "E14": bot(find("retrieval")),
    "E16": bot(find("aiml")),
    "E17": knows(2),
    "E18": knows(1),
    "E19": knows(1),
    "E20": knows(0),
}
TIED = {"E5", "E6", "E8"}


def test_a_season_from_submissions_to_the_contest(tmp_path: Path, capsys: Output) -> None:
    place = new_contest(tmp_path / "contest")
    with opened(place) as season:
        submit(season)
        comply(season)
    with opened(place) as season:
        run(put(season))
    sat(place)
    marked(place, tmp_path, capsys)
    result = ranked(place, tmp_path, capsys)
    finalists = cut(place, result, capsys)
    set_up(place, finalists)
    with Season(place) as season:
        talks = {event.talk for event in season.record.events() if event.talk}
        assert talks == {f"screening.{id_}" for id_ in LIVES}


def submit(season: Season) -> None:
    for nth in range(1, 21):
        add(season, submission(nth, **WRONG.get(nth, {})), "Ada")
    # An individual with two entries is named, and the entry is refused.
    with pytest.raises(WrongMoment, match="Person 2"):
        add(season, submission(21, entrant="Person 2"), "Ada")


def comply(season: Season) -> None:
    for id_ in [each.entry for each in assess_all(season.state)]:
        nth = int(id_[1:])
        items = dict(PASSED)
        if season.state.entries[id_].form.way != 3:
            items["runs"] = ItemTested("pass")
        items |= SEEN.get(nth, {})
        conformance = MUTE if nth == 15 else SPEAKS
        season.write("Ada", ComplianceTested(id_, dt.date(2010, 6, 30), items, conformance))
    found = select_entries(season.state)
    broken = {answer.item for each in assess_all(season.state) for answer in each.of("fail")}
    assert broken == set(ITEMS) - {"individual"}
    assert set(found.screened) == set(LIVES)
    assert {row.entry for row in found.entries} - set(found.screened) == {
        f"E{nth}" for nth in WRONG
    }
    start(season)


async def put(season: Season) -> None:
    what = set_paper(season, PAPER, typing_seed=1)
    subjects = subjects_of(season.state)
    assert [subject.id for subject in subjects] == list(LIVES)
    assert await ask(season, what, subjects, asking_options(LIVES, side_by_side=16), Quiet()) == {}


def sat(place: Path) -> None:
    with Season(place) as season:
        sittings = season.state.sittings
    found = {id_: each.answers(PAPER) for id_, each in sittings.items()}
    assert all(sitting.ended for sitting in sittings.values())
    assert all(len(each) == ASKED for each in found.values())
    hows = {id_: [answer.how for answer in each.values()] for id_, each in found.items()}
    assert hows["E9"] == ["died"] * ASKED
    assert sittings["E9"].starts == ASKED
    assert hows["E10"] == ["silent"] * ASKED
    assert hows["E6"] == ["quiet"] * ASKED
    assert hows["E12"][0] == "silent"
    right = list(keys_of(PAPER).values())
    assert next(iter(found["E12"].values())).belonging.startswith(f"{right[0].strip()}.")


def filled(sheet: str, change: Mapping[tuple[str, str], str]) -> tuple[str, list[dict[str, str]]]:
    """A sheet with the suggested marks, except for some."""
    rows = list(csv.DictReader(io.StringIO(sheet.removeprefix("\ufeff"))))
    for row in rows:
        row["mark"] = change.get((row["item"], row["letter"]), row["suggested"])
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue(), rows


def marked(place: Path, scratch: Path, capsys: Output) -> None:
    sheets = scratch / "sheets"
    assert main(["screen", "mark", str(place), "--scale", "0/0.5/1", "--out", str(sheets)]) == 0
    sheet = (sheets / "sheet.csv").read_text(encoding="utf-8")
    # The sheet doesn't show whose answers they are.
    assert "Program" not in sheet
    assert "E1" not in sheet
    text, rows = filled(sheet, {})
    full = next(row for row in rows if row["suggested"] == "1")
    (scratch / "ann.csv").write_text(text, encoding="utf-8")
    other, _ = filled(sheet, {(full["item"], full["letter"]): "0"})
    (scratch / "bob.csv").write_text(other, encoding="utf-8")
    for who in ("ann", "bob"):
        file = str(scratch / f"{who}.csv")
        assert main(["screen", "mark", str(place), "--in", file, "--marker", who, "--json"]) == 0
    capsys.readouterr()
    assert main(["screen", "mark", str(place), "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert state["answers"] == 16 * ASKED
    assert state["missing"] == {"ann": 0, "bob": 0}
    assert 0.9 < state["agreement"]["alpha"] < 1
    assert [(each["item"], each["letter"]) for each in state["to_settle"]] == [
        (full["item"], full["letter"])
    ]
    # There is no ranking before all differences are settled.
    assert main(["screen", "rank", str(place)]) == 1
    assert "1 mark to settle" in capsys.readouterr().err
    settle = [
        "--settle",
        full["item"],
        full["letter"],
        "1",
        "--reason",
        "it is right",
        "--by",
        "Cy",
    ]
    assert main(["screen", "mark", str(place), *settle]) == 0


def ranked(place: Path, scratch: Path, capsys: Output) -> dict[str, Any]:
    capsys.readouterr()
    page = scratch / "ranking.html"
    assert main(["screen", "rank", str(place), "--json", "--html", str(page)]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    by_id = {each["entry"]: each for each in result["entries"]}
    assert len(by_id) == 16
    assert {by_id[id_]["total"] for id_ in TIED} == {3}
    assert by_id["E2"]["place"] == 1
    assert (by_id["E9"]["total"], by_id["E10"]["total"]) == (0, 0)
    # The bundled screening bot clearly beats the other bundled bots.
    assert by_id["E1"]["total"] > 2 * max(by_id[id_]["total"] for id_ in ("E13", "E14", "E16"))
    item = by_id["E2"]["items"][result["items"][0]]
    assert item["answer"]
    assert set(item["marks"]) == {"ann", "bob"}
    settled = [
        each["settled"]
        for entry in by_id.values()
        for each in entry["items"].values()
        if each["settled"]
    ]
    assert settled == [{"mark": 1, "by": "Cy", "reason": "it is right"}]
    assert "Program 2" in page.read_text(encoding="utf-8")
    return result


def cut(place: Path, result: dict[str, Any], capsys: Output) -> list[str]:
    assert result["open"]
    tied = result["cut"]["tied"]
    assert set(tied) >= TIED
    assert main(["screen", "finalists", str(place)]) == 1
    assert "Tied at the cut" in capsys.readouterr().err
    chosen = tied[: result["cut"]["room"]]
    decide = [word for id_ in chosen for word in ("--decide", id_)]
    decide += ["--reason", "drawn by lot", "--by", "Ada"]
    assert main(["screen", "finalists", str(place), *decide, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert sorted(done["finalists"]) == sorted([*result["finalists"], *chosen])
    assert done["trouble"] is None
    assert len(done["schedule"]) == 4
    ids: list[str] = done["finalists"]
    return ids


def set_up(place: Path, finalists: list[str]) -> None:
    made = settings.load(place)
    assert [entry.id for entry in made.entry] == finalists
    assert len(finalists) == 4
    assert all("{dir}" in entry.command for entry in made.entry)
    schedule = planning.schedule_of(made, place)
    assert set(schedule.roster.entries) == set(finalists)
    text = (place / "contest.toml").read_text(encoding="utf-8")
    assert "# on another machine" not in text.split("[[entry]]")[0]
    assert '"remote": on another machine, by `loebner link` there' in text
    assert "# The season before the contest" in text
