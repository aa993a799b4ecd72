"""The results as one self-contained HTML page: no script, nothing from outside, and a policy in
the page itself that would refuse both. What people and programs typed is text, everywhere.

Its parts, such as tables, rounds and talks, are those of the archive's pages as well.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import groupby
from typing import Any

from markupsafe import Markup

from contest.history.tallying import played_schedule
from contest.history.transcript import clock, in_words, offset_ms, transcribe
from contest.history.views import ContestView, TalkView
from contest.pages import stream
from contest.pictures.charts import pictures_of
from contest.pictures.shapes import Picture, inline
from contest.results.document import Results, talk_json
from contest.state.incidents import WITHHELD
from contest.statistics.text import BESIDE, parts_of
from contest.verify.findings import several
from lpp.lines import drawn
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler.rules import STEPS
from scheduler.texts import number, ordinal, plain

#: Steps of a time line: as fine as a wide screen shows.
_WIDTH = 1000
#: Labels under a time line, evenly spaced.
_MARKS = 5
#: Of each lane: top of a Return's mark, top of a key's, the base line, the foot of a BackSpace's.
_LANES = {"judge": (3, 10, 23, 27), "entity": (31, 38, 51, 55)}


def page_stream(results: Results) -> Iterator[str]:
    """The results page, in parts no larger than a desk.

    Arguments:
        results: of a contest; one that is not finished is shown as far as it goes, and says so.

    Raises:
        RecordTrouble: see `Results`.
    """
    css = files("contest").joinpath("results", "templates", "results.css").read_text("utf-8")
    found = results.statistics
    # Nothing may be loaded or run, and the one style sheet is known by its hash.
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return stream(
        "results/results.html",
        page_parts(results)
        | {
            "css": Markup(css),
            "policy": policy,
            "pictures": {name: inline(each) for name, each in pictures(results).items()},
            "beside": BESIDE,
            "parts": parts_of(found),
            "missing": found.missing,
        },
    )


def pictures(results: Results) -> dict[str, Picture]:
    """The pictures of a contest; see `contest.pictures.charts.pictures_of`."""
    _, verdicts, ballots = results.counted
    places = [standing.entry for standing in results.tally.entries]
    played = played_schedule(results.view)
    return pictures_of(played, verdicts, ballots, places, results.statistics)


def page_parts(results: Results) -> dict[str, Any]:
    """What the page shows, but for style, policy and what stands beside the result."""
    view, doc = results.view, results.document
    return {
        "contest": contest_parts(results),
        "final": results.is_final,
        "revealed": view.revealed,
        "warnings": doc["tally"]["warnings"],
        "standings": standing_rows(results),
        "score": score_table(results),
        "words": doc["words"],
        "silver_words": [
            _without_heading(line, results.prizes.silver_medal) for line in doc["words"]["silver"]
        ],
        "silver": doc["silver"],
        "plan": plan_table(doc),
        "rankings": ranking_table(view, doc["rankings"]),
        "rounds": round_parts(view),
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


def _without_heading(line: str, medal: str) -> str:
    """A sentence without the heading that the page has above it."""
    said = line.removeprefix(f"{medal[:1].upper()}{medal[1:]}: ")
    return f"N{said[1:]}" if said.startswith("not ") else said


def contest_parts(results: Results) -> dict[str, Any]:
    """What a contest is called, where and how large it was, as pages show it."""
    view, contest = results.view, results.document["contest"]
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
        "size": f"{size}, {several(len(results.document['schedule']['rounds']), 'round')}",
        "program": plain(contest["program"]),
        "speed": f"{contest['speed']:g}" if contest["speed"] != 1 else "",
        "opened": view.wall(view.first_ns).strftime("Opened on %Y-%m-%d at %H:%M:%S UTC."),
        "closed": view.is_closed,
    }


# Tables


def standing_rows(results: Results) -> list[dict[str, Any]]:
    """The entries in the order of their places, as pages show them."""
    view, doc = results.view, results.document
    prizes = dict(zip((p["entry"] for p in doc["prizes"]), doc["words"]["prizes"], strict=True))
    said = []
    for standing in doc["tally"]["entries"]:
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


def score_table(results: Results, places: Container[int] | None = None) -> dict[str, Any]:
    """The table of judges and entries, as pages show it.

    Arguments:
        results: of the contest.
        places: those that may be shown, each with its mean rank; all if left out.
    """
    view, tally = results.view, results.document["tally"]
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
        results: a contest's document of results.
    """
    rounds = results["schedule"]["rounds"]
    judges = list(results["tally"]["table"])
    taken = {
        (talk["round"], talk["judge"]): talk["entity"]
        for talk in results["talks"]
        if talk["counts"] and talk["verdict"] is not None and talk["verdict"]["taken_for_human"]
    }
    not_played = (results["stopped"] or {}).get("not_played", ())
    rows = []
    for at, pairings in enumerate(rounds, 1):
        cells: dict[str, dict[str, Any]] = {}
        for pairing in pairings:
            human = taken.get((at, pairing["judge"]), "")
            cells[pairing["judge"]] = {
                "entry": pairing["entry"],
                "confederate": pairing["confederate"],
                "taken": human,
                "played": at not in not_played,
                "hit": human == pairing["entry"],
            }
        rows.append({"round": at, "cells": [cells.get(judge) for judge in judges]})
    return {"judges": judges, "rows": rows, "words": results["schedule"]["words"]}


def ranking_table(view: ContestView, rankings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The judges' ballots, as pages show them.

    Arguments:
        view: the contest.
        rankings: those of its document of results.
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


# Rounds and talks


def round_parts(view: ContestView) -> Iterator[dict[str, Any]]:
    """All attempts with their desks and talks, as pages show them, one by one: a desk is made when
    a page has come to it.

    Arguments:
        view: the contest.
    """
    numbers = {talk.id: at for at, talk in enumerate(view.talks, 1)}
    for (at, attempt), group in groupby(view.talks, key=lambda talk: (talk.round, talk.attempt)):
        of_round = list(group)
        first = of_round[0]
        again = f", attempt {attempt}" if attempt > 1 or _is_given_up(view, first) else ""
        yield {
            "title": f"Round {at}{again}",
            "remark": _remark(view, first),
            "desks": (
                _desk(view, judge, [(talk, talk_json(view, talk)) for talk in same], numbers)
                for judge, same in groupby(of_round, key=lambda talk: talk.judge)
            ),
        }


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
        doc: the same as `talk_json`.
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
                "runs": _drawn(line.runs) if line.corrected else (),
            }
            for line in written.lines
        ],
    }


def _drawn(runs: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Runs of characters, with no more accents on a letter than are drawn."""
    shown, before = [], ""
    for text, stands in runs:
        shown.append((drawn(text, before), stands))
        before += text
    return shown


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
