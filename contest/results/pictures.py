"""Pictures of a contest, as SVG and PNG: the design as a square, shares and strengths with their
intervals, rankings with their means, the gaps between keys, and each desk's two talks as a time
line. Each has a title and says in words what it shows.

    inline(picture)       # SVG in a page, in the page's own colours, light or dark
    svg_file(picture)     # SVG as a file of its own
    png_file(picture)     # drawn by matplotlib: needs the extra `science`

A picture is a list of filled boxes, dots and labels. Lengths are in pixels of a screen, from the
upper left. Colours go by names, for a page has a light and a dark look; `FIXED` are those of files,
the same as in the page's own style. Only the tints of the square are colours themselves. Nothing in
an SVG runs or comes from elsewhere, and all names and words in it are text. Why the SVG is not
matplotlib's: docs/explanation/choices.md.
"""

from __future__ import annotations

import colorsys
import io
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log2
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from markupsafe import Markup

from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.rhythm import AUTHORS, BINS, PAUSE_MS
from contest.results.statistics import Json, by_mean_rank, import_science, ranks_of
from contest.results.text import between, percent, taken_in
from contest.results.transcript import clock, file_name, own_names, transcribe
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler import Ballot, Schedule
from scheduler.texts import number, plain

#: The colour of text on the square's tints.
ON_TINT = "#1c1b19"
#: The colours of files, by the names that pages have for theirs.
FIXED: Mapping[str, str] = MappingProxyType(
    {
        "sheet": "#ffffff",
        "ink": "#1c1b19",
        "soft": "#5d5a53",
        "line": "#dad5c9",
        "judge": "#1c4f8f",
        "entity": "#93400f",
        "on-tint": ON_TINT,
    }
)
_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', 'Liberation Sans', sans-serif"
#: Height of ordinary text, and of small.
_TEXT, _SMALL = 14, 12
#: Pixels of a screen to an inch, how many times finer a PNG is, and points to a pixel.
_INCH, _FINER, _POINTS = 96, 2, 0.75

#: Width of a picture, but for the square.
_WIDTH = 640
#: The square: width of a cell at most and at least, and of the whole where there are many.
_WIDEST, _NARROWEST, _WHOLE = 92, 12, 640
#: From which width on a cell has its ids.
_WITH_IDS = 64
#: The square's room above, at the left, and below.
_SQUARE_HEAD, _SIDE, _FOOT = 30, 44, 54
#: Charts of rows: height of a row, room above and below; room for the note.
_ROW, _TOP, _AXIS, _NOTE = 34, 14, 58, 92
#: Characters of an id in a row.
_ROW_ID = 14
#: Distributions: height of a panel, the gap between two, room at the left and at the right.
_PANEL, _GAP, _LEFT, _RIGHT = 84, 26, 84, 16
#: Marks under the distributions, in milliseconds.
_MARKS = ((4, "4 ms"), (16, "16"), (64, "64"), (250, "250 ms"), (1000, "1 s"), (4000, "4 s"),
          (16000, "16 s"))  # fmt: skip
#: Time lines: height of a lane and of a talk's title, where they begin, how wide they are, and how
#: many labels are under them.
_LANE, _HEAD, _LABEL, _WIDE, _TIMES = 30, 26, 110, 506, 6


class Boxes(NamedTuple):
    """Filled boxes of one colour, `(x, y, width, height)` each. `fill` is a colour's name, or a
    tint such as `#aabbcc`."""

    fill: str
    boxes: Sequence[tuple[float, float, float, float]]


class Dot(NamedTuple):
    """A filled circle about a point."""

    x: float
    y: float
    radius: float
    fill: str


class Label(NamedTuple):
    """Text on one line; `y` is its base line."""

    x: float
    y: float
    text: str
    colour: str = "ink"
    size: int = _TEXT
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape: TypeAlias = Boxes | Dot | Label


@dataclass
class Picture:
    """A picture.

    Attributes:
        name: for addresses and files: letters, digits, hyphens.
        title: what it shows, in a few words.
        words: the same for readers who do not see it: what can be read off it.
        width, height: of the whole.
        shapes: in the order in which they are drawn.
    """

    name: str
    title: str
    words: str = ""
    width: float = _WIDTH
    height: float = 0
    shapes: list[Shape] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Adds a box; a line is a thin one."""
        self.shapes.append(Boxes(fill, [(x, y, width, height)]))

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        """Adds a dot."""
        self.shapes.append(Dot(x, y, radius, fill))

    def label(self, x: float, y: float, text: str, colour: str = "ink", **more: Any) -> None:
        """Adds ordinary text; `more` as `Label` has it."""
        self.shapes.append(Label(x, y, text, colour, **more))

    def small(self, x: float, y: float, text: str, anchor: Any = "start", **more: Any) -> None:
        """Adds small text."""
        self.shapes.append(Label(x, y, text, more.pop("colour", "soft"), _SMALL, anchor, **more))


def pictures_of(results: Results) -> dict[str, Picture]:
    """The pictures of a contest by their names: `square`, `shares`, `strengths`, `rankings`,
    `gaps`; those that there is something to draw for."""
    _, verdicts, ballots = results.contest.counted
    made = [square(results.contest.played_schedule, taken_in(verdicts))]
    found = results.statistics
    if (judged := found["judged"]) is not None:
        if judged["programs_taken_for_human"]["out_of"]:
            places = [standing.entry for standing in results.contest.tally.entries]
            made.append(shares(judged["entries_taken_for_human"], places))
        if judged["strengths"]["strengths"]:
            made.append(strengths(judged["strengths"]["strengths"], results.contest.state.entries))
    if any(not ballot.excluded for ballot in ballots):
        made.append(rankings(ballots, results.contest.state.entries))
    if found["talks"]:
        made.append(gaps(found["gaps"]))
    return {picture.name: picture for picture in made}


def time_lines_of(contest: Contest) -> Iterator[Picture]:
    """A time line of each desk in each attempt at a round."""
    desks = contest.desks
    names = own_names(file_name(talks[0], "keys") for talks in desks)
    for talks, name in zip(desks, names, strict=True):
        yield time_line(contest, talks, name)


# The design


def square(schedule: Schedule, taken: Mapping[tuple[int, str], str]) -> Picture:
    """The design.

    Arguments:
        schedule: all pairings that are played.
        taken: round and judge to whom the judge took for the human.
    """
    roster = schedule.roster
    cell = min(_WIDEST, max(_NARROWEST, (_WHOLE - _SIDE) / max(1, len(roster.judges))))
    tall, half, with_ids = cell * 0.55, (cell - 2) / 2, cell >= _WITH_IDS
    picture = Picture(
        "square",
        "The design as a square of colours",
        f"{len(schedule.rounds)} rounds down, {len(roster.judges)} judges across. In each cell the "
        "entry and the confederate whom the judge met; the table of the schedule has the same in "
        "words.",
        max(320.0, _SIDE + cell * len(roster.judges) + 1),
        _SQUARE_HEAD + tall * len(schedule.rounds) + _FOOT,
    )
    fills = dict(zip(roster.entries, tints(len(roster.entries)), strict=True))
    fills |= dict(zip(roster.confederates, tints(len(roster.confederates), 0.9), strict=True))
    left_of = {judge: _SIDE + cell * at for at, judge in enumerate(roster.judges)}
    for judge, left in left_of.items() if with_ids else ():
        picture.small(left + cell / 2, _SQUARE_HEAD - 10, cut(judge, 9), "middle", bold=True)
    for row, pairings in enumerate(schedule.rounds):
        top = _SQUARE_HEAD + tall * row
        if with_ids or row % 5 == 0:
            picture.small(_SIDE - 10, top + tall / 2 + 4, str(row + 1), "end", bold=True)
        for pairing in pairings:
            for at, who in enumerate((pairing.entry, pairing.confederate)):
                x = left_of[pairing.judge] + 1 + half * at
                picture.box(x, top + 1, half, tall - 2, fills[who])
                if with_ids:
                    middle = top + tall / 2 + 2
                    picture.label(x + half / 2, middle, cut(who, 5), "on-tint", anchor="middle")
                if who == taken.get((row + 1, pairing.judge)):
                    below, radius = (10, 3.5) if with_ids else (4, 2)
                    picture.dot(x + half / 2, top + tall - below, radius, "on-tint")
    foot = picture.height
    picture.small(1, foot - 28, "Rounds down, judges across; left the entry, right the human.")
    picture.dot(7, foot - 12, 3.5, "ink")
    picture.small(16, foot - 8, "taken for the human by the judge")
    return picture


def tints(count: int, lightness: float = 0.82) -> list[str]:
    """Colours that `ON_TINT` can be read on, as different as so many can be.

    Arguments:
        count: how many.
        lightness: of all of them, 0 to 1.
    """
    found = []
    for at in range(count):
        # Neighbours in a row differ also in strength, for readers who can't tell the hues apart.
        red, green, blue = colorsys.hls_to_rgb(
            at / count, lightness - 0.08 * (at % 2), 0.35 + 0.4 * (at % 3) / 2
        )
        found.append("#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue)))
    return found


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


# Rows with intervals and ranks


def shares(found: Mapping[str, Json], order: Iterable[str]) -> Picture:
    """How often each entry was taken for the human; `order` is that of the places."""
    rows = [
        (who, f"{s['taken']} of {s['out_of']}", s["share"], s["wilson"], s["clopper_pearson"])
        for who, s in ((who, found[who]) for who in order)
    ]
    said = (f"{who}: {note}, {between(inner)}" for who, note, _, inner, _ in rows if inner)
    return _chart(
        "shares",
        "The entries by their places, how often taken for the human",
        f"A row an entry, with intervals at 95 %. {'; '.join(said) or 'No verdict yet'}.",
        [(*row, "entity") for row in rows],
        "50 %: the toss of a coin; thick: Wilson, thin: Clopper-Pearson, both 95 %",
    )


def strengths(found: Sequence[Json], entries: Iterable[str]) -> Picture:
    """How human each seemed beside an average participant; `entries` are the programs."""
    programs = set(entries)
    rows = [
        (each["who"], "program" if each["who"] in programs else "human", each["chance"],
         each["chances"], None, "entity" if each["who"] in programs else "judge")
        for each in found
    ]  # fmt: skip
    said = (f"{row[0]} ({row[1]}): {percent(row[2])}, {between(row[3])}" for row in rows)
    return _chart(
        "strengths",
        "How often each would be taken for the human beside an average participant",
        f"A row a participant, by Bradley and Terry, with intervals at 95 %. {'; '.join(said)}.",
        rows,
        "50 %: an average participant; by Bradley and Terry, penalized; intervals 95 %",
    )


def _chart(
    name: str,
    title: str,
    words: str,
    rows: Sequence[tuple[str, str, float | None, Json | None, Json | None, str]],
    remark: str,
) -> Picture:
    """Rows of id, note, value from 0 to 1, interval, a wider interval drawn thinner, and colour."""
    bottom = _TOP + _ROW * len(rows)
    picture = Picture(name, title, words, _WIDTH, bottom + _AXIS)
    left, right = _scale([row[0] for row in rows])
    for part in range(0, 101, 25):
        x = left + (right - left) * part / 100
        picture.box(x - 0.5, _TOP, 1, bottom - _TOP, "soft" if part == 50 else "line")
        picture.small(x, bottom + 18, f"{part} %", "middle")
    for at, (who, note, value, inner, outer, colour) in enumerate(rows):
        y = _TOP + _ROW * (at + 0.5)
        picture.label(left - 14, y + 5, cut(who, _ROW_ID), anchor="end")
        picture.small(_WIDTH - 4, y + 5, note, "end")
        for interval, thick in ((outer, 2), (inner, 7)):
            if interval is not None:
                low, high = (left + (right - left) * interval[end] for end in ("low", "high"))
                picture.box(low, y - thick / 2, max(1, high - low), thick, colour)
        if value is not None:
            for radius, fill in ((8, "sheet"), (6, colour)):
                picture.dot(left + (right - left) * value, y, radius, fill)
    picture.small(4, bottom + 42, remark)
    return picture


def rankings(ballots: Iterable[Ballot], entries: Iterable[str]) -> Picture:
    """The ranks that the judges gave, and their means; `entries` are the programs."""
    ranked, programs = by_mean_rank(ranks_of(ballots)), set(entries)
    said = "; ".join(f"{who}: mean rank {number(mean)}" for who, _, mean in ranked)
    words = f"A row a participant, the most human first. {said or 'No ballot yet'}."
    bottom = _TOP + _ROW * len(ranked)
    picture = Picture("rankings", "The ranks that the judges gave", words, _WIDTH, bottom + _AXIS)
    last = max((float(max(ranks)) for _, ranks, _ in ranked), default=1.0)
    left, right = _scale([who for who, _, _ in ranked])

    def x_of(rank: float | Fraction) -> float:
        return left + (right - left) * (float(rank) - 1) / max(1.0, last - 1)

    for mark in range(1, round(last) + 1, max(1, round(last / 10))):
        picture.box(x_of(mark) - 0.5, _TOP, 1, bottom - _TOP, "line")
        picture.small(x_of(mark), bottom + 18, str(mark), "middle")
    for at, (who, ranks, mean) in enumerate(ranked):
        y = _TOP + _ROW * (at + 0.5)
        picture.label(left - 14, y + 5, cut(who, _ROW_ID), anchor="end")
        picture.box(x_of(mean) - 1.5, y - 14, 3, 28, "ink")
        for rank, judges in sorted(Counter(ranks).items()):
            radius = min(11, 5 + 2 * (judges - 1))
            picture.dot(x_of(rank), y, radius, "entity" if who in programs else "judge")
            if judges > 1:
                picture.small(x_of(rank), y + 4, str(judges), "middle", colour="sheet", bold=True)
        picture.small(_WIDTH - 4, y + 5, f"mean {float(mean):.4g}", "end")
    remark = "1 is the most human; dot: judges who gave that rank; bar: the mean"
    picture.small(4, bottom + 42, remark)
    return picture


def _scale(names: Sequence[str]) -> tuple[float, float]:
    """Where a scale begins and ends. Fonts differ: names get about the room that they need."""
    longest = max((0.62 * _TEXT * len(cut(name, _ROW_ID)) for name in names), default=0)
    return 24 + longest, _WIDTH - _NOTE


# Typing


def gaps(found: Mapping[str, Sequence[float]]) -> Picture:
    """The distributions of the gaps between keys of judges, humans and programs."""
    words = "; ".join(_said(who, bins) for who, bins in found.items() if bins)
    words = f"Distributions, each talk of the same weight. {words or 'Nobody typed anything'}."
    foot = 10.0 + _PANEL * len(found) + _GAP * (len(found) - 1)
    title = "The time between keys: judges, humans, programs"
    picture = Picture("gaps", title, words, _WIDTH, foot + 56)
    wide = (_WIDTH - _LEFT - _RIGHT) / (len(BINS) - 1)
    highest = max((max(bins) for bins in found.values() if bins), default=1.0)
    for at, (who, bins) in enumerate(found.items()):
        base = 10.0 + _PANEL + (_PANEL + _GAP) * at
        picture.label(_LEFT - 12, base - 4, who, anchor="end")
        tall = [(at, max(1.0, _PANEL * part / highest)) for at, part in enumerate(bins) if part]
        columns = [(_LEFT + wide * at + 0.5, base - high, wide - 1, high) for at, high in tall]
        if columns:
            picture.shapes.append(Boxes("entity" if who == "programs" else "judge", columns))
        else:
            picture.small(_LEFT + 8, base - 8, "nothing to show")
        picture.box(_LEFT, base - 0.5, _WIDTH - _RIGHT - _LEFT, 1, "soft")
    for ms, text in _MARKS:
        x = _LEFT + wide * 2 * log2(ms / BINS[0])
        picture.box(x - 0.5, foot, 1, 5, "soft")
        picture.small(x, foot + 18, text, "middle")
    pause = _LEFT + wide * 2 * log2(PAUSE_MS / BINS[0])
    picture.box(pause - 0.5, 4, 1, foot - 4, "soft")
    picture.small(pause + 5, 14, "pauses")
    said = "Time between one's successive keys; heights: share of the gaps; ends: and beyond"
    picture.small(4, foot + 42, said)
    return picture


def _said(who: str, bins: Sequence[float]) -> str:
    at = max(range(len(bins)), key=lambda each: bins[each])
    pauses = sum(part for part, low in zip(bins, BINS, strict=False) if low >= PAUSE_MS * 0.99)
    # The first and the last bin have what is beyond the scale.
    if at == 0:
        span = f"under {BINS[1]:,.0f} milliseconds"
    elif at == len(bins) - 1:
        span = f"{BINS[at]:,.0f} milliseconds and more"
    else:
        span = f"{BINS[at]:,.0f} to {BINS[at + 1]:,.0f} milliseconds"
    return f"{who}: most often {span}; about {round(100 * pauses)} % are pauses"


def time_line(contest: Contest, talks: Sequence[Talk], name: str) -> Picture:
    """Talks of one desk as a time line: each a lane of the judge's keys and one of the entity's.

    Arguments:
        contest: the contest.
        talks: of one judge in one attempt at a round.
        name: the picture's.
    """
    first, said, top = talks[0], [], 0.0
    again = f", attempt {first.attempt}" if first.attempt > 1 else ""
    picture = Picture(name, f"Round {first.round}{again}, {first.judge}: a time line of keys")
    length = max(1, *(contest.length_ms(talk) or 0 for talk in talks))
    for talk in talks:
        kind = "program" if contest.is_entry(talk.entity) else "human"
        title = f"{talk.side.capitalize()}: {cut(talk.entity, 20)}, {kind}"
        picture.label(4, top + 18, title, bold=True)
        top += _HEAD
        if contest.withheld(talk):
            picture.small(_LABEL, top + 20, WITHHELD.capitalize())
            said.append(f"{title}: {WITHHELD}")
        else:
            _, typing = transcribe(contest, talk)
            both = (f"{talk.judge}: {typing['judge'].in_words()}",
                    f"{talk.entity}: {typing['entity'].in_words()}")  # fmt: skip
            said.append(f"{title}. {'; '.join(both)}")
            for lane, author in enumerate(AUTHORS):
                _draw_lane(picture, contest, talk, author, top + _LANE * (lane + 1) - 7, length)
        top += 2 * _LANE + 8
    for mark in range(_TIMES):
        x = _LABEL + _WIDE * mark / (_TIMES - 1)
        picture.small(x, top + 14, clock(length * mark // (_TIMES - 1)), "middle")
    picture.height = top + 26
    picture.words = (
        f"{'. '.join(said)}. A mark is a key, a tall one ends a line, one below is a BackSpace."
    )
    return picture


def _draw_lane(
    picture: Picture, contest: Contest, talk: Talk, author: Any, base: float, length_ms: int
) -> None:
    who = talk.judge if author == "judge" else talk.entity
    picture.small(_LABEL - 10, base - 2, cut(who, 12), "end", colour=author)
    picture.box(_LABEL, base - 0.5, _WIDE, 1, "line")
    marks: dict[str, set[float]] = {"key": set(), "return": set(), "back": set()}
    for key in contest.shown(talk, author):
        kind = {"\n": "return", BACKSPACE_CHAR: "back"}.get(char_of(key.key) or "", "key")
        part = min(1.0, max(0.0, contest.offset_ms(talk, key.mono_ns) / length_ms))
        # As fine as a screen shows: the same place is marked once.
        marks[kind].add(round(2 * (_LABEL + _WIDE * part)) / 2)
    for kind, above, tall, colour, width in (
        ("key", 11, 11, author, 0.8),
        ("return", 18, 18, author, 1.6),
        ("back", 0, 5, "soft", 1.2),
    ):
        if marks[kind]:
            at = sorted(marks[kind])
            boxes = [(x - width / 2, base - above, width, float(tall)) for x in at]
            picture.shapes.append(Boxes(colour, boxes))


# SVG


def inline(picture: Picture) -> Markup:
    """A picture within a page, whose style has the colours: the class `f-NAME` fills."""
    return Markup("\n").join(_svg(picture, picture.shapes))


def svg_file(picture: Picture) -> bytes:
    """A picture as a file, on paper of its own and with its own style."""
    paper = Boxes("sheet", [(0, 0, picture.width, picture.height)])
    rules = [f".f-{name} {{ fill: {value}; }}" for name, value in FIXED.items()]
    style = Markup(f"<style>text {{ font-family: {_FONT}; }} {' '.join(rules)}</style>")
    lines = _svg(picture, (paper, *picture.shapes), ' xmlns="http://www.w3.org/2000/svg"', style)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, ""]).encode()


def _svg(
    picture: Picture, shapes: Iterable[Shape], form: str = "", style: Markup | None = None
) -> Iterator[Markup]:
    name, size = picture.name, (_short(picture.width), _short(picture.height))
    yield Markup(
        '<svg{} class="picture" viewBox="0 0 {} {}" width="{}" height="{}" role="img" '
        'aria-labelledby="t-{} d-{}">'
    ).format(Markup(form), *size, *size, name, name)
    yield Markup('<title id="t-{}">{}</title>').format(name, plain(picture.title))
    yield Markup('<desc id="d-{}">{}</desc>').format(name, plain(picture.words))
    if style is not None:
        yield style
    for shape in shapes:
        match shape:
            case Boxes(fill, boxes):
                tinted = fill.startswith("#")
                named = ("fill", fill) if tinted else ("class", f"f-{fill}")
                path = "".join(
                    f"M{_short(x)} {_short(y)}h{_short(w)}v{_short(h)}h{_short(-w)}z"
                    for x, y, w, h in boxes
                )
                yield Markup('<path d="{}" {}="{}"/>').format(path, *named)
            case Dot():
                yield Markup('<circle cx="{}" cy="{}" r="{}" class="f-{}"/>').format(
                    *map(_short, shape[:3]), shape.fill
                )
            case Label():
                yield Markup(
                    '<text x="{}" y="{}" font-size="{}" text-anchor="{}"{} class="f-{}">{}</text>'
                ).format(
                    *(_short(shape.x), _short(shape.y), shape.size, shape.anchor),
                    Markup(' font-weight="700"') if shape.bold else "",
                    *(shape.colour, plain(shape.text)),
                )
    yield Markup("</svg>")


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# PNG


def png_file(picture: Picture) -> bytes:
    """A picture as a file.

    Raises:
        ScienceMissing: without matplotlib.
    """
    figure = import_science("matplotlib.figure").Figure(
        figsize=(picture.width / _INCH, picture.height / _INCH), facecolor=FIXED["sheet"]
    )
    import_science("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(picture.shapes):
        artist = _artist(shape)
        artist.set_zorder(order)
        axes.add_artist(artist)
    out = io.BytesIO()
    with warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the SVG has it as text.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(
            out,
            format="png",
            dpi=_INCH * _FINER,
            facecolor=FIXED["sheet"],
            metadata={"Title": plain(picture.title), "Software": None},
        )
    return out.getvalue()


def _artist(shape: Shape) -> Any:
    match shape:
        case Boxes(fill, boxes):
            corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes]
            polygons = import_science("matplotlib.collections").PolyCollection
            return polygons(corners, facecolors=FIXED.get(fill, fill), linewidths=0)
        case Dot(x, y, radius, fill):
            circle = import_science("matplotlib.patches").Circle
            return circle((x, y), radius, facecolor=FIXED[fill], linewidth=0)
        case Label():
            return import_science("matplotlib.text").Text(
                *(shape.x, shape.y, plain(shape.text)),
                color=FIXED[shape.colour],
                fontsize=shape.size * _POINTS,
                fontfamily="DejaVu Sans",
                fontweight="bold" if shape.bold else "normal",
                horizontalalignment={"start": "left", "middle": "center", "end": "right"}[
                    shape.anchor
                ],
                verticalalignment="baseline",
                # Text is text: a dollar begins no formula.
                parse_math=False,
            )
