"""What a window knows of the contest but the talks, which page follows from it, and in which words
it is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from judge_console.model.seat import LostKind, Met, SeatRefused, What
from lpp.errors import Surroundings, YoursToFix
from lpp.wire import Agreement, Past, RankThese, Refused, Saved, State, Welcome


@dataclass(frozen=True, slots=True)
class Picture:
    """All that a window shows but the talks themselves; see the attributes of `SeatModel`.

    Attributes:
        can_end: whether the person at this seat decides when the talk ends.
        connected: whether the seat is connected to the server now.
        trouble: why it is not, in words; empty while nothing has gone wrong.
        kind: how the connection was lost, for a program; "cut" while nothing has gone wrong.
        fingerprint: of the server's certificate, where that is not trusted.
        ended: why there will be no further try; None as long as the seat lives.
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


#: The part of a picture that a `SeatModel` knows, under the same names.
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


#: Pages on which a person may be typing when another one comes.
TYPED_ON: Final = frozenset({Page.TALK, Page.VERDICT, Page.RANKING, Page.CONSENT})
#: Pages with buttons that a key can press.
WITH_BUTTONS: Final = frozenset({Page.VERDICT, Page.RANKING, Page.CONSENT, Page.ENDED})

#: Phases in which nobody talks or decides, so that the agreement may take the window.
_QUIET: Final = frozenset({"before", "waiting"})
#: Phases after the talk: at a desk without a server nothing is asked for in them.
_AFTERWARDS: Final = frozenset({"closed", "ranking", "over"})


def page_of(picture: Picture, asked: bool = False) -> Page:
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


def takes_keys(picture: Picture, heard: int) -> bool:
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


def sentence_of(picture: Picture, heard: int = 0) -> str:
    """What a person does now, or waits for.

    Arguments:
        picture: what is known.
        heard: how many keys the other side of a confederate's talk has pressed.

    Returns:
        The key of the text (texts), which has no field.
    """
    state, welcome = picture.state, picture.welcome
    role = welcome.role if welcome is not None else "judge"
    if picture.can_end and state.phase in _AFTERWARDS:
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
    if role == "judge" and state.phase == "ranking" and picture.rank_these is None:
        return "phase.soon"
    if state.phase == "over" and picture.rank_these is not None and "ranking" not in picture.saved:
        return "phase.over.unsaved"
    return f"phase.{state.phase}.{role}"


def heading_of(picture: Picture) -> str:
    """What the phase is called for this person: who gives no verdict is not asked for one, and at
    a desk without a server there is no contest.  Gives the key of the text.
    """
    phase = picture.state.phase
    if phase == "scoring" and page_of(picture) is not Page.VERDICT:
        return "phase.scoring.elsewhere"
    if phase in _AFTERWARDS and picture.can_end:
        return "desk.over"
    return f"phase.{phase}.heading"


def name_of(picture: Picture) -> str:
    """How the person at this seat is called; empty if by the seat only. A pseudonym that was saved
    holds at once, and not only from the next greeting on."""
    saved, agreement = picture.saved.get("consent"), picture.agreement
    if saved is not None and agreement is not None:
        return saved.pseudonym or agreement.name
    return picture.welcome.name if picture.welcome is not None else ""


def stops_keys(before: Page, after: Page) -> bool:
    """Whether keys are kept from a page that has just come, for somebody may still be typing on
    the one before."""
    return before is not after and before in TYPED_ON and after in WITH_BUTTONS


def asks_before_leaving(picture: Picture) -> bool:
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
        The key of the text (texts), and the reason that its field takes; empty where
        it takes none.
    """
    match ended:
        case SeatRefused(code="bad-code"):
            return ("refused.code_gone" if was_here else "refused.bad_code"), ""
        case SeatRefused(code="version"):
            return "refused.version", ""
        case SeatRefused(code="seat-taken"):
            return ("refused.taken_away" if was_here else "refused.seat_taken"), ""
        case YoursToFix() | Surroundings():
            return "errors.refused", str(ended)
    return "errors.internal", f"{type(ended).__name__}: {ended}"
