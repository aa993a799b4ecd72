"""Pictures of typing: the gaps between keys, and a desk's two talks as a time line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log2

from contest.history.transcript import clock, in_words, offset_ms, transcribe
from contest.history.views import ContestView, TalkView
from contest.pictures.shapes import (
    SMALL,
    Colour,
    Label,
    Picture,
    Rect,
    Shape,
    Stroke,
    Ticks,
    cut,
)
from contest.record.bodies import Author
from contest.state.incidents import WITHHELD
from contest.statistics.rhythm import BINS, PAUSE_MS
from lpp.names import BACKSPACE_CHAR, char_of

_WIDTH = 640
_PANEL, _GAP, _LEFT, _RIGHT = 84, 26, 84, 16
_COLOURS: Mapping[str, Colour] = {"judges": "judge", "humans": "judge", "programs": "entity"}
#: Marks under the distributions, in milliseconds.
_MARKS = ((4, "4 ms"), (16, "16"), (64, "64"), (250, "250 ms"), (1000, "1 s"), (4000, "4 s"),
          (16000, "16 s"))  # fmt: skip

_LANE, _HEAD, _LABEL = 30, 26, 110
#: Labels under a time line, evenly spaced.
_TIMES = 6


def gaps(found: Mapping[str, Sequence[float]]) -> Picture:
    """The distributions of the gaps between keys.

    Arguments:
        found: of judges, humans and programs, as `contest.statistics.talks.distributions` has them.
    """
    shapes: list[Shape] = []
    wide = (_WIDTH - _LEFT - _RIGHT) / (len(BINS) - 1)
    highest = max((max(bins) for bins in found.values() if bins), default=1.0)
    top = 10.0
    for who, bins in found.items():
        foot = top + _PANEL
        shapes.append(Label(_LEFT - 12, foot - 4, who, "ink", anchor="end"))
        for at, part in enumerate(bins):
            if part:
                high = max(1.0, _PANEL * part / highest)
                left = _LEFT + wide * at
                shapes.append(Rect(left + 0.5, foot - high, wide - 1, high, _COLOURS[who]))
        if not bins:
            shapes.append(Label(_LEFT + 8, foot - 8, "nothing to show", "soft", SMALL))
        shapes.append(Stroke(_LEFT, foot, _WIDTH - _RIGHT, foot, "soft"))
        top = foot + _GAP
    foot = top - _GAP
    for ms, text in _MARKS:
        x = _LEFT + wide * 2 * log2(ms / BINS[0])
        shapes.append(Stroke(x, foot, x, foot + 5, "soft"))
        shapes.append(Label(x, foot + 18, text, "soft", SMALL, "middle"))
    pause = _LEFT + wide * 2 * log2(PAUSE_MS / BINS[0])
    shapes.append(Stroke(pause, 4, pause, foot, "soft"))
    shapes.append(Label(pause + 5, 14, "pauses", "soft", SMALL))
    said = "Time between one's successive keys; heights: share of the gaps; ends: and beyond"
    shapes.append(Label(4, foot + 42, said, "soft", SMALL))
    words = "; ".join(_said(who, bins) for who, bins in found.items() if bins)
    return Picture(
        "gaps",
        "The time between keys: judges, humans, programs",
        f"Distributions, each talk of the same weight. {words or 'Nobody typed anything'}.",
        _WIDTH,
        foot + 56,
        tuple(shapes),
    )


def _said(who: str, bins: Sequence[float]) -> str:
    at = max(range(len(bins)), key=lambda each: bins[each])
    pauses = sum(part for part, low in zip(bins, BINS, strict=False) if low >= PAUSE_MS * 0.99)
    # What is beyond the scale stands in its first and last bin.
    if at == 0:
        span = f"under {BINS[1]:,.0f} milliseconds"
    elif at == len(bins) - 1:
        span = f"{BINS[at]:,.0f} milliseconds and more"
    else:
        span = f"{BINS[at]:,.0f} to {BINS[at + 1]:,.0f} milliseconds"
    return f"{who}: most often {span}; about {round(100 * pauses)} % are pauses"


def desk(view: ContestView, talks: Sequence[TalkView], name: str) -> Picture:
    """A desk's talks as a time line: each talk a lane of the judge's and one of the entity's.

    Arguments:
        view: the contest.
        talks: of one judge in one attempt at a round.
        name: the picture's.
    """
    first = talks[0]
    length = max(1, *(_length_ms(talk) for talk in talks))
    shapes: list[Shape] = []
    said = []
    top = 0.0
    for talk in talks:
        kind = "program" if view.is_entry(talk.entity) else "human"
        title = f"{talk.side.capitalize()}: {cut(talk.entity, 20)}, {kind}"
        shapes.append(Label(4, top + 18, title, "ink", bold=True))
        top += _HEAD
        if talk.withheld:
            shapes.append(Label(_LABEL, top + 20, WITHHELD.capitalize(), "soft", SMALL))
            said.append(f"{title}: {WITHHELD}")
        else:
            written = transcribe(talk)
            shapes += _lanes(talk, top, length)
            said.append(
                f"{title}. {talk.judge}: {in_words(written.judge)}; "
                f"{talk.entity}: {in_words(written.entity)}"
            )
        top += 2 * _LANE + 8
    for mark in range(_TIMES):
        x = _LABEL + (_WIDTH - _LABEL - 24) * mark / (_TIMES - 1)
        text = clock(length * mark // (_TIMES - 1))
        shapes.append(Label(x, top + 14, text, "soft", SMALL, "middle"))
    again = f", attempt {first.attempt}" if first.attempt > 1 else ""
    return Picture(
        name,
        f"Round {first.round}{again}, {first.judge}: a time line of keys",
        f"{'. '.join(said)}. A mark is a key, a tall one ends a line, one below is a BackSpace.",
        _WIDTH,
        top + 26,
        tuple(shapes),
    )


def _length_ms(talk: TalkView) -> int:
    last = talk.keys[-1].mono_ns if talk.keys else talk.started_ns
    ended = talk.ended_ns if talk.ended_ns is not None else last
    return 0 if ended is None else offset_ms(talk, ended)


def _lanes(talk: TalkView, top: float, length_ms: int) -> Iterator[Shape]:
    wide = _WIDTH - _LABEL - 24
    lanes: tuple[tuple[Author, Colour, str], ...] = (
        ("judge", "judge", talk.judge),
        ("entity", "entity", talk.entity),
    )
    for author, colour, who in lanes:
        base = top + _LANE - 7
        yield Label(_LABEL - 10, base - 2, cut(who, 12), colour, SMALL, "end")
        yield Stroke(_LABEL, base, _LABEL + wide, base, "line")
        marks: dict[str, set[float]] = {"key": set(), "return": set(), "back": set()}
        for key in talk.shown():
            if key.author == author:
                char = char_of(key.key) or ""
                kind = {"\n": "return", BACKSPACE_CHAR: "back"}.get(char, "key")
                part = min(1.0, max(0.0, offset_ms(talk, key.mono_ns) / length_ms))
                # As fine as a screen shows: the same place is marked once.
                marks[kind].add(round(2 * (_LABEL + wide * part)) / 2)
        drawn: tuple[tuple[str, float, float, Colour, float], ...] = (
            ("key", base - 11, base, colour, 0.8),
            ("return", base - 18, base, colour, 1.6),
            ("back", base, base + 5, "soft", 1.2),
        )
        for kind, begin, end, ink, width in drawn:
            if marks[kind]:
                yield Ticks(tuple(sorted(marks[kind])), begin, end, ink, width)
        top += _LANE
