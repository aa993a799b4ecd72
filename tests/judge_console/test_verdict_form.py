"""Tests the verdict without a window, from the choice to the saved verdict."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.decision import VerdictForm
from judge_console.model.seat import Human
from judge_console.views.verdict import copy_for_reading
from lpp.conversation import Conversation
from lpp.names import keys_of
from lpp.wire import Refused, Saved, Verdict


def a_form(saved: Saved | None = None) -> VerdictForm:
    form = VerdictForm(2, 1)
    form.follow(saved)
    return form


def step_of(form: VerdictForm) -> str:
    return form.step


def saved(version: int, human: Human = "left", confidence: int | None = None) -> Saved:
    return Saved(
        "verdict", version, "2010-10-23T14:03:07Z", 2, 1, human=human, confidence=confidence
    )


def again(form: VerdictForm) -> VerdictForm:
    """The form of a restarted console, with the draft from disk."""
    new = VerdictForm(2, 1)
    new.restore(json.loads(json.dumps(form.draft())))
    return new


def test_from_the_choice_to_saved() -> None:
    form = a_form()
    assert step_of(form) == "choose"
    form.choose("left")
    form.set_confidence(75)
    form.set_reason("It remembered.  ")
    assert step_of(form) == "confirm"
    assert form.confirm() == Verdict(2, 1, "left", 75, "It remembered.")
    assert step_of(form) == "sending"
    form.follow(waiting=True)
    assert step_of(form) == "sending"
    form.follow(saved=saved(1, "left", 75))
    assert step_of(form) == "sending", (
        "what was saved gives no reason, so it is no answer to this one"
    )
    answer = Saved("verdict", 1, "x", 2, 1, human="left", confidence=75, reason="It remembered.")
    form.follow(saved=answer)
    assert step_of(form) == "saved"
    assert form.reason == "It remembered."
    assert form.draft() is None


def test_only_a_new_refusal_is_an_answer() -> None:
    form = a_form()
    form.choose("left")
    form.confirm()
    old = Refused("not-now", "too late", "verdict")
    form.follow(refused=old)
    form.confirm()
    form.follow(refused=old)
    assert step_of(form) == "sending"
    new = Refused("not-now", "too late", "verdict")
    form.follow(refused=new)
    assert step_of(form) == "confirm"
    assert form.trouble is new


# Drafts


def test_a_newer_decision_of_another_console_is_kept() -> None:
    form = a_form(saved(1, "left"))
    form.correct()
    form.choose("right")
    form.confirm()
    new = again(form)
    new.follow(saved=saved(3, "left", 100))
    assert new.resume() is None
    assert new.correcting
    assert new.human == "right", "the choice made here is kept"


nothing = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.none(), max_size=2)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "sent": st.booleans() | nothing,
            "base": nothing,
            "content": nothing
            | st.fixed_dictionaries(
                {},
                optional={
                    "human": st.sampled_from(["left", "right"]) | nothing,
                    "confidence": nothing,
                    "reason": st.text() | nothing,
                },
            ),
        },
    )
    | nothing
)
def test_invalid_drafts_on_disk_are_ignored(draft: object) -> None:
    form = VerdictForm(1, 1)
    form.restore(draft)
    form.follow()
    assert form.human in (None, "left", "right")
    assert form.confidence is None or 0 <= form.confidence <= 100
    json.dumps(form.draft()).encode()
    assert again(form).step == form.step


acts = st.lists(
    st.tuples(st.just("choose"), st.sampled_from(["left", "right"]))
    | st.tuples(st.just("set_confidence"), st.none() | st.integers(-5, 105))
    | st.tuples(st.just("set_reason"), st.text(max_size=20))
    | st.tuples(st.sampled_from(["confirm", "correct", "keep", "save", "refuse", "crash"]))
)


@given(acts)
def test_a_crash_at_any_moment_loses_no_choice(steps: list[tuple[object, ...]]) -> None:
    """The server saves or refuses each decision in turn."""
    form, version, held = VerdictForm(2, 1), 0, None
    under_way: list[Verdict] = []
    known: Saved | None = None
    refused: Refused | None = None
    form.follow()
    for name, *values in steps:
        if name == "crash":
            before = (form.human, form.confidence, form.reason, form.step)
            form = again(form)
            under_way = []
            form.follow(known, refused)
            after = (form.human, form.confidence, form.reason, form.step)
            assert after == before
            resumed = form.resume()
            assert (resumed is not None) == (form.step == "sending")
            under_way += [resumed] if resumed is not None else []
        elif name == "confirm":
            if form.step == "confirm":
                under_way.append(form.confirm())
        elif name == "save":
            if under_way:
                held, under_way, version = under_way[0], [], version + 1
                known = Saved(
                    "verdict", version, "x", 2, 1,
                    human=held.human, confidence=held.confidence, reason=held.reason,
                )  # fmt: skip
                refused = None
                form.follow(known, refused)
                assert step_of(form) == "saved"
        elif name == "refuse":
            if under_way:
                under_way = []
                refused = Refused("no", "no", "verdict")
                form.follow(known, refused)
                assert form.can_change
        else:
            getattr(form, str(name))(*values)
    assert (form.step == "saved") <= (held is not None)
    assert (form.step == "sending") == bool(under_way)


# Rereading


def test_a_reread_talk_includes_the_unfinished_line() -> None:
    talk = Conversation("judge")
    for key in keys_of("Hello\nDo you"):
        talk.press("judge", key)
    talk.press("entity", "H")
    read = copy_for_reading(talk)
    assert [(block.author, block.text) for block in read.blocks] == [
        ("judge", "Hello"),
        ("entity", "H"),
        ("judge", "Do you"),
    ]
    assert talk.draft == "Do you"
    assert talk.take_change() is not None, "changes for the talk's own window are still reported"
    talk.press("entity", "i")
    assert read.blocks[1].text == "H"
