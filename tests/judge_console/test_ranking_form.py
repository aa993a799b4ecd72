"""Tests the final ranking without a window: an order with ties, and its ranks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.decision import RankingForm
from judge_console.model.seat import Met
from lpp.wire import Ranks, RankThese, Saved

LABELS = ("A", "B", "C", "D")


def a_form(labels: tuple[str, ...] = LABELS, ties: bool = True) -> RankingForm:
    met: dict[str, list[Met]] = {label: [(n, 1, "left")] for n, label in enumerate(labels, 1)}
    form = RankingForm(RankThese(met, ties))
    form.follow()
    return form


def order(form: RankingForm) -> str:
    """The order in short notation, with shared places in brackets."""
    groups: dict[int, str] = {}
    for row in form.rows:
        groups[row.place] = groups.get(row.place, "") + row.label
        assert row.shared == (sum(other.place == row.place for other in form.rows) > 1)
    return " ".join(f"({group})" if len(group) > 1 else group for group in groups.values())


def ordered(text: str) -> RankingForm:
    """A form with an order in the notation of `order`."""
    form = a_form()
    assert form.take([list(group.strip("()")) for group in text.split()])
    return form


@pytest.mark.parametrize(
    ("before", "act", "after"),
    [
        ("A B C D", ("move", "C", 1), "A C B D"),
        ("A B C D", ("move", "A", -1), "A B C D"),
        ("A B C D", ("move", "D", 4), "A B C D"),
        ("A B C D", ("move", "D", 0), "D A B C"),
        ("A B C D", ("move", "A", 3), "B C D A"),
        ("(AB) C D", ("move", "D", 1), "(ADB) C"),
        ("(AB) C D", ("move", "D", 2), "(AB) D C"),
        ("(AB) C D", ("move", "A", 0), "A B C D"),
        ("A (BC) D", ("move", "C", 3), "A B D C"),
        ("A (BCD)", ("move", "D", 2), "A (BDC)"),
        ("A (BCD)", ("move", "D", 1), "A D (BC)"),
        ("A B C D", ("share", "B"), "(AB) C D"),
        ("A B C D", ("share", "A"), "A B C D"),
        ("(AB) C D", ("share", "C"), "(ABC) D"),
        ("A (BC) D", ("share", "B"), "A C B D"),
        ("A (BCD)", ("share", "B"), "A (CD) B"),
    ],
)
def test_moves(before: str, act: tuple[object, ...], after: str) -> None:
    form = ordered(before)
    name, *values = act
    assert getattr(form, str(name))(*values) is (before != after)
    assert order(form) == after
    assert (form.draft() is not None) is (before != after)


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("(AB) C D", {"A": 3, "B": 3, "C": 6, "D": 8}),
        ("A (BCD)", {"A": 2, "B": 6, "C": 6, "D": 6}),
        ("C A D B", {"C": 2, "A": 4, "D": 6, "B": 8}),
    ],
)
def test_participants_who_share_a_place_have_the_mean_rank(
    text: str, ranks: dict[str, int]
) -> None:
    assert ordered(text).message() == Ranks(ranks)


moves = st.lists(
    st.tuples(st.just("move"), st.sampled_from(LABELS), st.integers(-1, 4))
    | st.tuples(st.just("share"), st.sampled_from(LABELS))
)


@given(moves, st.booleans())
def test_a_full_ballot_adds_up(steps: list[tuple[object, ...]], ties: bool) -> None:
    form = a_form(ties=ties)
    for name, *values in steps:
        before = [tuple(row) for row in form.rows]
        changed = getattr(form, str(name))(*values)
        assert changed is ([tuple(row) for row in form.rows] != before)
    message = form.message()
    assert message is not None
    ranks = message.ranks
    assert sorted(ranks) == list(LABELS)
    n = len(ranks)
    assert sum(ranks.values()) == n * (n + 1), "in half steps times two"
    assert ties or len(set(ranks.values())) == n
    in_order = [ranks[row.label] for row in form.rows]
    assert in_order == sorted(in_order)
    # The same order again, from the ranks and from the draft.
    shown, restored = a_form(ties=ties), a_form(ties=ties)
    shown.show(message)
    assert shown.message() == message
    restored.restore(json.loads(json.dumps(form.draft())))
    assert order(restored) == order(form)


def test_the_order_within_a_shared_place_is_kept() -> None:
    form = ordered("(DB) A C")
    form.move("C", 2)
    ranks = form.confirm().ranks
    form.follow(saved=Saved("ranking", 1, "2010-10-23T17:00:00Z", ranks=ranks))
    assert order(form) == "(DB) C A"


def test_a_draft_is_adapted_to_other_participants() -> None:
    form = ordered("(DB) A C")
    form.move("C", 2)
    other = a_form(("E", "A", "D", "B"))
    other.restore(form.draft())
    assert order(other) == "(DB) A E"


@given(
    st.recursive(
        st.none() | st.integers() | st.sampled_from(LABELS),
        lambda inner: st.lists(inner, max_size=4),
        max_leaves=8,
    )
)
def test_invalid_drafts_never_lose_a_participant(content: object) -> None:
    form = a_form()
    form.restore({"content": content, "sent": False})
    assert sorted(row.label for row in form.rows) == list(LABELS)
    assert form.message() is not None
