"""Tests the consent form without a window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contest.state.consents import check_pseudonym
from judge_console.model.decision import ConsentForm
from lpp.wire import Consent, Saved


def a_form() -> ConsentForm:
    form = ConsentForm()
    form.follow()
    return form


def step_of(form: ConsentForm) -> str:
    return form.step


def saved(version: int, publish: bool, pseudonym: str = "") -> Saved:
    return Saved("consent", version, "2010-10-23T09:00:00Z", publish=publish, pseudonym=pseudonym)


def test_no_answer_is_suggested() -> None:
    form = a_form()
    assert form.publish is None
    form.set_pseudonym("Aurora")
    assert step_of(form) == "choose"
    form.answer(False)
    assert step_of(form) == "confirm"
    assert form.confirm() == Consent(False, "Aurora")


@given(st.text(max_size=60))
def test_a_name_is_sent_in_the_form_that_the_server_stores(typed: str) -> None:
    """Otherwise the form would not recognize the server's answer."""
    form = a_form()
    form.answer(True)
    form.set_pseudonym(typed)
    message = form.message()
    if message is None:
        return
    try:
        kept = check_pseudonym(message.pseudonym, "J1", {}, {})
    except ValueError:
        return
    assert kept == message.pseudonym
    form.confirm()
    form.follow(saved=saved(1, True, kept))
    assert step_of(form) == "saved"
