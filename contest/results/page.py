"""The results as one self-contained HTML page: no script, nothing from outside, and a policy in
the page itself that would refuse both. What people and programs typed is text, everywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from contest.history.views import ContestView
from contest.pages import stream
from contest.pictures import inline, pictures_of
from contest.results.document import results_json
from contest.results.rounds import round_parts
from contest.results.tables import plan_table, ranking_table, score_table, standing_rows
from contest.statistics import BESIDE, statistics_of, told
from contest.verification.findings import several
from scheduler.texts import plain


def html_page(view: ContestView) -> str:
    """The results page.

    Arguments:
        view: a contest; one that is not finished is shown as far as it goes, and says so.

    Returns:
        A whole HTML document.

    Raises:
        RecordTrouble: as `contest.results.document.results_json`.
    """
    return "".join(page_stream(view))


def page_stream(view: ContestView) -> Iterator[str]:
    """The same page in parts no larger than a desk; arguments and errors as for `html_page`."""
    css = files("contest").joinpath("results", "templates", "results.css").read_text("utf-8")
    parts = {**page_parts(view, results_json(view, typed=False)), **_beside(view)}
    look = {"css": Markup(css), "policy": _policy(css)}
    return stream("results/results.html", {**parts, **look})


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
        results: its `results_json`; what was typed may be left out.
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
