"""Results as pages: the whole as one self-contained HTML page, and the steps that are revealed.

The page has no script, loads nothing from outside, and has a policy that would refuse both. What
people and programs typed is text, everywhere. Its parts, such as tables, rounds and talks, are
those of the archive's pages as well.

One template shows the revealed steps (`contest.results.contest.steps_of`): on the live page, on the
page for readers without scripts, and in the archive. It is made of the record as it may be
published, and of these steps alone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

import scheduler
from contest.pages import render, stream
from contest.results.contest import Contest, shown_steps, steps_of
from contest.results.document import Results
from contest.results.pictures import inline, pictures_of, time_line
from contest.results.text import parts_of, prose
from contest.results.transcript import clock, transcribe
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from contest.verify.findings import several
from lpp.lines import drawn
from scheduler.rules import STEPS
from scheduler.texts import number, ordinal, plain


def page_stream(results: Results) -> Iterator[str]:
    """The results page, in parts no larger than a desk.

    Arguments:
        results: of a contest; one that is not finished is shown as far as it goes, and says so.

    Raises:
        RecordTrouble: see `Results`.
    """
    css = files("contest").joinpath("results", "templates", "results.css").read_text("utf-8")
    # Nothing may be loaded or run, and the one style sheet is known by its hash.
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    context = page_parts(results) | {
        "css": Markup(css),
        "policy": policy,
        "rounds": _rounds(results),
        "pictures": {name: inline(each) for name, each in pictures_of(results).items()},
        "beside": prose()["beside"],
        "parts": parts_of(results.statistics, results.contest.speed / 1000),
        "missing": results.statistics["missing"],
    }
    return stream("results/results.html", context)


def page_parts(results: Results) -> dict[str, Any]:
    """What this page and the first page of the archive show, but for the talks."""
    contest, doc = results.contest, results.document
    medal = contest.prizes.silver_medal
    heading = f"{medal[:1].upper()}{medal[1:]}: "
    silver = (line.removeprefix(heading) for line in doc["words"]["silver"])
    return {
        "contest": contest_parts(results),
        "final": doc["final"],
        "revealed": contest.state.revealed,
        "warnings": doc["tally"]["warnings"],
        "standings": _standings(results),
        "score": score_table(results),
        "words": doc["words"],
        # The page has the heading above it.
        "silver_words": [f"N{line[1:]}" if line.startswith("not ") else line for line in silver],
        "silver": doc["silver"],
        "plan": _plan(doc),
        "rankings": _rankings(results),
        "incidents": [
            (f"{contest.wall(each.mono_ns):%H:%M:%S}", plain(each.who), plain(each.what))
            for each in contest.incidents
        ],
        "record": {"events": several(contest.log.count(), "event"), "head": contest.head},
    }


def contest_parts(results: Results) -> dict[str, Any]:
    """What a contest is called, where and how large it was, as pages show it."""
    contest, doc = results.contest, results.document["contest"]
    roles = list(contest.roles.values())
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
    return {
        "final": results.contest.is_final,
        "names": _names(results.contest) if "names" in shown else [],
        "score": score_table(results, places) if "table" in shown else None,
        "standings": [
            {**each, "first": each["place"] == 1}
            for each in _standings(results, prizes="prizes" in shown)
            if each["place"] in places
        ],
        "hidden": any(standing.place not in places for standing in tally.entries),
        "rules": scheduler.explain_rules(tally.rules),
        "words": scheduler.explain_places(tally) if 1 in places else [],
        "silver": [plain(line) for line in silver],
    }


def _names(contest: Contest) -> list[dict[str, Any]]:
    """Who sat where: of each round's attempt that counts, a row a desk."""

    def called(who: str) -> dict[str, str]:
        name = plain(contest.name(who))
        return {"id": who, "name": "" if name == who else name}

    rounds: dict[int, list[dict[str, Any]]] = {}
    for talks in contest.desks:
        attempt, verdict = contest.attempt(talks[0]), contest.verdict(talks[0])
        if attempt is None or not attempt.counts:
            continue
        counts = verdict is not None and contest.why_void(verdict) is None
        sides = {
            talk.side: called(talk.entity)
            | {
                "program": contest.is_entry(talk.entity),
                "taken": counts and contest.taken_for_human(talk),
            }
            for talk in talks
        }
        desk = {"judge": called(talks[0].judge), "sides": sides}
        rounds.setdefault(talks[0].round, []).append(desk)
    return [{"number": number, "desks": desks} for number, desks in rounds.items()]


# Tables


def _standings(results: Results, *, prizes: bool | None = None) -> list[dict[str, Any]]:
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
    tally = results.document["tally"]
    order = list(next(iter(tally["table"].values()), {}))
    of = {standing["entry"]: standing for standing in tally["entries"]}
    return {
        "entries": [
            {
                "id": entry,
                "name": plain(results.contest.name(entry)),
                "score": of[entry]["score"],
                "mean": _mean(of[entry]["mean_rank"]),
                "place": of[entry]["place"],
                "hidden": places is not None and of[entry]["place"] not in places,
                "tied": of[entry]["tied"],
            }
            for entry in order
        ],
        "rows": [
            {"judge": judge, "cells": [row[entry] for entry in order]}
            for judge, row in tally["table"].items()
        ],
        "steps": [
            {
                "heading": STEPS[name].heading,
                "cells": [_mean(of[entry]["values"][name]) for entry in order],
            }
            for name in tally.get("rules", {}).get("tally", ())
            if name not in ("column-sum", "mean-rank")
        ],
    }


def _mean(mean: float | Fraction | None) -> str:
    return "–" if mean is None else f"{float(mean):.4g}"


def _plan(doc: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule, with whom each judge took for the human."""
    judges = list(doc["tally"]["table"])
    taken = {
        (talk["round"], talk["judge"]): talk["entity"]
        for talk in doc["talks"]
        if talk["counts"] and talk["verdict"] is not None and talk["verdict"]["taken_for_human"]
    }
    not_played = (doc["stopped"] or {}).get("not_played", ())
    rows = []
    for at, pairings in enumerate(doc["schedule"]["rounds"], 1):
        cells = {}
        for pairing in pairings:
            human = taken.get((at, pairing["judge"]), "")
            shown = {"taken": human, "hit": human == pairing["entry"]}
            cells[pairing["judge"]] = pairing | shown | {"played": at not in not_played}
        rows.append({"round": at, "cells": [cells.get(judge) for judge in judges]})
    return {"judges": judges, "rows": rows, "words": doc["schedule"]["words"]}


def _rankings(results: Results) -> dict[str, Any]:
    """The judges' ballots, and the means of those that count."""
    rankings = results.document["rankings"]
    people = [who for who in results.contest.people if any(who in r["ranks"] for r in rankings)]
    means = []
    for who in people:
        counted = (r["ranks"].get(who) for r in rankings if r["status"] == "counted")
        given = [Fraction(rank) for rank in counted if rank is not None]
        means.append(_mean(sum(given, Fraction(0)) / len(given) if given else None))
    rows = [
        {
            "judge": each["judge"],
            "excluded": each["status"] == "excluded",
            "ranks": [
                number(Fraction(each["ranks"][who])) if who in each["ranks"] else "–"
                for who in people
            ],
        }
        for each in rankings
    ]
    return {"people": people, "rows": rows, "means": means}


# Rounds and talks


def _rounds(results: Results) -> Iterator[dict[str, Any]]:
    """All attempts with their desks and talks, one by one: a desk is made when a page has come to
    it."""
    contest = results.contest
    numbers = {talk.id: at for at, talk in enumerate(contest.talks, 1)}
    for (at, attempt), group in groupby(contest.desks, key=lambda d: (d[0].round, d[0].attempt)):
        given_up = any(e.number == at and e.attempt > attempt for e in contest.attempts)
        desks = list(group)
        yield {
            "title": f"Round {at}{f', attempt {attempt}' * (attempt > 1 or given_up)}",
            "remark": " ".join(_remarks(contest, desks[0][0], given_up)),
            "desks": (_desk(results, talks, numbers) for talks in desks),
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


def _desk(results: Results, talks: Sequence[Talk], numbers: Mapping[str, int]) -> dict[str, Any]:
    contest, judge = results.contest, talks[0].judge
    entities = sorted(talks, key=lambda talk: not contest.is_entry(talk.entity))
    said, verdict = "", contest.verdict(talks[0])
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
        "number": numbers[talks[0].id],
        "title": f"{judge} with {' and '.join(talk.entity for talk in entities)}",
        "verdict": said.strip(),
        "talks": [talk_parts(contest, talk, numbers[talk.id]) for talk in talks],
    }


def talk_parts(contest: Contest, talk: Talk, at: int) -> dict[str, Any]:
    """A talk as `talk.html` shows it; `at` is its number on the page."""
    lines, typing = transcribe(contest, talk)
    name = plain(contest.name(talk.entity))
    return {
        "judge": talk.judge,
        "entity": talk.entity,
        "name": "" if name == talk.entity else name,
        "role": "program" if contest.is_entry(talk.entity) else "human",
        "side": talk.side.capitalize(),
        "taken": contest.taken_for_human(talk),
        "withheld": WITHHELD.capitalize() + "." if contest.withheld(talk) else "",
        "picture": inline(time_line(contest, [talk], f"keys-{at}")),
        "words": [(talk.judge, typing["judge"].in_words()),
                  (talk.entity, typing["entity"].in_words())],
        "lines": [
            {
                "clock": clock(line.offset_ms),
                "author": line.author,
                "who": talk.judge if line.author == "judge" else talk.entity,
                "text": line.text,
                "finished": line.finished,
                "runs": _drawn(line.runs) if line.corrected else (),
            }
            for line in lines
        ],
    }  # fmt: skip


def _drawn(runs: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Runs of characters, with no more accents on a letter than are drawn."""
    shown, before = [], ""
    for text, stands in runs:
        shown.append((drawn(text, before), stands))
        before += text
    return shown
