"""The raters' pages: a target with its scene, history and form, and what is left to rate.

Each rater has a link with a code, which is the whole log-in. A page says nothing of systems, games
or other raters. Everything typed is saved as it is typed by a script, and by the buttons without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from contest.errors import BadSettings, ContestError, UserError
from contest.net.login import Refused, read_form, refuse_in_json, wants_json
from contest.pages import SECRET, redirect
from disciplines import page
from disciplines.invitations import Invitations
from disciplines.labyrinth.metrics import METRICS, NOT_TO_PUNISH, RULES, SCORES
from disciplines.labyrinth.rating import COMMENT, LONGEST, Contest
from disciplines.labyrinth.survey import message_line, player_parts, scene_parts, spaced

#: Bytes of a form.
FORM_LIMIT = 262_144


class Pages:
    """The pages of an open contest.

    Arguments:
        contest: which.

    Attributes:
        invitations: the raters', with their links.
    """

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        names = contest.settings.contest.names
        self.invitations = Invitations(contest.run.folder, contest.raters, hosts=names)

    def app(self) -> web.Application:
        """The application."""
        one = "/r/{code}/{number:[1-9][0-9]{0,5}}"
        return self.invitations.app(
            *(web.get("/r/{code}", self._overview), web.get(one, self._show)),
            web.post(one, self._take),
        )

    async def _overview(self, request: web.Request) -> web.StreamResponse:
        """Goes to where the rater was, or says what is left."""
        rater = await self.invitations.check(request)
        place, of = self._contest.place(rater), len(self._contest.raters[rater])
        if place and "list" not in request.query:
            return redirect(f"{request.path}/{place}", 303, secret=True)
        return self._answer("done", request, left=self._contest.left(rater), of=of)

    async def _target(self, request: web.Request) -> tuple[str, int, str]:
        rater, number = await self.invitations.check(request), int(request.match_info["number"])
        held = self._contest.raters[rater]
        if number > len(held):
            raise web.HTTPNotFound(text="there is no such response\n")
        return rater, number, held[number - 1]

    async def _show(self, request: web.Request) -> web.StreamResponse:
        return self._form(request, *await self._target(request))

    async def _take(self, request: web.Request) -> web.StreamResponse:
        """Saves a form, and goes on."""
        rater, number, id_ = await self._target(request)
        typed: dict[str, str] = {}
        try:
            typed = await read_form(request, FORM_LIMIT)
            self._contest.save(rater, id_, typed)
        except (Refused, ContestError) as exc:
            status = getattr(exc, "status", 400 if isinstance(exc, UserError) else 500)
            if wants_json(request):
                return refuse_in_json(status, str(exc))
            return self._form(request, rater, number, id_, typed, str(exc), status)
        missing = self._contest.missing(rater, id_)
        if wants_json(request):
            return web.json_response({"missing": missing}, headers=SECRET)
        base = request.path.rpartition("/")[0]
        if typed.get("go") == "next" and missing:
            words = f"Your answers are saved. Without a score: {', '.join(missing)}."
            return self._form(request, rater, number, id_, typed, words)
        there = max(1, number + {"next": 1, "later": 1, "back": -1}.get(typed.get("go", ""), 0))
        end = there > len(self._contest.raters[rater])
        return redirect(f"{base}?list" if end else f"{base}/{there}", 303, secret=True)

    def _form(
        self,
        request: web.Request,
        rater: str,
        number: int,
        id_: str,
        typed: dict[str, str] | None = None,
        trouble: str = "",
        status: int = 200,
    ) -> web.Response:
        contest = self._contest
        target = contest.targets[id_]
        game = contest.games[target.game]
        shown = game.targets[target.number - 1]
        return self._answer(
            *("rate", request, status),
            number=number,
            of=len(contest.raters[rater]),
            left=len(contest.left(rater)),
            values={**contest.typed(rater, id_), **(typed or {})},
            trouble=trouble,
            missing=contest.missing(rater, id_) if trouble else [],
            scene=scene_parts(game.start.scene),
            players=[(spaced(each.name), player_parts(each)) for each in game.start.players],
            history=[message_line(each) for each in shown.history],
            response=message_line(shown.generated),
        )

    def _answer(
        self, template: str, request: web.Request, status: int = 200, **context: Any
    ) -> web.Response:
        context |= {
            "title": self._contest.settings.contest.name,
            "home": f"/r/{request.match_info['code']}",
            "metrics": METRICS,
            "scores": SCORES,
            "longest": LONGEST,
            "comment": COMMENT,
            "not_to_punish": NOT_TO_PUNISH,
            "rules": RULES,
        }
        text = page.render(f"labyrinth/{template}.html", context)
        return web.Response(text=text, status=status, headers=SECRET, content_type="text/html")


def serve(contest: Contest, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves the pages until Ctrl-C; `say` is called with each rater's link. Port 0 means any free
    port. Raises BadSettings without raters, EnvironmentProblem if the address can't be used."""
    if not contest.raters:
        raise BadSettings("there are no raters: name them as raters in [contest]")

    def state(rater: str) -> str:
        left, of = len(contest.left(rater)), len(contest.raters[rater])
        return f"{of - left} of {of} rated"

    pages = Pages(contest)
    pages.invitations.serve(pages.app(), host, port, say, state)
