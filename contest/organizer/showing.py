"""Log and result, as their pages show them, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

import scheduler
from contest.errors import RecordTrouble
from contest.history import timeline
from contest.history.tallying import tally_of
from contest.history.views import ContestView
from contest.net.login import HOME
from contest.organizer.past import Filter, History, Page
from contest.organizer.picture import talk_in_words
from contest.organizer.words import in_words
from contest.pages import render
from contest.record.bodies import OF_KEYS
from contest.record.events import Event
from contest.results.finality import is_settled, state_in_words, still_open
from contest.setup.winning import prizes_in
from scheduler.texts import number

#: The parts of a page of the log beside its events.
LOG_PARTS = ("kind", "talk", "found", "pages")


def as_markup(parts: Mapping[str, str]) -> dict[str, Markup]:
    """Parts that our own templates have made, with all that is text in them escaped already."""
    return {name: Markup(html) for name, html in parts.items()}


def address(wanted: Filter, page: int = 1, at: str = "/log") -> str:
    """Where a page of the log is.

    Arguments:
        wanted: what of the log is to be seen.
        page: which page of it.
        at: the log's address on the board, or that of its socket.
    """
    query = {"kind": wanted.kind, "who": wanted.who, "text": wanted.text, "talk": wanted.talk}
    return f"{HOME}{at}?" + urlencode({**query, "page": page})


def log_parts(history: History, wanted: Filter, page: Page) -> dict[str, str]:
    """The parts of a page of the log; each event is one of its own, the newest first.

    Arguments:
        history: of which the page is.
        wanted: what the page was asked for by.
        page: what was read.
    """
    context = {
        "wanted": wanted,
        "log": page,
        "kinds": history.kinds(),
        "talks": [(talk, talk_in_words(talk)) for talk in history.talks()],
        "newer": address(wanted, page.number - 1) if page.number > 1 else "",
        "older": address(wanted, page.number + 1) if page.number < page.last else "",
    }
    parts = {name: render(f"organizer/part_log_{name}.html", context) for name in LOG_PARTS}
    parts["news"] = news_part(wanted, page)
    for event in page.events:
        own = {"event": event, "words": in_words(event), "is_key": event.kind in OF_KEYS}
        parts[f"event-{event.seq}"] = render("organizer/part_log_event.html", own)
    return parts


def news_part(wanted: Filter, page: Page) -> str:
    """How many events there are by now, for those who do not see the newest ones."""
    return render("organizer/part_log_news.html", {"log": page, "newest": address(wanted)})


def result_part(events: Sequence[Event]) -> str:
    """The tally as it stands, as the part of a page."""
    return render("organizer/part_result.html", result(events))


def result(events: Sequence[Event]) -> dict[str, Any]:
    """The tally as it stands.

    Arguments:
        events: the record; it may lack keys, which count for nothing here.
    """
    empty: dict[str, Any] = {
        "final": False,
        "open": [],
        "trouble": "",
        "score": [],
        "entries": [],
        "words": [],
        "warnings": [],
    }
    try:
        view = timeline.read(events)
        tally = tally_of(view)
    except RecordTrouble as exc:
        return empty | {"trouble": str(exc)}
    final = is_settled(view, tally)
    prizes = prizes_in(view.settings)
    words = [state_in_words(view, tally), *scheduler.explain_places(tally)]
    words += scheduler.explain_silver(tally, prizes)
    return empty | {
        "final": final,
        "open": still_open(view, tally),
        "score": _score(tally),
        "entries": _standings(view, tally),
        "words": words + (scheduler.explain_prizes(tally, prizes) if final else []),
        "warnings": tally.warnings,
    }


def _score(tally: scheduler.Tally) -> list[tuple[str, list[int | None]]]:
    order = tally.roster.entries
    return [(judge, [row[entry] for entry in order]) for judge, row in tally.table.items()]


def _standings(view: ContestView, tally: scheduler.Tally) -> list[dict[str, Any]]:
    of = {standing.entry: standing for standing in tally.entries}
    return [
        {
            "id": entry,
            "name": view.name(entry),
            "score": of[entry].score,
            "mean": _mean(of[entry].mean_rank),
            "place": of[entry].place,
            "tied": of[entry].tied,
        }
        for entry in tally.roster.entries
    ]


def _mean(rank: Fraction | None) -> str:
    return "–" if rank is None else number(rank)
