"""A season in browsers, while `loebner screen serve` or `mark --serve` runs: register, tests and
selection for the organizer, sheets for markers.

Each person has a code, printed once where the command was given. Forms do what the commands do, by
the same functions. A refused form keeps what was typed; no marker sees another's marks.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from aiohttp import web

from contest.errors import BadOrder, ContestError, WrongMoment, YoursToFix
from contest.net import codes
from contest.net.login import (
    HOME,
    Entrance,
    Refused,
    Session,
    back_to,
    checked_form,
    read_form,
)
from contest.net.web import Hosts, Porter, application, serving
from contest.pages import respond, static_route
from contest.record.season import ComplianceTested, EntryRestored, EntryWithdrawn
from contest.screening import compliance, register
from contest.screening.compliance import ITEMS, OPEN, OUTCOMES, PERSON
from contest.screening.marking import mark_all, read_markers, sheets_of, wording_of, written
from contest.screening.register import FIELDS, LIMITS, BadForm, facts_of, texts_of
from contest.screening.season import Season
from contest.screening.state import NAME_LIMIT, TEXT_LIMIT, Entry, one_line
from contest.setup.rules import RULES

#: Bytes of a form: the document of check-bot, or long names in any writing.
FORM_LIMIT = 262_144
#: Answers on a page: a form of so many fields is what the server takes.
ON_A_PAGE = 30

#: The fields of a form as they were sent.
Typed: TypeAlias = Mapping[str, str]
#: A template of this package, and what it shows; a form's has `values`: what stands in its fields.
Shown: TypeAlias = tuple[str, dict[str, Any]]
#: What makes a page, and what takes a form: the address to go on to, and what to say there.
Page: TypeAlias = Callable[[web.Request, Session], Shown]
Take: TypeAlias = Callable[[web.Request, Session, Typed], tuple[str, str]]


class Site:
    """Pages of an open season for people with codes, on a server of their own.

    Arguments:
        names, whose: of the people, and what they are called.
        pages: address below the home page to what makes it.
        forms: the addresses of pages that are forms, to what takes them.

    Attributes:
        codes: name to code.
    """

    def __init__(
        self,
        season: Season,
        names: Sequence[str],
        whose: str,
        pages: Mapping[str, Page],
        forms: Mapping[str, Take],
    ) -> None:
        self._title, self._pages, self._forms = season.settings.contest.name, pages, forms
        self.codes = codes.issue(names)
        self.porter = Porter(hosts=Hosts(season.settings.server.names))
        table = codes.CodeTable(self.codes)
        self._way = Entrance(self.porter, table, self._title, whose)

    def app(self) -> web.Application:
        """The application."""
        way = self._way

        async def to_home(_request: web.Request) -> web.Response:
            return back_to("")

        routes = [
            *(web.get("/", to_home), static_route(), web.get(f"{HOME}/login", way.login_page)),
            *(web.post(f"{HOME}/login", way.login), web.post(f"{HOME}/logout", way.logout)),
        ]
        for path, page in self._pages.items():
            routes.append(web.get(HOME + path, way.open_to(self._get(page))))
        for path, take in self._forms.items():
            routes.append(web.post(HOME + path, self._post(self._pages[path], take)))
        return application(routes, self.porter)

    def _get(self, page: Page) -> Any:
        async def get(request: web.Request, session: Session) -> web.Response:
            return self._answer(page, request, session)

        return get

    def _post(self, page: Page, take: Take) -> Any:
        async def post(request: web.Request) -> web.Response:
            session, typed = self._way.session(request), dict[str, str]()
            try:
                if session is None:
                    return self._given_back(request, await read_form(request, FORM_LIMIT))
                typed = dict(await checked_form(request, session, FORM_LIMIT))
                at, said = take(request, session, typed)
                session.said = (f"{said[0].upper()}{said[1:]}.", True)
                return back_to(at)
            except (Refused, ContestError) as exc:
                if session is None:
                    return back_to("/login")
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
        """A page; of a refused form, with what was typed and what is wrong."""
        try:
            template, parts = page(request, session)
        except ContestError as other:
            session.said = (str(other), False)
            return back_to("")
        said, session.said = session.said, None
        # Not what another person had typed at this browser.
        if typed and typed.get("who", session.who) == session.who:
            parts["values"] = {**parts.get("values", {}), **typed}
        faults = exc.faults if isinstance(exc, BadForm) else {}
        many = f"{len(faults)} fields have" if len(faults) > 1 else "one field has"
        trouble = f"nothing is written yet: {many} to be looked at" if faults else str(exc or "")
        frame = {
            "title": self._title,
            "who": session.who,
            "form": session.form,
            "said": said,
            "trouble": f"{trouble[:1].upper()}{trouble[1:]}",
            "faults": faults,
            "address": request.path,
        }
        status = 200 if exc is None else _status(exc)
        return respond(f"screening/{template}.html", frame | parts, secret=True, status=status)

    def _given_back(self, request: web.Request, typed: Typed) -> web.Response:
        """What somebody typed who was logged out meanwhile; it can be sent again."""
        kept = [(name, text) for name, text in typed.items() if name != "form"]
        context = {"title": self._title, "address": request.path, "typed": kept}
        return respond("screening/season_away.html", context, secret=True, status=401)


def _status(exc: Refused | ContestError) -> int:
    if isinstance(exc, Refused):
        return exc.status
    return 400 if isinstance(exc, YoursToFix) else 409 if isinstance(exc, WrongMoment) else 500


def serve(site: Site, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves pages until Ctrl-C; `say` hears the address and the codes. Port 0 takes a free one.
    Raises Surroundings if the address can't be had."""

    async def serve_pages() -> None:
        async with serving(site.app(), host, port, porter=site.porter) as address:
            say(f"http://{address}/")
            for name, code in site.codes.items():
                say(f"{name}: {code}")
            say("Ctrl-C ends it; everything saved is in the record.")
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_pages())


# Marking


def marking_site(season: Season, names: Sequence[str]) -> Site:
    """The pages of markers, in a season whose marking has begun; raises BadOrder if a name can't be
    used, is there twice, or there are too many."""
    parts = [
        (sheet, sheet.rows[start : start + ON_A_PAGE])
        for sheet in sheets_of(season)
        for start in range(0, len(sheet.rows), ON_A_PAGE)
    ]

    def given(number: int, who: str) -> dict[str, str]:
        """Letter to a marker's mark; empty for none."""
        sheet, rows = parts[number - 1]
        marks = season.state.marks
        return {
            row.letter: written(marks.get((sheet.item, row.letter), {}).get(who)) for row in rows
        }

    def number_of(request: web.Request) -> int:
        number = int(request.match_info["number"])
        if not 1 <= number <= len(parts):
            raise BadOrder("there is no such sheet")
        return number

    def home(_request: web.Request, session: Session) -> Shown:
        done = [
            (number, sheet.question, sum(map(bool, given(number, session.who).values())), len(rows))
            for number, (sheet, rows) in enumerate(parts, 1)
        ]
        return "marking", {"parts": done}

    def show(request: web.Request, session: Session) -> Shown:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        return "marking_sheet", {
            "number": number,
            "last": len(parts),
            "sheet": sheet,
            "rows": rows,
            "values": given(number, session.who),
            "written": written,
            "marks": wording_of(season.state),
        }

    def take(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        marks = {row.letter: typed[row.letter] for row in rows if typed.get(row.letter)}
        mark_all(season, session.who, {sheet.item: marks})
        return f"/sheet/{number + 1}" if number < len(parts) else "", f"saved: {sheet.item}"

    path = "/sheet/{number:[0-9]{1,6}}"
    return Site(season, read_markers(names), "marker", {"": home, path: show}, {path: take})


# The season


class Box(NamedTuple):
    """A field of a form: `kind` is line, text or choice; a choice `offers` values and words;
    `longest` is in characters, 0 for any."""

    name: str
    label: str
    hint: str = ""
    kind: str = "line"
    needed: bool = False
    longest: int = NAME_LIMIT
    offers: Sequence[tuple[str, str]] = ()


BY = Box("by", "Your name", "goes on record", needed=True)
REASON = Box("reason", "Reason", "goes on record", needed=True, longest=TEXT_LIMIT)
TESTED = Box("tested", "Day of the test", "such as 2010-06-15", needed=True)
OUT_OF_ORDER = Box(
    "out_of_order",
    "Why it is tested nevertheless",
    "such as the appointment of an entrant who comes; it is recorded",
    longest=TEXT_LIMIT,
)
DOCUMENT = Box(
    "document",
    "The document of check-bot",
    "all that loebner check-bot --json -- PROGRAM {dir} has written, pasted here",
    *("text", False, 0),
)
_OFFERS = {
    "way": [(str(way), f"{way}: {words}") for way, words in register.WAYS.items()],
    "present": [("yes", "yes"), ("no", "no")],
}
_REGISTER = tuple(
    Box(
        *(name, field.label, "" if name == "way" else field.holds),
        *("choice" if name in _OFFERS else "line", field.needed, LIMITS.get(name, NAME_LIMIT)),
        _OFFERS.get(name, ()),
    )
    for name, field in FIELDS.items()
)


def season_site(season: Season) -> Site:
    """The organizer's pages of a season, which is open."""
    pages = _SeasonPages(season)
    forms: dict[str, tuple[Page, Take]] = {
        "/new": (pages.new, pages.add),
        "/{entry}/change": (pages.form, pages.change),
        "/{entry}/test": (pages.trial_form, pages.test),
        "/{entry}/{turn:withdraw|restore}": (pages.turn_form, pages.turn),
    }
    shown = {"": pages.overview, "/{entry:E[0-9]{1,6}}": pages.entry}
    return Site(
        *(season, ["organizer"], "season"),
        shown | {path: page for path, (page, _) in forms.items()},
        {path: take for path, (_, take) in forms.items()},
    )


class _SeasonPages:
    """The organizer's pages. The name given last is in the next form."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._by = ""

    def _entry(self, request: web.Request) -> Entry:
        return self._season.state.find(request.match_info["entry"])

    def overview(self, _request: web.Request, _session: Session) -> Shown:
        """All entries, and what becomes of each."""
        state = self._season.state
        found = compliance.select(state)
        waiting = [
            each.entry
            for each in compliance.assess_all(state)
            if each.state == OPEN and not each.withdrawn and each.entry not in (state.begun or ())
        ]
        return "season", {"found": found, "next": waiting[0] if waiting else ""}

    def entry(self, request: web.Request, _session: Session) -> Shown:
        """An entry's form, checklist and history."""
        entry = self._entry(request)
        parts = {"found": compliance.assess(self._season.state, entry.id), "entry": entry}
        return "season_entry", parts | {"facts": facts_of(entry.form), "rules": RULES}

    def _form(
        self, entry: Entry | None, heading: str, give: str, boxes: Sequence[Box], **more: Any
    ) -> Shown:
        plain = {"entry": entry, "heading": heading, "give": give, "boxes": boxes, "told": ()}
        values = {BY.name: self._by} | more.pop("values", {})
        return "season_form", plain | {"values": values, "version": ""} | more

    def _signed(self, typed: Typed, *boxes: Box) -> dict[str, str]:
        """The lines of some boxes; raises BadForm if one can't be used."""
        found, faults = dict[str, str](), dict[str, str]()
        for box in boxes:
            try:
                found[box.name] = one_line(typed.get(box.name, ""), box.longest)
            except ValueError as exc:
                faults[box.name] = str(exc)
            if box.needed and not found.get(box.name, "x"):
                faults[box.name] = "is empty: the record needs it"
        if faults:
            raise BadForm(faults)
        self._by = found[BY.name]
        return found

    # The register

    def new(self, _request: web.Request, _session: Session) -> Shown:
        """An entry that has come in."""
        return self._form(None, "Register an entry", "Register it", (*_REGISTER, BY))

    def add(self, _request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Registers an entry."""
        texts = {name: typed.get(name, "") for name in FIELDS}
        body = register.registration(self._season.state, texts)
        self._season.write(self._signed(typed, BY)["by"], body)
        return f"/{body.entry}", f"{body.entry} is registered"

    def form(self, request: web.Request, _session: Session) -> Shown:
        """A correction."""
        entry = self._entry(request)
        return self._form(
            *(entry, "Correct", "Correct it", (*_REGISTER, REASON, BY)),
            values=texts_of(entry.form),
            version=str(len(entry.versions)),
        )

    def change(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Corrects an entry."""
        entry = self._entry(request)
        # A name with a semicolon can't be told from two names: only what differs is read.
        before = texts_of(entry.form)
        differs = {n: typed.get(n, "") for n, text in before.items() if typed.get(n, "") != text}
        reason = typed.get("reason", "").strip()
        body = register.correction(self._season.state, entry.id, differs, reason)
        if str(len(entry.versions)) != typed.get("version", ""):
            raise WrongMoment(
                f"nothing is written: {entry.id} was changed since this form was opened; send it "
                "again if it is to be so"
            )
        self._season.write(self._signed(typed, REASON, BY)["by"], body)
        return f"/{entry.id}", f"{entry.id} is corrected"

    def turn_form(self, request: web.Request, _session: Session) -> Shown:
        """Withdraws an entry, or takes that back."""
        back = request.match_info["turn"] == "restore"
        words = (
            ("Take the withdrawal back:", "Take it back") if back else ("Withdraw", "Withdraw it")
        )
        return self._form(self._entry(request), *words, (REASON, BY))

    def turn(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Does so."""
        id_, back = self._entry(request).id, request.match_info["turn"] == "restore"
        signed = self._signed(typed, REASON, BY)
        self._season.write(
            signed["by"], (EntryRestored if back else EntryWithdrawn)(id_, signed["reason"])
        )
        return f"/{id_}", f"{id_} is {'back in the register' if back else 'withdrawn'}"

    # Tests

    def trial_form(self, request: web.Request, _session: Session) -> Shown:
        """A test: an outcome for each item that a person sees, and check-bot's document."""
        entry = self._entry(request)
        boxes = []
        for answer in compliance.assess(self._season.state, entry.id).items:
            if ITEMS[answer.item].source == PERSON:
                offers = [("", f"as it is: {answer.outcome}"), *((o, o) for o in OUTCOMES)]
                hint, reason = RULES[answer.rule].quoted(), "needed for all but pass"
                boxes += [
                    Box(f"outcome-{answer.item}", answer.words, hint, "choice", offers=offers),
                    Box(f"reason-{answer.item}", f"Reason ({answer.item})", reason, longest=0),
                ]
        first = compliance.waiting_for(self._season.state, entry.id)
        return self._form(
            *(entry, "Test", "Put it on record"),
            (*boxes, DOCUMENT, TESTED, *((OUT_OF_ORDER,) if first else ()), BY),
            values={TESTED.name: str(dt.date.today())},
            told=[f"{first}."] if first else (),
        )

    def test(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Records a test; items are read as on the command line."""
        id_, words = self._entry(request).id, []
        for name in compliance.ASKED:
            outcome, reason = typed.get(f"outcome-{name}", ""), typed.get(f"reason-{name}", "")
            if outcome or reason.strip():
                words.append(f"{name}={outcome}:{reason}")
        # Forms end lines as check-bot does not; the digest is that of its file.
        document = typed.get("document", "").replace("\r\n", "\n")
        told = compliance.read_conformance(document, "what is pasted") if document.strip() else None
        signed = self._signed(typed, OUT_OF_ORDER, BY)
        try:
            tested = register.read_day(typed.get("tested", ""))
        except ValueError as exc:
            raise BadForm({"tested": str(exc)}) from exc
        items = compliance.read_items(words)
        body = ComplianceTested(id_, tested, items, told, signed["out_of_order"])
        try:
            self._season.write(signed["by"], body)
        except compliance.OutOfOrder as exc:
            raise BadForm(
                {"out_of_order": "is empty: another entry is to be tested first"}
            ) from exc
        return f"/{id_}", f"the test of {id_} is recorded"
