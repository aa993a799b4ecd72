"""The state of a window (except the talks), and the page and texts that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from judge_console.model.seat import LostKind, Met, SeatRefused, What
from lpp.errors import EnvironmentProblem, UserError
from lpp.wire import Agreement, Past, RankThese, Refused, Saved, State, Welcome


@dataclass(frozen=True, slots=True)
class WindowState:
    """Everything that a window shows, except the talks; see also the attributes of `SeatModel`.

    Attributes:
        can_end: whether the person at this seat may end the talk.
        connected: whether the seat is connected to the server now.
        trouble: why it is not, in words; empty if nothing has gone wrong.
        kind: the trouble as a code; "cut" if nothing has gone wrong.
        fingerprint: of the server's certificate, if that is not trusted.
        ended: why the console has stopped reconnecting; None if it hasn't.
    """

    connected: bool = False
    can_end: bool = False
    trouble: str = ""
    kind: LostKind = "cut"
    fingerprint: str = ""
    ended: BaseException | None = None
    welcome: Welcome | None = None
    state: State = field(default_factory=lambda: State(phase="before"))
    state_at: float = 0.0
    agreement: Agreement | None = None
    saved: Mapping[What, Saved] = field(default_factory=dict)
    unsaved: frozenset[What] = frozenset()
    refused: Mapping[What, Refused] = field(default_factory=dict)
    rank_these: RankThese | None = None
    past: Mapping[Met, Past] = field(default_factory=dict)
    unreadable: Mapping[Met, Refused] = field(default_factory=dict)
    lost_keys: int = 0


#: The attributes of a `WindowState` that come from the `SeatModel`, under the same names.
KNOWN_BY_MODEL: Final = (
    *("welcome", "state", "state_at", "agreement", "saved", "unsaved", "refused", "rank_these"),
    *("past", "unreadable", "lost_keys"),
)


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


#: Pages on which a person may still be typing when the next one appears.
TYPED_ON: Final = frozenset({Page.TALK, Page.VERDICT, Page.RANKING, Page.CONSENT})
#: Pages with buttons that a key can press.
WITH_BUTTONS: Final = frozenset({Page.VERDICT, Page.RANKING, Page.CONSENT, Page.ENDED})

#: Phases in which nobody talks or decides, so the agreement may cover the window.
_QUIET: Final = frozenset({"before", "waiting"})
#: Phases after the talk, in which a desk without a server asks for nothing.
_AFTERWARDS: Final = frozenset({"closed", "ranking", "over"})


def page_of(window_state: WindowState, asked: bool = False) -> Page:
    """The page to show.

    Arguments:
        window_state: the window's state.
        asked: whether the person wants to see the agreement again. It never covers a talk or a
            decision.
    """
    state, welcome = window_state.state, window_state.welcome
    if window_state.ended is not None:
        return Page.ENDED
    if welcome is None:
        return Page.CONNECTING
    is_judge = welcome.role == "judge"
    if window_state.agreement is not None:
        unanswered = "consent" not in window_state.saved
        # At a desk without a server the person owns the record, so the question appears only on
        # request.
        if state.phase in _QUIET and ((unanswered and not window_state.can_end) or asked):
            return Page.CONSENT
        if state.phase == "closed" and asked:
            return Page.CONSENT
    match state.phase:
        case "interaction" | "paused" if state.places:
            return Page.TALK
        case "scoring" if is_judge and len(state.places) > 1:
            return Page.VERDICT
        case "ranking" if (
            is_judge and window_state.rank_these is not None and not window_state.can_end
        ):
            return Page.RANKING
        case "over":
            return Page.OVER
    return Page.WAITING


def takes_keys(window_state: WindowState, heard: int) -> bool:
    """Whether a key pressed in a talk counts. A confederate's keys don't before the judge's first
    one (rules 2010, section 3).

    Arguments:
        window_state: the window's state.
        heard: how many keys the other side has pressed in this talk.
    """
    welcome = window_state.welcome
    return window_state.state.phase == "interaction" and (
        heard > 0 or (welcome is not None and welcome.role == "judge")
    )


def sentence_of(window_state: WindowState, heard: int = 0) -> str:
    """The sentence that tells the person what to do or wait for.

    Arguments:
        window_state: the window's state.
        heard: how many keys the other side of a confederate's talk has pressed.

    Returns:
        The key of the text, which has no field.
    """
    state, welcome = window_state.state, window_state.welcome
    role = welcome.role if welcome is not None else "judge"
    if window_state.can_end and state.phase in _AFTERWARDS:
        return "desk.close"
    if state.phase == "closed" and welcome is not None and state.round >= welcome.rounds > 0:
        return f"phase.closed_last.{role}"
    in_a_round = state.phase in ("interaction", "paused", "scoring")
    if in_a_round and not state.places:
        return "phase.idle"
    if state.phase == "interaction" and role == "judge" and len(state.places) == 1:
        return "desk.practice"
    if role == "confederate" and state.phase == "interaction" and not heard:
        return "confederate.wait"
    if role == "judge" and state.phase == "ranking" and window_state.rank_these is None:
        return "phase.soon"
    if (
        state.phase == "over"
        and window_state.rank_these is not None
        and "ranking" not in window_state.saved
    ):
        return "phase.over.unsaved"
    return f"phase.{state.phase}.{role}"


def heading_of(window_state: WindowState) -> str:
    """The heading of the phase for this person, as the key of a text. People who give no verdict
    are not asked for one, and at a desk without a server there is no contest.
    """
    phase = window_state.state.phase
    if phase == "scoring" and page_of(window_state) is not Page.VERDICT:
        return "phase.scoring.elsewhere"
    if phase in _AFTERWARDS and window_state.can_end:
        return "desk.over"
    return f"phase.{phase}.heading"


def name_of(window_state: WindowState) -> str:
    """The name of the person at this seat; empty if there is only the seat's id. A saved pseudonym
    counts at once, not only after the next greeting."""
    saved, agreement = window_state.saved.get("consent"), window_state.agreement
    if saved is not None and agreement is not None:
        return saved.pseudonym or agreement.name
    return window_state.welcome.name if window_state.welcome is not None else ""


def stops_keys(before: Page, after: Page) -> bool:
    """Whether keys are blocked on a page that has just appeared, because somebody may still be
    typing on the one before."""
    return before is not after and before in TYPED_ON and after in WITH_BUTTONS


def asks_before_leaving(window_state: WindowState) -> bool:
    """Whether to ask a person who closes the window: in a talk, and while a decision is due or not
    yet saved."""
    if window_state.ended is not None:
        return False
    decisions: dict[Page, What] = {Page.VERDICT: "verdict", Page.RANKING: "ranking"}
    page = page_of(window_state)
    return (
        page is Page.TALK
        or bool(window_state.unsaved)
        or (page in decisions and decisions[page] not in window_state.saved)
    )


def words_for(ended: BaseException, was_here: bool) -> tuple[str, str]:
    """The text that tells a person why the seat has ended.

    Arguments:
        ended: as in `WindowState`.
        was_here: whether this console had the seat before.

    Returns:
        The key of the text, and the value of its field `reason`; empty if it has none.
    """
    match ended:
        case SeatRefused(code="bad-code"):
            return ("refused.code_gone" if was_here else "refused.bad_code"), ""
        case SeatRefused(code="version"):
            return "refused.version", ""
        case SeatRefused(code="seat-taken"):
            return ("refused.taken_away" if was_here else "refused.seat_taken"), ""
        case UserError() | EnvironmentProblem():
            return "errors.refused", str(ended)
    return "errors.internal", f"{type(ended).__name__}: {ended}"
