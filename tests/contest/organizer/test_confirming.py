"""Two persons: what waits to be confirmed, by whom, and when its moment is gone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import WrongMoment
from contest.live.decisions import proposals, to_confirm, to_drop
from contest.organizer import orders
from contest.record.bodies import AnyBody, OrderConfirmed, OrderDropped, OrderProposed
from contest.record.events import Event
from contest.state.model import State
from contest.state.phases import Phase, Status
from contest.state.reducer import apply

ON = Status(Phase.INTERACTION, 2, 1, 60.0)


def proposed(number: int, action: str, status: Status = ON, **more: Any) -> OrderProposed:
    where = (status.round, status.attempt, status.phase.value)
    return OrderProposed(number, {"action": action, **more}, "because", *where)


def state_of(*events: tuple[str, AnyBody]) -> State:
    """The state after events, each with its actor."""
    state = State()
    for seq, (actor, body) in enumerate(events, 1):
        apply(state, Event(seq, None, "", 0, actor, body.kind, {}, "", ""), body)
    return state


def test_the_other_person_confirms_and_nobody_else() -> None:
    given = [
        ("organizer", proposed(1, "end")),
        ("witness", proposed(2, "void", what="1.1")),
    ]
    state = state_of(*given)
    assert [(each["by"], each["words"]) for each in proposals(state, ON)] == [
        ("organizer", "end"),
        ("witness", "void 1.1"),
    ]
    with pytest.raises(WrongMoment, match=r"order 1 \(end\) is your own"):
        to_confirm(state, ON, 1, "organizer")
    found = to_confirm(state, ON, 1, "witness")
    assert found.body.order == {"action": "end"}
    assert proposals(state, ON)[0] == {
        "number": 1,
        "by": "organizer",
        "order": {"action": "end"},
        "reason": "because",
        "words": "end",
    }
    state = state_of(*given, ("witness", OrderConfirmed(1)))
    with pytest.raises(WrongMoment, match="it was confirmed"):
        to_confirm(state, ON, 1, "witness")
    state = state_of(*given, ("witness", OrderConfirmed(1)), ("witness", OrderDropped(2)))
    with pytest.raises(WrongMoment, match="it was dropped"):
        to_drop(state, 2)
    with pytest.raises(WrongMoment, match="it was dropped"):
        to_confirm(state, ON, 2, "organizer")
    with pytest.raises(WrongMoment, match="it was never proposed"):
        to_drop(state, 3)
    assert proposals(state, ON) == []
    assert state.last_proposal == 2


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
    state = state_of(("organizer", proposed(1, action, at)))
    for status in (ON, PAUSED, SCORING, CLOSED, NEXT, AGAIN, RANKING, OVER):
        holds = status == at or status in also
        assert bool(proposals(state, status)) == holds, (action, status)
        if not holds:
            with pytest.raises(WrongMoment, match="its moment is gone"):
                to_confirm(state, status, 1, "witness")


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
    state = state_of(("organizer", body))
    found = to_drop(state, 1).body
    assert orders.again({**found.order, "reason": found.reason}) == order
    (said,) = proposals(state, ON)
    assert said["words"].split()[0] == plain["action"]
