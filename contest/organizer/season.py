"""The season's pages of the board: register, compliance, who goes on, and the forms that write what
comes in and what is seen when it is tested. They do what the commands of `loebner screen` do, with
the same functions and checks.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from aiohttp import web

from contest.errors import (
    BadOrder,
    ContestError,
    InUse,
    Surroundings,
    WrongMoment,
    YoursToFix,
)
from contest.net.login import (
    HOME,
    MOST,
    Entrance,
    Refused,
    Session,
    back_to,
    checked_form,
    read_form,
)
from contest.pages import respond
from contest.record.body import Body
from contest.record.journal import Journal
from contest.record.season import Conformance, Form, ItemTested
from contest.screening import compliance, register, selection
from contest.screening.compliance import CHECK_BOT, ITEMS, OUTCOMES, PERSON, REGISTER
from contest.screening.register import FIELDS, NEEDED, WAYS, Registered, texts_of
from contest.screening.season import EARLIER, Season, check, opening, read
from contest.screening.state import State, Writer, unplaced
from contest.screening.texts import NAME_LIMIT, TEXT_LIMIT, one_line
from contest.setup.rules import RULES

#: Where the pages stand on the board.
PAGE = "/season"
#: Bytes of a form: the document of check-bot, or long names in any writing.
FORM_LIMIT = 262_144
#: The shape beside an entry's fate, and beside an answer of its checklist (templates/shapes.html).
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
#: The register's fields as they stand together, each group under its heading.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "The entry": ("program", "entrant", "individuals"),
    "The post": ("posted", "service", "proof", "received"),
    "What came": ("way", "media", "platforms"),
    "Only for ways 2 and 3, where the entrant comes": ("testing", "agreed", "present"),
    "Besides": ("command", "note"),
}
#: A rule to the field beside which it is quoted, where they have not one name.
_BESIDE = {"individual": "entrant", "platform": "platforms"}

#: The fields of a form as they were sent.
Typed: TypeAlias = Mapping[str, str]
NOTHING: Typed = MappingProxyType({})


class Faulty(BadOrder):
    """Fields that can't be used, each with what is wrong with it."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        many = f"{len(faults)} fields have" if len(faults) > 1 else "one field has"
        super().__init__(f"nothing is written yet: {many} to be looked at")
        self.faults = dict(faults)


# Fields


@dataclass(frozen=True, slots=True)
class Box:
    """A field as a page shows it.

    Attributes:
        name: by which it is sent.
        label, hint: for a person.
        kind: of one line, of many, a choice of `offers`, or to be ticked.
        needed: whether it can't be left out.
        longest: characters that are taken at most; 0 for any number.
        value: what stands in it.
        fault: what is wrong with that; `first` the first one has the focus.
        broken: the rules that it breaks, in full.
        held: what the register says, where that is something else.
        offers: value and words of a choice; of a line what may be meant.
    """

    name: str
    label: str
    hint: str = ""
    kind: Literal["line", "text", "choice", "tick"] = "line"
    needed: bool = False
    longest: int = NAME_LIMIT
    value: str = ""
    fault: str = ""
    first: bool = False
    broken: tuple[str, ...] = ()
    held: str = ""
    offers: tuple[tuple[str, str], ...] = ()


BY = Box("by", "Your name", "goes on record", needed=True)
REASON = Box("reason", "Reason", "goes on record", needed=True, longest=TEXT_LIMIT)
ANYWAY = Box(
    "anyway",
    "Register it although somebody is associated with another entry, because",
    "only if that is so; as long as both stand, neither complies",
    longest=TEXT_LIMIT,
)
TESTED = Box("tested", "Day of the test", "such as 2010-06-15", needed=True)
OUT_OF_ORDER = Box(
    "out_of_order",
    "Why it is tested nevertheless",
    "such as the appointment of an entrant who comes; goes on record",
    longest=TEXT_LIMIT,
)
DOCUMENT = Box(
    "document",
    "The document of check-bot",
    "all that loebner check-bot --json -- PROGRAM {dir} has written, pasted here",
    "text",
    longest=0,
)


def _filled(
    boxes: Sequence[Box], typed: Typed | None, faults: Typed, above: Collection[str] = ()
) -> list[Box]:
    """Fields with what stands in them; `above` are the names of those that stand above these."""
    names = (*above, *(box.name for box in boxes))
    first = next((name for name in names if name in faults), "")
    return [
        replace(
            box,
            value=(typed or NOTHING).get(box.name, ""),
            fault=faults.get(box.name, ""),
            first=box.name == first,
        )
        for box in boxes
    ]


def _line_faults(typed: Typed, *boxes: Box) -> dict[str, str]:
    found = {}
    for box in boxes:
        try:
            if not one_line(typed.get(box.name, ""), box.longest) and box.needed:
                found[box.name] = "is empty: it goes on record"
        except ValueError as exc:
            found[box.name] = str(exc)
    return found


def _register_fields(
    state: State, texts: Typed, faults: Typed, broken: Mapping[str, list[str]], held: Typed
) -> list[tuple[str, list[Box]]]:
    """The register's fields, group by group.

    Arguments:
        state: the season's.
        texts: field to what stands in it.
        faults: field to what is wrong with it.
        broken: field to the rules that it breaks.
        held: field to what the register says; nothing of an entry that is not in it yet.
    """
    table = state.settings.season
    offers = {
        "way": tuple((str(way), f"{way}: {words}") for way, words in WAYS.items()),
        "media": tuple((each, each) for each in table.media),
        "platforms": tuple((each, each) for each in table.platforms),
    }
    kinds: dict[str, Literal["choice", "tick"]] = {"way": "choice", "present": "tick"}
    boxes = {
        name: Box(
            *(name, label, "" if name in kinds or name == "program" else hint),
            kinds.get(name, "line"),
            needed=name in NEEDED,
            longest=TEXT_LIMIT if name in ("command", "note") else NAME_LIMIT,
            broken=tuple(broken.get(name, ())),
            held=(held[name] or "nothing") if held and held[name] != texts.get(name, "") else "",
            offers=offers.get(name, ()),
        )
        for name, (label, hint) in FIELDS.items()
    }
    order = [name for names in GROUPS.values() for name in names]
    made = {box.name: box for box in _filled([boxes[n] for n in order], texts, faults)}
    return [(title, [made[name] for name in names]) for title, names in GROUPS.items()]


def changed_in(texts: Typed, form: Form) -> dict[str, str]:
    """Those of the register's fields that are not as a form has them."""
    before = texts_of(form)
    return {name: text for name, text in texts.items() if text != before[name]}


def _texts_in(typed: Typed) -> dict[str, str]:
    """The register's fields in a form; a box that is not ticked says no."""
    return {name: typed.get(name, "no" if name == "present" else "") for name in FIELDS}


# Forms


@dataclass(frozen=True, slots=True)
class Step:
    """A form that writes.

    Attributes:
        template: the page's.
        page: makes what it shows of state, id, what was typed (None for a form that is opened) and
            what is wrong with it, by field.
        wrong: finds what is wrong with it.
        take: writes it; gives the id of the entry and what is to be said.
    """

    template: str
    page: Callable[[State, str, Typed | None, Typed], dict[str, Any]]
    wrong: Callable[[State, str, Typed], dict[str, str]]
    take: Callable[[Writer, str, Typed], tuple[str, str]]


def _register_page(state: State, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
    """An entry that has come in, with an empty id, or a correction: the fields, and the rules that
    they break."""
    entry = state.find(id_) if id_ else None
    held = texts_of(entry.form) if entry is not None else {}
    texts = held if typed is None else _texts_in(typed)
    broken, remarks = dict[str, list[str]](), list[str]()
    with contextlib.suppress(register.BadForm):
        before = entry.form if entry is not None else None
        form = register.read_form(
            texts if before is None else changed_in(texts, before), before=before
        )
        own, forms = id_ or register.next_id(state), dict(state.active)
        if entry is None or not entry.withdrawn:
            forms[own] = form
        findings, remarks = register.look(own, form, forms, state.settings.season)
        for finding in findings:
            rule = finding.rule.partition("/")[2]
            broken.setdefault(_BESIDE.get(rule, rule), []).append(finding.in_full())
    version, meanwhile = "", ""
    if entry is not None:
        version, (last, _) = str(len(entry.versions)), entry.versions[-1]
        if typed is not None and typed.get("version", "") != version:
            why = f": {last.reason}" if last.reason else ""
            meanwhile = f"{id_} has version {version} by now, of {last.by}{why}"
    return {
        "entry": entry,
        "groups": _register_fields(state, texts, wrong, broken, held),
        "remarks": remarks,
        "version": version,
        "meanwhile": meanwhile,
        "signing": _filled((REASON if entry else ANYWAY, BY), typed, wrong, FIELDS),
    }


def _register_wrong(state: State, id_: str, typed: Typed) -> dict[str, str]:
    texts = _texts_in(typed)
    if not id_:
        return register.faults(texts) | _line_faults(typed, ANYWAY, BY)
    form = state.find(id_).form
    return register.faults(changed_in(texts, form), form) | _line_faults(typed, REASON, BY)


def _add(season: Writer, _id: str, typed: Typed) -> tuple[str, str]:
    by, anyway = typed["by"].strip(), typed.get("anyway", "")
    (done,) = register.add_all(season, [("", _texts_in(typed))], by, anyway=anyway)
    return done.entry, f"{done.entry} is registered{_rules(done)}"


def _change(season: Writer, id_: str, typed: Typed) -> tuple[str, str]:
    entry = season.state.find(id_)
    if str(len(entry.versions)) != typed.get("version", ""):
        raise WrongMoment(f"nothing is written: {id_} was changed since this form was shown")
    changed = changed_in(_texts_in(typed), entry.form)
    if not changed:
        raise WrongMoment(f"{id_} stands in the register like this already")
    done = register.change(season, id_, changed, typed["by"].strip(), typed["reason"])
    return id_, f"{id_} is corrected{_rules(done)}"


def _turn(back: bool) -> Step:
    """Withdraws an entry, or takes that back."""

    def page(state: State, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        signing = _filled((REASON, BY), typed, wrong)
        return {"entry": state.find(id_), "back": back, "signing": signing}

    def take(season: Writer, id_: str, typed: Typed) -> tuple[str, str]:
        by, why = typed["by"].strip(), typed["reason"]
        if not back:
            register.withdraw(season, id_, by, why)
            return id_, f"{id_} is withdrawn"
        done = register.restore(season, id_, by, why)
        return id_, f"{id_} is back in the register{_rules(done)}"

    return Step(
        "season_turn.html", page, lambda _state, _id, typed: _line_faults(typed, REASON, BY), take
    )


def _rules(done: Registered) -> str:
    if not done.broken:
        return ""
    many = "a rule" if len(done.broken) == 1 else f"{len(done.broken)} rules"
    return f"; it breaks {many}, quoted below"


def _waiting(state: State, id_: str) -> list[str]:
    """The entries to be tested first; none where its own test has begun."""
    return [] if id_ in state.tests else compliance.waiting_for(state, id_)


def _test_page(state: State, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
    found, first = compliance.assess(state, id_), _waiting(state, id_)
    given = {TESTED.name: str(dt.date.today())} if typed is None else typed
    asked = [each for each in found.answers if each.item.source == PERSON]
    reasons = [
        Box(
            f"reason-{each.item.id}",
            f"Reason ({each.item.id})",
            "needed for all but pass",
            longest=TEXT_LIMIT,
        )
        for each in asked
    ]
    signing = (TESTED, *((OUT_OF_ORDER,) if first else ()), BY)
    boxes = _filled((*reasons, DOCUMENT, *signing), given, wrong)
    return {
        "entry": found.entry,
        "broken": [each for each in found.broken if each.item.source == REGISTER],
        "rules": RULES,
        "asked": [
            (answer, given.get(f"outcome-{answer.item.id}", ""), box)
            for answer, box in zip(asked, boxes, strict=False)
        ],
        "choices": OUTCOMES,
        "lpp": next(each for each in found.answers if each.item.source == CHECK_BOT),
        "document": boxes[len(asked)],
        "waiting": f"{compliance.out_of_turn(id_, first)}." if first else "",
        "signing": boxes[len(asked) + 1 :],
    }


def _test_told(
    typed: Typed,
) -> tuple[dict[str, ItemTested], Conformance | None, dt.date | None, dict[str, str]]:
    """A form about a test: items, check-bot's verdict, the day, and what is wrong."""
    items, wrong = {}, _line_faults(typed, OUT_OF_ORDER, BY)
    for name in (item.id for item in ITEMS.values() if item.source == PERSON):
        outcome, reason = typed.get(f"outcome-{name}", ""), typed.get(f"reason-{name}", "")
        try:
            if outcome:
                items[name] = compliance.read_outcome(outcome, reason)
            elif reason.strip():
                raise ValueError("there is a reason, and nothing is chosen that it is for")
        except ValueError as exc:
            wrong[f"reason-{name}"] = str(exc)
    conformance = tested = None
    # Forms end lines as no file does that check-bot has written; its digest is the file's.
    document = typed.get(DOCUMENT.name, "").replace("\r\n", "\n")
    try:
        if document.strip():
            conformance = compliance.read_conformance(document, "what is pasted")
    except compliance.BadEvidence as exc:
        wrong[DOCUMENT.name] = str(exc)
    try:
        tested = register.read_day(typed.get(TESTED.name, ""))
    except ValueError as exc:
        wrong[TESTED.name] = str(exc)
    return items, conformance, tested, wrong


def _test(season: Writer, id_: str, typed: Typed) -> tuple[str, str]:
    items, conformance, tested, _ = _test_told(typed)
    assert tested is not None
    if not items and conformance is None:
        raise BadOrder(
            "nothing is written yet, for nothing is said: choose what came out for one item at "
            "least, or paste the document of check-bot"
        )
    try:
        done = compliance.record_test(
            *(season, id_, items, typed[BY.name].strip()),
            tested=tested,
            conformance=conformance,
            out_of_order=typed.get(OUT_OF_ORDER.name, ""),
        )
    except compliance.OutOfOrder as exc:
        raise Faulty({OUT_OF_ORDER.name: "is empty: it is not this entry’s turn"}) from exc
    state = done.state
    if done.open and not done.broken:
        state = f"is open: {', '.join(item.id for item in done.open)}"
    return id_, f"the test is on record: {id_} {state}"


STEPS: Mapping[str, Step] = {
    "new": Step("season_register.html", _register_page, _register_wrong, _add),
    "change": Step("season_register.html", _register_page, _register_wrong, _change),
    "test": Step("season_test.html", _test_page, lambda *given: _test_told(given[2])[3], _test),
    "withdraw": _turn(back=False),
    "restore": _turn(back=True),
}


# Pages


class ServerSeason:
    """A season in the record of a running server, which alone can write it: by its journal.

    Arguments:
        folder: the contest's folder.
        journal: the server's.
        loop: on which it runs; this runs in a thread.
    """

    def __init__(self, folder: Path, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self.state = read(folder)
        self._journal = journal
        self._loop = loop

    def write(self, actor: str, *bodies: Body) -> None:
        """Checks events, and appends them; durable when this returns. Raises ContestError."""
        asyncio.run_coroutine_threadsafe(self._take(actor, bodies), self._loop).result()

    async def _take(self, actor: str, bodies: Sequence[Body]) -> None:
        if self._journal.finished:
            raise WrongMoment("nothing is written: the contest is over, and its record closed")
        now = self.state.settings
        events: list[tuple[str, Any]] = [("server", body) for body in opening(self.state, now)]
        events += [(actor, body) for body in bodies]
        for by, body in events:
            check(self.state, by, body)
            self.state.apply(unplaced(self._journal.draft(None, by, body)), body)
        for by, body in events:
            self._journal.write(None, by, body)
        self.state.settings = now
        await self._journal.flushed()

    def seal(self, name: str, value: Any) -> None:
        """Nothing of a season is sealed by a server: marking is a command's."""
        raise WrongMoment("marking is done with `loebner screen mark`, when the server has ended")

    def unseal(self, name: str) -> Any:
        """See `seal`."""
        raise WrongMoment("marking is done with `loebner screen mark`, when the server has ended")


class SeasonPages:
    """The season's pages.

    Arguments:
        folder: the contest's folder.
        show: makes a page: template, which page of the board it is, session, context.
        journal: of the server that has the record; None where none has it.
    """

    def __init__(
        self, folder: Path, show: Callable[..., web.Response], journal: Journal | None = None
    ) -> None:
        self._folder = folder
        self._journal = journal
        self._show = show
        self._writing = threading.Lock()
        #: The form's token of a session to the name that was given last, for the next form.
        self._names: dict[str, str] = {}

    def routes(self) -> Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]]:
        """Address to page, under the board's own."""
        return {
            PAGE: self._overview,
            f"{PAGE}/new": self._open,
            f"{PAGE}/{{entry}}": self._entry,
            f"{PAGE}/{{entry}}/{{step}}": self._open,
        }

    def forms(
        self, way: Entrance
    ) -> Mapping[str, Callable[[web.Request], Awaitable[web.Response]]]:
        """Address to what takes a form there.

        Arguments:
            way: knows who is logged in; what somebody has typed who was logged out meanwhile is
                given back.
        """

        async def take(request: web.Request) -> web.Response:
            session = way.session(request)
            if session is not None:
                return await self._take(request, session)
            try:
                typed = await read_form(request, FORM_LIMIT)
            except Refused:
                return back_to("/login")
            return given_back(request.path, typed, "", 401)

        return {f"{PAGE}/new": take, f"{PAGE}/{{entry}}/{{step}}": take}

    async def _overview(self, _request: web.Request, session: Session) -> web.Response:
        try:
            context = await asyncio.to_thread(overview, self._folder)
        except ContestError as exc:
            # Said in the page: the rest of the board has nothing to do with it.
            empty = {"words": (), "rows": (), "counts": (), "next": "", "shapes": SHAPES}
            context = {"trouble": str(exc), **empty}
        return self._show("season.html", PAGE, session, **context)

    async def _entry(self, request: web.Request, session: Session) -> web.Response:
        _, id_ = _asked(request)
        try:
            context = await asyncio.to_thread(entry, self._folder, id_)
        except ContestError as exc:
            session.said = (str(exc), False)
            return back_to(PAGE)
        return self._show("season_entry.html", PAGE, session, **context)

    async def _open(self, request: web.Request, session: Session) -> web.Response:
        return await self._form(request, session, None)

    async def _take(self, request: web.Request, session: Session) -> web.Response:
        step, id_ = _asked(request)
        typed: Typed = {}
        try:
            typed = await checked_form(request, session, FORM_LIMIT)
            if step is None:
                return await self._form(request, session, typed)
            wrong = await asyncio.to_thread(self._wrong, step, id_, typed)
            if "check" in typed:
                return await self._form(request, session, typed, wrong=wrong)
            if wrong:
                raise Faulty(wrong)
            loop = asyncio.get_running_loop()
            at, said = await asyncio.to_thread(self._write, loop, step, id_, typed)
        except Refused as exc:
            return await self._form(request, session, exc.form or None, str(exc), status=exc.status)
        except Faulty as exc:
            return await self._form(request, session, typed, str(exc), exc.faults, 400)
        except ContestError as exc:
            return await self._form(request, session, typed, str(exc), status=_status(exc))
        self._names.pop(session.form, None)
        while len(self._names) >= MOST:
            self._names.pop(next(iter(self._names)))
        self._names[session.form] = typed.get(BY.name, "")
        session.said = (f"{said[0].upper()}{said[1:]}.", True)
        return back_to(f"{PAGE}/{at}")

    def _wrong(self, step: Step, id_: str, typed: Typed) -> dict[str, str]:
        return step.wrong(read(self._folder), id_, typed)

    def _write(
        self, loop: asyncio.AbstractEventLoop, step: Step, id_: str, typed: Typed
    ) -> tuple[str, str]:
        # Two forms that are sent at once wait for each other: neither is refused for the other.
        with self._writing:
            if self._journal is not None and not (self._folder / EARLIER).exists():
                return step.take(ServerSeason(self._folder, self._journal, loop), id_, typed)
            try:
                season = Season(self._folder)
            except InUse as exc:
                raise InUse(
                    "nothing is written: a command of `loebner screen` holds the season just now, "
                    "and one at a time writes it. Send the form again when that has ended"
                ) from exc
            with season:
                return step.take(season, id_, typed)

    async def _form(
        self,
        request: web.Request,
        session: Session,
        typed: Typed | None,
        trouble: str = "",
        wrong: Typed = NOTHING,
        status: int = 200,
    ) -> web.Response:
        """The page of a form, with all that was typed."""
        step, id_ = _asked(request)
        try:
            if step is None:
                raise BadOrder("there is no such form")
            state = await asyncio.to_thread(read, self._folder)
            context = step.page(state, id_, typed, wrong)
        except Surroundings as exc:
            if typed:
                return given_back(request.path, typed, str(exc), 500)
            session.said = (str(exc), False)
            return back_to(PAGE)
        except ContestError as exc:
            session.said = (trouble or str(exc), False)
            return back_to(PAGE)
        answer = self._show(
            step.template,
            PAGE,
            session,
            address=request.path,
            trouble=f"{trouble[:1].upper()}{trouble[1:]}",
            checked=typed is not None and not trouble,
            known=self._names.get(session.form, "") if typed is None else "",
            **context,
        )
        answer.set_status(status)
        return answer


def _asked(request: web.Request) -> tuple[Step | None, str]:
    """The form that a request is about, and the id of the entry."""
    id_ = str(request.match_info.get("entry", ""))[:100]
    return STEPS.get(request.match_info.get("step", "new") if id_ else "new"), id_


def given_back(
    address: str,
    typed: Typed,
    trouble: str,
    status: int,
    *,
    banner: str = "organizer’s board",
    leave: str = f"{HOME}{PAGE}",
) -> web.Response:
    """What was typed, where its form can't be shown: it can be sent again.

    Arguments:
        address: of the form.
        typed: its fields.
        trouble: why it can't be shown; empty where somebody is logged out.
        status: HTTP's.
        banner: what the page is a part of.
        leave: where a link leads that gives it up.
    """
    context = {
        "address": address,
        "banner": banner,
        "leave": leave,
        "trouble": trouble,
        "typed": [(name, text) for name, text in typed.items() if name not in ("form", "check")],
    }
    return respond("organizer/season_away.html", context, secret=True, status=status)


def _status(exc: ContestError) -> int:
    if isinstance(exc, YoursToFix):
        return 400
    return 409 if isinstance(exc, (WrongMoment, InUse)) else 500


def overview(folder: Path) -> dict[str, Any]:
    """What the page of the season shows; reads the record. Raises ContestError."""
    state = read(folder)
    found = selection.select(state)
    fates = [row.fate for row in found.rows]
    waiting = [
        each.entry.id
        for each in compliance.assess_all(state)
        if each.state == compliance.OPEN and not each.entry.withdrawn
    ]
    begun_with = state.begun or ()
    return {
        "trouble": "",
        "words": found.words,
        "next": next((id_ for id_ in waiting if id_ not in begun_with), ""),
        "rows": found.rows,
        "shapes": SHAPES,
        "counts": [(fates.count(fate), fate) for fate in selection.FATES if fate in fates],
    }


def entry(folder: Path, id_: str) -> dict[str, Any]:
    """What the page of an entry shows; reads the record. Raises ContestError."""
    found = compliance.assess(read(folder), id_)
    marks = {compliance.COMPLIES: "ok", compliance.FAILS: "bad"}
    return {
        "entry": found.entry,
        "facts": register.facts_of(found.entry.form),
        "state": found.state,
        "mark": marks.get(found.state, "warn"),
        "answers": found.answers,
        "rules": RULES,
        "shapes": SHAPES,
        "remarks": found.remarks,
    }
