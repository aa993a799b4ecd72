"""Tests that scores equal the official program's, digit for digit."""

import csv
import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.chatgpt4pcg import scoring
from disciplines.chatgpt4pcg.editions import EDITIONS, Edition
from disciplines.chatgpt4pcg.files import read
from disciplines.chatgpt4pcg.level import decimal_text
from disciplines.chatgpt4pcg.scoring import Trial, places, resampler, score
from disciplines.standing import Entrant, bootstrap
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data, of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FILES = DATA / "2023"


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@needs_data
def test_the_published_tables_of_2023() -> None:
    edition = EDITIONS["2023"]
    found = score(read(FILES / "trial_scores.csv", edition).trials, edition)
    text = decimal_text
    assert {
        (trial.team, trial.character, str(trial.number)): text(value)
        for trial, value in found.trials
    } == {
        (row["teamName"], row["character"], row["trial"]): row["trial_Score"]
        for row in rows(FILES / "trial_scores.csv")
    }
    assert sorted(
        (each.team, each.character, text(each.score), text(each.stability), text(each.similarity))
        for each in found.characters
    ) == sorted(tuple(row.values()) for row in rows(FILES / "character_scores.csv"))
    constants = json.loads((FILES / "constants.json").read_text("utf-8"))
    assert text(found.competition) == constants["competitionScore"]
    assert [
        (each.character, float(each.weight), float(each.stability), float(each.similarity))
        for each in found.weights
    ] == [tuple(row.values()) for row in constants["weights"]]
    entrants = [
        Entrant("v1_sample", "baseline"),
        Entrant("The Organizer", "ineligible"),
        *(Entrant(name, "disqualified") for name in ("BirdBirdBird", "BirdsTeam", "pixelArt")),
    ]
    ranking = places(found, edition, entrants)
    assert [
        {
            "teamName": place.name,
            "normalizedPromptScore": -1 if place.score is None else float(place.score),
            "promptScore": float(found.prompts.get(place.name, -1)),
            "rank": -2 if place.score is None else place.rank or -1,
        }
        for place in ranking
    ] == json.loads((FILES / "result.json").read_text("utf-8"))
    assert [place.name for place in ranking if place.wins] == ["dereventsolve"]


def small(*trials: tuple[str, str, int, str, str]) -> list[Trial]:
    return [Trial(*each[:3], Decimal(each[3]), Decimal(each[4])) for each in trials]


def test_a_small_contest_by_hand() -> None:
    # Two teams, two letters, two trials; missing trials count as 0, in each denominator.
    trials = small(("x", "A", 1, "1", "0.5"), ("x", "A", 2, "0.5", "1"), ("y", "B", 2, "1", "1"))
    found = score(trials, of(EDITIONS["2023"], "AB", 2))
    a, b = found.weights
    assert (a.stability, a.similarity, b.stability) == (Decimal("0.625"),) * 2 + (Decimal("0.75"),)
    assert a.weight == Decimal("0.390625")
    assert dict(found.prompts) == {"x": Decimal("0.09765625"), "y": Decimal("0.140625")}
    assert len(found.trials) == 8
    assert sum(found.norms.values()) == 100


def test_weights_have_a_floor() -> None:
    perfect = small(("x", "A", 1, "1", "1"))
    (weight,) = score(perfect, of(EDITIONS["2023"], "A", 1)).weights
    assert weight.weight == 1  # 1 / number of letters
    perfect = small(("x", "A", 1, "1", "1"), ("x", "B", 1, "1", "1"), ("x", "C", 1, "1", "1"))
    weights = score(perfect, of(EDITIONS["2023"], "ABC", 1)).weights
    assert weights[0].stability == Decimal("0.33333333333333333333")


def test_a_contest_in_which_nobody_scores() -> None:
    found = score([], EDITIONS["2024"], ["x", "y"])
    assert found.competition == 0
    assert found.norms == {"x": 0, "y": 0}
    assert len(found.trials) == 2 * 26 * 10
    assert [place.rank for place in places(found, EDITIONS["2024"])] == [1, 1]
    assert places(score([], EDITIONS["2024"]), EDITIONS["2024"]) == []


def test_diversity_counts_from_2024_on() -> None:
    trials = [
        Trial("x", "A", 1, Decimal(1), Decimal("0.5"), Decimal("0.25")),
        Trial("y", "A", 1, Decimal(1), Decimal("0.5"), Decimal("0.5")),
    ]
    found = score(trials, of(EDITIONS["2024"], "AB", 1))
    assert found.weights[0].diversity == Decimal("0.625")
    assert found.norms["y"] > found.norms["x"]
    assert score(trials, of(EDITIONS["2023"], "AB", 1)).weights[0].diversity is None


def test_prompt_scores_of_2025_are_summed_over_the_models() -> None:
    one = Trial("x", "A", 1, Decimal(1), Decimal(1), Decimal("0.5"), model="m1")
    other = Trial("y", "A", 1, Decimal("0.5"), Decimal(1), Decimal("0.5"), model="m2")
    edition = EDITIONS["2025"]
    both = score([one, other], of(edition, "A", 1), ["x", "y"])
    alone = [score([each], of(edition, "A", 1), ["x", "y"]) for each in (one, other)]
    for team in ("x", "y"):
        assert both.prompts[team] == sum(each.prompts[team] for each in alone)
    assert [weight.model for weight in both.weights] == ["m1", "m2"]


def test_the_winner_of_2025_beats_the_baseline() -> None:
    trials = [
        Trial(team, "A", 1, Decimal(1), Decimal(value), Decimal("0.5"))
        for team, value in (("x", "0.2"), ("baseline_zero_shot", "0.3"))
    ]
    edition = EDITIONS["2025"]
    found = score(trials, of(edition, "A", 1))
    ranking = places(found, edition, [Entrant("baseline_zero_shot", "baseline")])
    assert [(each.name, each.rank, each.wins) for each in ranking] == [
        ("baseline_zero_shot", None, False),
        ("x", 1, False),
    ]


def test_the_shortest_prompt_wins_a_tie_and_equal_ones_share_it() -> None:
    trials = small(*((team, "A", 1, "1", "0.5") for team in "wxyz"))
    found = score(trials, of(EDITIONS["2023"], "AB", 1))
    ranking = places(found, EDITIONS["2023"], words={"w": 90, "x": 80, "y": 80})
    assert [(each.name, each.rank, each.wins) for each in ranking] == [
        ("x", 1, True),
        ("y", 1, True),
        ("w", 3, False),
        ("z", 4, False),
    ]


@pytest.mark.parametrize(
    ("trial", "named"),
    [
        (("x", "A", 1, "1", "1"), "x_A_1"),
        (("x", "a", 1, "1", "1"), "x_a_1"),
        (("x", "A", 11, "1", "1"), "x_A_11"),
        (("x", "A", 0, "1", "1"), "x_A_0"),
        (("z", "A", 2, "1", "1"), "z_A_2"),
    ],
)
def test_impossible_trials_are_refused(trial: tuple[str, str, int, str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        score(small(("x", "A", 1, "0", "0"), trial), EDITIONS["2023"], ["x"])


@given(
    st.decimals(0, 1000, allow_nan=False, places=30),
    st.decimals("0.001", 1000, allow_nan=False, places=7),
)
def test_quotients_are_rounded_half_up_to_20_decimals(value: Decimal, divisor: Decimal) -> None:
    found = scoring._quotient(value, divisor)
    error = Fraction(value) / Fraction(divisor) - Fraction(found)
    assert -Fraction(1, 2 * 10**20) <= error < Fraction(1, 2 * 10**20)


def drawn(edition: Edition) -> Iterator[Trial]:
    random = Random(4)
    for team in ("good", "middling", "poor", "none"):
        for letter in "ABC":
            for number in range(1, 6):
                best = {"good": 1.0, "middling": 0.3, "poor": 0.28, "none": 0.0}[team]
                stability, similarity = (
                    Decimal(str(round(best * random.random(), 4))) for _ in range(2)
                )
                yield Trial(team, letter, number, stability, similarity, Decimal("0.5"))


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_resampling_confirms_clear_places_and_varies_close_ones(edition: Edition) -> None:
    trials = list(drawn(edition))
    edition = of(edition, "ABC", 5)
    found = score(trials, edition)
    ranking = places(found, edition)
    draw = resampler(trials, edition)
    intervals = bootstrap(draw, ranking, draws=300)
    assert intervals["good"].same_rank == 1
    assert intervals["middling"].same_rank < 1
    for place in ranking:
        interval = intervals[place.name]
        assert place.score is not None
        assert interval.low <= place.score <= interval.high
    assert sum(draw(Random(1)).values()) == pytest.approx(100)


def test_drawing_each_trial_once_gives_the_official_scores() -> None:
    class Same(Random):
        def choices(self, population, *_args, k=1, **_kwargs):  # type: ignore[no-untyped-def]
            return population[:k]

    for edition in EDITIONS.values():
        trials = list(drawn(edition))
        found = score(trials, of(edition, "ABC", 5))
        recomputed = resampler(trials, of(edition, "ABC", 5))(Same())
        assert recomputed == pytest.approx(
            {name: float(norm) for name, norm in found.norms.items()}
        )
