"""Tests the table of orders: reading them as documents, as forms and at the terminal, their
description in the docs, and when a proposal can be confirmed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder, WrongMoment
from contest.organizer.orders import (
    GROUPS,
    ORDERS,
    Field,
    Order,
    confirmation_warning,
    document_of,
    is_due,
    order_of,
    order_of_form,
    read_order,
)
from contest.record import bodies
from contest.state.model import State
from contest.state.phases import status
from contest.state.reducer import fold
from loebner.control import read_words
from scheduler import Schedule, read_schedule
from tests.contest.build import Builder

#: For each kind of field, what a person types and the value in the document.
VALUES: dict[str, tuple[str, Any]] = {
    "minutes": ("2,5", 2.5),
    "number": ("2", 2),
    "round": ("2", 2),
    "events": ("3", 3),
    "tick": ("yes", True),
    "plan": ("Round 2 J1E2C1\n", {"2": [("J1", "E2", "C1")]}),
}


def value(field: Field) -> tuple[str, Any]:
    return VALUES.get(field.kind, ("J1", "J1"))


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_filled_in_form_is_read_as_its_order(order: Order) -> None:
    form = {"action": order.action, **{f.name: value(f)[0] for f in order.fields}}
    if order.is_query:
        with pytest.raises(BadOrder, match="no such order"):
            order_of_form(form)
        return
    given = order_of_form(form)
    assert given.order is order
    assert given.values == {f.name: value(f)[1] for f in order.fields}
    assert order_of(document_of(given)) == given
    assert order.group in {*GROUPS, "two", "codes"}
    assert order.title
    assert order.button


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_terminal_arguments_are_read_as_their_order(order: Order, tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("Round 1 J1E2C1\n")
    texts = {"plan": str(plan), "round": "2-", "minutes": "2.5"}
    words, options = [order.action], {}
    for field in order.fields:
        text = texts.get(field.kind, value(field)[0])
        if field.option:
            options[field.option] = True if field.kind == "tick" else text
        elif field.kind != "tick":
            words.append(text)
    given = read_order(json.dumps(read_words(words, options)).encode())
    assert given.order is order
    expected = {f.name: value(f)[1] for f in order.fields}
    if "rounds" in expected:
        expected["rounds"] = {"1": [("J1", "E2", "C1")]}
    assert given.values == expected


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({}, "there is no order 'None'"),
        ({"action": "dance"}, "there is no order 'dance'; the orders are status, check"),
        ({"action": ["pause"]}, "there is no order"),
        ([], "there is no order"),
        ({"action": "pause"}, "missing required field `reason`"),
        ({"action": "pause", "reason": ""}, "give a reason"),
        ({"action": "pause", "reason": " \n"}, "give a reason"),
        ({"action": "pause", "reason": "x" * 501}, "1 to 500 characters"),
        ({"action": "status", "please": True}, "unknown field `please`"),
        ({"action": "replace", "seat": "J1", "name": "\t", "reason": "x"}, "1 to 100 characters"),
        ({"action": "replan", "rounds": {"0": []}, "reason": "x"}, "this is not an order"),
        ({"action": "swap", "round": 0, "one": "a", "other": "b", "reason": "x"}, "a round"),
        ({"action": "log", "last": 5001}, "up to 5000"),
        *(
            ({"action": "extend", "minutes": minutes, "reason": "x"}, "above 0 and at most 240")
            for minutes in (0, -5, 241, "5")
        ),
    ],
)
def test_fields_of_the_wrong_kind_are_refused(document: Any, says: str) -> None:
    with pytest.raises(BadOrder, match=says):
        read_order(json.dumps(document).encode())


@pytest.mark.parametrize("text", [b"", b"null", b'{"action": "status", "x": "\xff"}', b"[" * 10000])
def test_invalid_documents_are_refused(text: bytes) -> None:
    with pytest.raises(BadOrder):
        read_order(text)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, "no such order"),
        ({"action": "pause", "reason": " \t "}, "give a reason"),
        ({"action": "extend", "minutes": "five", "reason": "x"}, "write a number"),
        ({"action": "extend", "minutes": "nan", "reason": "x"}, "above 0"),
        ({"action": "extend", "minutes": "1e300", "reason": "x"}, "at most 240"),
        ({"action": "void", "what": "", "reason": "x"}, "Talk, attempt or ballot: choose"),
        ({"action": "swap", "round": "2.5", "one": "J1", "other": "J2"}, "number of a round"),
        ({"action": "confirm", "number": "9" * 5000}, "write a number"),
        ({"action": "replan", "rounds": "", "reason": "x"}, "The plan: write one line"),
        ({"action": "replan", "rounds": "J1 with E2", "reason": "x"}, "The plan: 'J1 with E2'"),
        ({"action": "replan", "rounds": ",E1\nJ1,C1", "reason": "x"}, "The plan: write one line"),
    ],
)
def test_invalid_forms_are_refused(form: dict[str, str], says: str) -> None:
    with pytest.raises(BadOrder, match=says):
        order_of_form(form)


def test_irreversible_orders_ask_for_confirmation() -> None:
    def asked(**document: Any) -> str:
        return confirmation_warning(order_of(document))

    assert asked(action="end", reason="x")
    assert not asked(action="pause", reason="x")
    assert not asked(action="start")
    assert asked(action="start", anyway=True)
    warned = {action for action, order in ORDERS.items() if order.warning}
    assert {"again", "void", "end", "close", "stop", "final", "codes"} <= warned
    # The person who confirms an order sees what it does.
    assert not {"pause", "resume", "extend", "confirm", "drop"} & warned


# Moments and two persons

texts = st.text(min_size=1, max_size=20).filter(str.strip)
BY_KIND = {
    "tick": st.booleans(),
    "round": st.integers(1, 1000),
    "plan": st.dictionaries(
        st.integers(1, 9999).map(str), st.lists(st.tuples(texts, texts, texts), max_size=2)
    ),
}


@given(st.sampled_from([order for order in ORDERS.values() if order.two]), st.data())
def test_a_proposed_order_can_be_read_back(order: Order, data: st.DataObject) -> None:
    values = {f.name: data.draw(BY_KIND.get(f.kind, texts)) for f in order.fields}
    plain = document_of(order_of({"action": order.action, **values}))
    assert plain == json.loads(json.dumps({"action": order.action, **values}))


#: The events of a contest of two rounds, from one moment to the next.
MOMENTS: dict[str, list[bodies.AnyBody]] = {
    "before": [],
    "on": [bodies.RoundOpened(1, 1), bodies.RoundStarted(1, 1, 300)],
    "paused": [bodies.RoundPaused(1, 1, "x")],
    "scoring": [bodies.RoundResumed(1, 1), bodies.RoundEnded(1, 1, "x")],
    "closed": [bodies.RoundClosed(1, 1, {})],
    "next": [bodies.RoundOpened(2, 1), bodies.RoundStarted(2, 1, 300)],
    "ranking": [
        *(bodies.RoundEnded(2, 1, "x"), bodies.RoundClosed(2, 1, {}), bodies.RankingOpened())
    ],
    "over": [bodies.RankingClosed("x")],
}
ROUND = {"on", "paused", "scoring", "closed"}
#: The orders that are possible at each moment, besides those that always are.
POSSIBLE = {
    "before": {"start", "replace", "swap", "replan"},
    "on": {"pause", "extend", "end", "again", "stop", "void", "replace", "swap", "replan"},
    "paused": {"resume", "extend", "end", "again", "stop", "void", "replace", "swap", "replan"},
    "scoring": {"close", "again", "stop", "void", "replace", "swap", "replan"},
    "closed": {"start", "again", "stop", "void", "replace", "swap", "replan"},
    "next": {"pause", "extend", "end", "again", "stop", "void", "replace"},
    "ranking": {"close", "void"},
    "over": set(),
}
ALWAYS = {order.action for order in ORDERS.values() if not (order.decide or order.moment)}
ALWAYS |= {"restart"}  # programs were started before the first round


def happening() -> Iterator[tuple[str, State, int]]:
    """Each moment, with the state and the time."""
    b = Builder()
    plan = read_schedule("Round 1 J1E1C1\nRound 2 J1E2C2\n")
    assert isinstance(plan, Schedule)
    b.open(plan)
    for moment, happened in MOMENTS.items():
        for body in happened:
            b.write(body)
            b.wait(1)
        yield moment, fold(b.events), b.now_ns


def test_orders_are_possible_only_at_their_moments() -> None:
    for moment, state, now_ns in happening():
        can = {order.action for order in ORDERS.values() if not order.why_not(state, now_ns)}
        assert can - ALWAYS == POSSIBLE[moment], moment
        for order in ORDERS.values():
            if order.decide is not None and (why := order.why_not(state, now_ns)):
                with pytest.raises(WrongMoment, match=re.escape(why)):
                    order.decide(state, now_ns)


#: For each order that needs two persons: when it is proposed, and when it can be confirmed.
DUE: dict[str, tuple[str, set[str]]] = {
    "end": ("on", {"on", "paused"}),
    "close": ("scoring", {"scoring"}),
    "again": ("on", ROUND),
    "stop": ("on", ROUND),
    "void": ("on", {*ROUND, "next", "ranking"}),
    "replace": ("before", {"before", *ROUND, "next"}),
    "swap": ("before", {"before", *ROUND}),
    "replan": ("before", {"before", *ROUND}),
    "final": ("ranking", set()),
}


@pytest.mark.parametrize("action", [order.action for order in ORDERS.values() if order.two])
def test_proposals_can_be_confirmed_only_at_their_moments(action: str) -> None:
    proposed, found = None, set()
    for moment, state, now_ns in happening():
        now = status(state, now_ns)
        if moment == DUE[action][0]:
            where = (now.round, now.attempt, now.phase.value)
            proposed = bodies.OrderProposed(1, {"action": action}, "x", *where)
        if proposed is not None and is_due(proposed, state, now_ns):
            found.add(moment)
    assert found == DUE[action][1]
