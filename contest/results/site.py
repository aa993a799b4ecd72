"""A contest as a folder of pages for any web server, or none: results, schedule, and a page a talk
with its transcript and a player.

All is readable without scripts; the player is an enhancement. Links are relative; style, scripts
and the record as it may be published, for readers who want to check it, are files beside the pages.
Names of files are made of rounds, attempts and ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import TypeAlias

from markupsafe import Markup

from contest.pages import render
from contest.results import tables
from contest.results.document import Results
from contest.results.page import named, page_parts, page_stream, talk_parts
from contest.results.tables import Content
from contest.results.transcript import clock, file_name, own_names
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.names import char_of

#: Names of files, with `/` between folder and file, each with what makes its bytes.
Makers: TypeAlias = dict[str, Callable[[], Content]]

#: What lies beside the pages, in `static/` of these packages.
BESIDE = (
    *("pages/style.css", "audience/spectators.css"),
    *("audience/conversation.js", "audience/player.js", "pages/icon.svg"),
)
#: Speeds that a talk is played at.
SPEEDS = (0.5, 1, 2, 4, 8, 16, 32, 64)

#: What can be taken home, in words.
_WORDS: Mapping[str, str] = {
    "events.jsonl": "the record, an event a line, to be verified",
    "results.json": "the results, for programs",
    "keys.csv": "every key press, with its times",
    "talks.csv": "all talks",
    "withheld.csv": "the talks that are left out",
    "schedule.csv": "who met whom",
    "verdicts.csv": "the verdicts",
    "rankings.csv": "the rankings",
    tables.FILE_NAME: "what each column of these tables holds",
}


def site(results: Results) -> Makers:
    """The pages of a contest, and what lies beside them.

    Arguments:
        results: of the record as it may be published.

    Raises:
        RecordTrouble: see `Results`.
    """
    talks = results.contest.talks
    own = own_names((f"{file_name(talk, talk.side)}.html", talk) for talk in talks)
    pages = {talk.id: f"talks/{name}" for name, talk in own}
    downloads = _downloads(results)

    def index() -> Content:
        context = page_parts(results, partial(named, results)) | {
            "pages": pages,
            "downloads": [(name, words) for name, words in _WORDS.items() if name in downloads],
        }
        return (render("results/results.html", context).encode(),)

    return {
        "index.html": index,
        **{pages[talk.id]: partial(_page, results, talk, pages) for talk in talks},
        **{name.partition("/")[2]: partial(_beside, *name.split("/")) for name in BESIDE},
        "results.html": lambda: map(str.encode, page_stream(results)),
        **{f"downloads/{name}": maker for name, maker in downloads.items()},
    }


def _beside(package: str, name: str) -> Content:
    return (files("contest").joinpath(package, "static", name).read_bytes(),)


def _downloads(results: Results) -> Makers:
    contest = results.contest
    names = list(tables.contest_tables(contest))
    return {
        "events.jsonl": lambda: tables.record_lines(contest.log),
        "results.json": lambda: map(str.encode, results.stream()),
        **{
            name: lambda name=name: tables.as_csv(name, tables.contest_tables(contest)[name])  # type: ignore[misc]
            for name in names
        },
        tables.FILE_NAME: lambda: (tables.describe(contest, names),),
    }


def _page(results: Results, talk: Talk, pages: Mapping[str, str]) -> Content:
    """The page of a talk; `pages` are those of all talks, in their order."""
    around, at = list(pages), list(pages).index(talk.id)
    desk = next(each for each in results.contest.desks if talk in each)
    context = {
        "here": "../",
        "doc": results.document,
        "talk": talk_parts(results, talk),
        "desk": [named(results, each) for each in desk],
        "pages": pages,
        "withheld": WITHHELD,
        "speeds": SPEEDS,
        "data": _data(results, desk),
        "before": around[at - 1] if at else None,
        "after": around[at + 1] if at + 1 < len(around) else None,
        "clock": clock,
    }
    return (render("results/site_talk.html", context).encode(),)


def _data(results: Results, desk: Sequence[Talk]) -> Markup:
    """What the player plays, as JSON that can stand in a page: nothing in it ends the element."""
    contest, talks, length = results.contest, [], 1
    for talk in desk:
        keys = [
            (max(0, contest.offset_ms(talk, key.mono_ns)), int(key.author == "entity"), char)
            for key in contest.shown(talk)
            if (char := char_of(key.key)) is not None
        ]
        length = max(length, *(at for at, _, _ in keys), contest.length_ms(talk) or 0)
        name = named(results, talk)["names"][talk.entity] or talk.entity
        talks.append({"name": name, "keys": keys})
    text = json.dumps({"length_ms": length, "talks": talks}, separators=(",", ":"))
    return Markup(text.translate({ord(c): rf"\u{ord(c):04x}" for c in "&<>"}))
