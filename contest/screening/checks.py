"""Checks of a season's events, except those of sittings: each event is compared with the state
before it, when it is written and when it is verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from contest.errors import BadOrder, WrongMoment
from contest.record import season as kinds
from contest.record.events import Body
from contest.screening import marking
from contest.screening.marking import MARKERS, SCALES, check_mark
from contest.screening.ranking import TIE_RULES, ranking_of
from contest.screening.register import (
    ASKED,
    FAILS,
    ITEMS,
    UNTESTED,
    BadForm,
    OutOfOrder,
    are,
    assess_all,
    contradictions,
    priority,
    quoted,
    read_outcome,
    select_entries,
    shared,
    shared_words,
    waiting_for,
)
from contest.screening.state import Asked, Decision, State, require_reason, settings_in
from scheduler.texts import counted, listed, shown
from texts import Sentence


def check(state: State, by: str, body: Body) -> None:
    """Raises ContestError with the reason if an event outside a sitting can't follow a state."""
    if not state.opened and not isinstance(body, kinds.SeasonOpened):
        raise WrongMoment("the season has not been opened")
    # A first registration needs no reason.
    if hasattr(body, "reason") and not isinstance(body, kinds.EntryRegistered):
        require_reason(body.reason)
    match body:
        case kinds.SeasonOpened() if state.opened:
            raise WrongMoment("the season is already open")
        case kinds.SeasonOpened() if not 1 <= body.format <= kinds.FORMAT:
            raise BadOrder(f"its format is {body.format}; this program knows {kinds.FORMAT}")
        case kinds.SeasonSet():
            settings_in(body)
        case kinds.EntryRegistered():
            _check_registered(state, body)
        case kinds.EntryWithdrawn():
            if (why := state.find(body.entry).withdrawn) is not None:
                raise WrongMoment(Sentence("season.refused.withdrawn", entry=body.entry, why=why))
        case kinds.EntryRestored():
            if (entry := state.find(body.entry)).withdrawn is None:
                raise WrongMoment(Sentence("season.refused.not_withdrawn", entry=body.entry))
            _refuse_shared(state.active, body.entry, entry.form)
        case kinds.ComplianceTested():
            _check_tested(state, body)
        case kinds.PriorityDecided():
            _check_priority(state, body.entries)
        case kinds.ScreeningBegun():
            found = select_entries(state)
            if found.begun:
                raise WrongMoment("screening has already begun: the list is final")
            if found.provisional or not found.screened:
                left = [row.entry for row in found.entries if row.fate == UNTESTED]
                why = f"{are(left)} still to be tested" if left else "".join(found.words[:1])
                raise WrongMoment(f"screening can't begin: {why}")
            if body.entries != found.screened:
                named = listed(body.entries) if body.entries else "nobody"
                go_on = listed(found.screened)
                raise BadOrder(
                    f"screening begins with {named}, but by posting dates and test results it "
                    f"should begin with {go_on}"
                )
        case kinds.PaperSet() if state.asked is not None:
            raise WrongMoment("a paper is already set, for all entries")
        case kinds.PaperSet():
            Asked.of(body)
        case kinds.ScaleSet() if body.scale not in SCALES:
            raise BadOrder(
                f"there is no scale {body.scale[:20]!r}; choose from {', '.join(SCALES)}"
            )
        case kinds.ScaleSet() if state.scale:
            raise WrongMoment(
                f"the scale was set to {state.scale} when marking began, and can't be changed"
            )
        case kinds.LettersDrawn() if state.drawn is not None or body.round != state.round:
            raise WrongMoment("the letters of this round were drawn before, or it is not open")
        case kinds.LettersDrawn() if not state.scale:
            raise WrongMoment("no scale was set before it")
        case kinds.LettersDrawn() if body.items != marking.items_of(state):
            raise BadOrder("its items are not those that were asked")
        case kinds.Marked() if not body.marker or body.marker != by:
            raise BadOrder(f"{shown(by)} gave marks in the name of {shown(body.marker)}")
        case kinds.Marked():
            for of, mark in body.marks.items():
                check_mark(state, body.item, of, mark)
        case kinds.MarkSettled():
            check_mark(state, body.item, body.letter, body.mark)
            if len(set(state.marks.get((body.item, body.letter), {}).values())) < 2:
                of = f"{body.item}, {body.letter}"
                raise WrongMoment(f"{of} needs no settling: no two markers differ")
        case kinds.QualityOpened() if state.quality:
            raise WrongMoment("the round of general quality is already open")
        case kinds.QualityOpened() if state.revealed is None:
            raise WrongMoment("finish marking the answers to the questions first")
        case kinds.LettersRevealed():
            _check_revealed(state, body)
        case kinds.TieRuleStated() if body.rule not in TIE_RULES:
            rules = ", ".join(TIE_RULES)
            raise BadOrder(f"there is no rule {shown(body.rule)}; choose from {rules}")
        case kinds.TieRuleStated() if state.revealed or state.quality:
            raise WrongMoment(
                "the letters are revealed, so a rule stated now could be chosen to favour someone; "
                "settle a tie by a decision with a reason: `loebner screen finalists CONTEST "
                "--decide`"
            )
        case kinds.CutDecided() if not state.quality and ranking_of(state).general_quality:
            raise WrongMoment(
                "no entry earned a mark, so the general quality of the responses decides first "
                "(rules 2010, section 4): `loebner screen mark CONTEST --quality`"
            )
        case kinds.CutDecided():
            decision = Decision(tuple(body.entries), by, body.reason)
            ranking_of(replace(state, cut=decision), deciding=True)
        case kinds.FinalistsSet():
            ranking = ranking_of(state)
            if ranking.open:
                raise WrongMoment("a tie at the cut is still open")
            if ranking.finalists != body.entries:
                given, right = (
                    listed(ids) if ids else "nobody" for ids in (body.entries, ranking.finalists)
                )
                raise BadOrder(f"its finalists are {given}, but by the marks they are {right}")


def _check_registered(state: State, body: kinds.EntryRegistered) -> None:
    held, id_, form = state.entries.get(body.entry), body.entry, body.form
    expected = 1 if held is None else len(held.versions) + 1
    if body.version != expected:
        fields = {"version": body.version, "expected": expected, "entry": shown(id_)}
        raise WrongMoment(Sentence("season.refused.version", **fields))
    if wrong := dict(contradictions(form)):
        raise BadForm(wrong)
    if held is None and id_ != (next_ := f"E{len(state.entries) + 1}"):
        raise BadOrder(f"it registers {shown(id_)}; the next one is {next_}")
    if held is not None:
        require_reason(body.reason)
        if form == held.form:
            raise WrongMoment(Sentence("season.refused.same", entry=id_))
    if held is None or held.withdrawn is None:
        _refuse_shared(state.active, id_, form)


def _refuse_shared(active: Mapping[str, kinds.Form], id_: str, form: kinds.Form) -> None:
    for each in shared({**active, id_: form}, id_):
        fields = {"fault": shared_words(*each), "rule": quoted("1/individual")}
        raise WrongMoment(Sentence("season.refused.shared", **fields))


def _check_tested(state: State, body: kinds.ComplianceTested) -> None:
    entry, id_, conformance = state.find(body.entry), body.entry, body.conformance
    if not body.items and conformance is None:
        raise BadOrder(Sentence("season.refused.no_result", entry=id_))
    for name, tested in body.items.items():
        if name not in ASKED:
            raise BadOrder(f"{shown(name)} is not an item that a person tests")
        if (way := entry.form.way) not in ITEMS[name].ways:
            fields = {"item": name, "entry": id_, "way": way}
            raise BadOrder(Sentence("season.refused.way", **fields))
        read_outcome(name, tested.outcome, tested.reason)
    if conformance is not None and conformance.passed == bool(conformance.cases.get("fail")):
        raise BadOrder("check-bot's verdict contradicts its cases")
    if entry.withdrawn is not None:
        raise WrongMoment(Sentence("season.refused.is_out", entry=id_, why=entry.withdrawn))
    if body.tested < (received := entry.form.received):
        dates = {"received": received, "tested": body.tested}
        raise WrongMoment(Sentence("season.refused.too_early", entry=id_, **dates))
    if not body.out_of_order and (first := waiting_for(state, id_)):
        raise OutOfOrder(f"{first}; or give the reason for an exception with --out-of-order")


def _check_priority(state: State, ids: list[str]) -> None:
    if state.begun is not None:
        raise WrongMoment("screening has begun: the list is final")
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise BadOrder("name at least two entries, each once, in their order")
    moments = {priority(state, id_) for id_ in ids}
    if len(moments) > 1:
        raise WrongMoment(
            f"{listed(ids)} were not posted and received at the same time: the dates decide"
        )
    left = [
        each.entry
        for each in assess_all(state)
        if not (each.withdrawn or each.state == FAILS or each.entry in ids)
        and priority(state, each.entry) in moments
    ]
    if left:
        raise WrongMoment(f"{are(left)} equal to these; include them in the order")


def _check_revealed(state: State, body: kinds.LettersRevealed) -> None:
    drawn = state.drawn
    if drawn is None or state.revealed is not None or body.round != state.round:
        raise WrongMoment("there was nothing to reveal")
    letters = marking.draw(drawn.items, state.subjects, body.salt)
    if marking.digest(body.salt) != drawn.sha256 or body.letters != letters:
        raise BadOrder("the letters that it reveals are not those that were sealed")
    if len(state.markers) < MARKERS:
        who = listed(state.markers) if state.markers else "nobody"
        raise WrongMoment(f"at least {MARKERS} people have to mark; so far {who} has")
    if left := [f"{who} ({number})" for who, number in marking.missing(state).items() if number]:
        raise WrongMoment(f"marks are missing from {listed(left)}")
    if open_ := marking.differences(state):
        raise WrongMoment(
            f"{counted(len(open_), 'mark')} to settle, the first {open_[0].item}, "
            f"{open_[0].letter}: `loebner screen mark CONTEST --settle ITEM LETTER MARK`"
        )
