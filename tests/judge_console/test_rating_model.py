"""A rater's model: what it asks of the server, and what it keeps."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from judge_console.model.rating import COMMENT, RaterModel, Request, rater_link
from lpp.errors import UserError

SCALE = {"name": "logic", "question": "?", "checks": [], "scores": [1, 2], "anchors": {"1": "low"}}
SCALES = [{**SCALE, "comment": "Why?"}, {**SCALE, "name": "wit", "comment": ""}]


def overview(*left: int, of: int = 3, place: int | None = 1) -> bytes:
    held = {"title": "T", "noun": "x", "criteria": SCALES, "of": of, "left": left, "place": place}
    return json.dumps(held).encode()


def item(text: str = "text", **typed: str) -> bytes:
    held = {"item": text, "typed": typed, "note": "", "panels": [], "before": [["a", ["b"]]]}
    return json.dumps({**held, "target": ["To rate", text]}).encode()


def saved(*left: int) -> bytes:
    return json.dumps({"missing": [], "left": left}).encode()


def step(model: RaterModel, document: bytes) -> Request:
    """Answers the model's request."""
    request = model.request()
    assert request is not None
    model.answered(request, document)
    return request


def at(number: int = 1, draft: Any = None, text: str = "text") -> RaterModel:
    """A model at an item."""
    model = RaterModel(draft)
    step(model, overview(1, 2, 3, place=number))
    assert step(model, item(text)).path == f"/{model.number}"
    return model


def test_it_goes_to_the_place_and_saves_before_it_goes_on() -> None:
    model = at(2)
    assert (model.number, model.request()) == (2, None)
    model.type("logic", "2")
    model.go(3)
    assert step(model, saved(1, 2, 3)) == Request("/2", {"item": "text", "logic": "2"})
    assert model.number == 2
    assert step(model, item()) == Request("/3")
    assert (model.number, model.typed, model.draft) == (3, {}, None)


def test_what_is_typed_while_something_is_on_its_way_belongs_to_the_item_at_hand() -> None:
    model = at()
    model.type("logic", "1")
    sent = model.request()
    assert sent is not None
    model.type("logic", "2")
    model.answered(sent, saved(1, 2, 3))
    assert model.unsaved == {"logic": "2"}
    step(model, saved(1, 2, 3))
    model.go(2)
    going = model.request()
    assert going == Request("/2")
    model.type(f"logic{COMMENT}", "wait")
    model.answered(going, item())
    assert (model.number, model.unsaved) == (1, {f"logic{COMMENT}": "wait"})
    assert step(model, saved(1)) == Request("/1", {"item": "text", f"logic{COMMENT}": "wait"})
    assert model.request() is None


def test_it_stays_at_an_incomplete_item_and_after_the_last_one_goes_to_unfinished_items() -> None:
    model = at(3)
    model.type("logic", "1")
    model.go(4, complete=True)
    assert model.asked_for == ("wit",)
    step(model, saved(2, 3))
    assert model.request() is None
    model.type("wit", "1")
    model.go(4, complete=True)
    step(model, saved(2))
    assert model.request() == Request("/2")
    step(model, item())
    model.go(0)
    assert step(model, item()).path == "/1"
    model.left = ()
    model.go(4)
    assert model.request() is None


def test_a_refused_text_stays_and_is_sent_again_once_it_is_changed() -> None:
    model = at()
    model.type("logic", "9")
    request = model.request()
    assert request is not None
    model.rejected(request, "no score")
    assert (model.refused, model.typed["logic"], model.request()) == ("no score", "9", None)
    model.go(2)
    assert model.request() is None
    model.type("logic", "1")
    assert model.request() == Request("/1", {"item": "text", "logic": "1"})


def test_a_draft_goes_to_the_item_that_it_was_typed_for_and_to_no_other() -> None:
    model = at(2)
    model.type("wit", "2")
    before = model.draft
    model.type("logic", "2")
    assert before != model.draft
    model.type("logic", "")
    draft = json.loads(json.dumps(before))
    # Until the item is there again, it is the draft of the next window, too.
    waiting = RaterModel(draft)
    assert waiting.draft == draft
    step(waiting, overview(1, 2, 3))
    assert waiting.draft == draft
    assert at(1, draft).request() == Request("/2", {"item": "text", "wit": "2"})
    assert at(1, draft, "another text").request() is None


@pytest.mark.parametrize("draft", [None, 5, {}, {"number": 9}, {"number": "x"}, {"number": 2}])
def test_a_broken_draft_is_passed_over(draft: Any) -> None:
    assert at(1, draft).unsaved == {}


def test_an_item_that_is_gone_is_left_and_nothing_to_rate_is_nothing_to_ask() -> None:
    model = at()
    model.go(3)
    request = model.request()
    assert request is not None
    model.rejected(request, "gone")
    assert step(model, overview(1, of=2)).path == ""
    assert (model.number, model.request()) == (1, None)
    empty = RaterModel()
    step(empty, overview(of=0, place=None))
    assert empty.request() is None


@pytest.mark.parametrize("document", [b"", b"[]", b"<html>", b"{}", b'{"typed": 5}', b"\xff"])
def test_what_is_not_a_raters_server_is_refused(document: bytes) -> None:
    model = RaterModel()
    for answer in (overview(1), item(), saved()):
        request = model.request()
        if request is None:
            model.type("logic", "1")
            request = model.request()
        assert request is not None
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            model.answered(request, document)
        model.answered(request, answer)


@pytest.mark.parametrize(
    "text",
    [
        "http://h:1/r/R1-AA",
        " http://h:1/r/R1-AA/3\n",
        "h:1/r/R1-AA?list",
        "https://h:1/r/R1-AA/",
    ],
)
def test_links(text: str) -> None:
    link, code = rater_link(text)
    assert link in ("http://h:1/r/R1-AA", "https://h:1/r/R1-AA")
    assert code == "R1-AA"


@pytest.mark.parametrize(
    "text",
    [
        *("", "R1-AA", "http://h:1", "http://h:1/r", "http://h:1/r/", "http://h:1/sit/R1-AA"),
        *("file:///r/R1-AA", "http://h:99999/r/R1-AA", "http://[h/r/x", "http:///r/R1-AA"),
        "http://h/r/R1 AA",
    ],
)
def test_what_is_no_link(text: str) -> None:
    with pytest.raises(UserError):
        rater_link(text)
