"""Pictures of a contest, drawn with matplotlib, as SVG and PNG from one figure: the design as a
square, shares and strengths with their intervals, rankings with their means, the gaps between keys.
All words in an SVG are text; it contains no scripts and loads nothing.
"""

from __future__ import annotations

import colorsys
import io
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from contest.results.document import Results
from contest.results.rhythm import BINS, PAUSE_MS
from contest.results.statistics import INTERVALS, Json, by_mean_rank, import_science, ranks_of
from contest.results.text import taken_in
from scheduler import Ballot, Schedule
from scheduler.texts import plain

#: Colours of judges (and other humans), of entries, and of lines.
_HUMAN, _ENTITY, _SOFT = "#1c4f8f", "#93400f", "#5d5a53"
#: Width of a picture and height of a chart's row, in inches; resolution of a PNG in dots per inch.
_WIDTH, _ROW, _DPI = 7.0, 0.36, 192
#: The maximum number of columns with which the cells of the square have ids.
_WITH_IDS = 12
#: The maximum number of characters of an id in a chart.
_ID = 14
#: The settings of all figures. They make SVG files reproducible and keep text as text; a dollar
#: sign does not begin a formula.
_STYLE: Mapping[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "loebner",
    "font.size": 9,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _SOFT,
}


def pictures_of(results: Results) -> Iterator[tuple[str, bytes]]:
    """The pictures of a contest as file names with contents: `square`, `shares`, `strengths`,
    `rankings`, `gaps`, each as SVG and PNG; pictures without data are left out.

    Raises:
        ScienceMissing: without the extra `science`, before anything is drawn.
    """
    for needed in ("numpy", "scipy.stats", "matplotlib.figure"):
        import_science(needed)
    contest, found = results.contest, results.statistics
    schedule, verdicts, ballots = contest.counted
    played = Schedule.of(p for p in schedule.pairings if p.round not in contest.not_played)
    yield from _files("square", *square(played, taken_in(verdicts)))
    wilson = [each for each in found["numbers"] if each["method"] != INTERVALS[1][0]]
    entries = contest.state.entries
    for name, statistic, title in (
        ("shares", "entry-taken-for-human", "How often each entry was taken for the human"),
        (
            "strengths",
            "strength-chance",
            "How often each would be chosen over an average participant",
        ),
    ):
        if rows := [each for each in wilson if each["statistic"] == statistic]:
            yield from _files(name, *intervals(title, rows, entries))
    if any(not ballot.excluded for ballot in ballots):
        yield from _files("rankings", *rankings(ballots, entries))
    if any(found["gaps"].values()):
        yield from _files("gaps", *gaps(found["gaps"]))


def square(schedule: Schedule, taken: Mapping[tuple[int, str], str]) -> tuple[str, Any]:
    """Draws the design: rounds down, judges across; in each cell the entry on the left, the human
    on the right.

    Arguments:
        schedule: all pairings that are played.
        taken: round and judge to the id that the judge took for the human.

    Returns:
        The picture's title, and its figure.
    """
    roster, rounds = schedule.roster, schedule.rounds
    fills = dict(zip(roster.entries, tints(len(roster.entries)), strict=True))
    fills |= dict(zip(roster.confederates, tints(len(roster.confederates), 0.9), strict=True))
    axes = _axes(0.8 + 0.45 * min(len(rounds), 24))
    across = {judge: at for at, judge in enumerate(roster.judges)}
    for down, pairings in enumerate(rounds):
        cells = [
            (across[p.judge] + half, who, who == taken.get((down + 1, p.judge)))
            for p in pairings
            for half, who in ((0.0, p.entry), (0.5, p.confederate))
        ]
        colours = [fills[who] for _, who, _ in cells]
        axes.broken_barh([(x, 0.48) for x, *_ in cells], (down - 0.48, 0.96), facecolors=colours)
        dots = [x + 0.24 for x, _, is_taken in cells if is_taken]
        axes.plot(dots, [down + 0.3] * len(dots), "o", color="black", markersize=3)
        for x, who, _ in cells if len(across) <= _WITH_IDS else ():
            axes.text(x + 0.24, down - 0.1, cut(who, 5), ha="center", va="center")
    axes.set_xticks([at + 0.5 for at in across.values()], [cut(judge, 9) for judge in across])
    axes.set_yticks(range(len(rounds)), [str(at) for at in range(1, len(rounds) + 1)])
    axes.set(xlabel="dot: taken for the human by the judge", ylabel="round")
    axes.invert_yaxis()
    return "The design as a square of colours", axes.figure


def tints(count: int, lightness: float = 0.82) -> list[str]:
    """Background colours for black text, as different from each other as possible.

    Arguments:
        count: how many colours.
        lightness: the lightness of all of them, 0 to 1.
    """
    found = []
    for at in range(count):
        # Adjacent colours also differ in saturation, for readers who can't tell the hues apart.
        red, green, blue = colorsys.hls_to_rgb(
            at / count, lightness - 0.08 * (at % 2), 0.35 + 0.4 * (at % 3) / 2
        )
        found.append("#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue)))
    return found


def cut(text: str, most: int) -> str:
    """Shortens a text to at most this many characters, on one line."""
    text = plain(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def intervals(title: str, rows: Sequence[Json], entries: Iterable[str]) -> tuple[str, Any]:
    """Draws one row per participant, with the value from 0 to 1 and its interval.

    Arguments:
        title: the picture's title.
        rows: items of `numbers` in `statistics.json`.
        entries: the ids of the programs.
    """
    programs, axes = set(entries), _axes(1 + _ROW * len(rows))
    for at, row in enumerate(rows):
        colour = _ENTITY if row["of"] in programs else _HUMAN
        axes.plot((row["low"], row["high"]), (at, at), color=colour, linewidth=3)
        axes.plot(row["value"], at, "o", color=colour, markersize=7)
    axes.axvline(0.5, color=_SOFT, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [cut(row["of"], _ID) for row in rows])
    axes.set_xticks([part / 4 for part in range(5)], [f"{25 * part} %" for part in range(5)])
    axes.set(xlim=(0, 1), xlabel=f"intervals at 95 %: {rows[0]['method']}")
    axes.invert_yaxis()
    return title, axes.figure


def rankings(ballots: Iterable[Ballot], entries: Iterable[str]) -> tuple[str, Any]:
    """Draws the ranks that the judges gave, and their means; `entries` are the programs."""
    ranked, programs = by_mean_rank(ranks_of(ballots)), set(entries)
    axes = _axes(1 + _ROW * len(ranked))
    for at, (who, ranks, mean) in enumerate(ranked):
        colour = _ENTITY if who in programs else _HUMAN
        for rank, judges in Counter(ranks).items():
            axes.plot(float(rank), at, "o", color=colour, markersize=min(14, 5 + 2 * judges))
        axes.plot(float(mean), at, "|", color="black", markersize=16, markeredgewidth=2)
    axes.set_yticks(range(len(ranked)), [cut(who, _ID) for who, _, _ in ranked])
    axes.set_xlabel("1 is the most human; dot: rank given, larger for more judges; bar: mean")
    axes.invert_yaxis()
    return "The ranks that the judges gave", axes.figure


def gaps(found: Mapping[str, Sequence[float]]) -> tuple[str, Any]:
    """Draws the distributions of the gaps between keys, for judges, humans and programs."""
    axes = _axes(3.2)
    for (who, bins), colour in zip(found.items(), (_SOFT, _HUMAN, _ENTITY), strict=True):
        if bins:
            axes.stairs(bins, BINS, label=who, color=colour, linewidth=1.5)
    axes.axvline(PAUSE_MS, color=_SOFT, linewidth=0.8)
    axes.set(xscale="log", xlabel="milliseconds between successive keys; line: pauses begin here",
             ylabel="share of the gaps")  # fmt: skip
    axes.set_xticks((10, 100, 1000, 10_000), ("10", "100", "1,000", "10,000"))
    axes.legend(frameon=False)
    return "The time between keys: judges, humans, programs", axes.figure


def _axes(height: float) -> Any:
    """Empty axes in a figure of the given height in inches."""
    with import_science("matplotlib").rc_context(_STYLE):
        figure = import_science("matplotlib.figure").Figure((_WIDTH, height))
        room = {"left": 0.22, "right": 0.96, "bottom": 0.5 / height, "top": 1 - 0.35 / height}
        figure.subplots_adjust(**room)
        return figure.add_subplot()


def _files(name: str, title: str, figure: Any) -> Iterator[tuple[str, bytes]]:
    metadata = {"svg": {"Title": title, "Date": None}, "png": {"Title": title, "Software": None}}
    figure.suptitle(
        title, fontsize=10, verticalalignment="center", y=1 - 0.18 / figure.get_figheight()
    )
    for form, about in metadata.items():
        out = io.BytesIO()
        with import_science("matplotlib").rc_context(_STYLE), warnings.catch_warnings():
            # Characters missing from the font are drawn as boxes; the SVG has them as text.
            warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            figure.savefig(out, format=form, dpi=_DPI, metadata=about)
        yield f"{name}.{form}", out.getvalue()
