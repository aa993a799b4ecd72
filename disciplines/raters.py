"""The raters' pages of any discipline: each item with its context and a form, and an overview.

A discipline describes its questions and items, and their order, as a `Questionnaire`. The pages
don't reveal who made an item, its id, or anything about other raters. Answers are saved while the
rater types: by the page's script, by the buttons if scripts are off, or by a window
(docs/reference/raters.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from aiohttp import web

from contest.errors import BadOrder, BadSettings, ContestError, UserError
from contest.net.login import Refused, read_form, refuse_in_json, wants_json
from contest.net.web import serve_until_interrupted
from contest.pages import SECRET, redirect
from disciplines import page
from disciplines.agreement import Criterion
from disciplines.events import Rated
from disciplines.invitations import Invitations
from disciplines.run import Run

#: The most bytes in a form.
FORM_LIMIT = 262_144
#: The most characters in a comment: three comments of this length fit into a form in any script.
LONGEST = 5000
#: The field of a criterion's comment is named after the criterion, with this suffix.
COMMENT = " comment"
#: The field of a form with the digest of the item that the rater saw.
ITEM = "item"
_ANOTHER = (
    "the order has changed since you opened this, and a different item has this number now; open "
    "your link again"
)

#: A label, and its lines.
Part: TypeAlias = tuple[str, Sequence[str]]


class ItemView(NamedTuple):
    """An item as a rater sees it. All texts are plain.

    Attributes:
        note: an introduction of one or two sentences.
        panels: the background, such as states or rules: a title and its parts.
        before: the context above the item, such as the history: a title and its lines.
        target: the item itself: a title and the text to rate.
    """

    note: str
    panels: Sequence[tuple[str, Sequence[Part]]]
    before: Sequence[Part]
    target: tuple[str, str]

    @property
    def digest(self) -> str:
        """A digest of everything shown. If the contest is planned again while a rater has the page
        open, a different item may get the same number, but it has a different digest."""
        return hashlib.sha256(repr(self).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True)
class Questionnaire:
    """The items that people rate in a run, and the criteria. Ratings are events `rated`.

    Attributes:
        run: the run, open.
        title: the contest's name, on all pages.
        noun: the word for an item, such as `dialogue`.
        criteria: the criteria for each item.
        raters: rater to the ids of their items, in the order in which this rater gets them.
        show: returns the item with an id, as raters see it.
        actor: the prefix of the actor of a rating event; the rater's name follows.
        hosts: further host names under which raters reach the server.
    """

    run: Run
    title: str
    noun: str
    criteria: Sequence[Criterion]
    raters: Mapping[str, Sequence[str]]
    show: Callable[[str], ItemView]
    actor: str = ""
    hosts: Sequence[str] = ()

    def typed(self, rater: str, item: str) -> dict[str, str]:
        """The rater's scores and comments for an item, by the names of their form fields; empty
        texts where nothing is saved."""
        names = [each.name for each in self.criteria]
        names += [each.name + COMMENT for each in self.criteria if each.comment]
        held, actor = self.run.state.ratings, self.actor + rater
        return {name: held.get((item, actor, name), "") for name in names}

    def missing(self, rater: str, item: str) -> list[str]:
        """The criteria without a score."""
        typed = self.typed(rater, item)
        return [each.name for each in self.criteria if not typed[each.name]]

    def left(self, rater: str) -> list[int]:
        """The numbers, in the rater's order and from 1, of items that lack a score."""
        held = self.raters[rater]
        return [number for number, each in enumerate(held, 1) if self.missing(rater, each)]

    def place(self, rater: str) -> int | None:
        """The number of the item at which a rater continues: the last one with any answer if it
        still lacks a score, otherwise the next one that does; None if every item is rated."""
        touched = [
            number
            for number, each in enumerate(self.raters[rater], 1)
            if any(self.typed(rater, each).values())
        ]
        left = self.left(rater)
        later = (number for number in left if number >= max(touched, default=1))
        return next(later, left[0] if left else None)

    def save(self, rater: str, item: str, typed: Mapping[str, str]) -> None:
        """Records the answers that have changed. They are durable when this returns.

        Raises:
            BadOrder: if a score is not on its scale, or a comment is too long.
        """
        scales = {each.name: each.scores for each in self.criteria}
        bodies = []
        for name, before in self.typed(rater, item).items():
            text, scale = typed.get(name, before).replace("\r\n", "\n"), scales.get(name)
            if scale is not None and text not in ("", *map(str, scale)):
                raise BadOrder(f"a score is a number from {scale[0]} to {scale[-1]}")
            if len(text) > LONGEST:
                raise BadOrder(f"a comment may have at most {LONGEST} characters")
            if text != before:
                bodies.append(Rated(item, name, text))
        self.run.write(*bodies, actor=self.actor + rater)


class Pages:
    """The raters' pages.

    Arguments:
        of: the items and criteria.

    Attributes:
        invitations: the raters' codes and links.
    """

    def __init__(self, of: Questionnaire) -> None:
        self._of = of
        self.invitations = Invitations(of.run.folder, of.raters, hosts=of.hosts)

    def app(self) -> web.Application:
        """The application."""
        one = "/r/{code}/{number:[1-9][0-9]{0,5}}"
        return self.invitations.app(
            *(web.get("/r/{code}", self._overview), web.get(one, self._show)),
            web.post(one, self._take),
        )

    async def _overview(self, request: web.Request) -> web.StreamResponse:
        """Redirects to the item at which the rater continues, or shows the overview."""
        rater = await self.invitations.check(request)
        place, left, of = self._of.place(rater), self._of.left(rater), len(self._of.raters[rater])
        if wants_json(request):
            criteria = [
                {**each._asdict(), "scores": list(each.scores)} for each in self._of.criteria
            ]
            texts = {"title": self._of.title, "noun": self._of.noun, "longest": LONGEST}
            state = {"criteria": criteria, "of": of, "left": left, "place": place}
            return web.json_response(texts | state, headers=SECRET)
        if place and "list" not in request.query:
            return redirect(f"{request.path}/{place}", 303, secret=True)
        return self._page("done", request, left=left, of=of)

    async def _item(self, request: web.Request) -> tuple[str, int, str]:
        rater, number = await self.invitations.check(request), int(request.match_info["number"])
        held = self._of.raters[rater]
        if number > len(held):
            raise web.HTTPNotFound(text=f"there is no {self._of.noun} {number}\n")
        return rater, number, held[number - 1]

    async def _show(self, request: web.Request) -> web.StreamResponse:
        rater, number, item = await self._item(request)
        if wants_json(request):
            return web.json_response(self._state(rater, number, item), headers=SECRET)
        return self._form(request, self._state(rater, number, item))

    async def _take(self, request: web.Request) -> web.StreamResponse:
        """Saves a form, and redirects to the page that its button asks for."""
        rater, number, item = await self._item(request)
        typed: dict[str, str] = {}
        try:
            typed = await read_form(request, FORM_LIMIT)
            shown = self._of.show(item).digest
            if typed.get(ITEM, shown) != shown:
                raise Refused(409, _ANOTHER)
            self._of.save(rater, item, typed)
        except (Refused, ContestError) as exc:
            status = getattr(exc, "status", 400 if isinstance(exc, UserError) else 500)
            if wants_json(request):
                return refuse_in_json(status, str(exc))
            state = self._state(rater, number, item)
            state["typed"] |= typed
            return self._form(request, state, str(exc), status)
        state = self._state(rater, number, item)
        missing, go = state["missing"], typed.get("go", "")
        if wants_json(request):
            saved = {"missing": missing, "left": state["left"]}
            return web.json_response(saved, headers=SECRET)
        base = request.path.rpartition("/")[0]
        if go == "next" and missing:
            words = f"Your answers are saved. Without a score: {', '.join(missing)}."
            return self._form(request, state, words)
        there = max(1, number + {"next": 1, "later": 1, "back": -1}.get(go, 0))
        end = there > state["of"]
        return redirect(f"{base}?list" if end else f"{base}/{there}", 303, secret=True)

    def _state(self, rater: str, number: int, item: str) -> dict[str, Any]:
        """An item with its rater's answers."""
        shown = self._of.show(item)
        return {
            "number": number,
            ITEM: shown.digest,
            "of": len(self._of.raters[rater]),
            "left": self._of.left(rater),
            "missing": self._of.missing(rater, item),
            "typed": self._of.typed(rater, item),
            **shown._asdict(),
        }

    def _form(
        self, request: web.Request, state: dict[str, Any], trouble: str = "", status: int = 200
    ) -> web.Response:
        return self._page("rate", request, status, trouble=trouble, **state)

    def _page(
        self, template: str, request: web.Request, status: int = 200, **context: Any
    ) -> web.Response:
        context |= {
            "title": self._of.title,
            "noun": self._of.noun,
            "home": f"/r/{request.match_info['code']}",
            "criteria": self._of.criteria,
            "longest": LONGEST,
            "comment": COMMENT,
        }
        text = page.render(f"disciplines/{template}.html", context)
        return web.Response(text=text, status=status, headers=SECRET, content_type="text/html")


def serve(of: Questionnaire, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves the pages until Ctrl-C.

    Arguments:
        of: the items and criteria.
        host, port: the address to listen on; port 0 means any free one.
        say: called with one line for each rater, then one on how to stop.

    Raises:
        BadSettings: if there are no raters, or nothing to rate yet.
        EnvironmentProblem: if the address is not available.
    """
    if not of.raters:
        raise BadSettings("nobody is named as a rater; set raters in contest.toml")
    if not any(of.raters.values()):
        raise BadSettings(f"there is no {of.noun} to rate yet")

    pages = Pages(of)
    links, access = pages.invitations.links, pages.invitations.access

    def announce(address: str) -> None:
        for rater, link in links.items():
            left, held = len(of.left(rater)), len(of.raters[rater])
            say(f"{rater}: http://{address}{link} ({held - left} of {held} rated)")
        say("Give each person only their own link. Press Ctrl-C to stop; nothing is lost.")

    serve_until_interrupted(pages.app(), host, port, access, announce)
