"""Tests the choice of the page, its texts, and the question before leaving."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge_console.model.pages import (
    Page,
    WindowState,
    asks_before_leaving,
    page_of,
    sentence_of,
    takes_keys,
    words_for,
)
from judge_console.model.seat import SeatRefused
from lpp.errors import BadDirectory, EnvironmentProblem
from lpp.wire import Agreement, Phase, Place, RankThese, Role, Saved, State, Welcome
from texts import load

BOTH: tuple[Place, ...] = ("left", "right")
AGREEMENT = Agreement("All is published.")
ANSWER = Saved("consent", 1, "2010-10-23T09:00:00Z", publish=True)
RANK_THESE = RankThese({"A": [(1, 1, "left")]})


def seen(
    phase: Phase = "before",
    role: Role = "judge",
    places: tuple[Place, ...] = (),
    **other: object,
) -> WindowState:
    return WindowState(
        connected=True,
        welcome=Welcome("J1", role, "A contest", 4),
        state=State(phase, 1, 1, places),
        **other,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("window_state", "page"),
    [
        (WindowState(), Page.CONNECTING),
        (WindowState(trouble="no route"), Page.CONNECTING),
        (seen("before"), Page.WAITING),
        (seen("before", agreement=AGREEMENT), Page.CONSENT),
        (seen("waiting", agreement=AGREEMENT), Page.CONSENT),
        (seen("waiting", agreement=AGREEMENT, saved={"consent": ANSWER}), Page.WAITING),
        (seen("waiting", agreement=AGREEMENT, unsaved=frozenset({"consent"})), Page.CONSENT),
        # A running talk or a decision is never covered.
        (seen("interaction", places=BOTH, agreement=AGREEMENT), Page.TALK),
        (seen("paused", places=BOTH, agreement=AGREEMENT), Page.TALK),
        (seen("scoring", places=BOTH, agreement=AGREEMENT), Page.VERDICT),
        (seen("interaction", "confederate", ("only",)), Page.TALK),
        (seen("scoring", "confederate", ("only",)), Page.WAITING),
        # Without a talk in this round.
        (seen("interaction"), Page.WAITING),
        (seen("scoring"), Page.WAITING),
        (seen("closed", places=BOTH), Page.WAITING),
        (seen("ranking", rank_these=RANK_THESE), Page.RANKING),
        (seen("ranking"), Page.WAITING),
        (seen("ranking", "confederate", rank_these=RANK_THESE), Page.WAITING),
        (seen("over"), Page.OVER),
        (seen("interaction", places=BOTH, ended=SeatRefused("seat-taken", "…")), Page.ENDED),
        (WindowState(ended=SeatRefused("bad-code", "…")), Page.ENDED),
    ],
)
def test_page_of(window_state: WindowState, page: Page) -> None:
    assert page_of(window_state) is page


@pytest.mark.parametrize(
    ("role", "phase", "heard", "takes"),
    [
        ("judge", "interaction", 0, True),
        ("confederate", "interaction", 0, False),
        ("confederate", "interaction", 1, True),
        ("judge", "paused", 3, False),
        ("judge", "scoring", 3, False),
        ("confederate", "scoring", 3, False),
    ],
)
def test_when_a_key_counts(role: Role, phase: Phase, heard: int, takes: bool) -> None:
    assert takes_keys(seen(phase, role, BOTH), heard) is takes


@pytest.mark.parametrize(
    ("window_state", "heard", "key"),
    [
        (seen("interaction"), 0, "phase.idle"),
        (seen("interaction", places=BOTH), 0, "phase.interaction.judge"),
        (seen("interaction", "confederate", ("only",)), 0, "confederate.wait"),
        (seen("interaction", "confederate", ("only",)), 2, "phase.interaction.confederate"),
        (seen("interaction", places=("left",)), 0, "desk.practice"),
        (seen("closed"), 0, "phase.closed.judge"),
        (replace(seen("closed"), state=State("closed", 4)), 0, "phase.closed_last.judge"),
        (seen("ranking"), 0, "phase.soon"),
        (seen("ranking", rank_these=RANK_THESE), 0, "phase.ranking.judge"),
    ],
)
def test_sentence_of(window_state: WindowState, heard: int, key: str) -> None:
    assert sentence_of(window_state, heard) == key


@pytest.mark.parametrize(
    ("window_state", "asks"),
    [
        (WindowState(), False),
        (seen("before"), False),
        (seen("interaction", places=BOTH), True),
        (seen("paused", places=BOTH), True),
        (seen("scoring", places=BOTH), True),
        (seen("scoring", places=BOTH, saved={"verdict": Saved("verdict", 1, "…")}), False),
        (
            seen(
                "scoring",
                places=BOTH,
                saved={"verdict": Saved("verdict", 1, "…")},
                unsaved=frozenset({"verdict"}),
            ),
            True,
        ),
        (seen("ranking", rank_these=RANK_THESE), True),
        (seen("waiting", unsaved=frozenset({"consent"})), True),
        (seen("over"), False),
        (seen("interaction", places=BOTH, ended=SeatRefused("seat-taken", "…")), False),
    ],
)
def test_asks_before_leaving(window_state: WindowState, asks: bool) -> None:
    assert asks_before_leaving(window_state) is asks


@pytest.mark.parametrize(
    ("ended", "was_here", "key"),
    [
        (SeatRefused("bad-code", "…"), False, "refused.bad_code"),
        (SeatRefused("bad-code", "…"), True, "refused.code_gone"),
        (SeatRefused("version", "…"), True, "refused.version"),
        (SeatRefused("seat-taken", "…"), False, "refused.seat_taken"),
        (SeatRefused("seat-taken", "…"), True, "refused.taken_away"),
        (BadDirectory("there is no /x"), False, "errors.refused"),
        (EnvironmentProblem("the disk is full"), True, "errors.refused"),
        (ZeroDivisionError("division by zero"), True, "errors.internal"),
    ],
)
def test_words_for(ended: BaseException, was_here: bool, key: str) -> None:
    said, reason = words_for(ended, was_here)
    assert said == key
    texts = load("en")
    words = texts(said, reason=reason) if reason else texts(said)
    assert str(ended) in words or not reason
