"""A small example contest, offline: a bundled record of a game, a game that scripts play, and four
scripted raters, who use the same pages as people."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files
from pathlib import Path
from random import Random

import aiohttp

from contest.net.web import serving
from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME
from disciplines.labyrinth.metrics import METRICS, SCORES
from disciplines.labyrinth.rating import Contest
from disciplines.page import json_text
from disciplines.raters import COMMENT, Pages
from disciplines.run import has_settings

#: The default folder of `loebner labyrinth demo`, and the bundled record.
FOLDER, GAME = "labyrinth-demo", "ferry.json"
_SETTINGS = (files("disciplines.labyrinth") / "bundled" / "demo.toml").read_text("utf-8")
#: The scores of a careful rater for each message of a game, in the three metrics. The third message
#: of the ferry's manager mentions a telescope that nobody has.
_QUALITY = {
    "ferry": (
        *((5, 5, 5), (5, 4, 5), (2, 1, 2), (5, 5, 4), (4, 4, 4)),
        *((5, 5, 3), (4, 4, 4), (5, 4, 5), (4, 4, 5)),
    ),
    "live": ((5, 5, 4), (4, 5, 4), (4, 4, 4), (4, 4, 3)),
}
#: How much higher each rater scores than a careful one.
_BIAS = {"R1": 0, "R2": 0, "R3": -1, "R4": 1}


def template() -> str:
    """The commented contest.toml of a new contest."""
    return (files("disciplines.labyrinth") / FILE_NAME).read_text(encoding="utf-8")


def prepare(folder: Path) -> None:
    """Makes the demo's folder, unless it already exists and the demo can continue in it.

    Raises:
        UserError: if the folder has other content.
        EnvironmentProblem: if it can't be written.
    """
    if not has_settings(folder, _SETTINGS):
        folders.make(folder, _SETTINGS)
    game = files("disciplines.labyrinth").joinpath("bundled", GAME).read_text("utf-8")
    folders.write(folder / GAME, game)
    # The other game begins with the same scene.
    start = json.loads(game)[0]
    scene = json_text({"scene": start["scene"], "players": start["players"]})
    folders.write(folder / "scene.json", scene)


def rate(contest: Contest) -> None:
    """Has the scripted raters rate all their remaining targets."""

    async def all_rate() -> None:
        pages = Pages(contest.questionnaire)
        async with (
            serving(pages.app(), "127.0.0.1", 0, access=pages.invitations.access) as address,
            aiohttp.ClientSession(f"http://{address}") as session,
        ):
            for rater, link in pages.invitations.links.items():
                await _rate(contest, rater, link, session)

    asyncio.run(all_rate())


async def _rate(contest: Contest, rater: str, link: str, session: aiohttp.ClientSession) -> None:
    random = Random(rater)
    asked = contest.questionnaire
    while left := asked.left(rater):
        target, form = contest.targets[asked.raters[rater][left[0] - 1]], {"go": "next"}
        for metric, good in zip(METRICS, _QUALITY[target.game][target.number - 1], strict=True):
            drawn = good + _BIAS[rater] + random.choice((-1, 0, 0, 0, 1))
            score = min(SCORES[-1], max(SCORES[0], drawn))
            form[metric.name] = str(score)
            if score == SCORES[0]:
                form[metric.name + COMMENT] = f"Far from what {metric.name} asks for."
        async with session.post(f"{link}/{left[0]}", data=form) as answer:
            answer.raise_for_status()
