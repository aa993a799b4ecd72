"""The kinds of event, and the body of each: the codebook of the record in code.

A body is a struct; its kind is the struct's tag. `docs/reference/record.md` explains them to
people outside. All numbers are whole; times are nanoseconds of the contest's clock.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import field

from contest.record import season
from contest.record.body import Body, read
from contest.record.body import to_json as to_json

Place: TypeAlias = Literal["left", "right"]
Author: TypeAlias = Literal["judge", "entity"]

#: The largest number that every reader of JSON holds exactly.
LARGEST = 2**53 - 1

#: Version of this codebook, in the contest's first event: from 2 on `entry-started` and `trouble`
#: have salts, for the paths in them are not published.
FORMAT = 2


class ContestOpened(Body, frozen=True):
    """First of all: the contest as set. `settings` is contest.toml, `schedule` as
    `{"rounds": [[{"judge", "entry", "confederate"}, …], …]}`, `speed` thousandths: 1000 is
    real time."""

    kind = "contest-opened"
    format: int
    program: str
    settings: dict[str, Any]
    schedule: dict[str, Any]
    speed: int


class TakenUp(Body, frozen=True):
    """A server goes on with a contest whose server had ended; the contest's clock stood still in
    between. `program` is its name and version."""

    kind = "taken-up"
    program: str


class ServerStalled(Body, frozen=True):
    """The server stood still for `ms` milliseconds of real time: its process was stopped, or its
    machine did something else. The contest's clock stood still with it."""

    kind = "server-stalled"
    ms: int


class SeatJoined(Body, frozen=True):
    """A seat's console came, or came back."""

    kind = "seat-joined"
    seat: str
    client: str = ""


class SeatLeft(Body, frozen=True):
    """A seat's console went, or its link was lost."""

    kind = "seat-left"
    seat: str
    reason: str = ""


class EntryStarted(Body, frozen=True):
    """An entry's program was started, by these words; they are not published."""

    kind = "entry-started"
    entry: str
    command: list[str]


class EntryExited(Body, frozen=True):
    """An entry's program ended; `code` is its exit code, negative for a signal."""

    kind = "entry-exited"
    entry: str
    code: int


class EntryRestarted(Body, frozen=True):
    """The organizer has an entry's program ended and started anew, for `reason`."""

    kind = "entry-restarted"
    entry: str
    reason: str


class CodeIssued(Body, frozen=True):
    """A new code was made for a seat, for the link of an entry, or for `organizer` or `witness`;
    the old one opens nothing any more."""

    kind = "code-issued"
    seat: str


class PersonReplaced(Body, frozen=True):
    """Another person, called `name`, takes a seat from here on, for `reason`; what the one before
    has agreed to holds for what that one typed, and for no more."""

    kind = "person-replaced"
    seat: str
    name: str
    reason: str


class ScheduleChanged(Body, frozen=True):
    """The organizer has changed the rounds from `round` on, for `reason`; `rounds` has the whole
    rest, as `contest-opened` has the whole."""

    kind = "schedule-changed"
    round: int
    rounds: list[Any]
    reason: str


class OrderProposed(Body, frozen=True):
    """Where two persons are required: an order that one of them gave, with its `reason`, which the
    other has to confirm. `round`, `attempt` and `phase` are those of the moment."""

    kind = "order-proposed"
    number: int
    order: dict[str, Any]
    reason: str
    round: int
    attempt: int
    phase: str


class OrderConfirmed(Body, frozen=True):
    """The other person has confirmed the order of that number: it is carried out."""

    kind = "order-confirmed"
    number: int


class OrderDropped(Body, frozen=True):
    """The order of that number is not carried out; `reason` says why where it could not be."""

    kind = "order-dropped"
    number: int
    reason: str = ""


class DelaysDiffer(Body, frozen=True):
    """At a judge's desk the keys of one side took noticeably longer than those of the other, on
    their way to the judge or to the entities: medians in milliseconds of real time."""

    kind = "delays-differ"
    round: int
    attempt: int
    judge: str
    to: Author
    left_ms: int
    right_ms: int


class LeftOvers(Body, frozen=True):
    """What stood in an entry's directory when it was emptied before a talk."""

    kind = "left-overs"
    entry: str
    names: list[str]


class Breach(Body, frozen=True):
    """A breach of the protocol that belongs to no key press."""

    kind = "breach"
    entry: str
    rule: str
    name: str
    detail: str


class Trouble(Body, frozen=True):
    """The machine's trouble: a directory gone, a disk full. Paths in it are not published."""

    kind = "trouble"
    where: str
    what: str


class KeyInDoubt(Body, frozen=True):
    """Key `n` of the judge may have been made twice in the directory of `entry`, whose link died
    while it made the key. `talk` counts the attempts that were opened, from 1."""

    kind = "key-in-doubt"
    entry: str
    talk: int
    n: int


class WrongCodes(Body, frozen=True):
    """From an address came so many codes that open nothing, one after another: somebody mistypes,
    or tries to get in."""

    kind = "wrong-codes"
    address: str
    tries: int


class SideSealed(Body, frozen=True):
    """Where the human sits, drawn and sealed: SHA-256 over the side and 128 random bits."""

    kind = "side-sealed"
    round: int
    attempt: int
    judge: str
    seal: str


class RoundOpened(Body, frozen=True):
    """A round, or another attempt at it, was prepared."""

    kind = "round-opened"
    round: int
    attempt: int


class RoundStarted(Body, frozen=True):
    """The interaction began; it is to last `seconds`."""

    kind = "round-started"
    round: int
    attempt: int
    seconds: int


class RoundPaused(Body, frozen=True):
    """The organizer stopped the clock."""

    kind = "round-paused"
    round: int
    attempt: int
    reason: str


class RoundResumed(Body, frozen=True):
    """The clock runs again."""

    kind = "round-resumed"
    round: int
    attempt: int


class RoundExtended(Body, frozen=True):
    """The organizer gave the interaction `seconds` more, for `reason`."""

    kind = "round-extended"
    round: int
    attempt: int
    seconds: int
    reason: str


class RoundEnded(Body, frozen=True):
    """The interaction is over and scoring begins; `reason` is `time` or the organizer's."""

    kind = "round-ended"
    round: int
    attempt: int
    reason: str


class ScoringClosed(Body, frozen=True):
    """The organizer closed the scoring of a round before its time, for `reason`."""

    kind = "scoring-closed"
    round: int
    attempt: int
    reason: str


class RoundClosed(Body, frozen=True):
    """Scoring is over; the heads of the round's talks, as `{talk: {"hash", "events"}}`."""

    kind = "round-closed"
    round: int
    attempt: int
    heads: dict[str, Any]


class RoundAgain(Body, frozen=True):
    """The organizer has the round played again, for `reason`: this attempt ends if it is on, and
    the next one follows."""

    kind = "round-again"
    round: int
    attempt: int
    reason: str


class RoundsStopped(Body, frozen=True):
    """The organizer has no more rounds played, for `reason`: the ranking comes next."""

    kind = "rounds-stopped"
    reason: str


class Voided(Body, frozen=True):
    """The organizer takes an attempt, or the one `talk` of it, out of the count, for `reason`: the
    verdicts about it do not count either."""

    kind = "voided"
    round: int
    attempt: int
    reason: str
    talk: str = ""


class BallotExcluded(Body, frozen=True):
    """The organizer takes the ballot of a judge out of the count, in all versions, for `reason`."""

    kind = "ballot-excluded"
    judge: str
    reason: str


class VerdictGiven(Body, frozen=True):
    """A judge says where the human sat; the highest version counts."""

    kind = "verdict"
    round: int
    attempt: int
    judge: str
    human: Place
    version: int
    confidence: int | None = None
    reason: str = ""


class RankingOpened(Body, frozen=True):
    """All rounds are played, and the judges are asked to rank."""

    kind = "ranking-opened"


class RankingGiven(Body, frozen=True):
    """A judge ranks all whom he met, under the labels he was shown: label to rank in half steps
    times two (2 is rank 1, 3 is rank 1.5); `talks` is label to its talks."""

    kind = "ranking"
    judge: str
    version: int
    ranks: dict[str, int]
    talks: dict[str, list[str]]


class RankingClosed(Body, frozen=True):
    """The organizer closed the ranking before its time, for `reason`."""

    kind = "ranking-closed"
    reason: str


class ConsentGiven(Body, frozen=True):
    """A judge or confederate says whether what he types may be published, and under which
    pseudonym (empty: the name that the settings have); the highest version counts."""

    kind = "consent"
    seat: str
    publish: bool
    version: int
    pseudonym: str = ""


class SidesRevealed(Body, frozen=True):
    """All seals opened, after every verdict and ranking: `{"round", "attempt", "judge", "human",
    "nonce"}` each."""

    kind = "sides-revealed"
    sides: list[dict[str, Any]]


class Result(Body, frozen=True):
    """The official result; mean ranks are exact, as fractions in text ("13/4"), or null."""

    kind = "result"
    table: dict[str, Any]
    entries: list[dict[str, Any]]
    winners: list[str]
    silver: list[dict[str, Any]]
    warnings: list[str]


class Revealed(Body, frozen=True):
    """The organizer shows the public the next step of the result: `names`, `table`, a place such as
    `place 2`, or `prizes`."""

    kind = "revealed"
    step: str


class DeclaredFinal(Body, frozen=True):
    """The organizer declares the result final, for `reason`, and ends the contest; `open` says what
    was open then and is not waited for."""

    kind = "declared-final"
    reason: str
    open: list[str] = field(default_factory=list)


class ContestClosed(Body, frozen=True):
    """Last of all: the heads of all talks. `code` is the digest of the code that writes the results
    beside the record (`contest.results.published.code_digest`), empty if nothing is written."""

    kind = "contest-closed"
    heads: dict[str, Any]
    code: str = ""


class TalkOpened(Body, frozen=True):
    """First in a talk's chain: who sits where."""

    kind = "talk-opened"
    round: int
    attempt: int
    judge: str
    entity: str
    side: Place


class Key(Body, frozen=True):
    """A key press. `n` is its number: the console's for a person, the directory's for an entry; a
    directory's number beyond `LARGEST`, as time-based ones are, stands as that, and whole in `raw`.

    `raw` is the directory's whole name, `rules` the rules that it breaks; `out_of_phase` names
    the rule by which it was recorded and not shown.
    """

    kind = "key"
    author: Author
    side: Place
    key: str
    n: int
    raw: str | None = None
    rules: list[str] = field(default_factory=list)
    out_of_phase: str | None = None


class Times(Body, frozen=True):
    """When keys were durable and shown: `[seq, durable_ns, shown_ns or null]` each."""

    kind = "times"
    keys: list[list[int | None]]


class TalkClosed(Body, frozen=True):
    """Last in a talk's chain as a rule; a late key may follow."""

    kind = "talk-closed"


AnyBody: TypeAlias = (
    ContestOpened
    | TakenUp
    | ServerStalled
    | SeatJoined
    | SeatLeft
    | EntryStarted
    | EntryExited
    | EntryRestarted
    | CodeIssued
    | PersonReplaced
    | ScheduleChanged
    | OrderProposed
    | OrderConfirmed
    | OrderDropped
    | DelaysDiffer
    | LeftOvers
    | Breach
    | Trouble
    | KeyInDoubt
    | WrongCodes
    | SideSealed
    | RoundOpened
    | RoundStarted
    | RoundPaused
    | RoundResumed
    | RoundExtended
    | RoundEnded
    | ScoringClosed
    | RoundClosed
    | RoundAgain
    | RoundsStopped
    | Voided
    | BallotExcluded
    | VerdictGiven
    | RankingOpened
    | RankingGiven
    | RankingClosed
    | ConsentGiven
    | SidesRevealed
    | Result
    | Revealed
    | DeclaredFinal
    | ContestClosed
    | TalkOpened
    | Key
    | Times
    | TalkClosed
)

KINDS: dict[str, type[AnyBody]] = {
    body.kind: body
    for body in (
        *(ContestOpened, SeatJoined, SeatLeft, EntryStarted, EntryExited, LeftOvers, Breach),
        *(TakenUp, EntryRestarted, CodeIssued, RoundExtended, RoundAgain, RoundsStopped, Voided),
        *(Trouble, WrongCodes, SideSealed, RoundOpened, RoundStarted, RoundPaused, RoundResumed),
        *(
            KeyInDoubt,
            RoundEnded,
            ScoringClosed,
            RoundClosed,
            VerdictGiven,
            RankingGiven,
            RankingClosed,
        ),
        *(BallotExcluded, ConsentGiven),
        *(PersonReplaced, ScheduleChanged, OrderProposed, OrderConfirmed, OrderDropped),
        *(DelaysDiffer, Revealed, DeclaredFinal, ServerStalled),
        *(RankingOpened, SidesRevealed, Result, ContestClosed),
        *(TalkOpened, Key, Times, TalkClosed),
    )
}

#: Kinds of which something may have to stay unpublished (contest/history/publication.py), and no
#: other. Each of their bodies gets a `salt`: the hash of a withheld event is published, and without
#: a salt whoever knows the rest of it would find the key that was pressed by trying all.
REDACTABLE = frozenset(
    body.kind
    for body in (
        *(ContestOpened, ConsentGiven, LeftOvers, Breach, RoundPaused, RoundEnded, ScoringClosed),
        *(VerdictGiven, RankingClosed, Key, Times, EntryStarted, Trouble),
        *(EntryRestarted, RoundExtended, RoundAgain, RoundsStopped, Voided, BallotExcluded),
        *(PersonReplaced, ScheduleChanged, OrderProposed, OrderDropped, DeclaredFinal),
        WrongCodes,
    )
)

#: Kinds whose bodies get a salt: those, and all of a season, of which nothing is published.
SALTED = REDACTABLE | season.KINDS.keys()

#: With the kinds of a season, whose bodies the readers of a contest pass over.
_KNOWN: Any = {**KINDS, **season.KINDS}

#: The kinds of which a talk has as many as keys were pressed in it.
OF_KEYS = frozenset({Key.kind, Times.kind})


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    found: AnyBody = read(kind, body, _KNOWN, "event")
    return found


def talk_id(round_: int, attempt: int, judge: str, side: str) -> str:
    """The name of a talk and of its chain, such as `1.1.J2.left`: round, attempt, judge, side."""
    return f"{round_}.{attempt}.{judge}.{side}"
