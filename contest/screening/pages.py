"""A season in browsers, while `loebner screen serve` or `mark --serve` runs: register, tests and
selection for the organizer, sheets for markers.

Each person has a code, printed once in the terminal where the command was given. Forms call the
same functions as the commands. A refused form keeps what was typed; no marker sees another's marks.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from aiohttp import web

from contest.errors import BadOrder, ContestError, UserError, WrongMoment
from contest.net import codes
from contest.net.login import (
    HOME,
    Login,
    Refused,
    Session,
    checked_form,
    read_form,
    redirect_to_board,
)
from contest.net.web import Access, Hosts, application, serve_until_interrupted
from contest.pages import begin, in_language, respond, static_route, texts_for
from contest.record.season import ComplianceTested, EntryRestored, EntryWithdrawn
from contest.screening import register
from contest.screening.marking import mark_all, read_markers, sheets_of, wording_of, written
from contest.screening.register import (
    ASKED,
    FIELDS,
    MORE_FIELDS,
    OPEN,
    BadForm,
    Field,
    assess,
    quoted,
    read_values,
    texts_of,
)
from contest.screening.season import Season
from contest.screening.state import Entry
from scheduler.texts import plain
from texts import Sentence, said

#: The maximum number of bytes of a form: enough for check-bot's document, or long names in any
#: script.
FORM_LIMIT = 262_144
#: Answers on a page: the server accepts only forms with a limited number of fields.
ON_A_PAGE = 30

#: The fields of a form as sent.
Typed: TypeAlias = Mapping[str, str]
#: A Page makes a page: it returns a template of this package and its data; a form's data has
#: `values`, the contents of its fields. A Take handles a sent form: it returns the address to
#: continue at, and the message to show there.
Page: TypeAlias = Callable[[web.Request, Session], tuple[str, dict[str, Any]]]
Take: TypeAlias = Callable[[web.Request, Session, Typed], tuple[str, str]]


class Site:
    """Pages of an open season for people with codes, on a separate server.

    Arguments:
        season: the season.
        names: the names of the people.
        whose: the word for these people, such as `marker`.
        pages: address below the home page to the functions that make the page and handle its form;
            the latter is None for a page without a form.

    Attributes:
        codes: name to code.
    """

    def __init__(
        self,
        season: Season,
        names: Sequence[str],
        whose: str,
        pages: Mapping[str, tuple[Page, Take | None]],
    ) -> None:
        self._title, self._pages = season.settings.contest.name, pages
        self.codes = codes.issue(names)
        self.access = Access(hosts=Hosts(season.settings.server.names))
        self._way = Login(self.access, codes.CodeTable(self.codes), self._title, whose)

    def app(self) -> web.Application:
        """The application."""
        way = self._way

        async def to_home(_request: web.Request) -> web.Response:
            return redirect_to_board("")

        routes = [
            *(web.get("/", to_home), static_route(), web.get(f"{HOME}/login", way.login_page)),
            *(web.post(f"{HOME}/login", way.login), web.post(f"{HOME}/logout", way.logout)),
        ]
        for path, (page, take) in self._pages.items():
            routes.append(web.get(HOME + path, way.require_session(self._get(page))))
            if take is not None:
                routes.append(web.post(HOME + path, self._post(page, take)))
        return application(routes, self.access)

    def _get(self, page: Page) -> Any:
        async def get(request: web.Request, session: Session) -> web.Response:
            return self._answer(page, request, session)

        return get

    def _post(self, page: Page, take: Take) -> Any:
        async def post(request: web.Request) -> web.Response:
            session, typed = self._way.session(request), dict[str, str]()
            try:
                if session is None:
                    return self._return_typed(request, await read_form(request, FORM_LIMIT))
                typed = dict(await checked_form(request, session, FORM_LIMIT))
                at, news = take(request, session, typed)
                session.message = (f"{begin(news)}.", True)
                return redirect_to_board(at)
            except (Refused, ContestError) as exc:
                if session is None:
                    return redirect_to_board("/login")
                typed = dict(exc.form) if isinstance(exc, Refused) else typed
                return self._answer(page, request, session, typed, exc)

        return post

    def _answer(
        self,
        page: Page,
        request: web.Request,
        session: Session,
        typed: Typed | None = None,
        exc: Refused | ContestError | None = None,
    ) -> web.Response:
        """Makes a page; for a refused form, with the typed text and the faults."""
        try:
            template, parts = page(request, session)
        except ContestError as other:
            session.message = (said(other, session.texts), False)
            return redirect_to_board("")
        news, session.message = session.message, None
        # Don't show what another person had typed in this browser.
        if typed and typed.get("who", session.who) == session.who:
            parts["values"] = {**parts.get("values", {}), **typed}
        wrong = exc.faults if isinstance(exc, BadForm) else {}
        holds = {
            n: f.in_language(session.texts.language).holds
            for n, f in (FIELDS | MORE_FIELDS).items()
        }
        faults = {n: said(f, session.texts, holds=holds.get(n, "")) for n, f in wrong.items()}
        say = session.texts.plain
        trouble = (
            say("season.form.faults", n=len(faults)) if faults else said(exc or "", session.texts)
        )
        frame = {
            "title": self._title,
            "who": session.who,
            "form": session.form,
            "said": news,
            "trouble": begin(trouble),
            "faults": faults,
            "address": request.path,
            "word": lambda state: say(f"season.is.{state.replace(' ', '_').replace('-', '_')}"),
            **in_language(session.texts),
        }
        status = 200
        if exc is not None:
            mine = 409 if isinstance(exc, WrongMoment) else 500
            status = getattr(exc, "status", 400 if isinstance(exc, UserError) else mine)
        return respond(f"screening/{template}.html", frame | parts, secret=True, status=status)

    def _return_typed(self, request: web.Request, typed: Typed) -> web.Response:
        """Returns the typed text of a person who has been logged out, to be sent again."""
        kept = [(name, text) for name, text in typed.items() if name != "form"]
        texts = texts_for(request)
        fields = {n: f.in_language(texts.language) for n, f in (FIELDS | MORE_FIELDS).items()}
        labels = {name: fields[name].label if name in fields else name for name, _ in kept}
        context = {"title": self._title, "address": request.path, "typed": kept, "labels": labels}
        context |= in_language(texts)
        return respond("screening/season_away.html", context, secret=True, status=401)


def serve(site: Site, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves pages until Ctrl-C; `say` is called with the address and the codes. Port 0 means any
    free port. Raises EnvironmentProblem if the address can't be used."""

    def announce(address: str) -> None:
        say(f"http://{address}/")
        for name, code in site.codes.items():
            say(f"{name}: {code}")
        say("Press Ctrl-C to stop; everything saved is in the record.")

    serve_until_interrupted(site.app(), host, port, site.access, announce)


# Marking


def marking_site(season: Season, names: Sequence[str]) -> Site:
    """The markers' pages, for a season whose marking has begun; raises BadOrder if a name can't be
    used or occurs twice, or there are too many."""
    parts = [
        (sheet, sheet.rows[start : start + ON_A_PAGE])
        for sheet in sheets_of(season)
        for start in range(0, len(sheet.rows), ON_A_PAGE)
    ]

    def given(number: int, who: str) -> dict[str, str]:
        """Letter to a marker's mark; empty for none."""
        sheet, rows = parts[number - 1]
        keys = [(sheet.item, row.letter) for row in rows]
        return {key[1]: written(season.state.marks.get(key, {}).get(who)) for key in keys}

    def number_of(request: web.Request) -> int:
        number = int(request.match_info["number"])
        if not 1 <= number <= len(parts):
            raise BadOrder(Sentence("season.refused.no_sheet"))
        return number

    def home(_request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        done = [
            (number, sheet.question, sum(map(bool, given(number, session.who).values())), len(rows))
            for number, (sheet, rows) in enumerate(parts, 1)
        ]
        return "marking", {"parts": done}

    def show(request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        shown = {"number": number, "last": len(parts), "sheet": sheet, "rows": rows}
        shown |= {"values": given(number, session.who), "written": written}
        return "marking_sheet", shown | {"marks": wording_of(season.state, session.texts.language)}

    def take(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        marks = {row.letter: typed[row.letter] for row in rows if typed.get(row.letter)}
        mark_all(season, session.who, {sheet.item: marks})
        at = f"/sheet/{number + 1}" if number < len(parts) else ""
        return at, session.texts.plain("season.done.marked", item=sheet.item)

    pages = {"": (home, None), "/sheet/{number:[0-9]{1,6}}": (show, take)}
    return Site(season, read_markers(names), "marker", pages)


# The season


def season_site(season: Season) -> Site:
    """The organizer's pages of an open season. Each form already has the name that was given in
    the previous one."""
    last = {"by": ""}

    def entry_of(request: web.Request) -> Entry:
        return season.state.find(request.match_info["entry"])

    def signed(typed: Typed, *names: str) -> dict[str, Any]:
        """Reads the named fields, and the person's name."""
        fields = {name: MORE_FIELDS[name] for name in (*names, "by")}
        found = read_values(fields, {name: typed.get(name) for name in fields})
        last["by"] = found["by"]
        return found

    def done(session: Session, what: str, entry: str) -> str:
        return session.texts.plain(f"season.done.{what}", entry=entry)

    def form(
        session: Session, entry: Entry | None, name: str, fields: Mapping[str, Field], **more: Any
    ) -> tuple[str, dict[str, Any]]:
        texts = session.texts
        shown = {
            n: f.in_language(texts.language) for n, f in {**fields, "by": MORE_FIELDS["by"]}.items()
        }
        about = "" if entry is None else plain(f"{entry.id} {entry.form.program}")
        heading = texts.plain(f"season.form.{name}", entry=about)
        give = texts.plain(f"season.form.{name}_give")
        parts = {"entry": entry, "heading": heading, "give": give, "fields": shown}
        values = {"notes": (), "version": "", **more, "values": last | more.get("values", {})}
        return "season_form", parts | values

    def overview(_request: web.Request, _session: Session) -> tuple[str, dict[str, Any]]:
        state = season.state
        waiting = [
            each.entry
            for each in register.assess_all(state)
            if each.state == OPEN and not each.withdrawn and each.entry not in (state.begun or ())
        ]
        return "season", {"found": register.select_entries(state), "next": (*waiting, "")[0]}

    def show(request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        entry = entry_of(request)
        parts = {"found": assess(season.state, entry.id), "entry": entry}
        facts = register.facts_of(entry.form, session.texts.language)
        return "season_entry", parts | {"facts": facts}

    def new(_request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        return form(session, None, "new", FIELDS)

    def add(_request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        texts = {name: typed.get(name, "") for name in FIELDS}
        body = register.registration(season.state, texts)
        season.write(signed(typed)["by"], body)
        return f"/{body.entry}", done(session, "registered", body.entry)

    def correct(request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        entry = entry_of(request)
        return form(
            *(session, entry, "change", {**FIELDS, "reason": MORE_FIELDS["reason"]}),
            values=texts_of(entry.form),
            version=len(entry.versions),
        )

    def change(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        entry = entry_of(request)
        # A name with a semicolon looks like two names, so only changed fields are read.
        before = texts_of(entry.form)
        differs = {n: typed.get(n, "") for n, text in before.items() if typed.get(n, "") != text}
        reason = typed.get("reason", "").strip()
        body = register.correction(season.state, entry.id, differs, reason)
        if str(len(entry.versions)) != typed.get("version", ""):
            raise WrongMoment(Sentence("season.refused.changed", entry=entry.id))
        season.write(signed(typed, "reason")["by"], body)
        return f"/{entry.id}", done(session, "corrected", entry.id)

    def turn_form(request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        fields = {"reason": MORE_FIELDS["reason"]}
        return form(session, entry_of(request), request.match_info["turn"], fields)

    def turn(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        id_, back = entry_of(request).id, request.match_info["turn"] == "restore"
        given, kind = signed(typed, "reason"), EntryRestored if back else EntryWithdrawn
        season.write(given["by"], kind(id_, given["reason"]))
        return f"/{id_}", done(session, "restored" if back else "withdrawn", id_)

    def test_form(request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        entry, fields = entry_of(request), dict[str, Field]()
        say = session.texts.plain
        words = {each: say(f"season.is.{each.replace('-', '_')}") for each in register.OUTCOMES}
        for answer in assess(season.state, entry.id).items:
            if answer.item in ASKED:
                now = words.get(answer.outcome, say("season.is.open"))
                offers = (("", say("season.form.unchanged", outcome=now)), *words.items())
                asked, rule = (
                    said(each, session.texts) for each in (answer.words, quoted(answer.rule))
                )
                label, needed = say("season.form.reason", item=answer.item), "reason_needed"
                fields[f"outcome-{answer.item}"] = Field(asked, rule, offers=offers)
                fields[f"reason-{answer.item}"] = Field(label, say(f"season.form.{needed}"), "text")
        first = register.waiting_for(season.state, entry.id)
        more = ("document", "tested", *("out_of_order",) * bool(first))
        return form(
            *(session, entry, "test", fields | {n: MORE_FIELDS[n] for n in more}),
            values={"tested": str(dt.date.today())},
            notes=[first] if first else (),
        )

    def test(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        id_, words = entry_of(request).id, []
        for name in ASKED:
            outcome, reason = typed.get(f"outcome-{name}", ""), typed.get(f"reason-{name}", "")
            if outcome or reason.strip():
                words.append(f"{name}={outcome}:{reason}")
        given = signed(typed, "tested", "document", "out_of_order")
        # Browsers send CRLF, but the digest has to be that of check-bot's file.
        document, conformance = given.get("document", "").replace("\r\n", "\n"), None
        if document:
            conformance = register.read_conformance(document, Sentence("season.refused.pasted"))
        items, why = register.read_items(words), given.get("out_of_order", "")
        try:
            season.write(
                given["by"], ComplianceTested(id_, given["tested"], items, conformance, why)
            )
        except register.OutOfOrder as exc:
            raise BadForm({"out_of_order": Sentence("season.refused.out_of_order")}) from exc
        return f"/{id_}", done(session, "tested", id_)

    pages: dict[str, tuple[Page, Take | None]] = {
        "": (overview, None),
        "/{entry:E[0-9]{1,6}}": (show, None),
        "/new": (new, add),
        "/{entry}/change": (correct, change),
        "/{entry}/test": (test_form, test),
        "/{entry}/{turn:withdraw|restore}": (turn_form, turn),
    }
    return Site(season, ["organizer"], "season", pages)
