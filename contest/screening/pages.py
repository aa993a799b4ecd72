"""A season in browsers, while `loebner screen serve` or `mark --serve` runs: register, tests and
selection for the organizer, sheets for markers.

Each person has a code, printed once where the command was given. Forms do what the commands do, by
the same functions. A refused form keeps what was typed; nobody sees another's marks.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

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
from contest.net.web import Hosts, Porter, guarded, serving
from contest.pages import respond, static_route
from contest.screening import compliance, register, selection
from contest.screening.compliance import ASKED, CHECK_BOT, ITEMS, OUTCOMES, REGISTER
from contest.screening.marking import Row, Sheet, mark_all, sheets_of, wording_of, written
from contest.screening.register import FIELDS, texts_of
from contest.screening.season import Season
from contest.screening.state import NAME_LIMIT, TEXT_LIMIT, State, one_line
from contest.setup.rules import RULES

#: Bytes of a form: the document of check-bot, or long names in any writing.
FORM_LIMIT = 262_144
#: Answers on a page: a form of so many fields is what the server takes. Markers at once.
ON_A_PAGE, MARKERS = 30, 20
#: The shape beside an entry's fate, and beside an answer of its checklist.
SHAPES: Mapping[str, str] = {
    selection.SCREENED: "done",
    selection.WAITS: "quiet",
    selection.UNTESTED: "open",
    compliance.FAILS: "ended",
    selection.WITHDRAWN: "away",
    "pass": "done",
    "fail": "ended",
    "not-applicable": "away",
    "open": "open",
}
#: A rule to the field beside which it is quoted, where they have different names.
_BESIDE = {"individual": "entrant", "platform": "platforms"}

#: The fields of a form as they were sent.
Typed: TypeAlias = Mapping[str, str]
NOTHING: Typed = MappingProxyType({})


class Faulty(BadOrder):
    """Fields that can't be used, each with its fault."""

    def __init__(self, faults: Typed) -> None:
        many = f"{len(faults)} fields have" if len(faults) > 1 else "one field has"
        super().__init__(f"nothing is written yet: {many} to be looked at")
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Form:
    """A form: what shows it, given what was typed (None when it is opened), what is wrong, and by
    field; and what takes it, giving the address to go on to and what to say there."""

    show: Callable[[web.Request, Session, Typed | None, str, Typed], tuple[str, dict[str, Any]]]
    take: Callable[[web.Request, Session, Typed], tuple[str, str]]


Page: TypeAlias = Callable[[web.Request, Session], tuple[str, dict[str, Any]]]


class Site:
    """Pages for people with codes, on a server of their own.

    Arguments:
        season: open.
        names: of the people.
        whose: the codes are.
        pages, forms: by address below the home page.

    Attributes:
        codes: name to code.
        porter: of the application.
    """

    def __init__(
        self,
        season: Season,
        names: Sequence[str],
        whose: str,
        pages: Mapping[str, Page],
        forms: Mapping[str, Form],
    ) -> None:
        self._title, self._pages, self._forms = season.settings.contest.name, pages, forms
        issued = codes.issue(names)
        self.codes = issued
        self.porter = Porter(hosts=Hosts(season.settings.server.names))
        table = codes.CodeTable(issued)
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
        for path, form in self._forms.items():
            routes.append(web.get(HOME + path, way.open_to(self._get(_opened(form)))))
            routes.append(web.post(HOME + path, self._post(form)))
        return guarded(routes, self.porter)

    def _get(self, page: Page) -> Any:
        async def get(request: web.Request, session: Session) -> web.Response:
            try:
                return self._shown(session, *page(request, session))
            except ContestError as exc:
                session.said = (str(exc), False)
                return back_to("")

        return get

    def _post(self, form: Form) -> Any:
        async def post(request: web.Request) -> web.Response:
            session, typed = self._way.session(request), NOTHING
            try:
                if session is None:
                    return self._given_back(request, await read_form(request, FORM_LIMIT))
                typed = await checked_form(request, session, FORM_LIMIT)
                if "check" in typed:
                    return self._shown(session, *form.show(request, session, typed, "", NOTHING))
                at, said = form.take(request, session, typed)
                session.said = (f"{said[0].upper()}{said[1:]}.", True)
                return back_to(at)
            except (Refused, ContestError) as exc:
                if session is None:
                    return back_to("/login")
                typed = exc.form if isinstance(exc, Refused) else typed
                faults = exc.faults if isinstance(exc, Faulty) else NOTHING
                try:
                    shown = form.show(request, session, typed or None, str(exc), faults)
                except ContestError as other:
                    session.said = (str(other), False)
                    return back_to("")
                return self._shown(session, *shown, status=_status(exc))

        return post

    def _shown(
        self, session: Session, template: str, context: Mapping[str, Any], status: int = 200
    ) -> web.Response:
        said, session.said = session.said, None
        frame = {"title": self._title, "who": session.who, "form": session.form, "said": said}
        parts = {"trouble": "", **frame, **context}
        return respond(f"screening/{template}.html", parts, secret=True, status=status)

    def _given_back(self, request: web.Request, typed: Typed) -> web.Response:
        """What somebody typed who was logged out meanwhile; it can be sent again."""
        kept = [(name, text) for name, text in typed.items() if name not in ("form", "check")]
        context = {"title": self._title, "address": request.path, "typed": kept}
        return respond("screening/season_away.html", context, secret=True, status=401)


def _opened(form: Form) -> Page:
    return lambda request, session: form.show(request, session, None, "", NOTHING)


def _status(exc: Refused | ContestError) -> int:
    if isinstance(exc, Refused):
        return exc.status
    return 400 if isinstance(exc, YoursToFix) else 409 if isinstance(exc, WrongMoment) else 500


def serve(site: Site, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serves pages until Ctrl-C.

    Arguments:
        site: them.
        host, port: where to listen; port 0 takes a free one.
        say: hears the address and the codes.

    Raises:
        Surroundings: if the address can't be had.
    """

    async def serve_pages() -> None:
        async with serving(site.app(), host, port, porter=site.porter) as address:
            say(f"http://{address}/")
            for name, code in site.codes.items():
                say(f"{name}: {code}")
            say("Ctrl-C ends it; what is saved is on record.")
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_pages())


# Marking


def marking_site(season: Season, names: Sequence[str]) -> Site:
    """The pages of markers; raises BadOrder if a name can't be used, is there twice, or there are
    too many.

    Arguments:
        season: open; marking has begun.
        names: of the markers.
    """
    try:
        read = [one_line(name, 60) for name in names]
    except ValueError as exc:
        raise BadOrder(f"a marker's name {exc}") from None
    if not all(read) or len(set(read)) < len(read) or len(read) > MARKERS:
        raise BadOrder(f"name 1 to {MARKERS} markers, each once, with commas between them")
    parts: list[tuple[Sheet, tuple[Row, ...]]] = [
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

    def home(_request: web.Request, session: Session) -> tuple[str, dict[str, Any]]:
        done = [
            (number, sheet.question, sum(map(bool, given(number, session.who).values())), len(rows))
            for number, (sheet, rows) in enumerate(parts, 1)
        ]
        return "marking", {"parts": done}

    def show(
        request: web.Request, session: Session, typed: Typed | None, trouble: str, _faults: Typed
    ) -> tuple[str, dict[str, Any]]:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        marks, chosen = given(number, session.who), typed or NOTHING
        # What is chosen stays chosen; but not another marker's choice at this browser.
        if chosen.get("marker", session.who) == session.who:
            marks |= {letter: chosen[letter] for letter in marks if chosen.get(letter)}
        return "marking_sheet", {
            "trouble": trouble,
            "number": number,
            "last": len(parts),
            "sheet": sheet,
            "rows": rows,
            "given": marks,
            "written": written,
            "marks": wording_of(season.state),
        }

    def take(request: web.Request, session: Session, typed: Typed) -> tuple[str, str]:
        number = number_of(request)
        sheet, rows = parts[number - 1]
        marks = {row.letter: typed[row.letter] for row in rows if typed.get(row.letter)}
        mark_all(season, session.who, {sheet.item: marks})
        return f"/sheet/{number + 1}" if number < len(parts) else "", f"saved: {sheet.item}"

    forms = {"/sheet/{number:[0-9]{1,6}}": Form(show, take)}
    return Site(season, read, "marker", {"": home}, forms)


# The season


def _box(name: str, label: str, hint: str = "", **more: Any) -> dict[str, Any]:
    """A field of a form: name, label, hint, `kind` (line, text, choice or tick), whether it is
    `needed`, the `longest` text (0 for any), and `offers`: value and words."""
    plain = {"kind": "line", "needed": False, "longest": NAME_LIMIT, "offers": ()}
    return {"name": name, "label": label, "hint": hint, **plain, **more}


BY = _box("by", "Your name", "goes on record", needed=True)
REASON = _box("reason", "Reason", "goes on record", needed=True, longest=TEXT_LIMIT)
TESTED = _box("tested", "Day of the test", "such as 2010-06-15", needed=True)
OUT_OF_ORDER = _box(
    "out_of_order",
    "Why it is tested nevertheless",
    "such as the appointment of an entrant who comes; goes on record",
    longest=TEXT_LIMIT,
)
DOCUMENT = _box(
    "document",
    "The document of check-bot",
    "all that loebner check-bot --json -- PROGRAM {dir} has written, pasted here",
    kind="text",
    longest=0,
)


def season_site(season: Season) -> Site:
    """The organizer's pages of a season, which is open."""
    pages = _SeasonPages(season)
    return Site(
        season,
        ["organizer"],
        "season",
        {"": pages.overview, "/{entry:E[0-9]{1,6}}": pages.entry},
        {
            "/new": Form(pages.register_page, pages.add),
            "/{entry}/change": Form(pages.register_page, pages.change),
            "/{entry}/test": Form(pages.test_page, pages.test),
            "/{entry}/{turn:withdraw|restore}": Form(pages.turn_page, pages.turn),
        },
    )


class _SeasonPages:
    """The organizer's pages. The name given last stands in the next form."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._by = ""

    @property
    def _state(self) -> State:
        return self._season.state

    def overview(self, _request: web.Request, _session: Session) -> tuple[str, dict[str, Any]]:
        """All entries, and what becomes of each."""
        found = selection.select(self._state)
        fates = [row.fate for row in found.rows]
        waiting = [
            each.entry.id
            for each in compliance.assess_all(self._state)
            if each.state == compliance.OPEN
            and not each.entry.withdrawn
            and each.entry.id not in (self._state.begun or ())
        ]
        counts = [(fates.count(fate), fate) for fate in selection.FATES if fate in fates]
        rows: dict[str, Any] = {"words": found.words, "rows": found.rows, "counts": counts}
        return "season", {**rows, "next": waiting[0] if waiting else "", "shapes": SHAPES}

    def entry(self, request: web.Request, _session: Session) -> tuple[str, dict[str, Any]]:
        """An entry's form, checklist and history."""
        found = compliance.assess(self._state, request.match_info["entry"])
        marks = {compliance.COMPLIES: "ok", compliance.FAILS: "bad"}
        return "season_entry", {
            "entry": found.entry,
            "facts": register.facts_of(found.entry.form),
            "state": found.state,
            "mark": marks.get(found.state, "warn"),
            "answers": found.answers,
            "rules": RULES,
            "shapes": SHAPES,
            "remarks": found.remarks,
        }

    # The register

    def register_page(
        self, request: web.Request, _session: Session, typed: Typed | None, *wrong: Any
    ) -> tuple[str, dict[str, Any]]:
        """An entry that has come in, or a correction: the fields, and the rules that they break."""
        id_ = request.match_info.get("entry", "")
        entry = self._state.find(id_) if id_ else None
        held = {} if entry is None else texts_of(entry.form)
        texts = held if typed is None else _texts_in(typed)
        broken, remarks = dict[str, list[str]](), list[str]()
        form, faults = self._read(entry, texts)
        if form is not None and (entry is not None or typed is not None):
            own, forms = id_ or register.next_id(self._state), self._state.active
            if entry is None or not entry.withdrawn:
                forms[own] = form
            findings, remarks = register.look(own, form, forms, self._state.settings.season)
            for finding in findings:
                rule = finding.rule.partition("/")[2]
                broken.setdefault(_BESIDE.get(rule, rule), []).append(finding.in_full())
        groups: dict[str, list[dict[str, Any]]] = {}
        for name, field in FIELDS.items():
            groups.setdefault(field.group, []).append(self._field(name))
        checked = typed is not None and "check" in typed and not any(wrong)
        return "season_register", self._context(
            request, typed, *wrong, entry=entry, groups=groups, remarks=remarks
        ) | {
            "values": {**(typed or {}), **texts, **_signature(typed, self._by)},
            "held": held,
            "broken": broken,
            "version": "" if entry is None else str(len(entry.versions)),
            "signing": (BY,) if entry is None else (REASON, BY),
            "checked": checked,
            **({"faults": faults} if checked else {}),
        }

    def _field(self, name: str) -> dict[str, Any]:
        field, table = FIELDS[name], self._state.settings.season
        kind = {"way": "choice", "present": "tick"}.get(name, "line")
        offers = {
            "way": [(str(way), f"{way}: {words}") for way, words in register.WAYS.items()],
            "media": [(each, each) for each in table.media],
            "platforms": [(each, each) for each in table.platforms],
        }
        hint = "" if kind != "line" or name == "program" else field.holds
        more = {"needed": field.needed, "longest": field.limit, "offers": offers.get(name, ())}
        return _box(name, field.label, hint, kind=kind, **more)

    def _read(self, entry: Any, texts: Typed) -> tuple[Any, dict[str, str]]:
        if entry is None:
            return register.read_fields(texts)
        return register.read_fields(changed_in(texts, entry.form), entry.form)

    def _taken(self, entry: Any, typed: Typed, *boxes: Mapping[str, Any]) -> dict[str, str]:
        """The register's fields as typed, if they are to be written and can be."""
        texts = _texts_in(typed)
        faults = self._read(entry, texts)[1] | _line_faults(typed, *boxes)
        if faults:
            raise Faulty(faults)
        self._by = typed["by"].strip()
        return texts

    def add(self, _request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Registers an entry."""
        texts = self._taken(None, typed, BY)
        id_ = register.add(self._season, texts, self._by)
        return f"/{id_}", f"{id_} is registered{self._rules(id_)}"

    def change(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Corrects an entry."""
        entry = self._state.find(request.match_info["entry"])
        texts = self._taken(entry, typed, REASON, BY)
        if str(len(entry.versions)) != typed.get("version", ""):
            last = entry.versions[-1][0]
            raise WrongMoment(
                f"nothing is written: {last.by} has changed {entry.id} since this form was shown; "
                "send it again if it is to be so"
            )
        changed = changed_in(texts, entry.form)
        register.change(self._season, entry.id, changed, self._by, typed["reason"])
        return f"/{entry.id}", f"{entry.id} is corrected{self._rules(entry.id)}"

    def _rules(self, id_: str) -> str:
        broken = len(register.about(self._state, id_)[0])
        many = "a rule" if broken == 1 else f"{broken} rules"
        return f"; it breaks {many}, quoted below" if broken else ""

    def turn_page(
        self, request: web.Request, _session: Session, typed: Typed | None, *wrong: Any
    ) -> tuple[str, dict[str, Any]]:
        """Withdraws an entry, or takes that back."""
        entry = self._state.find(request.match_info["entry"])
        back = request.match_info["turn"] == "restore"
        return "season_turn", self._context(
            request, typed, *wrong, entry=entry, back=back, signing=(REASON, BY)
        )

    def turn(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Does so."""
        id_, back = request.match_info["entry"], request.match_info["turn"] == "restore"
        if faults := _line_faults(typed, REASON, BY):
            raise Faulty(faults)
        self._by = typed["by"].strip()
        register.withdraw(self._season, id_, self._by, typed["reason"], back=back)
        said = f"back in the register{self._rules(id_)}" if back else "withdrawn"
        return f"/{id_}", f"{id_} is {said}"

    # Tests

    def test_page(
        self, request: web.Request, session: Session, typed: Typed | None, *wrong: Any
    ) -> tuple[str, dict[str, Any]]:
        """A test: an outcome for each item that a person sees, and check-bot's document."""
        del session  # one organizer, whose pages are all alike
        id_ = request.match_info["entry"]
        found = compliance.assess(self._state, id_)
        first = compliance.waiting_for(self._state, id_)
        return "season_test", self._context(
            request,
            {TESTED["name"]: str(dt.date.today()), **(typed or {})},
            *wrong,
            entry=found.entry,
            broken_items=[each for each in found.broken if each.item.source == REGISTER],
            rules=RULES,
            asked=[
                (
                    answer,
                    _box(
                        f"reason-{answer.item.id}",
                        f"Reason ({answer.item.id})",
                        "needed for all but pass",
                        longest=TEXT_LIMIT,
                    ),
                )
                for answer in found.answers
                if answer.item.id in ASKED
            ],
            choices=OUTCOMES,
            lpp=next(each for each in found.answers if each.item.source == CHECK_BOT),
            document=DOCUMENT,
            waiting=f"{compliance.out_of_turn(id_, first)}." if first else "",
            signing=(TESTED, *((OUT_OF_ORDER,) if first else ()), BY),
        )

    def test(self, request: web.Request, _session: Session, typed: Typed) -> tuple[str, str]:
        """Records a test."""
        id_ = request.match_info["entry"]
        items, faults = {}, _line_faults(typed, OUT_OF_ORDER, BY)
        for name in (each for each in ITEMS if each in ASKED):
            outcome, reason = typed.get(f"outcome-{name}", ""), typed.get(f"reason-{name}", "")
            try:
                if outcome:
                    items[name] = compliance.read_outcome(outcome, reason)
                elif reason.strip():
                    raise ValueError("there is a reason, and no outcome is chosen for it")
            except ValueError as exc:
                faults[f"reason-{name}"] = str(exc)
        conformance = tested = None
        # Forms end lines as check-bot does not; the digest is that of its file.
        document = typed.get("document", "").replace("\r\n", "\n")
        try:
            if document.strip():
                conformance = compliance.read_conformance(document, "what is pasted")
        except compliance.BadEvidence as exc:
            faults["document"] = str(exc)
        try:
            tested = register.read_day(typed.get("tested", ""))
        except ValueError as exc:
            faults["tested"] = str(exc)
        if faults or tested is None:
            raise Faulty(faults)
        self._by = typed["by"].strip()
        why = typed.get("out_of_order", "")
        try:
            done = compliance.record_test(
                *(self._season, id_, items, self._by),
                tested=tested,
                conformance=conformance,
                out_of_order=why,
            )
        except compliance.OutOfOrder as exc:
            raise Faulty({"out_of_order": "is empty: it is not this entry’s turn"}) from exc
        is_open = f"is open: {', '.join(done.open)}"
        state = is_open if done.state == compliance.OPEN else done.state
        return f"/{id_}", f"the test is on record: {id_} {state}"

    def _context(
        self, request: web.Request, typed: Typed | None, trouble: str, faults: Typed, **more: Any
    ) -> dict[str, Any]:
        """What every form's page shows."""
        return {
            "address": request.path,
            "trouble": f"{trouble[:1].upper()}{trouble[1:]}",
            "values": {**(typed or {}), **_signature(typed, self._by)},
            "faults": faults,
            **({"held": {}, "broken": {}, "checked": False} | more),
        }


def _signature(typed: Typed | None, by: str) -> dict[str, str]:
    return {"by": by} if typed is None or "by" not in typed else {"by": typed["by"]}


def _line_faults(typed: Typed, *boxes: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for box in boxes:
        try:
            if not one_line(typed.get(box["name"], ""), box["longest"]) and box["needed"]:
                found[box["name"]] = "is empty: it goes on record"
        except ValueError as exc:
            found[box["name"]] = str(exc)
    return found


def _texts_in(typed: Typed) -> dict[str, str]:
    """The register's fields in a form; a box that is not ticked says no."""
    return {name: typed.get(name, "no" if name == "present" else "") for name in FIELDS}


def changed_in(texts: Typed, form: Any) -> dict[str, str]:
    """Those of the register's fields that are not as a form has them."""
    before = texts_of(form)
    return {name: text for name, text in texts.items() if text != before[name]}
