"""Tests a talk on the screen: its content, scrolling and copying, and the cost of a tick."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.views.pane import PaneView
from lpp.conversation import Author, Conversation
from lpp.names import keys_of
from texts import Texts

MakePane: TypeAlias = Callable[[], PaneView]


@pytest.fixture
def make_pane(qtbot: QtBot, theme: Theme, texts: Texts) -> MakePane:
    def make() -> PaneView:
        pane = PaneView(theme, texts, {"judge": "You", "entity": "Partner"})
        qtbot.addWidget(pane)
        pane.resize(400, 300)
        return pane

    return make


def say(conversation: Conversation, author: Author, text: str) -> None:
    for key in keys_of(text):
        conversation.press(author, key)


def say_keys(conversation: Conversation, keys: list[str]) -> None:
    for key in keys:
        conversation.press("entity", key)


def read(text: str) -> str:
    """A text as a person sees it, without the isolates around names; Qt gives a no-break space
    back as a space."""
    return text.replace("\u2068", "").replace("\u2069", "").replace("\u00a0", " ")


def in_sight(pane: PaneView) -> bool:
    """Whether the end of the talk is completely visible."""
    cursor = QTextCursor(pane.document())
    cursor.movePosition(QTextCursor.MoveOperation.End)
    return pane.viewport().rect().contains(pane.cursorRect(cursor).adjusted(0, 0, -1, -1))


@pytest.mark.parametrize(
    ("text", "right_to_left"),
    [
        ("Hello", False),
        ("שלום", True),
        ("123 مرحبا, hello", True),
        ("hello, مرحبا", False),
    ],
)
def test_each_line_has_its_own_text_direction(
    make_pane: MakePane, text: str, right_to_left: bool
) -> None:
    pane, talk = make_pane(), Conversation("judge")
    say(talk, "entity", text)
    pane.show_conversation(talk)
    pane.show()
    cursor = QTextCursor(pane.document())
    start = pane.cursorRect(cursor).center().x()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.movePosition(QTextCursor.MoveOperation.PreviousWord)
    assert (start > pane.cursorRect(cursor).center().x()) is right_to_left


PIECES = st.lists(
    st.one_of(
        st.just(("draw", "")),
        st.just(("redrawn", "")),
        st.tuples(
            st.sampled_from(["judge", "entity"]),
            st.sampled_from(
                [
                    *("BackSpace", "BackSpace", "BackSpace", "Return", "Return", "Tab", "Shift_L"),
                    *("period", "space", "a", "\u05d0", "\u0301", "😀", "é", "\u00a0", "\u2067"),
                    *("\ufffc", "\u0301", "\u0301", "\u0301", "\x1b"),
                ]
            ),
        ),
        # Long enough for a line to be split into blocks.
        st.tuples(st.sampled_from(["judge", "entity"]), st.just("long")),
    ),
    max_size=60,
)


@settings(
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(own=st.sampled_from(["judge", "entity", None]), acts=PIECES)
def test_the_pane_always_shows_the_talk(
    make_pane: MakePane, own: Author | None, acts: list[tuple[str, str]]
) -> None:
    pane = make_pane()
    talk = Conversation(own)
    pane.show_conversation(talk)
    for act, key in acts:
        match act:
            case "draw":
                pane.draw()
                assert read(pane.toPlainText()) == read("\n".join(pane.lines()))
            case "redrawn":
                pane.show_conversation(talk)
            case "judge" | "entity":
                author: Author = "judge" if act == "judge" else "entity"
                for each in keys_of("long word " * 45) if key == "long" else [key]:
                    talk.press(author, each)
    pane.draw()
    assert read(pane.toPlainText()) == read("\n".join(pane.lines()))


def filled(pane: PaneView) -> Conversation:
    talk = Conversation("judge")
    for number in range(100):
        say(talk, "entity", f"This is line number {number}, and it is a long one.\n")
    pane.show_conversation(talk)
    pane.show()
    return talk


def sign_of(pane: PaneView) -> QPushButton:
    (sign,) = pane.findChildren(QPushButton)
    return sign


EVENTS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["hi", "how are you?\n", "\n", "x" * 30])),
    st.tuples(st.just("say"), st.integers(20, 150).map(lambda n: "word and " * n)),
    st.tuples(st.just("say"), st.integers(1, 30).map(lambda n: "line.\n" * n)),
    st.tuples(st.just("take back"), st.integers(1, 200)),
    st.tuples(st.just("resize"), st.tuples(st.integers(200, 500), st.integers(120, 500))),
    st.tuples(st.just("zoom"), st.sampled_from([100, 150, 200])),
    st.tuples(st.just("paint"), st.just(0)),
)


def test_the_end_of_the_talk_stays_visible(make_pane: MakePane, theme: Theme) -> None:
    """Qt lays out text late and does not know its height before: at another size, in a longer talk,
    after a correction of many lines."""

    @settings(
        deadline=None,
        max_examples=12,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(EVENTS, max_size=40))
    def apply_event(acts: list[tuple[str, object]]) -> None:
        pane, talk = make_pane(), Conversation("judge")
        pane.show_conversation(talk)
        pane.show()
        for act, how in acts:
            match act, how:
                case "say", str():
                    say(talk, "entity", how)
                case "take back", int():
                    say_keys(talk, ["BackSpace"] * how)
                case "resize", (int(width), int(height)):
                    pane.resize(width, height)
                case "zoom", int():
                    theme.set_zoom(how)
                case _:
                    QApplication.processEvents()
            pane.draw()
            assert in_sight(pane)
            assert sign_of(pane).isHidden()
        pane.hide()

    apply_event()


def test_a_tick_takes_the_same_time_at_the_end_of_a_long_talk(make_pane: MakePane) -> None:
    pane, talk = make_pane(), Conversation("judge")
    pane.show_conversation(talk)
    pane.show()

    def tick() -> float:
        begin = time.perf_counter()
        say(talk, "entity", "sixteen letters ")
        pane.draw()
        return time.perf_counter() - begin

    for _ in range(50):
        tick()
    early = sorted(tick() for _ in range(51))[25]
    for _ in range(2000):
        say(talk, "entity", "A line of a talk.\n")
    pane.draw()
    late = sorted(tick() for _ in range(51))[25]
    assert late < 5 * early, f"{early * 1000:.2f} ms became {late * 1000:.2f} ms"
