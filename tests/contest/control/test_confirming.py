"""Two persons: what waits to be confirmed, by whom, and when its moment is gone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.control import orders
from contest.control.confirming import Proposals
from contest.errors import WrongMoment
from contest.record.bodies import OrderConfirmed, OrderDropped, OrderProposed
from contest.state.phases import Phase
from contest.talks.seat import Status

ON = Status(Phase.INTERACTION, 2, 1, 60.0)


def proposed(number: int, action: str, status: Status = ON, **more: Any) -> OrderProposed:
    where = (status.round, status.attempt, status.phase.value)
    return OrderProposed(number, {"action": action, **more}, "because", *where)


def test_the_other_person_confirms_and_nobody_else() -> None:
    proposals = Proposals()
    proposals.take("organizer", proposed(1, "end"))
    proposals.take("witness", proposed(2, "void", what="1.1"))
    assert [(each.by, each.words) for each in proposals.waiting(ON)] == [
        ("organizer", "end"),
        ("witness", "void 1.1"),
    ]
    with pytest.raises(WrongMoment, match=r"order 1 \(end\) is your own"):
        proposals.to_confirm(1, "organizer", ON)
    found = proposals.to_confirm(1, "witness", ON)
    assert orders.again(found.document) == orders.End("because")
    assert found.as_json() == {
        "number": 1,
        "by": "organizer",
        "order": {"action": "end"},
        "reason": "because",
        "words": "end",
    }
    proposals.take("witness", OrderConfirmed(1))
    with pytest.raises(WrongMoment, match="it was confirmed"):
        proposals.to_confirm(1, "witness", ON)
    proposals.take("witness", OrderDropped(2))
    with pytest.raises(WrongMoment, match="it was dropped"):
        proposals.to_drop(2)
    with pytest.raises(WrongMoment, match="it was dropped"):
        proposals.to_confirm(2, "organizer", ON)
    with pytest.raises(WrongMoment, match="it was never proposed"):
        proposals.to_drop(3)
    assert proposals.waiting(ON) == []
    assert proposals.last == 2


#: Of each action where it was proposed, and whether it holds at other times.
NEXT = Status(Phase.INTERACTION, 3, 1, 60.0)
AGAIN = Status(Phase.INTERACTION, 2, 2, 60.0)
PAUSED = Status(Phase.PAUSED, 2, 1, 60.0)
SCORING = Status(Phase.SCORING, 2, 1, 60.0)
CLOSED = Status(Phase.CLOSED, 2, 1, None)
RANKING = Status(Phase.RANKING, 2, 1, 60.0)
OVER = Status(Phase.OVER, 2, 1, None)
WHERE: dict[str, tuple[Status, set[Status]]] = {
    "end": (ON, {PAUSED}),
    "close": (SCORING, set()),
    "again": (ON, {PAUSED, SCORING, CLOSED}),
    "stop": (ON, {PAUSED, SCORING, CLOSED}),
    "void": (ON, {PAUSED, SCORING, CLOSED, NEXT, AGAIN, RANKING}),
    "replace": (ON, {PAUSED, SCORING, CLOSED, NEXT, AGAIN}),
    "swap": (ON, {PAUSED, SCORING, CLOSED, NEXT, AGAIN}),
    "replan": (ON, {PAUSED, SCORING, CLOSED, NEXT, AGAIN}),
    "final": (OVER, {ON, PAUSED, SCORING, CLOSED, NEXT, AGAIN, RANKING}),
}


@pytest.mark.parametrize("action", WHERE)
def test_a_proposal_belongs_to_its_moment(action: str) -> None:
    at, also = WHERE[action]
    proposals = Proposals()
    proposals.take("organizer", proposed(1, action, at))
    for status in (ON, PAUSED, SCORING, CLOSED, NEXT, AGAIN, RANKING, OVER):
        holds = status == at or status in also
        assert bool(proposals.waiting(status)) == holds, (action, status)
        if not holds:
            with pytest.raises(WrongMoment, match="its moment is gone"):
                proposals.to_confirm(1, "witness", status)


def test_each_order_for_two_has_a_moment_here() -> None:
    assert {str(order.__struct_config__.tag) for order in orders.FOR_TWO} == set(WHERE)


texts = st.text(min_size=1, max_size=20).filter(str.strip)


@given(
    st.one_of(
        st.builds(orders.Void, st.text(max_size=20), texts),
        st.builds(orders.Replace, st.text(max_size=9), texts, texts),
        st.builds(orders.Swap, st.integers(1, 9), texts, texts, texts, st.booleans()),
        st.builds(
            orders.Replan,
            st.dictionaries(
                st.integers(1, 9999).map(str), st.lists(st.tuples(texts, texts, texts), max_size=2)
            ),
            texts,
        ),
        st.builds(orders.Final, texts, st.booleans()),
    )
)
def test_a_proposed_order_is_read_again_as_it_was(order: orders.Order) -> None:
    plain = orders.document(order)
    reason = plain.pop("reason")
    body = OrderProposed(1, plain, reason, 1, 1, "x")
    proposals = Proposals()
    proposals.take("organizer", body)
    found = proposals.to_drop(1)
    assert orders.again(found.document) == order
    assert found.words.split()[0] == plain["action"]
