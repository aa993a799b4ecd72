"""A contest as a folder of pages for any web server, or none: results, schedule, and a page a talk
with its transcript and a player.

All is readable without scripts; the player is an enhancement. Links are relative, style and scripts
lie beside the pages, and so does the record as it may be published, for whoever wants to check it.
Names of files are made of rounds, attempts and ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from itertools import groupby
from typing import Any

from markupsafe import Markup

from contest.exports import tables
from contest.exports.tables import Content, Files
from contest.history.filenames import file_name, own_names
from contest.history.publication import Published
from contest.history.transcript import offset_ms
from contest.history.views import TalkView
from contest.pages import render
from contest.results import revealing
from contest.results.document import Results, talk_json
from contest.results.page import contest_parts, page_parts, page_stream, talk_parts
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

#: The folder of talks, and of what can be taken home.
_TALKS, _DOWNLOADS = "talks", "downloads"
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


class Site:
    """The pages of a contest.

    Arguments:
        results: of the record as it may be published.
        events: that record.

    Attributes:
        names: of all files, with `/` between folder and file.

    Raises:
        RecordTrouble: see `contest.results.document.Results`.
    """

    def __init__(self, results: Results, events: Published) -> None:
        self._results = results
        self._events = events
        self._view = results.view
        self._desks: dict[tuple[int, int, str], list[TalkView]] = {}
        for talk in self._view.talks:
            self._desks.setdefault(_desk(talk), []).append(talk)
        talks = [f"{file_name(talk, talk.side)}.html" for talk in self._view.talks]
        self._pages = {
            talk.id: f"{_TALKS}/{own}"
            for talk, own in zip(self._view.talks, own_names(talks), strict=True)
        }
        self._makers: dict[str, Callable[[], Content]] = {
            "index.html": self._index,
            **{
                name: partial(self._talk, number)
                for number, name in enumerate(self._pages.values())
            },
            **{name: partial(_beside, *where) for name, where in BESIDE.items()},
            "results.html": lambda: map(str.encode, page_stream(self._results)),
            **{f"{_DOWNLOADS}/{name}": partial(self._download, name) for name in self._downloads()},
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
        for name in self.names:
            yield name, self.file(name)

    # Pages

    def _index(self) -> Content:
        view = self._view
        steps = revealing.steps(view) or [revealing.NAMES, revealing.TABLE]
        context = page_parts(self._results) | {
            "here": "",
            "outcome": revealing.outcome_parts(self._results, steps),
            "rounds": list(self._rounds()),
            "downloads": [
                {"address": f"{_DOWNLOADS}/{name}", "name": name, "words": _WORDS[name]}
                for name in self._downloads()
            ],
        }
        return (render("exports/site_index.html", context).encode(),)

    def _rounds(self) -> Iterator[dict[str, Any]]:
        view = self._view
        for (number, attempt), of_round in groupby(view.talks, key=lambda t: (t.round, t.attempt)):
            desks = []
            for _, of_desk in groupby(of_round, key=lambda talk: talk.judge):
                talks = list(of_desk)
                desks.append(
                    {
                        "judge": self._called(talks[0], talks[0].judge),
                        "talks": [
                            {
                                **self._named(talk),
                                "address": self._pages[talk.id],
                                "withheld": talk.withheld,
                            }
                            for talk in talks
                        ],
                    }
                )
            again = any(r.number == number and r.attempt != attempt for r in view.rounds)
            counts = any(
                (r.number, r.attempt, r.counts) == (number, attempt, True) for r in view.rounds
            )
            yield {
                "title": f"Round {number}{f', attempt {attempt}' * again}",
                "counts": counts,
                "desks": desks,
            }

    def _talk(self, number: int) -> Content:
        talk = self._view.talks[number]
        doc = talk_json(self._view, talk)
        desk = self._desks[_desk(talk)]
        shown = talk_parts(self._view, talk, doc) | {"number": number + 1}
        context = {
            "here": "../",
            "contest": contest_parts(self._results),
            "talk": shown | self._named(talk),
            "judge": self._called(talk, talk.judge),
            "place": f"Round {talk.round}"
            + f", attempt {talk.attempt}" * (talk.attempt > 1)
            + f", {talk.side}",
            "counts": talk.counts,
            "voided": plain(talk.voided or ""),
            "verdict": doc["verdict"],
            "panes": [{**self._named(each), "withheld": each.withheld} for each in desk],
            "speeds": SPEEDS,
            "data": _data(desk, self._named),
            "other": next(
                (
                    {"address": f"../{self._pages[e.id]}", **self._named(e)}
                    for e in desk
                    if e != talk
                ),
                None,
            ),
            "before": self._beside(number - 1),
            "after": self._beside(number + 1),
        }
        return (render("exports/site_talk.html", context).encode(),)

    def _beside(self, number: int) -> str:
        talks = self._view.talks
        return f"../{self._pages[talks[number].id]}" if 0 <= number < len(talks) else ""

    def _named(self, talk: TalkView) -> dict[str, str]:
        kind = "program" if self._view.is_entry(talk.entity) else "human"
        return {**self._called(talk, talk.entity), "kind": kind, "side": talk.side}

    def _called(self, talk: TalkView, who: str) -> dict[str, str]:
        name = plain(self._view.name_in(talk, who))
        return {"id": who, "name": "" if name == who else name}

    # What can be taken home

    def _downloads(self) -> list[str]:
        withheld = any(talk.withheld for talk in self._view.talks)
        return [name for name in _WORDS if withheld or name != "withheld.csv"]

    def _download(self, wanted: str) -> Content:
        if wanted == tables.FILE_NAME:
            names = (name for name in self._downloads() if name.endswith(".csv"))
            return (tables.describe(self._view, names),)
        if wanted == "events.jsonl":
            return tables.record_lines(self._events)
        if wanted == "results.json":
            return map(str.encode, self._results.stream())
        return dict(tables.contest_tables(self._results))[wanted]


def _desk(talk: TalkView) -> tuple[int, int, str]:
    return talk.round, talk.attempt, talk.judge


def _beside(package: str, name: str) -> Content:
    return (files("contest").joinpath(package, "static", name).read_bytes(),)


def _data(desk: Iterable[TalkView], named: Callable[[TalkView], Mapping[str, str]]) -> Markup:
    """What the player plays, as JSON that can stand in a page: nothing in it ends the element."""
    talks = []
    length = 1
    for talk in desk:
        keys = [
            (max(0, offset_ms(talk, key.mono_ns)), int(key.author == "entity"), char)
            for key in talk.shown()
            if (char := char_of(key.key)) is not None
        ]
        end = talk.ended_ns
        length = max(length, *(at for at, _, _ in keys), 0 if end is None else offset_ms(talk, end))
        talks.append({"name": named(talk)["name"] or named(talk)["id"], "keys": keys})
    text = json.dumps({"length_ms": length, "talks": talks}, separators=(",", ":"))
    return Markup(text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"))
