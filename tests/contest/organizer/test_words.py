"""Every kind of event is told in words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.organizer.words import in_words
from contest.record import bodies
from contest.record.events import Event
from contest.state.incidents import WITHHELD

CODEBOOK = Path(__file__).parents[3] / "docs" / "reference" / "record.md"


def event(kind: str, body: dict[str, Any], *, redacted: bool = False) -> Event:
    return Event(1, None, "2010-10-23T09:00:00.000000Z", 1, "server", kind, body, "", "", redacted)


def examples() -> dict[str, dict[str, Any]]:
    """The codebook's example of each kind."""
    parts = re.split(r"^#### `([a-z-]+)`$", CODEBOOK.read_text(encoding="utf-8"), flags=re.M)
    return {
        kind: json.loads(text.partition("```json\n")[2].partition("\n```")[0])
        for kind, text in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.mark.parametrize("kind", bodies.KINDS)
def test_every_kind_has_words(kind: str) -> None:
    body = examples()[kind]
    words = in_words(event(kind, body))
    assert words
    assert not words.startswith("{"), words
    assert body.get("salt", "no salt") not in words


@pytest.mark.parametrize("kind", bodies.KINDS)
def test_what_is_not_of_its_form_is_shown_as_it_is(kind: str) -> None:
    assert in_words(event(kind, {"odd": [1, 2], "salt": "s"})) in (
        '{"odd": [1, 2]}',
        in_words(event(kind, examples()[kind])),  # says nothing of its details
    )
    assert in_words(event("unheard-of", {"odd": 1})) == '{"odd": 1}'


def test_what_is_withheld_is_said_to_be() -> None:
    assert in_words(event("key", {}, redacted=True)) == WITHHELD


def test_a_key_says_all_that_is_known_of_it() -> None:
    body = bodies.to_json(
        bodies.Key("entity", "left", "a", 7, "0007.a.other", ["2.A.a/unique"], "3/waits")
    )
    assert in_words(event("key", body)) == (
        "entity pressed a (directory 0007.a.other), against 2.A.a/unique, not shown: 3/waits"
    )


@given(st.sampled_from(sorted(bodies.KINDS)), st.dictionaries(st.text(), st.text() | st.integers()))
def test_no_body_breaks_the_log(kind: str, body: dict[str, Any]) -> None:
    assert isinstance(in_words(event(kind, body)), str)
