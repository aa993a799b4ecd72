"""Results as pages: one self-contained HTML page, the data for a folder of pages, and the revealed
steps.

Pages are templates over the document of results (`contest.results.document`). The self-contained
page and the first page of a folder share a template. The self-contained page has every talk and the
statistics, no scripts and nothing from outside, and a policy that would block both; the first page
of a folder links to a page for each talk. Text that people and programs typed is always escaped.

One template shows the revealed steps (`contest.results.contest.steps_of`): on the live page, on the
page for readers without scripts, and on the two pages above. It is made from the record as it may
be published, and only from these steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import scheduler
from contest.pages import in_language, own_style, render, stream
from contest.results.contest import shown_steps, steps_of
from contest.results.document import Results
from contest.results.rhythm import AUTHORS
from contest.results.statistics import by_mean_rank, ranks_of
from contest.results.text import parts_of, prose, score_rows, taken_in
from contest.results.transcript import clock, typing_in_words
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler.texts import Phrase, counted, decimal, number, ordinal, plain
from texts import LANGUAGES, load

#: The style sheets of the self-contained page: those of the folder, and one of its own.
STYLE = (
    *("pages/static/style.css", "audience/static/spectators.css"),
    "results/templates/results.css",
)
#: Width of a time line in CSS pixels.
_WIDE = 420


def page_stream(results: Results) -> Iterator[str]:
    """The self-contained page, in chunks no larger than a desk.

    Arguments:
        results: the results; those of an unfinished contest are marked as interim.

    Raises:
        RecordTrouble: see `Results`.
    """
    context = page_parts(results, lambda talk: talk_parts(results, talk)) | {
        **own_style(*STYLE),
        "introduction": prose()["introduction"],
        "parts": parts_of(results.statistics, results.contest.speed / 1000),
        "missing": results.statistics["missing"],
    }
    return stream("results/results.html", context)


def page_parts(results: Results, shown: Callable[[Talk], dict[str, Any]]) -> dict[str, Any]:
    """The template's data for the self-contained page and the first page of a folder.

    Arguments:
        results: the contest's results.
        shown: makes a talk's data when the template reaches the talk.
    """
    contest = results.contest
    schedule, verdicts, ballots = contest.counted
    means = {who: mean for who, _, mean in by_mean_rank(ranks_of(ballots))}
    ranked = {rank.participant for ballot in ballots for rank in ballot.ranks}
    roles = [each["role"] for each in contest.people.values()]
    size = [counted(roles.count(role), role) for role in ("judge", "entry", "confederate")]
    return {
        "here": "",
        "doc": results.document,
        "size": ", ".join((*size, counted(len(schedule.rounds), "round"))),
        "outcome": outcome_parts(results),
        **in_language(load("en")),
        "rounds": _rounds(results, shown),
        "withheld": WITHHELD,
        "judges": schedule.roster.judges,
        "taken": taken_in(verdicts),
        "not_played": contest.not_played,
        "ranked": [(who, means.get(who)) for who in contest.people if who in ranked],
        "rank": lambda text: number(Fraction(text)),
        "mean": _mean,
        "clock": clock,
    }


def _rounds(results: Results, shown: Callable[[Talk], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All attempts with a talk on record, and the talks of each desk."""
    rounds = {(each["round"], each["attempt"]): each for each in results.document["rounds"]}
    of_attempt = groupby(results.contest.desks, key=lambda desk: (desk[0].round, desk[0].attempt))
    for (number_, attempt), desks in of_attempt:
        yield {
            "number": number_,
            "attempt": attempt,
            "given_up": any(n == number_ and again > attempt for n, again in rounds),
            "found": rounds.get((number_, attempt)),
            "desks": (list(map(shown, desk)) for desk in list(desks)),
        }


# The revealed steps


class Outcome(NamedTuple):
    """The part of the result that the audience sees.

    Attributes:
        html: language to the revealed part; empty before the first step.
        complete: whether everything is revealed, and all talks can be replayed.
    """

    html: Mapping[str, str] = dict.fromkeys(LANGUAGES, "")
    complete: bool = False


def outcome_of(results: Results, shown: Collection[str] | None = None) -> Outcome:
    """The revealed part of the outcome.

    Arguments:
        results: the contest's results, as they may be published.
        shown: the revealed steps; if left out, those in the record.

    Raises:
        RecordTrouble: see `Results`.
    """
    state = results.contest.state
    steps = steps_of(state)
    revealed = [s for s in steps if s in (shown_steps(state) if shown is None else shown)]
    if not revealed:
        return Outcome()
    parts = outcome_parts(results, revealed)
    html = {
        language: render("results/outcome.html", {"outcome": parts, **in_language(load(language))})
        for language in LANGUAGES
    }
    return Outcome(html, len(revealed) == len(steps))


def outcome_parts(results: Results, shown: Collection[str] | None = None) -> dict[str, Any]:
    """The data of the template `outcome.html`.

    Arguments:
        results: the contest's results.
        shown: the revealed steps; if left out, all steps, also of an interim result.
    """
    contest, tally, words = results.contest, results.contest.tally, results.document["words"]

    def has(step: str) -> bool:
        return shown is None or step in shown

    places = {each.place for each in tally.entries if has(f"place {each.place}")}
    # Only an official result names prizes; an interim result awards none.
    won = {}
    if has("prizes") and (shown is not None or contest.is_final):
        awards = scheduler.awards(tally.entries, tally.silver, contest.prizes)
        said = scheduler.explain_prizes(tally, contest.prizes)
        won = {award.entry: line for award, line in zip(awards, said, strict=True)}
    return {
        "final": contest.is_final,
        "names": _names(results) if has("names") else [],
        "score": score_table(results, places) if has("table") else None,
        "standings": [
            {
                "id": each.entry,
                "name": plain(contest.name(each.entry)),
                "entrant": plain(str(contest.people.get(each.entry, {}).get("entrant") or "")),
                "place": each.place,
                "nth": ordinal(each.place).capitalize(),
                "tied": each.tied,
                "prize": won.get(each.entry, ""),
            }
            for each in tally.entries
            if each.place in places
        ],
        "hidden": any(each.place not in places for each in tally.entries),
        "rules": words["rules"],
        "words": words["places"] if 1 in places else [],
        "silver": words["silver"] if has("prizes") else [],
        "medals": results.document["silver"] if has("prizes") else [],
    }


def _names(results: Results) -> list[tuple[int, list[dict[str, Any]]]]:
    """The table of who sat where: for each round, the attempt that counts, one row per desk."""
    contest = results.contest
    rounds: dict[int, list[dict[str, Any]]] = {}
    for talks in contest.desks:
        attempt, verdict = contest.attempt(talks[0]), contest.verdict(talks[0])
        if attempt is not None and attempt.counts:
            sides = {talk.side: with_names(results, talk) for talk in talks}
            counts = verdict is not None and contest.void_reason(verdict) is None
            desk = {"judge": talks[0].judge, "sides": sides, "counts": counts}
            rounds.setdefault(talks[0].round, []).append(desk)
    return list(rounds.items())


def score_table(results: Results, places: Collection[int] | None = None) -> dict[str, Any]:
    """The table of judges and entries, as pages show it.

    Arguments:
        results: the contest's results.
        places: the places that may be shown, each with its mean rank; all if left out.
    """
    order, rows, (score, *foot) = score_rows(results.contest.tally, _mean)
    shown = [places is None or standing.place in places for standing in order]
    return {
        "entries": [(each.entry, plain(results.contest.name(each.entry))) for each in order],
        "rows": rows,
        "score": score[1],
        "foot": [
            (
                Phrase(name.capitalize()),
                [cell if is_shown else "" for cell, is_shown in zip(cells, shown, strict=True)],
            )
            for name, cells in foot
        ],
    }


def _mean(mean: float | Fraction | None) -> str:
    return "–" if mean is None else decimal(f"{float(mean):.4g}")


# Talks


def with_names(results: Results, talk: Talk) -> dict[str, Any]:
    """A talk of the document, with the `names` of the judge and entity who sat there at the time;
    a name is empty if it equals the id."""
    names = {who: plain(results.contest.name_in(talk, who)) for who in (talk.judge, talk.entity)}
    shown = {who: "" if name == who else name for who, name in names.items()}
    return results.brief(talk) | {"names": shown}


def talk_parts(results: Results, talk: Talk) -> dict[str, Any]:
    """A talk with everything that templates show: its lines, and a time line with the marks of both
    authors."""
    contest, found = results.contest, results.talk(talk)
    length, lanes = max(1, found["length_ms"] or 0), []
    for author in AUTHORS:
        # For ordinary keys, Return and BackSpace; a position on the screen is marked only once.
        marks: tuple[set[float], ...] = (set(), set(), set())
        for key in contest.shown(talk, author):
            kind = {"\n": 1, BACKSPACE_CHAR: 2}.get(char_of(key.key) or "", 0)
            part = min(1.0, max(0.0, contest.offset_ms(talk, key.mono_ns) / length))
            marks[kind].add(round(2 * _WIDE * part) / 2)
        who = talk.judge if author == "judge" else talk.entity
        words = typing_in_words(found["typing"][author]) if found["typing"] else ""
        lanes.append(
            {"author": author, "who": who, "marks": list(map(sorted, marks)), "words": words}
        )
    times = [(_WIDE * part // 5, clock(length * part // 5)) for part in range(6)]
    return with_names(results, talk) | found | {"lanes": lanes, "wide": _WIDE, "times": times}
