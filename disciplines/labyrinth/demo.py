"""The four scripted raters of the demo, who use the same pages as people."""

from __future__ import annotations

import asyncio
from random import Random

import aiohttp

from contest.net.web import serving
from disciplines.labyrinth.metrics import METRICS, SCORES
from disciplines.labyrinth.rating import Contest
from disciplines.raters import COMMENT, Pages

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
