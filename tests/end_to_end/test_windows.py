"""The windows of a running contest: what can be seen in each at every moment, and what the record
has of it.

The pictures are those of README and docs (scripts/screenshots.py).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from contest.record import reading
from contest.record.events import Event
from loebner.cli import main
from lpp.conversation import Conversation
from lpp.names import char_of
from tests.xvfb import missing

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {', '.join(missing())}"),
]

SCRIPT = Path(__file__).parents[2] / "scripts" / "screenshots.py"
SIZE = (1024, 768)
#: Text size in percent to the colour scheme of its pictures.
LOOKS = {"100": "light", "200": "dark"}
#: Maps each picture to the widget that has the keyboard focus in it.
FOCUS = {
    "join": "QLineEdit Seat code",
    "consent": "QPlainTextEdit What is recorded and published",
    "begin": "InputLine Type to the left",
    "middle": "InputLine Type to the left",
    "middle-high-contrast": "InputLine Type to the left",
    "confederate": "InputLine Type to the judge",
    "paused": "InputLine Type to the left",
    "warning-minutes": "InputLine Type to the right",
    "warning-seconds": "InputLine Type to the right",
    "verdict-choosing": "TextLabel Where was the human?",
    "verdict-confirming": "ReturnButton Save this verdict",
    "verdict-saved": "ReturnButton Correct it",
    "ranking": "OrderList Participants, the most human first",
    "ranking-reading": "QPushButton Play",
    "ranking-saved": "ReturnButton Correct it",
    "over": "MessagePage The contest is over",
    "replay": "QPushButton Play",
}
#: J1's lines of the first round after corrections, by side.
SAID = {
    "left": [
        "Good morning! What did you have for breakfast?",
        "And who made it, you or somebody else?",
    ],
    "right": ["Hello, did you have far to come today?", "Tell me what you see out of the window."],
}
BEGUN = "Is it still raining where you a"


@dataclass
class Screenshots:
    """Pictures with their facts, and the contest that they show."""

    pictures: Path
    contest: Path
    other: str

    def __post_init__(self) -> None:
        text = (self.pictures / "facts.json").read_text(encoding="utf-8")
        self.facts: dict[str, Any] = json.loads(text)
        self.events: tuple[Event, ...] = tuple(reading.open_log(self.contest).events())

    def texts(self, picture: str) -> list[str]:
        """The texts in a picture, by widget."""
        texts: list[str] = self.facts["pictures"][picture]["texts"]
        return texts

    def matching(self, picture: str, pattern: str) -> re.Match[str]:
        """The text of a picture that a pattern matches completely; fails if there is none."""
        for text in self.texts(picture):
            match = re.fullmatch(pattern, text)
            if match is not None:
                return match
        pytest.fail(f"{picture}: {pattern!r} is not among {self.texts(picture)}")

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of all events of a kind."""
        return [dict(event.body) for event in self.events if event.kind == kind]

    def keys(self, talk: str) -> list[tuple[str, str]]:
        """(author, key name) for each key that was typed in a running talk."""
        return [
            (str(event.body["author"]), str(event.body["key"]))
            for event in self.events
            if event.kind == "key" and event.talk == talk and event.body.get("out_of_phase") is None
        ]

    def answered(self, talk: str) -> list[str]:
        """The final words of J1's partner in a talk, according to the record."""
        conversation = Conversation("judge")
        for author, key in self.keys(talk):
            conversation.press(author, key)  # type: ignore[arg-type]
        return conversation.text("entity").split()


@pytest.fixture(scope="module", params=["100", pytest.param("200", marks=pytest.mark.soak)])
def screenshots(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Screenshots:
    """The script's output for a text size."""
    theme = LOOKS[request.param]
    place = tmp_path_factory.mktemp(f"pictures-{request.param}")
    # Without a display, the script starts its own, because only one window has X11's focus.
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPT), str(place / "pictures"), "--rounds", "2"),
            *("--zoom", request.param, "--theme", theme, "--contest", str(place / "contest")),
            *("--size", f"{SIZE[0]}x{SIZE[1]}"),
        ],
        env={name: value for name, value in os.environ.items() if name not in hidden},
        capture_output=True,
        text=True,
        timeout=590,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "pictures in" in done.stdout
    other = "light" if theme == "dark" else "dark"
    return Screenshots(place / "pictures", place / "contest", f"middle-{other}")


# All pictures


def test_each_scene_has_a_picture_that_is_not_empty(screenshots: Screenshots) -> None:
    pictures = screenshots.facts["pictures"]
    assert set(pictures) == {*FOCUS, screenshots.other}
    for name, facts in pictures.items():
        image = QImage(str(screenshots.pictures / f"{name}.png"))
        assert [image.width(), image.height()] == facts["size"], name
        if name == "join":
            assert image.width() <= SIZE[0]
            assert image.height() <= SIZE[1]
        else:
            assert (image.width(), image.height()) == SIZE, name
        assert image.format() == QImage.Format.Format_Indexed8, name  # small files
        pixels = bytes(image.constBits())
        # The most frequent colour, the background, is the first in the palette.
        assert 0.01 < pixels.count(0) / len(pixels) < 0.99, name
        assert len(set(pixels)) > 11, name


def test_no_text_is_cut_off(screenshots: Screenshots) -> None:
    faults = {name: facts["misfits"] for name, facts in screenshots.facts["pictures"].items()}
    assert {name: found for name, found in faults.items() if found} == {}


def test_the_right_widget_has_the_focus(screenshots: Screenshots) -> None:
    pictures = screenshots.facts["pictures"]
    assert {name: pictures[name]["focus"] for name in FOCUS} == FOCUS
    assert [name for name, facts in pictures.items() if not facts["active"]] == []


def test_the_windows_name_their_seats(screenshots: Screenshots) -> None:
    for name, facts in screenshots.facts["pictures"].items():
        if name == "join":
            assert facts["title"] == "Take your seat"
        elif name == "replay":
            assert facts["title"] == "Replay – round1-attempt1-J1-E1.log"
        else:
            seat = "confederate C1" if name == "confederate" else "judge J1"
            assert facts["title"] == f"Loebner Prize 2010 – {seat}"
            assert any("Loebner Prize 2010" in each for each in facts["texts"]), name


# Moment by moment


def test_before_the_contest(screenshots: Screenshots) -> None:
    assert "J1-7KQ2-M4XD-9TRA" not in screenshots.texts("join")
    assert "Found on this network: Loebner Prize 2010" in screenshots.texts("join")
    assert "Judge Harriet (J1) · Loebner Prize 2010" in screenshots.texts("consent")
    assert any(
        text.startswith("What is recorded. Every key") for text in screenshots.texts("consent")
    )
    assert {"What I type may be published", "Do not publish what I type"} <= {
        *screenshots.texts("consent")
    }
    saved = [body for body in screenshots.bodies("consent") if body["seat"] == "J1"]
    assert [body["publish"] for body in saved] == [True]


def test_the_beginning_of_a_round(screenshots: Screenshots) -> None:
    texts = screenshots.texts("begin")
    assert "Round 1 of 2 · Talk" in texts
    screenshots.matching("begin", r"2[345]:\d\d left")
    assert texts.count("You go first: your partners wait until you begin.") == 2
    assert {"LEFT", "RIGHT", "Typing here", "F6: type here"} <= {*texts}


def written(texts: Iterable[str], author: str) -> list[str]:
    """The panes in a picture in which an author has a line. It need not be the first line, because
    a partner of a slow judge types again."""
    return [text for text in texts if f"\n{author}" in f"\n{text}"]


def answers(stream: str, *, last: bool = True) -> list[str]:
    """The partner's words in a pane. A line is in several parts if a slow partner was interrupted.

    Arguments:
        stream: the pane's text.
        last: whether to include the last line, which may be unfinished, with a word that is deleted
            later.
    """
    lines = [line for line in stream.split("\n") if line.startswith("Partner: ")]
    return " ".join(
        line.removeprefix("Partner: ") for line in lines[: None if last else -1]
    ).split()


@pytest.mark.parametrize("picture", ["middle", "other", "paused"])
def test_in_the_middle_of_a_talk(screenshots: Screenshots, picture: str) -> None:
    name = screenshots.other if picture == "other" else picture
    texts = screenshots.texts(name)
    assert BEGUN in texts, name
    streams = written(texts, "You: ")
    assert len(streams) == 2
    for side, stream in zip(("left", "right"), streams, strict=True):
        lines = stream.split("\n")
        assert [line for line in lines if line.startswith("You: ")] == [
            f"You: {line}" for line in SAID[side]
        ]
        seen, recorded = answers(stream, last=False), screenshots.answered(f"1.1.J1.{side}")
        assert answers(stream)
        assert seen == recorded[: len(seen)]


def test_the_confederate_sees_each_key(screenshots: Screenshots) -> None:
    assert screenshots.bodies("side-sealed")[0]["judge"] == "J1"
    (stream,) = written(screenshots.texts("confederate"), "Judge: ")
    said = [line for line in stream.split("\n") if line.startswith("Judge: ")]
    assert said[0] == f"Judge: {SAID['left'][0]}"
    assert f"Judge: {BEGUN}" in said
    assert "You: " in stream
    assert "Confederate Ben (C1) · Loebner Prize 2010" in screenshots.texts("confederate")


def test_warnings_and_the_pause(screenshots: Screenshots) -> None:
    for picture in ("warning-minutes", "warning-seconds"):
        assert "Round 2 of 2 · Talk" in screenshots.texts(picture)
        stream = next(text for text in screenshots.texts(picture) if "goose" in text)
        assert "You: Which is heavier, a goose or a goose feather?" in stream.split("\n")
    assert "5 minutes left" in screenshots.texts("warning-minutes")
    screenshots.matching("warning-minutes", r"(5:00|4:\d\d) left")
    assert "20 seconds left" in screenshots.texts("warning-seconds")
    screenshots.matching("warning-seconds", r"0:(20|1\d|0\d) left")
    screenshots.matching("paused", r"\d+:\d\d left")
    screenshots.matching(
        "paused", r".* The clock is stopped, .* A short break: a microphone is being changed\."
    )
    assert screenshots.texts("paused").count("Pause") == 2
    assert [body["reason"] for body in screenshots.bodies("round-paused")] == [
        "A short break: a microphone is being changed."
    ]
    # The organizer ends the first round, and the clock the last one.
    assert [body["reason"] for body in screenshots.bodies("round-ended")] == [
        "The bell has rung.",
        "time",
    ]


def test_the_verdict(screenshots: Screenshots) -> None:
    assert {
        "Where was the human?",
        "On the LEFT",
        "On the RIGHT",
        "Choose a side first.",
    } <= {" ".join(text.split("\n")) for text in screenshots.texts("verdict-choosing")}
    confirming = screenshots.texts("verdict-confirming")
    assert "You say: the human was on the LEFT. It is not saved yet." in confirming
    assert {"very sure", screenshots.facts["verdicts"][0]["reason"]} <= {*confirming}
    saved = screenshots.matching(
        "verdict-saved", r"Saved at (\d\d:\d\d:\d\d): the human was on the LEFT"
    )
    assert saved[1] == local_time(
        next(e for e in screenshots.events if e.kind == "verdict" and by_j1(e))
    )
    # The talks below the choices are complete.
    streams = written(screenshots.texts("verdict-choosing"), "You: ")
    for side, stream in zip(("left", "right"), streams, strict=True):
        assert answers(stream) == screenshots.answered(f"1.1.J1.{side}")


def test_the_ranking(screenshots: Screenshots) -> None:
    rows = [row.partition("\n") for row in screenshots.texts("ranking") if re.match(r"\d\. ", row)]
    assert all(re.match("your verdict: (human|program) – “.+”$", recalled) for *_, recalled in rows)
    assert [row for row, *_ in rows] == [
        "1.  Round 1, right",
        "2.  Round 2, right",
        "3.  Round 1, left  (shared)",
        "3.  Round 2, left  (shared)",
    ]
    assert "This order is not saved yet." in screenshots.texts("ranking")
    (reading_again,) = written(screenshots.texts("ranking-reading"), "Judge: ")
    for line in SAID["right"]:
        assert f"Judge: {line}" in reading_again
    assert answers(reading_again) == screenshots.answered("1.1.J1.right")
    saved = screenshots.matching("ranking-saved", r"Saved at (\d\d:\d\d:\d\d)")
    assert saved[1] == local_time(next(e for e in screenshots.events if e.kind == "ranking"))
    assert "The contest is over" in screenshots.texts("over")


def test_the_replay(screenshots: Screenshots) -> None:
    texts = screenshots.texts("replay")
    assert {"LEFT – Partner", "RIGHT – Partner"} <= {*texts}
    at = screenshots.matching("replay", r"(\d+):(\d\d) of (\d+):(\d\d)")
    minutes = [int(part) for part in at.groups()]
    assert 0 < minutes[0] * 60 + minutes[1] < minutes[2] * 60 + minutes[3]
    assert any(f"Judge: {SAID['left'][0]}" in text for text in texts)


# The record


@pytest.mark.parametrize("talk", ["1.left", "1.right", "2.left", "2.right"])
def test_each_key_is_recorded_as_pressed(screenshots: Screenshots, talk: str) -> None:
    round_, side = talk.split(".")
    pressed = [
        char_of(key)
        for author, key in screenshots.keys(f"{round_}.1.J1.{side}")
        if author == "judge"
    ]
    assert pressed == [*screenshots.facts["typed"][talk]]
    assert pressed.count("\b") == {"1.left": 2, "1.right": 3, "2.right": 4}.get(talk, 0)


def test_typing_in_a_window_takes_the_seat(screenshots: Screenshots) -> None:
    """The scripted person at J2 leaves at a visitor's first key, and gives no verdict
    afterwards."""
    assert screenshots.facts["visit"] == {"2.left": "zz?"}
    by_judge = [key for author, key in screenshots.keys("2.1.J2.left") if author == "judge"]
    assert by_judge[-3:] == ["z", "z", "question"]
    assert [body["round"] for body in screenshots.bodies("verdict") if body["judge"] == "J2"] == [1]
    assert [body["judge"] for body in screenshots.bodies("ranking")] == ["J1"]


def test_verdict_and_ranking_are_recorded_as_given(screenshots: Screenshots) -> None:
    given = [
        {"round": body["round"], "human": body["human"], "confidence": body.get("confidence")}
        | {"reason": body.get("reason") or ""}
        for body in screenshots.bodies("verdict")
        if body["judge"] == "J1"
    ]
    assert given == screenshots.facts["verdicts"]
    assert [(each["human"], each["confidence"]) for each in given] == [
        ("left", 75),
        ("right", None),
    ]
    ranks = screenshots.bodies("ranking")[0]["ranks"]
    assert ranks == {"1 right": 2, "2 right": 4, "1 left": 7, "2 left": 7}
    assert {row["label"] for row in screenshots.facts["ranking"]} == set(ranks)


def test_the_record_verifies(screenshots: Screenshots, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(screenshots.contest)]) == 0
    assert "RED" not in capsys.readouterr().out


def by_j1(event: Event) -> bool:
    return bool(event.body["judge"] == "J1")


def local_time(event: Event) -> str:
    """The local time at which an event was recorded."""
    return datetime.fromisoformat(event.at).astimezone().strftime("%H:%M:%S")
