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
from typing import Any

from markupsafe import Markup

from contest.pages import render
from contest.record.events import canonical
from contest.record.reading import EventLog
from contest.results import tables
from contest.results.contest import steps_of
from contest.results.document import Results
from contest.results.page import (
    called,
    contest_parts,
    outcome_parts,
    page_parts,
    page_stream,
    rounds_of,
    talk_parts,
)
from contest.results.tables import Content, Files
from contest.results.transcript import file_name, own_names
from contest.state.model import Talk
from lpp.names import char_of
from scheduler.texts import plain

#: What lies beside the pages: name to package and file of its `static/`.
BESIDE: Mapping[str, tuple[str, str]] = {
    "style.css": ("pages", "style.css"),
    "spectators.css": ("audience", "spectators.css"),
    "conversation.js": ("audience", "conversation.js"),
    "player.js": ("audience", "player.js"),
    "icon.svg": ("pages", "icon.svg"),
}
#: Speeds that a talk is played at.
SPEEDS = (0.5, 1, 2, 4, 8, 16, 32, 64)

_WORDS = {
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


def record_lines(log: EventLog) -> Content:
    """A record, canonical, an event a line."""
    return (canonical(each.as_json()) + b"\n" for each in log.events())


class Site:
    """The pages of a contest.

    Arguments:
        results: of the record as it may be published.

    Attributes:
        names: of all files, with `/` between folder and file.

    Raises:
        RecordTrouble: see `contest.results.document.Results`.
    """

    def __init__(self, results: Results) -> None:
        self._results, self._contest = results, results.contest
        talks = self._contest.talks
        pages = own_names(f"{file_name(talk, talk.side)}.html" for talk in talks)
        self._pages = [f"talks/{page}" for page in pages]
        self._numbers = {talk.id: number for number, talk in enumerate(talks)}
        withheld = any(map(self._contest.withheld, talks))
        self._downloads = [name for name in _WORDS if withheld or name != "withheld.csv"]
        self._makers: dict[str, Callable[[], Content]] = {
            "index.html": self._index,
            **{page: partial(self._talk, number) for number, page in enumerate(self._pages)},
            **{name: partial(_beside, *where) for name, where in BESIDE.items()},
            "results.html": lambda: map(str.encode, page_stream(self._results)),
            **{f"downloads/{name}": partial(self._download, name) for name in self._downloads},
        }
        self.names = tuple(self._makers)

    def file(self, name: str) -> Content:
        """A file's bytes, in parts.

        Arguments:
            name: one of `names`.
        """
        return self._makers[name]()

    def files(self) -> Files:
        """All files by name."""
        return ((name, self.file(name)) for name in self.names)

    def _index(self) -> Content:
        steps = steps_of(self._contest.state) or ["names", "table"]
        context = page_parts(self._results) | {
            "here": "",
            "outcome": outcome_parts(self._results, steps),
            "rounds": list(rounds_of(self._contest, self._desk)),
            "downloads": [(name, _WORDS[name]) for name in self._downloads],
        }
        return (render("results/site_index.html", context).encode(),)

    def _desk(self, talks: Sequence[Talk]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        judge = called(self._contest, talks[0].judge, talks[0])
        return judge, list(map(self._named, talks))

    def _talk(self, number: int) -> Content:
        contest, talk = self._contest, self._contest.talks[number]
        desk = next(each for each in contest.desks if talk in each)
        verdict = contest.verdict(talk)
        context = {
            "here": "../",
            "contest": contest_parts(self._results),
            "talk": talk_parts(contest, talk) | self._named(talk),
            "judge": called(contest, talk.judge, talk),
            "place": f"Round {talk.round}{f', attempt {talk.attempt}' * (talk.attempt > 1)}, "
            f"{talk.side}",
            "counts": contest.counts(talk),
            "voided": plain(contest.voided(talk) or ""),
            "confidence": None if verdict is None else verdict.body.confidence,
            "panes": list(map(self._named, desk)),
            "speeds": SPEEDS,
            "data": self._data(desk),
            "other": next((self._named(each) for each in desk if each is not talk), None),
            "before": self._pages[number - 1] if number else "",
            "after": self._pages[number + 1] if number + 1 < len(self._pages) else "",
        }
        return (render("results/site_talk.html", context).encode(),)

    def _named(self, talk: Talk) -> dict[str, Any]:
        return called(self._contest, talk.entity, talk) | {
            "side": talk.side,
            "address": self._pages[self._numbers[talk.id]],
            "left_out": self._contest.withheld(talk),
        }

    def _data(self, desk: Sequence[Talk]) -> Markup:
        """What the player plays, as JSON that can stand in a page: nothing in it ends the
        element."""
        talks, length = [], 1
        for talk in desk:
            keys = [
                (max(0, self._contest.offset_ms(talk, key.mono_ns)), int(key.author == "entity"), c)
                for key in self._contest.shown(talk)
                if (c := char_of(key.key)) is not None
            ]
            length = max(length, *(at for at, _, _ in keys), self._contest.length_ms(talk) or 0)
            named = self._named(talk)
            talks.append({"name": named["name"] or named["id"], "keys": keys})
        text = json.dumps({"length_ms": length, "talks": talks}, separators=(",", ":"))
        return Markup(text.translate({ord(c): rf"\u{ord(c):04x}" for c in "&<>"}))

    def _download(self, wanted: str) -> Content:
        if wanted == tables.FILE_NAME:
            names = (name for name in self._downloads if name.endswith(".csv"))
            return (tables.describe(self._contest, names),)
        if wanted == "events.jsonl":
            return record_lines(self._contest.log)
        if wanted == "results.json":
            return map(str.encode, self._results.stream())
        return tables.as_csv(wanted, tables.contest_tables(self._contest)[wanted])


def _beside(package: str, name: str) -> Content:
    return (files("contest").joinpath(package, "static", name).read_bytes(),)
