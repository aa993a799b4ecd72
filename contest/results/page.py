"""The results as one self-contained HTML page: no script, nothing from outside, and a policy in
the page itself that would refuse both. What people and programs typed is text, everywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import groupby
from typing import Any

from markupsafe import Markup

from contest.history.consents import WITHHELD
from contest.history.transcript import clock, in_words, offset_ms, transcribe
from contest.history.views import ContestView, TalkView
from contest.pages import render
from contest.pictures import inline, pictures_of
from contest.results.document import results_json
from contest.statistics import BESIDE, statistics_of, told
from contest.verification.findings import several
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler.numbers import number, ordinal
from scheduler.texts import plain
from scheduler.ties import STEPS

#: Steps of a time line: as fine as a wide screen shows.
_WIDTH = 1000
#: Labels under a time line, evenly spaced.
_MARKS = 5
#: Of each lane: top of a Return's mark, top of a key's, the base line, the foot of a BackSpace's.
_LANES = {"judge": (3, 10, 23, 27), "entity": (31, 38, 51, 55)}


def html_page(view: ContestView) -> str:
    """The results page.

    Arguments:
        view: a contest; one that is not finished is shown as far as it goes, and says so.

    Returns:
        A whole HTML document.

    Raises:
        RecordTrouble: as `contest.results.document.results_json`.
    """
    css = files("contest").joinpath("results", "templates", "results.css").read_text("utf-8")
    parts = {**page_parts(view, results_json(view)), **_beside(view)}
    look = {"css": Markup(css), "policy": _policy(css)}
    return render("results/results.html", {**parts, **look})


def _policy(css: str) -> str:
    """Nothing may be loaded or run, and the one style sheet is known by its hash."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _beside(view: ContestView) -> dict[str, Any]:
    """What stands beside the official result: pictures, and what the numbers say."""
    found = statistics_of(view)
    return {
        "pictures": {name: inline(made) for name, made in pictures_of(view, found).items()},
        "beside": BESIDE,
        "parts": told(found),
        "missing": found.missing,
    }


def page_parts(view: ContestView, results: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows, but for style and policy.

    Arguments:
        view: the contest.
        results: its `results_json`.
    """
    return {
        "contest": contest_parts(view, results),
        "final": results["final"],
        "revealed": view.revealed,
        "warnings": results["tally"]["warnings"],
        "standings": standing_rows(view, results),
        "score": score_table(view, results["tally"]),
        "words": results["words"],
        "silver_words": [_bare(line, results) for line in results["words"]["silver"]],
        "silver": results["silver"],
        "plan": plan_table(results),
        "rankings": ranking_table(view, results["rankings"]),
        "rounds": round_parts(view, results),
        "incidents": [
            {
                "time": view.wall(each.mono_ns).strftime("%H:%M:%S"),
                "who": plain(each.who),
                "what": plain(each.what),
            }
            for each in view.incidents
        ],
        "record": {"events": several(view.events, "event"), "head": view.head},
    }


def _bare(line: str, results: Mapping[str, Any]) -> str:
    """A sentence without the heading that the page has above it."""
    medal = results["rules"]["prizes"]["silver_medal"]
    said = line.removeprefix(f"{medal[:1].upper()}{medal[1:]}: ")
    return f"N{said[1:]}" if said.startswith("not ") else said


def contest_parts(view: ContestView, results: Mapping[str, Any]) -> dict[str, Any]:
    """What a contest is called, where and how large it was, as pages show it.

    Arguments:
        view: the contest.
        results: its `results_json`.
    """
    contest = results["contest"]
    roles = [person.role for person in view.people.values()]
    size = ", ".join(
        several(roles.count(role), role, plural)
        for role, plural in (
            ("judge", "judges"),
            ("entry", "entries"),
            ("confederate", "confederates"),
        )
    )
    return {
        "name": plain(contest["name"]),
        "where": plain(", ".join(part for part in (contest["venue"], contest["date"]) if part)),
        "size": f"{size}, {several(len(results['schedule']['rounds']), 'round')}",
        "program": plain(contest["program"]),
        "speed": f"{contest['speed']:g}" if contest["speed"] != 1 else "",
        "opened": view.wall(view.first_ns).strftime("Opened on %Y-%m-%d at %H:%M:%S UTC."),
        "closed": view.is_closed,
    }


def standing_rows(view: ContestView, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries in the order of their places, as pages show them.

    Arguments:
        view: the contest.
        results: its `results_json`.
    """
    prizes = dict(
        zip((p["entry"] for p in results["prizes"]), results["words"]["prizes"], strict=True)
    )
    said = []
    for standing in results["tally"]["entries"]:
        entry = standing["entry"]
        person = view.people.get(entry)
        shared = " (shared)" if standing["tied"] else ""
        said.append(
            {
                "id": entry,
                "name": plain(view.name(entry)),
                "entrant": "" if person is None else plain(person.entrant),
                "place": standing["place"],
                "place_words": f"{ordinal(standing['place']).capitalize()} place{shared}",
                "prize": prizes.get(entry, "").removeprefix(f"{entry}: "),
            }
        )
    return said


def score_table(
    view: ContestView, tally: Mapping[str, Any], places: Container[int] | None = None
) -> dict[str, Any]:
    """The table of judges and entries, as pages show it.

    Arguments:
        view: the contest.
        tally: that of its `results_json`.
        places: those that may be shown, each with its mean rank; all if left out.
    """
    table = tally["table"]
    order = list(next(iter(table.values()), {}))
    of = {standing["entry"]: standing for standing in tally["entries"]}
    return {
        "entries": [
            {
                "id": entry,
                "name": plain(view.name(entry)),
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
            for judge, row in table.items()
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


def plan_table(results: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule with whom each judge took for the human, as pages show it.

    Arguments:
        results: a contest's `results_json`.
    """
    rounds = results["schedule"]["rounds"]
    judges = list(results["tally"]["table"])
    taken = {
        (talk["round"], talk["judge"]): talk["entity"]
        for talk in results["talks"]
        if talk["counts"] and talk["verdict"] is not None and talk["verdict"]["taken_for_human"]
    }
    rows = []
    for at, pairings in enumerate(rounds, 1):
        cells: dict[str, dict[str, Any]] = {}
        for pairing in pairings:
            human = taken.get((at, pairing["judge"]), "")
            cells[pairing["judge"]] = {
                "entry": pairing["entry"],
                "confederate": pairing["confederate"],
                "taken": human,
                "hit": human == pairing["entry"],
            }
        rows.append({"round": at, "cells": [cells.get(judge) for judge in judges]})
    return {"judges": judges, "rows": rows, "words": results["schedule"]["words"]}


def ranking_table(view: ContestView, rankings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The judges' ballots, as pages show them.

    Arguments:
        view: the contest.
        rankings: those of its `results_json`.
    """
    counted = [each for each in rankings if each["status"] == "counted"]
    ranked = {name for each in rankings for name in each["ranks"]}
    people = [person for person in view.people if person in ranked]
    rows, means = [], []
    for each in rankings:
        ranks = [each["ranks"].get(person) for person in people]
        told = ["–" if rank is None else number(Fraction(rank)) for rank in ranks]
        excluded = plain(each["reason"]) if each["status"] == "excluded" else ""
        rows.append({"judge": each["judge"], "ranks": told, "excluded": excluded})
    for person in people:
        given = [Fraction(each["ranks"][person]) for each in counted if person in each["ranks"]]
        means.append(_mean(sum(given, Fraction(0)) / len(given) if given else None))
    return {"people": people, "rows": rows, "means": means}


def round_parts(view: ContestView, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All attempts with their desks and talks, as pages show them.

    Arguments:
        view: the contest.
        results: its `results_json`.
    """
    pairs = list(zip(view.talks, results["talks"], strict=True))
    numbers = {talk.id: at for at, talk in enumerate(view.talks, 1)}
    rounds = []
    for (at, attempt), group in groupby(pairs, key=lambda pair: (pair[0].round, pair[0].attempt)):
        of_round = list(group)
        first = of_round[0][0]
        again = f", attempt {attempt}" if attempt > 1 or _is_given_up(view, first) else ""
        desks = []
        for judge, same in groupby(of_round, key=lambda pair: pair[0].judge):
            desks.append(_desk(view, judge, list(same), numbers))
        rounds.append(
            {
                "title": f"Round {at}{again}",
                "remark": _remark(view, first),
                "desks": desks,
            }
        )
    return rounds


def _is_given_up(view: ContestView, talk: TalkView) -> bool:
    return any(each.number == talk.round and each.attempt > talk.attempt for each in view.rounds)


def _remark(view: ContestView, talk: TalkView) -> str:
    said = []
    timing = talk.timing
    if timing is not None and timing.voided is not None:
        said.append(f"This attempt was voided: {plain(timing.voided)}.")
    elif timing is None or not timing.counts:
        given_up = _is_given_up(view, talk)
        said.append("This attempt does not count." if given_up else "Not closed yet.")
    if timing is not None and timing.started_ns is not None:
        said.append(view.wall(timing.started_ns).strftime("Began at %H:%M:%S UTC."))
        for since, to, reason in timing.pauses:
            seconds = "" if to is None else f" for {several((to - since) // 10**9, 'second')}"
            said.append(f"Stopped{seconds}: {plain(reason)}.")
        for _, longer, reason in timing.extensions:
            said.append(f"Made {several(longer, 'second')} longer: {plain(reason)}.")
    return " ".join(said)


def _desk(
    view: ContestView,
    judge: str,
    pairs: Sequence[tuple[TalkView, Mapping[str, Any]]],
    numbers: Mapping[str, int],
) -> dict[str, Any]:
    entities = sorted((talk for talk, _ in pairs), key=lambda talk: not view.is_entry(talk.entity))
    verdict = pairs[0][1]["verdict"]
    said = ""
    if verdict is not None:
        taken = [talk.entity for talk, doc in pairs if doc["verdict"]["taken_for_human"]]
        said = f"{judge} took {' and '.join(taken)} for the human"
        if verdict["confidence"] is not None:
            said += f" (confidence {verdict['confidence']} of 100)"
        if verdict["reason"] is None:
            said += f"; the reason is {WITHHELD}."
        else:
            said += f": “{plain(verdict['reason'])}”" if verdict["reason"] else "."
    for talk in entities:
        if talk.voided is not None and (talk.timing is None or talk.timing.voided is None):
            said += f" The talk with {talk.entity} was voided: {plain(talk.voided)}."
    said = said.strip()
    names = " and ".join(talk.entity for talk in entities)
    return {
        "number": numbers[pairs[0][0].id],
        "title": f"{judge} with {names}",
        "verdict": said,
        "talks": [
            talk_parts(view, talk, doc) | {"number": numbers[talk.id]} for talk, doc in pairs
        ],
    }


def talk_parts(view: ContestView, talk: TalkView, doc: Mapping[str, Any]) -> dict[str, Any]:
    """A talk as `talk.html` shows it.

    Arguments:
        view: the contest.
        talk: one of its talks.
        doc: the same in its `results_json`.
    """
    written = transcribe(talk)
    length = max(1, doc["length_ms"] or 0)
    name = plain(view.name(talk.entity))
    return {
        "judge": talk.judge,
        "entity": talk.entity,
        "name": "" if name == talk.entity else name,
        "role": "program" if view.is_entry(talk.entity) else "human",
        "side": talk.side.capitalize(),
        "taken": doc["verdict"] is not None and doc["verdict"]["taken_for_human"],
        "withheld": WITHHELD.capitalize() + "." if talk.withheld else "",
        "length": clock(length),
        "judge_words": in_words(written.judge),
        "entity_words": in_words(written.entity),
        "marks": [clock(length * mark // (_MARKS - 1)) for mark in range(_MARKS)],
        "ticks": _ticks(talk, length),
        "lines": [
            {
                "clock": clock(line.offset_ms),
                "author": line.author,
                "who": talk.judge if line.author == "judge" else talk.entity,
                "text": line.text,
                "finished": line.finished,
                "runs": line.runs if line.corrected else (),
            }
            for line in written.lines
        ],
    }


def _ticks(talk: TalkView, length_ms: int) -> list[dict[str, str]]:
    """The marks of a time line as SVG paths, one for each kind of key of each author."""
    places: dict[tuple[str, str], set[int]] = {}
    for key in talk.shown():
        char = char_of(key.key)
        kind = {"\n": "return", BACKSPACE_CHAR: "back"}.get(char or "", "key")
        at = round(min(1.0, max(0.0, offset_ms(talk, key.mono_ns) / length_ms)) * _WIDTH)
        places.setdefault((key.author, kind), set()).add(at)
    paths = []
    for (author, kind), marks in sorted(places.items()):
        tall, top, base, foot = _LANES[author]
        begin, end = {"return": (tall, base), "back": (base, foot)}.get(kind, (top, base))
        path = "".join(f"M{at} {begin}V{end}" for at in sorted(marks))
        paths.append({"kind": f"{kind} {author}" if kind != "back" else "back", "path": path})
    return paths
