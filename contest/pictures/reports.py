"""The report on a recording's typing as text for a terminal."""

from __future__ import annotations

from contest.history.transcript import clock
from contest.pictures.texts import columns, gaps, time_line
from contest.statistics.report import OfSide, Report
from scheduler.texts import plain


def report_text(report: Report) -> str:
    """A report as text.

    Returns:
        Lines ended by a line feed.
    """
    lines = [report.name, *report.about, "", *_gaps(report), ""]
    if drawn := gaps(report.distributions):
        lines += [*drawn, ""]
    lines += [*_table(report), "", *_time_lines(report), ""]
    lines += [
        "Gaps of 2 s and more are pauses; a minute: keys while typing, without these. Overlap:",
        "characters typed less than a second from one of the other's. Answer: from the other's",
        "Return to the next key. Line (characters) and answer are medians.",
    ]
    if report.lost:
        lines.append(f"{report.lost} lines of the file gave no key.")
    if report.back:
        lines.append(f"{report.back} times run back; they give no gap.")
    return "".join(f"{plain(line)}\n" for line in lines)


def _gaps(report: Report) -> list[str]:
    head = ("gaps under 2 s", "quarter under", "median", "three quarters under")
    rows: list[tuple[str, ...]] = [head]
    for who, found in report.gaps.items():
        values = (
            ("-",) * 3
            if found is None
            else tuple(f"{value:.0f} ms" for value in (found.low, found.median, found.high))
        )
        rows.append((who, *values))
    return columns(rows)


def _table(report: Report) -> list[str]:
    head = ("", "keys", "a minute", "pauses", "BackSpace", "line", "overlap", "answer")
    return columns([head, *(_row(side) for side in report.sides)])


def _row(side: OfSide) -> tuple[str, ...]:
    rhythm = side.rhythm

    def told(value: float | None, form: str, unit: str = "") -> str:
        return "-" if value is None else f"{value:{form}}{unit}"

    return (
        f"{side.side}, {side.who}",
        str(rhythm.keys),
        told(rhythm.keys_a_minute, ".0f"),
        str(rhythm.pauses),
        told(rhythm.backspace_share, ".1%"),
        told(rhythm.line_length, "g"),
        told(rhythm.overlap, ".1%"),
        told(None if rhythm.answer_ms is None else rhythm.answer_ms / 1000, ".1f", " s"),
    )


def _time_lines(report: Report) -> list[str]:
    sides = sorted(report.sides, key=lambda side: (side.side, side.author != "judge"))
    names = [f"{side.side}, {side.who}" for side in sides]
    width = max(map(len, names), default=0)
    lines = [
        f"{name:<{width}}  |{time_line(side.times_ms, report.length_ms)}|"
        for name, side in zip(names, sides, strict=True)
    ]
    return [*lines, f"{'':<{width}}   00:00 to {clock(round(report.length_ms))}"]
