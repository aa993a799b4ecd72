"""The final ranking without a window: an order with ties, and the ranks that are made of it."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scheduler
from judge_console.model.decision import News, RankingForm
from judge_console.model.seat import Met
from lpp.wire import Ranks, RankThese, Saved

LABELS = ("A", "B", "C", "D")


def a_form(labels: tuple[str, ...] = LABELS, ties: bool = True) -> RankingForm:
    met: dict[str, list[Met]] = {label: [(n, 1, "left")] for n, label in enumerate(labels, 1)}
    form = RankingForm(RankThese(met, ties))
    form.follow(News())
    return form


def order(form: RankingForm) -> str:
    """The order in short: a group in brackets."""
    groups: dict[int, str] = {}
    for row in form.rows:
        groups[row.place] = groups.get(row.place, "") + row.label
        assert row.shared == (sum(other.place == row.place for other in form.rows) > 1)
    return " ".join(f"({group})" if len(group) > 1 else group for group in groups.values())


def ordered(text: str, ties: bool = True) -> RankingForm:
    """A form in an order as `order` gives it."""
    form = a_form(ties=ties)
    assert form.take([list(group.strip("()")) for group in text.split()])
    return form


@pytest.mark.parametrize(
    ("before", "act", "after"),
    [
        ("A B C D", ("up", "C"), "A C B D"),
        ("A B C D", ("up", "A"), "A B C D"),
        ("A B C D", ("down", "B"), "A C B D"),
        ("A B C D", ("down", "D"), "A B C D"),
        ("(AB) C D", ("up", "C"), "C (AB) D"),
        ("A (BC) D", ("down", "A"), "(BC) A D"),
        ("A (BC) D", ("up", "C"), "A C B D"),
        ("A (BC) D", ("down", "B"), "A C B D"),
        ("A (BCD)", ("up", "C"), "A C (BD)"),
        ("A (BCD)", ("down", "D"), "A (BC) D"),
        ("A B C D", ("share_above", "B"), "(AB) C D"),
        ("A B C D", ("share_above", "A"), "A B C D"),
        ("(AB) C D", ("share_above", "C"), "(ABC) D"),
        ("A (BC) D", ("share_above", "B"), "(AB) C D"),
        ("A (BC) D", ("split", "B"), "A C B D"),
        ("A (BCD)", ("split", "B"), "A (CD) B"),
        ("A B C D", ("split", "B"), "A B C D"),
        ("A B C D", ("share", "D", "A"), "(AD) B C"),
        ("A B C D", ("share", "A", "D"), "B C (DA)"),
        ("(AB) C D", ("share", "A", "B"), "(AB) C D"),
        ("A B C D", ("share", "A", "A"), "A B C D"),
        ("A B C D", ("drop", "D", 0), "D A B C"),
        ("A B C D", ("drop", "A", 4), "B C D A"),
        ("A B C D", ("drop", "A", 2), "B A C D"),
        ("A B C D", ("drop", "B", 1), "A B C D"),
        ("A B C D", ("drop", "B", 2), "A B C D"),
        ("(AB) C D", ("drop", "D", 1), "(ABD) C"),
        ("(AB) C D", ("drop", "A", 1), "(AB) C D"),
        ("(AB) C D", ("drop", "A", 0), "A B C D"),
        ("(AB) C D", ("drop", "A", 2), "B A C D"),
        ("A (BC) D", ("drop", "C", 4), "A B D C"),
    ],
)
def test_each_move(before: str, act: tuple[object, ...], after: str) -> None:
    form = ordered(before)
    name, *values = act
    assert getattr(form, str(name))(*values) is (before != after)
    assert order(form) == after
    assert (form.draft() is not None) is (before != after)


def test_places_count_those_above() -> None:
    form = ordered("A (BC) D")
    assert [(row.label, row.place, row.shared) for row in form.rows] == [
        ("A", 1, False),
        ("B", 2, True),
        ("C", 2, True),
        ("D", 4, False),
    ]


def test_who_shares_has_the_middle_rank() -> None:
    assert ordered("(AB) C D").message() == Ranks({"A": 3, "B": 3, "C": 6, "D": 8})
    assert ordered("A (BCD)").message() == Ranks({"A": 2, "B": 6, "C": 6, "D": 6})
    assert ordered("C A D B").message() == Ranks({"C": 2, "A": 4, "D": 6, "B": 8})


moves = st.lists(
    st.tuples(st.sampled_from(["up", "down", "share_above", "split"]), st.sampled_from(LABELS))
    | st.tuples(st.just("drop"), st.sampled_from(LABELS), st.integers(0, 4))
    | st.tuples(st.just("share"), st.sampled_from(LABELS), st.sampled_from(LABELS))
)


@given(moves, st.booleans())
def test_whatever_is_moved_a_full_ballot_adds_up(
    steps: list[tuple[object, ...]], ties: bool
) -> None:
    form = a_form(ties=ties)
    for name, *values in steps:
        before = order(form)
        changed = getattr(form, str(name))(*values)
        assert changed is (order(form) != before)
    message = form.message()
    assert message is not None
    ranks = message.ranks
    assert sorted(ranks) == list(LABELS)
    n = len(ranks)
    assert sum(ranks.values()) == n * (n + 1), "in half steps times two"
    assert all(2 <= rank <= 2 * n for rank in ranks.values())
    assert ties or len(set(ranks.values())) == n
    in_order = [ranks[row.label] for row in form.rows]
    assert in_order == sorted(in_order)

    # The same order again, from the ranks and from the draft.
    for new in (a_form(ties=ties), a_form(ties=ties)):
        new.show(message)
        assert new.message() == message
    new = a_form(ties=ties)
    new.restore(json.loads(json.dumps(form.draft())))
    assert order(new) == order(form)


def test_the_tally_takes_a_ballot_with_ties_without_a_warning() -> None:
    """Ranks as the server counts them: halves of what is sent."""
    message = ordered("A (BC) D").message()
    assert message is not None
    pairings = [("J1", "A", "B"), ("J1", "C", "D")]
    verdicts = [
        scheduler.Verdict(scheduler.Pairing(round_, *who), scheduler.Choice("confederate"))
        for round_, who in enumerate(pairings, 1)
    ]
    ballot = scheduler.Ballot(
        "J1",
        tuple(
            scheduler.Rank(name, Fraction(doubled, 2)) for name, doubled in message.ranks.items()
        ),
    )
    result = scheduler.tally(verdicts, [ballot])
    assert not result.warnings
    assert {standing.entry: standing.mean_rank for standing in result.entries} == {
        "A": 1,
        "C": Fraction(5, 2),
    }


# Its way to the server


def saved(version: int, ranks: dict[str, int]) -> Saved:
    return Saved("ranking", version, "2010-10-23T17:00:00Z", ranks=ranks)


def test_the_order_within_a_shared_place_stays_as_it_is_seen() -> None:
    form = ordered("(DB) A C")
    form.up("C")
    sent = form.confirm()
    form.follow(News(saved=saved(1, sent.ranks)))
    assert order(form) == "(DB) C A"


def test_a_draft_outlives_whom_there_is_to_rank() -> None:
    form = ordered("(DB) A C")
    form.up("C")
    draft = form.draft()
    other = a_form(("E", "A", "D", "B"))
    other.restore(draft)
    assert order(other) == "(DB) A E"


@given(
    st.recursive(
        st.none() | st.integers() | st.sampled_from(LABELS),
        lambda inner: st.lists(inner, max_size=4),
        max_leaves=8,
    )
)
def test_whatever_the_disk_holds_all_are_ranked(content: object) -> None:
    form = a_form()
    form.restore({"content": content, "sent": False})
    assert sorted(row.label for row in form.rows) == list(LABELS)
    assert form.message() is not None
