"""Small contests to the final result, with real entries, people by sockets, and `loebner control`.

With byes, a judge and an entry sit out in each round. With one of each, there is a single desk. The
contest with two of each is in test_serve.py.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from contest.net import addresses
from contest.results.contest import Contest
from contest.scripted import scripted_people
from contest.setup import folder
from judge_console.client import SeatClient
from loebner.cli import main
from tests.contest.build import results_json
from tests.end_to_end.test_serve import PATIENCE, RunningServer, seats_of, serving, sit, until


def settings(judges: int, entries: int, confederates: int, rounds: int) -> str:
    """A contest of this many, whose schedule the server makes."""
    said = (
        f'[contest]\nname = "A small contest"\n\n[rules]\nrounds = {rounds}\n'
        "interaction_minutes = 120\nscoring_minutes = 120\nranking_minutes = 120\n\n"
        '[publication]\ndefault = "publish"\n'
    )
    for n in range(1, judges + 1):
        said += f'\n[[judge]]\nid = "J{n}"\nname = "Harriet {n}"\n'
    for n in range(1, entries + 1):
        command = f"loebner bot therapist --speed 120 --seed {n} --dir {{dir}}"
        said += f'\n[[entry]]\nid = "E{n}"\nname = "Therapist {n}"\ncommand = "{command}"\n'
    for n in range(1, confederates + 1):
        said += f'\n[[confederate]]\nid = "C{n}"\nname = "Ben {n}"\n'
    return said


def typed(judges: list[SeatClient], number: int) -> bool:
    """Whether each judge has keys of a round in both panes."""
    on = all((judge.round, judge.phase) == (number, "interaction") for judge in judges)
    return on and all(judge.keys(place) for judge in judges for place in judge.places)


def decided(judges: list[SeatClient]) -> bool:
    return all("verdict" in judge.model.saved for judge in judges)


async def play(place: Path, sizes: tuple[int, int, int], rounds: int) -> None:
    """Plays a contest to its final result."""
    judges, _, confederates = sizes
    folder.make(place, settings(*sizes, rounds))
    async with serving(place) as process, asyncio.TaskGroup() as tasks:
        on = RunningServer(process, place)
        server = addresses.find_control(place).server.removeprefix("http://")
        given = seats_of(place)
        seats = [f"J{n}" for n in range(1, judges + 1)]
        cast = scripted_people(seats, [f"C{n}" for n in range(1, confederates + 1)], 1)
        clients = {seat: SeatClient(f"ws://{server}/seat", given[seat]) for seat in cast}
        people = [tasks.create_task(sit(cast[seat], clients[seat])) for seat in cast]
        for client in clients.values():
            await client.ready()
        for number in range(1, rounds + 1):
            status = await on.order("start")
            playing = [clients[row["judge"]] for row in status["pairings"]]
            await until(partial(typed, playing, number))
            await on.order("end", "enough was said")
            await until(partial(decided, playing))
            await on.order("close", "all are sure")
        await on.order("start")
        await until(lambda: all("ranking" in clients[seat].model.saved for seat in seats))
        await on.close_ranking("all have ranked")
        await on.order("final", "nobody objects")
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*people)
        await until((place / "results.html").exists)
        process.terminate()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    assert "Traceback" not in (place.parent / "serve.log").read_text(encoding="utf-8")


@pytest.mark.soak
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("sizes", "rounds", "lost"),
    # A single desk is also tested with seats in browsers (test_browser_seats.py).
    [((1, 1, 1), 1, 0), ((2, 2, 1), 2, None)],
    ids=["one desk", "byes"],
)
async def test_small_contests_reach_the_final_result(
    sizes: tuple[int, int, int],
    rounds: int,
    lost: int | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = tmp_path / "contest"
    await play(place, sizes, rounds)
    view = Contest.load(place)
    document = results_json(view)
    assert document["final"]
    assert all(talk["keys"] for talk in document["talks"])
    pairs = document["schedule"]["check"]["pairs"]
    if lost is not None:
        assert sum(len(each["missing"]) for each in pairs.values()) == lost
    warnings = document["tally"]["warnings"]
    assert not any("no verdict" in each for each in warnings)
    assert len(view.state.rankings) == sizes[0]
    assert main(["verify", str(place)]) == 0
    assert "RED" not in capsys.readouterr().out
    assert main(["tally", str(place), "--json"]) == 0
    tally = json.loads(capsys.readouterr().out)
    assert tally["table"] == document["tally"]["table"]
    for form in ("html", "json", "csv", "text", "lpp2012"):
        assert main(["export", str(place), "--format", form, "--out", str(place / form)]) == 0
    assert main(["verify", str(place)]) == 0, "the exports in the folder are the record's"
