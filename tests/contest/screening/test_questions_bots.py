"""Tests that the bundled screening bot answers papers clearly better than the other bundled bots:
papers from unseen seeds, and a paper that was not made from templates."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from bots.registry import BOTS
from contest.screening.answers import suggest
from contest.screening.paper import Paper, read
from contest.screening.questions import Counts, make
from tests.bots.talking import new_bot

INDEPENDENT = Path(__file__).with_name("independent_paper.toml")

#: Times during a round, months before the contest, and after it.
MOMENTS = (
    dt.datetime(2010, 10, 23, 10, 17),
    dt.datetime(2010, 6, 20, 21, 5),
    dt.datetime(2010, 10, 23, 13, 0),
)
#: Seeds whose papers were not used in development.
SEEDS = range(90_001, 90_004)


def share(name: str, paper: Paper, when: dt.datetime) -> float:
    """The share of the possible marks that a bot earns, from 0 to 1."""
    bot = new_bot(name, now=when)
    marks = []
    for question in paper.questions:
        for line in question.tells:
            bot.reply(line)
        answer = bot.reply(question.text) or ""
        marks.append(suggest(question, answer, when, paper.facts).mark)
    bot.close()
    return sum(marks) / (2 * len(marks))


@pytest.fixture(scope="module")
def unseen() -> dict[str, list[float]]:
    """Each bot's share of each paper."""
    return {name: [share(name, make(seed), MOMENTS[seed % 3]) for seed in SEEDS] for name in BOTS}


def test_the_screening_bot_wins_on_every_unseen_seed(
    unseen: dict[str, list[float]],
) -> None:
    for name in set(BOTS) - {"screening"}:
        for own, other in zip(unseen["screening"], unseen[name], strict=True):
            assert own > other + 0.5
    assert min(unseen["screening"]) >= 0.8


def test_the_screening_bot_wins_on_an_independent_paper() -> None:
    paper = read(INDEPENDENT)
    assert len(paper.questions) >= 20
    shares = {name: share(name, paper, MOMENTS[0]) for name in BOTS}
    best_other = max(shares[name] for name in set(BOTS) - {"screening"})
    # The bot is not tuned to this paper, so it is far from full marks.
    assert shares["screening"] >= 0.2
    assert shares["screening"] >= best_other + 0.15


def test_the_independent_paper_shares_no_question_with_the_templates() -> None:
    texts = {question.text for question in read(INDEPENDENT).questions}
    for seed in range(20):
        assert texts.isdisjoint(each.text for each in make(seed, Counts(9, 9, 9, 9)).questions)
