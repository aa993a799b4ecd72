"""Tests that a season can always continue to its finalists, after any commands in any order."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.record.season import (
    CutDecided,
    EntryRestored,
    EntryWithdrawn,
    MarkSettled,
    QualityOpened,
)
from contest.screening import finalists, marking
from contest.screening.ranking import Ranking, ranking_of
from contest.screening.season import Season
from contest.screening.state import QUALITY
from contest.screening.verify import verify
from tests.contest.screening.seasons import opened, sat

ENTRIES = ("E1", "E2", "E3", "E4")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest's folder in which four entries were asked a paper; two of them will be
    finalists."""
    place = tmp_path_factory.mktemp("season") / "contest"
    with sat(place, finalists=2):
        return place


def mark(season: Season, marker: str, marks: tuple[str, ...]) -> None:
    """Marks all answers of the open round, by the entries' numbers."""
    marking.begin(season)
    given_to = dict(zip((*ENTRIES, "H1"), (*marks, "1"), strict=True))
    items = {
        item: {marking.letter(at): given_to[who] for at, who in enumerate(order)}
        for item, order in marking.sealed_letters(season).letters.items()
    }
    marking.mark_all(season, marker, items)


def settle(season: Season, text: str) -> None:
    """Settles all differences between the markers."""
    for each in marking.differences(season.state):
        season.write("Cy", MarkSettled(each.item, each.letter, text, "both have a point"))


def decide(season: Season, names: tuple[str, ...]) -> None:
    """Decides the tie at the cut."""
    season.write("Cy", CutDecided(list(names), "by lot"))


def quality(season: Season) -> None:
    """Opens the round in which the general quality decides."""
    season.write("Cy", QualityOpened("nobody answered"))
    marking.begin(season)


Order = Callable[[Season], object]
MARKS = st.tuples(*[st.sampled_from(["0", "0.5", "1"])] * 4) | st.just(("0",) * 4)
ORDERS: st.SearchStrategy[Order] = st.one_of(
    st.builds(
        lambda who, marks: lambda season: mark(season, who, marks),
        st.sampled_from(["Ann", "Bob"]),
        MARKS,
    ),
    st.builds(lambda text: lambda season: settle(season, text), st.sampled_from(["0", "1"])),
    st.just(marking.reveal),
    st.just(quality),
    st.builds(
        lambda names: lambda season: decide(season, names),
        st.permutations(ENTRIES).flatmap(lambda p: st.sampled_from([tuple(p[:1]), tuple(p[:2])])),
    ),
    st.builds(
        lambda kind, who: lambda season: season.write("Cy", kind(who, "because")),
        st.sampled_from([EntryRestored, EntryWithdrawn]),
        st.sampled_from(ENTRIES),
    ),
    st.just(lambda season: finalists.write(season, "Cy")),
)


def to_the_end(season: Season) -> Ranking:
    """Finishes the season by following the commands' messages."""
    for _ in range(4):
        if not marking.is_over(season.state):
            for who in ("Ann", "Bob"):
                mark(season, who, ("1", "1", "0", "0"))
            settle(season, "1")
            marking.reveal(season)
        found = ranking_of(season.state)
        if not found.open:
            return found
        if found.general_quality and not season.state.quality:
            quality(season)
            continue
        assert found.cut is not None
        decide(season, tuple(found.cut.tied[: found.cut.room]))
    raise AssertionError("no end is in sight")


@settings(
    max_examples=6,
    deadline=None,
    # No shrinking, which would take minutes because a season is read many times.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(orders=st.lists(ORDERS, max_size=7))
def test_no_sequence_of_commands_blocks_a_season(
    played: Path, tmp_path_factory: pytest.TempPathFactory, orders: list[Order]
) -> None:
    place = tmp_path_factory.mktemp("copy") / "contest"
    shutil.copytree(played, place)
    with opened(place) as season:
        for order in orders:
            with suppress(ContestError):  # refused: nothing is recorded
                order(season)
            # After each command, either marking is not over, or there is a ranking.
            if marking.is_over(season.state):
                ranking_of(season.state)
        assert to_the_end(season) == ranking_of(season.state)
        if ranking_of(season.state).entries:
            assert finalists.write(season, "Cy").finalists
        held = season.state
    with opened(place) as season:
        # The state read from the record equals the one in memory.
        assert season.state == replace(held, settings=season.settings)
    report = verify(place)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []


def test_a_tie_without_marks_is_decided_by_general_quality_first(
    played: Path, tmp_path: Path
) -> None:
    shutil.copytree(played, tmp_path / "contest")
    with opened(tmp_path / "contest") as season:
        for who in ("Ann", "Bob"):
            mark(season, who, ("0",) * 4)
        marking.reveal(season)
        assert ranking_of(season.state).open
        with pytest.raises(WrongMoment, match="general quality"):
            decide(season, ("E1", "E2"))
        quality(season)
        assert season.state.items == [QUALITY]
        for who in ("Ann", "Bob"):
            mark(season, who, ("0", "0", "0", "0.5"))
        marking.reveal(season)
        with pytest.raises(BadOrder, match="tied at the cut"):
            decide(season, ("E4",))
        decide(season, ("E2",))
        assert ranking_of(season.state).finalists == ["E4", "E2"]
        # A decision that no longer fits leaves the tie open, with a remark.
        season.write("Cy", EntryWithdrawn("E2", "it is gone"))
        found = ranking_of(season.state)
        assert found.open
        assert "no longer applies" in found.words[-1]
        decide(season, ("E3",))
        assert ranking_of(season.state).finalists == ["E4", "E3"]


def test_the_ranking_keeps_the_written_finalists(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "contest")
    with opened(tmp_path / "contest") as season:
        for who in ("Ann", "Bob"):
            mark(season, who, ("1", "0", "0.5", "0.5"))
        marking.reveal(season)
        season.write("Cy", EntryWithdrawn("E4", "it is ill"))
        assert finalists.write(season, "Cy").finalists == ["E1", "E3"]
        season.write("Cy", EntryRestored("E4", "it is well"))
        found = ranking_of(season.state)
        assert (found.open, found.finalists) == (False, ["E1", "E3"])
        assert "they were written as finalists" in found.words[-1]
        # A later decision counts, and so does a withdrawal.
        decide(season, ("E4",))
        found = ranking_of(season.state)
        assert found.finalists == ["E1", "E4"]
        assert found.words[-1].startswith("The contest's settings have E1 and E3 as finalists; ")
        assert finalists.write(season, "Cy").finalists == ["E1", "E4"]
        season.write("Cy", EntryWithdrawn("E1", "it is gone"))
        assert ranking_of(season.state).finalists == ["E3", "E4"]
    report = verify(tmp_path / "contest")
    assert report is not None
    assert report.ok
