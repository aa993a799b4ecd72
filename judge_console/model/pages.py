"""Which page a window shows, by what is known of the contest; and the words for its end."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import Enum, auto
from typing import Final, Protocol

from judge_console.model.seat import SeatRefused, What
from lpp.errors import Surroundings, YoursToFix
from lpp.wire import Agreement, RankThese, Saved, State, Welcome


class Known(Protocol):
    """What the choice of a page depends on: `judge_console.session.Picture` has it."""

    @property
    def ended(self) -> BaseException | None: ...

    @property
    def welcome(self) -> Welcome | None: ...

    @property
    def state(self) -> State: ...

    @property
    def agreement(self) -> Agreement | None: ...

    @property
    def saved(self) -> Mapping[What, Saved]: ...

    @property
    def unsaved(self) -> Set[What]: ...

    @property
    def rank_these(self) -> RankThese | None: ...

    @property
    def can_end(self) -> bool: ...


class Page(Enum):
    """The pages of a window."""

    CONNECTING = auto()
    CONSENT = auto()
    WAITING = auto()
    TALK = auto()
    VERDICT = auto()
    RANKING = auto()
    OVER = auto()
    ENDED = auto()


#: Pages on which a person may be typing when another one comes.
TYPED_ON: Final = frozenset({Page.TALK, Page.VERDICT, Page.RANKING, Page.CONSENT})
#: Pages with buttons that a key can press.
WITH_BUTTONS: Final = frozenset({Page.VERDICT, Page.RANKING, Page.CONSENT, Page.ENDED})

#: Phases in which nobody talks or decides, so that the agreement may take the window.
_QUIET: Final = frozenset({"before", "waiting"})
#: Phases after the talk: at a desk without a server nothing is asked for in them.
_AFTERWARDS: Final = frozenset({"closed", "ranking", "over"})


def page_of(picture: Known, asked: bool = False) -> Page:
    """The page to show.

    Arguments:
        picture: what is known.
        asked: whether the person wants to see the agreement again. It comes where it covers
            neither a talk nor a decision.
    """
    state, welcome = picture.state, picture.welcome
    if picture.ended is not None:
        return Page.ENDED
    if welcome is None:
        return Page.CONNECTING
    is_judge = welcome.role == "judge"
    if picture.agreement is not None:
        unanswered = "consent" not in picture.saved
        # At a desk without a server the person keeps the record, and is asked on request only.
        if state.phase in _QUIET and ((unanswered and not picture.can_end) or asked):
            return Page.CONSENT
        if state.phase == "closed" and asked:
            return Page.CONSENT
    match state.phase:
        case "interaction" | "paused" if state.places:
            return Page.TALK
        case "scoring" if is_judge and len(state.places) > 1:
            return Page.VERDICT
        case "ranking" if is_judge and picture.rank_these is not None and not picture.can_end:
            return Page.RANKING
        case "over":
            return Page.OVER
    return Page.WAITING


def takes_keys(picture: Known, heard: int) -> bool:
    """Whether a key that is pressed in a talk counts: a confederate's does not before the judge's
    first one (rules.md, section 2: keys out of phase).

    Arguments:
        picture: what is known.
        heard: how many keys the other side has pressed in this talk.
    """
    welcome = picture.welcome
    return picture.state.phase == "interaction" and (
        heard > 0 or (welcome is not None and welcome.role == "judge")
    )


def sentence_of(picture: Known, heard: int = 0) -> str:
    """What a person does now, or waits for.

    Arguments:
        picture: what is known.
        heard: how many keys the other side of a confederate's talk has pressed.

    Returns:
        The key of the text (judge_console.texts), which has no field.
    """
    state, welcome = picture.state, picture.welcome
    role = welcome.role if welcome is not None else "judge"
    if picture.can_end and state.phase in _AFTERWARDS:
        return "desk.close"
    in_a_round = state.phase in ("interaction", "paused", "scoring")
    if in_a_round and not state.places:
        return "phase.idle"
    if state.phase == "interaction" and role == "judge" and len(state.places) == 1:
        return "desk.practice"
    if role == "confederate" and state.phase == "interaction" and not heard:
        return "confederate.wait"
    if role == "judge" and state.phase == "ranking" and picture.rank_these is None:
        return "phase.soon"
    if state.phase == "over" and picture.rank_these is not None and "ranking" not in picture.saved:
        return "phase.over.unsaved"
    return f"phase.{state.phase}.{role}"


def heading_of(picture: Known) -> str:
    """What the phase is called for this person: who gives no verdict is not asked for one, and at
    a desk without a server there is no contest.

    Arguments:
        picture: what is known.

    Returns:
        The key of the text.
    """
    phase = picture.state.phase
    if phase == "scoring" and page_of(picture) is not Page.VERDICT:
        return "phase.scoring.elsewhere"
    if phase in _AFTERWARDS and picture.can_end:
        return "desk.over"
    return f"phase.{phase}.heading"


def name_of(picture: Known) -> str:
    """How the person at this seat is called; empty if by the seat only. A pseudonym that was saved
    holds at once, and not only from the next greeting on."""
    saved, agreement = picture.saved.get("consent"), picture.agreement
    if saved is not None and agreement is not None:
        return saved.pseudonym or agreement.name
    return picture.welcome.name if picture.welcome is not None else ""


def stops_keys(before: Page, after: Page) -> bool:
    """Whether keys are kept from a page that has just come (keyboard.py, `KeyStop`): somebody may
    still be typing on the one before."""
    return before is not after and before in TYPED_ON and after in WITH_BUTTONS


def asks_before_leaving(picture: Known) -> bool:
    """Whether a person who closes the window is asked: in a talk, and as long as a decision is
    due or on its way."""
    if picture.ended is not None:
        return False
    decisions: dict[Page, What] = {Page.VERDICT: "verdict", Page.RANKING: "ranking"}
    page = page_of(picture)
    return (
        page is Page.TALK
        or bool(picture.unsaved)
        or (page in decisions and decisions[page] not in picture.saved)
    )


def words_for(ended: BaseException, was_here: bool) -> tuple[str, str]:
    """Why a seat has ended, for a person.

    Arguments:
        ended: what the picture gives.
        was_here: whether this console has sat at the seat before.

    Returns:
        The key of the text (judge_console.texts), and the reason that its field takes; empty where
        it takes none.
    """
    match ended:
        case SeatRefused(code="bad-code"):
            return ("errors.code_gone" if was_here else "errors.bad_code"), ""
        case SeatRefused(code="version"):
            return "errors.version", ""
        case SeatRefused(code="seat-taken"):
            return ("errors.taken_away" if was_here else "errors.seat_taken"), ""
        case YoursToFix() | Surroundings():
            return "errors.refused", str(ended)
    return "errors.internal", f"{type(ended).__name__}: {ended}"
