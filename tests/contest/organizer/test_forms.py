"""The organizer's orders as forms: each becomes the document that is carried out, or is refused."""

from __future__ import annotations

import contextlib
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.organizer import forms as orders
from contest.organizer import orders as documents
from contest.organizer.orders import read_order

#: What only asks stands on pages of its own.
ASKING = {"status", "check", "tally", "log"}


def structs() -> dict[str, type[Any]]:
    return {str(each.__struct_config__.tag): each for each in get_args(documents.Order)}


def filled(control: orders.Control) -> dict[str, str]:
    """The form of an order as a person fills it in."""
    values = {"minutes": "2,5", "number": "2", "tick": "yes", "plan": "Round 2 J1E2C1\n"}
    fields = {each.name: values.get(each.kind, "J1") for each in control.fields}
    return {"action": control.action, **fields}


def test_every_order_can_be_given_and_asks_for_what_it_needs() -> None:
    assert set(orders.CONTROLS) == set(structs()) - ASKING
    for action, control in orders.CONTROLS.items():
        names = {each.name for each in msgspec.structs.fields(structs()[action])}
        assert {each.name for each in control.fields} == names, action


@pytest.mark.parametrize("action", orders.CONTROLS)
def test_a_form_that_is_filled_in_is_an_order(action: str) -> None:
    control = orders.CONTROLS[action]
    order = read_order(orders.order_of(filled(control)))
    assert order.__struct_config__.tag == action
    for each in control.fields:
        known = {"minutes": 2.5, "number": 2, "tick": True, "plan": {"2": [("J1", "E2", "C1")]}}
        assert getattr(order, each.name) == known.get(each.kind, "J1")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "no such order"),
        ({"action": "status"}, "no such order"),
        ({"action": "dance"}, "no such order"),
        ({"action": "pause"}, "give a reason"),
        ({"action": "pause", "reason": " \t "}, "give a reason"),
        ({"action": "extend", "minutes": "five", "reason": "x"}, "write a number"),
        ({"action": "extend", "minutes": "0", "reason": "x"}, "more than 0"),
        ({"action": "extend", "minutes": "-1", "reason": "x"}, "more than 0"),
        ({"action": "extend", "minutes": "nan", "reason": "x"}, "more than 0"),
        ({"action": "extend", "minutes": "1e300", "reason": "x"}, "240 at most"),
        ({"action": "void", "what": "", "reason": "x"}, "Talk, attempt or ballot: choose"),
        ({"action": "swap", "round": "2.5", "one": "J1", "other": "J2"}, "write a number"),
        ({"action": "confirm", "number": "9" * 5000}, "write a number"),
        ({"action": "replan", "rounds": "", "reason": "x"}, "The plan: choose"),
        ({"action": "replan", "rounds": "J1 with E2", "reason": "x"}, "The plan: 'J1 with E2'"),
        ({"action": "replan", "rounds": ",E1\nJ1,C1", "reason": "x"}, "The plan: write rounds"),
    ],
)
def test_a_form_that_is_none_is_refused_in_words(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadOrder, match=words):
        orders.order_of(form)


@given(
    st.dictionaries(
        st.sampled_from(["action", "reason", "minutes", "what", "round", "number", "sure"]),
        st.sampled_from(sorted(orders.CONTROLS)) | st.text(),
    )
)
def test_no_form_is_more_than_refused(form: dict[str, str]) -> None:
    orders.is_to_be_confirmed(form)
    with contextlib.suppress(BadOrder):
        read_order(orders.order_of(form))


def test_what_can_not_be_undone_is_asked_for_once_more() -> None:
    again = {"action": "again", "reason": "x"}
    assert orders.is_to_be_confirmed(again)
    assert not orders.is_to_be_confirmed({**again, "sure": "yes"})
    assert not orders.is_to_be_confirmed({"action": "pause", "reason": "x"})
    assert not orders.is_to_be_confirmed({"action": "start"})
    assert orders.is_to_be_confirmed({"action": "start", "anyway": "yes"})
    grave = {action for action, control in orders.CONTROLS.items() if control.grave}
    assert {"again", "void", "end", "close", "stop", "final", "codes"} <= grave
    # Whoever confirms an order of two persons knows what it is about, and need not say it twice.
    assert not {"pause", "resume", "extend", "confirm", "drop"} & grave
