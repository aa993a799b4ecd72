"""The result of a contest as plain text."""

from __future__ import annotations

import scheduler
from contest.history.views import ContestView
from contest.results.document import Results
from contest.statistics.text import columns
from scheduler.texts import number, plain


def result_in_words(results: Results) -> str:
    """The result: table, places, silver medal, prizes, warnings, rounds, the head of the record.

    Raises:
        RecordTrouble: if the record can't be tallied.
    """
    view, tally, words = results.view, results.tally, results.document["words"]
    said = [one_line(title_of(view)), "", *_score_table(tally), "", *words["rules"]]
    said += [*words["places"], *words["silver"], "", words["state"], *words["prizes"]]
    said += [f"Warning: {line}." for line in tally.warnings]
    said += ["", *_rounds_in_words(results), "", f"head {view.head}"]
    return "".join(f"{line}\n" for line in said)


def _rounds_in_words(results: Results) -> list[str]:
    schedule, _, _ = results.counted
    try:
        lines = scheduler.write_rounds(schedule).splitlines()
    except scheduler.Refused:
        # Ids that run into one another where nothing stands between them.
        lines = [
            f"Round {at} " + ", ".join(f"{p.judge} {p.entry} {p.confederate}" for p in pairings)
            for at, pairings in enumerate(schedule.rounds, 1)
        ]
    return [
        f"{line}{' (not played)' if at in results.view.not_played else ''}"
        for at, line in enumerate(lines, 1)
    ]


def _score_table(tally: scheduler.Tally) -> list[str]:
    of = {standing.entry: standing for standing in tally.entries}
    order = [of[entry] for entry in tally.roster.entries]
    means = ["-" if s.mean_rank is None else number(s.mean_rank) for s in order]
    rows = [["", *(s.entry for s in order)]]
    for judge, cells in tally.table.items():
        rows.append(
            [judge, *("-" if cells[s.entry] is None else str(cells[s.entry]) for s in order)]
        )
    rows.append(["score", *(str(s.score) for s in order)])
    rows.append(["mean rank", *means])
    rows.append(["place", *(f"{s.place}{'=' * s.tied}" for s in order)])
    return columns(rows)


def title_of(view: ContestView) -> str:
    """Name, date and place of a contest, in one line."""
    held = view.settings.get("contest")
    settings = held if isinstance(held, dict) else {}
    return "  ".join(str(settings[key]) for key in ("name", "date", "venue") if settings.get(key))


def one_line(text: str) -> str:
    """Text on one line; what does not print is escaped."""
    return plain(" ".join(text.split()))
