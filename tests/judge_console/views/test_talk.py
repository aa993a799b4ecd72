"""Tests talking at a console: each pressed key is sent and shown, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from judge_console.views.line import InputLine
from judge_console.views.pane import PaneView
from lpp.conversation import Conversation
from lpp.names import keys_of
from lpp.wire import Author, Key, Place, State, Talk
from tests.judge_console.views.talking import Seated, Sit

MODIFIER = Qt.KeyboardModifier


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(
    text: str,
    key: Qt.Key = Qt.Key.Key_unknown,
    modifiers: Qt.KeyboardModifier = MODIFIER.NoModifier,
    repeated: bool = False,
) -> QKeyEvent:
    """Presses a key as on any country's keyboard, in the widget with the focus."""
    event = QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text, repeated)
    QApplication.sendEvent(focus(), event)
    return event


def read(pane: PaneView) -> str:
    return pane.toPlainText().replace("\u2068", "").replace("\u2069", "")


# Typing


def test_a_key_held_down_repeats(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    press("a", Qt.Key.Key_A)
    for _ in range(3):
        press("a", Qt.Key.Key_A, repeated=True)
    press("\b", Qt.Key.Key_Backspace)
    press("\b", Qt.Key.Key_Backspace, repeated=True)
    press("\r", Qt.Key.Key_Return)
    press("\r", Qt.Key.Key_Return, repeated=True)
    press("\t", Qt.Key.Key_Tab, repeated=True)
    keys = [key for _, key in seat.pressed]
    assert keys == ["a", "a", "a", "a", "BackSpace", "BackSpace", "Return"]


def test_a_key_held_down_is_recognized_without_the_systems_help(sit: Sit) -> None:
    # On X11, a held key is sometimes released and pressed in the same millisecond, without being
    # marked as a repeat.
    seat = sit()
    seat.begin()

    def strike(key: Qt.Key, text: str, at: int, up: int) -> None:
        for kind, time in ((QEvent.Type.KeyPress, at), (QEvent.Type.KeyRelease, up)):
            event = QKeyEvent(kind, key, MODIFIER.NoModifier, text)
            event.setTimestamp(time)
            QApplication.sendEvent(focus(), event)

    strike(Qt.Key.Key_Return, "\r", 1000, 1660)
    for at in range(1660, 1860, 40):
        strike(Qt.Key.Key_Return, "\r", at, at + 40)
    strike(Qt.Key.Key_Tab, "\t", 1860, 1900)  # another key is new at once
    strike(Qt.Key.Key_Return, "\r", 1901, 1950)  # and the same key is new a moment later
    assert [key for _, key in seat.pressed] == ["Return", "Tab", "Return"]


def test_dead_keys_and_input_methods(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    line = seat.side("left").line
    assert line.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
    assert line.inputMethodHints() & Qt.InputMethodHint.ImhNoPredictiveText
    QTest.keyClicks(line, "caf")
    composing = QInputMethodEvent("e", [])
    QApplication.sendEvent(line, composing)
    assert [key for _, key in seat.pressed] == ["c", "a", "f"]
    assert line.document().firstBlock().layout().preeditAreaText() == "e"
    done = QInputMethodEvent("", [])
    done.setCommitString("e\u0301 日本")
    QApplication.sendEvent(line, done)
    assert [key for _, key in seat.pressed] == [*"caf", "é", "space", "日", "本"]
    assert line.document().firstBlock().layout().preeditAreaText() == ""
    assert line.toPlainText() == "café 日本"


# Pasting


def by_keys(line: InputLine) -> None:
    press("\x16", Qt.Key.Key_V, MODIFIER.ControlModifier)


def by_insert(line: InputLine) -> None:
    press("", Qt.Key.Key_Insert, MODIFIER.ShiftModifier)


def by_slot(line: InputLine) -> None:
    line.paste()


WAYS = [by_keys, by_insert, by_slot]


@pytest.mark.parametrize("paste", ["refuse", "type"])
def test_every_way_of_pasting_is_handled(sit: Sit, paste: str) -> None:
    seat = sit(paste=paste)
    seat.begin()
    QGuiApplication.clipboard().setText("two words")
    side = seat.side("left")
    for way in WAYS:
        seat.played.pasted.clear()
        way(side.line)
        assert seat.pressed == []
        assert side.line.toPlainText() == ""
        notice = seat.window.header.notice.text()
        # In any case the seat reports the paste for the record.
        assert seat.played.pasted == [("left", "two words")], way
        if paste == "type":
            assert notice == "The pasted text is being typed. Any key stops it."
        else:
            assert notice == "Pasting is not allowed in this contest. Please type."


# Sides


def test_the_active_side_is_shown_by_words_and_frame(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    left, right = seat.side("left"), seat.side("right")

    def told() -> tuple[str, str, bool, bool]:
        return (
            left.badge.text(),
            right.badge.text(),
            left.property("active"),
            right.property("active"),
        )

    assert told() == ("Typing here", "F6: type here", True, False)
    press("", Qt.Key.Key_F6)
    assert told() == ("F6: type here", "Typing here", False, True)
    press("", Qt.Key.Key_F6, repeated=True)
    press("\t", Qt.Key.Key_Tab, MODIFIER.ControlModifier)
    assert told() == ("Typing here", "F6: type here", True, False)


def test_moving_through_the_talk_by_keyboard_loses_no_key(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    seat.played.type("left", "Hello there")
    press("", Qt.Key.Key_F6, MODIFIER.ShiftModifier)
    assert focus() is seat.side("left").pane
    QTest.keyClick(focus(), Qt.Key.Key_Home)
    QTest.keyClick(focus(), Qt.Key.Key_Tab)
    assert focus() is seat.side("left").line
    press("", Qt.Key.Key_F6, MODIFIER.ShiftModifier)
    QTest.keyClicks(focus(), "a")
    QTest.keyClicks(focus(), "b")
    assert seat.pressed == [("left", "Tab"), ("left", "a"), ("left", "b")]


# Phases


def test_in_a_pause_the_talk_stays_visible_and_keys_do_not_count(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "judge_console.views.talk.announce", lambda widget, text, **how: said.append(text)
    )
    seat = sit()
    seat.begin()
    QTest.keyClicks(focus(), "Hel")
    seat.phase("paused", reason="A cable is changed.")
    left = seat.side("left")
    assert left.badge.text() == seat.side("right").badge.text() == "Pause"
    QTest.keyClicks(focus(), "lo")
    assert left.line.toPlainText() == "Hel"
    (why,) = said
    assert why.startswith("The round has been stopped for a moment.")
    seat.phase("interaction")
    QTest.keyClicks(focus(), "lo")
    assert left.line.toPlainText() == "Hello"
    assert [key for _, key in seat.pressed] == [*"Hello"]
    assert left.badge.text() == "Typing here"


def test_keys_typed_without_a_connection_are_sent_once_later(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    QTest.keyClicks(focus(), "a")
    seat.played.lose()
    QTest.keyClicks(focus(), "bc")
    assert seat.side("left").line.toPlainText() == "abc"
    assert seat.side("left").badge.text() == "Typing here"
    assert seat.pressed == [("left", "a")]
    seat.played.say(seat.welcome)
    seat.phase("interaction")
    seat.played.say(Talk(1, 1, "left", [("judge", "a")], taken=1), Talk(1, 1, "right", []))
    assert seat.pressed == [("left", "a"), ("left", "b"), ("left", "c")]
    assert seat.side("left").line.toPlainText() == "abc"


@pytest.mark.parametrize(
    ("drafts", "goes_on"),
    [(("", "Half"), "right"), (("Half", ""), "left"), (("Half", "Ha"), "left"), (("", ""), "left")],
)
def test_a_restarted_console_goes_on_with_the_unfinished_line(
    sit: Sit, drafts: tuple[str, str], goes_on: Place
) -> None:
    seat = sit()
    seat.phase("interaction")
    for place, draft in zip(seat.places, drafts, strict=True):
        shown: list[tuple[Author, str]] = [("judge", key) for key in keys_of(draft)]
        seat.played.say(Talk(1, 1, place, shown, taken=len(draft)))
    QTest.keyClicks(focus(), "!")
    assert seat.pressed == [(goes_on, "exclam")]
    # Later, the person's own choice counts.
    seat.window.talk.focus_side("left" if goes_on == "right" else "right")
    seat.played.say(Talk(1, 1, "left", [("judge", "a")], taken=1), Talk(1, 1, "right", []))
    assert seat.window.talk.current != goes_on


def test_a_confederate_waits_for_the_judges_first_key(sit: Sit) -> None:
    seat = sit("confederate")
    seat.begin()
    (side,) = seat.window.talk.sides.values()
    assert side.line.placeholderText() == "Please wait until the judge begins."
    assert not side.badge.isVisible(), "nobody types here yet"
    QTest.keyClicks(focus(), "early")
    assert seat.pressed == []
    assert seat.window.header.notice.text() == "Please wait until the judge begins."
    # The first key counts, even if it was deleted again.
    seat.played.hear("only", "H", "BackSpace")
    assert side.line.placeholderText() == ""
    QTest.keyClicks(focus(), "Hi")
    assert seat.pressed == [("only", "H"), ("only", "i")]
    assert side.badge.text() == "Typing here"
    QTest.keyClick(focus(), Qt.Key.Key_F6)
    assert focus() is side.line


def test_an_unfinished_line_is_read_out_after_a_silence(
    sit: Sit, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "judge_console.views.talk.announce", lambda widget, text, **how: said.append(text)
    )
    monkeypatch.setattr("judge_console.views.talk.SILENCE", 30)
    seat = sit()
    seat.begin()
    seat.played.type("right", "Good ")
    qtbot.waitUntil(lambda: said == ["Right: Good "], timeout=5000)
    seat.played.type("right", "day")
    qtbot.waitUntil(lambda: said[1:] == ["Right: day"], timeout=5000)
    seat.played.type("right", "\n")
    qtbot.wait(60)
    assert len(said) == 2, "nothing is read out twice"


def test_finished_lines_are_read_out_with_their_author(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "judge_console.views.talk.announce", lambda widget, text, **how: said.append(text)
    )
    seat = sit()
    seat.begin()
    QTest.keyClicks(focus(), "Hello")
    seat.played.type("right", "Hm")
    assert said == []
    QTest.keyClick(focus(), Qt.Key.Key_Return)
    seat.played.type("right", "\n")
    assert said == ["You: Hello", "Right: Hm"]
    # A line that was continued is read again when it is finished.
    seat.played.hear("right", "BackSpace", "BackSpace")
    seat.played.type("right", "i\n")
    assert said[2:] == ["Right: Hi"]
    # Lines that return after a reconnect are not read again.
    seat.played.lose()
    seat.played.say(seat.welcome)
    seat.phase("interaction")
    shown: list[tuple[str, str]] = [("entity", key) for key in keys_of("Hi\n")]
    seat.played.say(Talk(1, 1, "left", []), Talk(1, 1, "right", shown))  # type: ignore[arg-type]
    assert len(said) == 3


PLACES = st.sampled_from(["left", "right"])
ACTS = st.one_of(
    st.tuples(
        st.just("type"),
        st.sampled_from(["a", "é", " ", ".", "\r", "\r", "\b", "\b", "\t", "😀", "א"]),
    ),
    st.tuples(st.just("switch"), st.just("")),
    st.tuples(
        PLACES, st.sampled_from(["x", "period", "Return", "BackSpace", "space", "Shift_L", "ا"])
    ),
    st.tuples(st.just("cut"), st.just("")),
)
KEY_OF = {"\r": Qt.Key.Key_Return, "\b": Qt.Key.Key_Backspace, "\t": Qt.Key.Key_Tab}


def test_the_window_always_shows_the_talk(sit: Sit) -> None:
    """Keys of both sides, turns and reconnects in any order: each pane and line shows the same text
    as a conversation with these keys, and the server has each key once."""
    seat = sit()

    @settings(
        deadline=None,
        max_examples=12,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(acts=st.lists(ACTS, max_size=40))
    def play(acts: list[tuple[str, str]]) -> None:
        play_round(seat, acts)

    play()


def play_round(seat: Seated, acts: list[tuple[str, str]]) -> None:
    """Each example has its own round, which begins empty."""
    round_ = seat.session.window_state.state.round + 1
    seat.begin(round_)
    first = len(seat.pressed)
    truth: dict[Place, list[tuple[str, str]]] = {"left": [], "right": []}
    for act, what in acts:
        current = seat.window.talk.current
        match act:
            case "type":
                press(what, KEY_OF.get(what, Qt.Key.Key_unknown))
                truth[current].append(("judge", keys_of(what)[0] if what != "\b" else "BackSpace"))
            case "switch":
                press("", Qt.Key.Key_F6)
            case "cut":
                seat.played.lose()
                seat.played.say(seat.welcome, State("interaction", round_, 1, ("left", "right")))
                for place, keys in truth.items():
                    own = sum(author == "judge" for author, _ in keys)
                    seat.played.say(Talk(round_, 1, place, list(keys), taken=own))  # type: ignore[arg-type]
            case "left" | "right":
                place_: Place = "left" if act == "left" else "right"
                n = sum(author == "entity" for author, _ in truth[place_]) + 1
                seat.played.say(Key(round_, 1, place_, "entity", n, what))
                truth[place_].append(("entity", what))
    for place, keys in truth.items():
        talk = Conversation("judge")
        for who, key in keys:
            talk.press(who, key)  # type: ignore[arg-type]
        side = seat.side(place)
        assert side.line.toPlainText() == talk.draft
        assert read(side.pane).replace("\n", "") == "".join(
            line.replace("\u2068", "").replace("\u2069", "") for line in side.pane.lines()
        )
        for author in ("judge", "entity"):
            assert side.pane.conversation.text(author) == talk.text(author)
        sent = [key for at, key in seat.pressed[first:] if at == place]
        assert sent == [key for author, key in keys if author == "judge"]
