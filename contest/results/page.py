"""Results as pages: the whole as one self-contained HTML page, and the steps that are revealed.

The page has no script, loads nothing from outside, and has a policy that would refuse both. What
people and programs typed is text, everywhere. Its parts, such as tables, rounds and talks, are
those of the archive's pages as well.

One template shows the revealed steps (`contest.results.contest.steps_of`): on the live page, on the
page for readers without scripts, and in the archive. It is made of the record as it may be
published, and of these steps alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import scheduler
from contest.pages import own_style, render, stream
from contest.results.contest import Contest, shown_steps, steps_of
from contest.results.document import Results
from contest.results.rhythm import AUTHORS
from contest.results.statistics import by_mean_rank, ranks_of
from contest.results.text import parts_of, prose, score_rows, taken_in
from contest.results.transcript import clock, marks_of, transcribe, typing_in_words
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from contest.verify.findings import several
from scheduler.texts import number, ordinal, plain

#: Width of a time line in pixels of a page.
_WIDE = 420


def page_stream(results: Results) -> Iterator[str]:
    """The results page, in parts no larger than a desk.

    Arguments:
        results: of a contest; one that is not finished is shown so far, and says so.

    Raises:
        RecordTrouble: see `Results`.
    """
    context = page_parts(results) | {
        **own_style("results", "results.css"),
        "standings": standings(results),
        "score": score_table(results),
        "rounds": rounds_of(results.contest, partial(_desk, results.contest)),
        "beside": prose()["beside"],
        "parts": parts_of(results.statistics, results.contest.speed / 1000),
        "missing": results.statistics["missing"],
    }
    return stream("results/results.html", context)


def page_parts(results: Results) -> dict[str, Any]:
    """What this page and the first page of the archive show, but for the outcome and the talks."""
    contest = results.contest
    schedule, verdicts, ballots = contest.counted
    means = {who: mean for who, _, mean in by_mean_rank(ranks_of(ballots))}
    ranked = {rank.participant for ballot in ballots for rank in ballot.ranks}
    return {
        "contest": contest_parts(results),
        "doc": results.document,
        "judges": schedule.roster.judges,
        "taken": taken_in(verdicts),
        "not_played": contest.not_played,
        "ranked": [(who, means.get(who)) for who in contest.people if who in ranked],
        "rank": lambda text: number(Fraction(text)),
        "mean": _mean,
    }


def contest_parts(results: Results) -> dict[str, Any]:
    """What a contest is called, where and how large it was, as pages show it."""
    contest, doc = results.contest, results.document["contest"]
    roles = [each["role"] for each in contest.people.values()]
    size = [several(roles.count(role), role, plural) for role, plural in
            (("judge", ""), ("entry", "entries"), ("confederate", ""))]  # fmt: skip
    size.append(several(len(results.document["schedule"]["rounds"]), "round"))
    return {
        "name": plain(doc["name"]),
        "where": plain(", ".join(part for part in (doc["venue"], doc["date"]) if part)),
        "size": ", ".join(size),
        "program": plain(doc["program"]),
        "speed": f"{doc['speed']:g}" if doc["speed"] != 1 else "",
        "opened": contest.wall(contest.state.first_ns).strftime(
            "Opened on %Y-%m-%d at %H:%M:%S UTC."
        ),
        "closed": doc["closed"],
    }


# The steps that are revealed


class Outcome(NamedTuple):
    """What the audience is shown of the result.

    Attributes:
        html: of what is revealed; empty before the first step.
        complete: whether all is revealed, and all talks can be played again.
    """

    html: str = ""
    complete: bool = False


def outcome_of(results: Results, shown: Collection[str] | None = None) -> Outcome:
    """The outcome as far as it is revealed.

    Arguments:
        results: of the contest, as it may be published.
        shown: the steps that are revealed; what the record says if left out.

    Raises:
        RecordTrouble: see `Results`.
    """
    state = results.contest.state
    steps = steps_of(state)
    revealed = [s for s in steps if s in (shown_steps(state) if shown is None else shown)]
    if not revealed:
        return Outcome()
    html = render("results/outcome.html", {"outcome": outcome_parts(results, revealed)})
    return Outcome(html, len(revealed) == len(steps))


def outcome_parts(results: Results, shown: Collection[str]) -> dict[str, Any]:
    """What the template `outcome.html` shows, for the steps that are revealed."""
    tally, prizes = results.contest.tally, results.contest.prizes
    places = {int(step.removeprefix("place ")) for step in shown if step.startswith("place ")}
    silver = scheduler.explain_silver(tally, prizes) if "prizes" in shown else ()
    every = standings(results, prizes="prizes" in shown)
    return {
        "final": results.contest.is_final,
        "names": _names(results.contest) if "names" in shown else [],
        "score": score_table(results, places) if "table" in shown else None,
        "standings": [each for each in every if each["place"] in places],
        "hidden": any(each["place"] not in places for each in every),
        "rules": scheduler.explain_rules(tally.rules),
        "words": scheduler.explain_places(tally) if 1 in places else [],
        "silver": [plain(line) for line in silver],
    }


def _names(contest: Contest) -> list[tuple[int, list[dict[str, Any]]]]:
    """Who sat where: each round's attempt that counts, a row a desk."""
    rounds: dict[int, list[dict[str, Any]]] = {}
    for talks in contest.desks:
        attempt, verdict = contest.attempt(talks[0]), contest.verdict(talks[0])
        if attempt is None or not attempt.counts:
            continue
        counts = verdict is not None and contest.why_void(verdict) is None
        sides = {
            talk.side: called(contest, talk.entity)
            | {"taken": counts and contest.taken_for_human(talk)}
            for talk in talks
        }
        desk = {"judge": called(contest, talks[0].judge), "sides": sides}
        rounds.setdefault(talks[0].round, []).append(desk)
    return list(rounds.items())


def called(contest: Contest, who: str, talk: Talk | None = None) -> dict[str, Any]:
    """Somebody as pages show them: id, name (of the person who sat there at a talk, or sits there
    now; empty where it is the id), and what they are."""
    name = plain(contest.name(who) if talk is None else contest.name_in(talk, who))
    kind = "program" if contest.is_entry(who) else "human"
    return {"id": who, "name": "" if name == who else name, "kind": kind}


# Tables


def standings(results: Results, *, prizes: bool | None = None) -> list[dict[str, Any]]:
    """The entries in the order of their places; with the prizes if the result is final, or as
    told."""
    contest, tally = results.contest, results.contest.tally
    won: dict[str, str] = {}
    if contest.is_final if prizes is None else prizes:
        awards = scheduler.awards(tally.entries, tally.silver, contest.prizes)
        words = scheduler.explain_prizes(tally, contest.prizes)
        won = {award.entry: line for award, line in zip(awards, words, strict=True)}
    return [
        {
            "id": each.entry,
            "name": plain(contest.name(each.entry)),
            "entrant": plain(str(contest.people.get(each.entry, {}).get("entrant") or "")),
            "place": each.place,
            "place_words": f"{ordinal(each.place).capitalize()} place{' (shared)' * each.tied}",
            "prize": plain(won.get(each.entry, "").removeprefix(f"{each.entry}: ")),
        }
        for each in tally.entries
    ]


def score_table(results: Results, places: Container[int] | None = None) -> dict[str, Any]:
    """The table of judges and entries, as pages show it.

    Arguments:
        results: of the contest.
        places: those that may be shown, each with its mean rank; all if left out.
    """
    order, rows, (score, *foot) = score_rows(results.contest.tally, _mean)
    shown = [places is None or standing.place in places for standing in order]
    return {
        "entries": [(each.entry, plain(results.contest.name(each.entry))) for each in order],
        "rows": rows,
        "score": score[1],
        "foot": [
            (
                name.capitalize(),
                [cell if is_shown else "" for cell, is_shown in zip(cells, shown, strict=True)],
            )
            for name, cells in foot
        ],
    }


def _mean(mean: float | Fraction | None) -> str:
    return "–" if mean is None else f"{float(mean):.4g}"


# Rounds and talks


def rounds_of(contest: Contest, desk: Callable[[Sequence[Talk]], Any]) -> Iterator[dict[str, Any]]:
    """All attempts with their desks, one by one.

    Arguments:
        contest: the contest.
        desk: makes of a desk's talks what a page shows of it, when the page has come to it.
    """
    for (at, attempt), group in groupby(contest.desks, key=lambda d: (d[0].round, d[0].attempt)):
        given_up = any(e.number == at and e.attempt > attempt for e in contest.attempts)
        desks = list(group)
        yield {
            "title": f"Round {at}{f', attempt {attempt}' * (attempt > 1 or given_up)}",
            "remark": " ".join(_remarks(contest, desks[0][0], given_up)),
            "counts": any(
                e.counts for e in contest.attempts if (e.number, e.attempt) == (at, attempt)
            ),
            "desks": map(desk, desks),
        }


def _remarks(contest: Contest, talk: Talk, given_up: bool) -> Iterator[str]:
    attempt = contest.attempt(talk)
    if attempt is not None and attempt.voided is not None:
        yield f"This attempt was voided: {plain(attempt.voided)}."
    elif attempt is None or not attempt.counts:
        yield "This attempt does not count." if given_up else "Not closed yet."
    if attempt is not None and attempt.started_ns is not None:
        yield f"Began at {contest.wall(attempt.started_ns):%H:%M:%S} UTC."
        for since, to, reason in attempt.pauses:
            seconds = "" if to is None else f" for {several((to - since) // 10**9, 'second')}"
            yield f"Stopped{seconds}: {plain(reason)}."
        for _, longer, reason in attempt.extensions:
            yield f"Made {several(longer, 'second')} longer: {plain(reason)}."


def _desk(contest: Contest, talks: Sequence[Talk]) -> dict[str, Any]:
    judge, said, verdict = talks[0].judge, "", contest.verdict(talks[0])
    entities = sorted(talks, key=lambda talk: not contest.is_entry(talk.entity))
    if verdict is not None:
        taken = " and ".join(talk.entity for talk in talks if contest.taken_for_human(talk))
        said = f"{judge} took {taken} for the human"
        if verdict.body.confidence is not None:
            said += f" (confidence {verdict.body.confidence} of 100)"
        if verdict.redacted:
            said += f"; the reason is {WITHHELD}."
        else:
            said += f": “{plain(verdict.body.reason)}”" if verdict.body.reason else "."
    for talk in entities:
        attempt = contest.attempt(talk)
        if talk.voided is not None and (attempt is None or attempt.voided is None):
            said += f" The talk with {talk.entity} was voided: {plain(talk.voided)}."
    return {
        "title": f"{judge} with {' and '.join(talk.entity for talk in entities)}",
        "verdict": said.strip(),
        "talks": [talk_parts(contest, talk) for talk in talks],
    }


def talk_parts(contest: Contest, talk: Talk) -> dict[str, Any]:
    """A talk as `talk.html` shows it: its lines, and a time line with the marks of both authors."""
    lines, typing = transcribe(contest, talk)
    length = max(1, contest.length_ms(talk) or 0)
    lanes = []
    for author in AUTHORS:
        # As fine as a screen shows: the same place is marked once.
        marks = [
            sorted({round(2 * _WIDE * min(1.0, max(0.0, at / length))) / 2 for at in times})
            for times in marks_of(contest, talk, author)
        ]
        who = talk.judge if author == "judge" else talk.entity
        words = typing_in_words(typing[author])
        lanes.append({"author": author, "who": who, "marks": marks, "words": words})
    return {
        **called(contest, talk.entity),
        "judge": talk.judge,
        "side": talk.side,
        "taken": contest.taken_for_human(talk),
        "withheld": WITHHELD.capitalize() + "." if contest.withheld(talk) else "",
        "lanes": lanes,
        "wide": _WIDE,
        "times": [(_WIDE * part // 5, clock(length * part // 5)) for part in range(6)],
        "lines": lines,
        "clock": clock,
    }
