"""The kinds of event, and the body of each: the codebook of the record in code.

A body is a struct; its kind is the struct's tag. `docs/reference/record.md` explains them to
people outside. All numbers are whole; times are nanoseconds of the contest's clock.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import field

from contest.record import season
from contest.record.events import Body, Redactable, kinds_in, read
from contest.record.events import to_json as to_json
from lpp.wire import Author as Author

Place: TypeAlias = Literal["left", "right"]

#: The largest number that every reader of JSON holds exactly.
LARGEST = 2**53 - 1

#: Version of this codebook, in the contest's first event: from 2 on `entry-started` and `trouble`
#: have salts, for the paths in them are not published.
FORMAT = 2


class _OfAttempt(Body, frozen=True):
    """Of an attempt at a round."""

    round: int
    attempt: int


class _Decided(Redactable, frozen=True):
    """A person's decision about an attempt at a round, for `reason`."""

    round: int
    attempt: int
    reason: str


class ContestOpened(Redactable, frozen=True):
    """First of all: the contest as set. `settings` is contest.toml, `schedule` as
    `{"rounds": [[{"judge", "entry", "confederate"}, …], …]}`, `speed` thousandths: 1000 is
    real time."""

    format: int
    program: str
    settings: dict[str, Any]
    schedule: dict[str, Any]
    speed: int


class TakenUp(Body, frozen=True):
    """A server continues a contest whose server had ended; the contest's clock stood still in
    between. `program` is its name and version."""

    program: str


class ServerStalled(Body, frozen=True):
    """The server stood still for `ms` milliseconds of real time: its process was stopped, or its
    machine did something else. The contest's clock stood still with it."""

    ms: int


class SeatJoined(Body, frozen=True):
    """A seat's console came, or came back."""

    seat: str
    client: str = ""


class SeatLeft(Body, frozen=True):
    """A seat's console went, or its link was lost."""

    seat: str
    reason: str = ""


class EntryStarted(Redactable, frozen=True):
    """An entry's program was started, by these words; they are not published."""

    entry: str
    command: list[str]


class EntryExited(Body, frozen=True):
    """An entry's program ended; `code` is its exit code, negative for a signal."""

    entry: str
    code: int


class EntryRestarted(Redactable, frozen=True):
    """The organizer restarts an entry's program, for `reason`."""

    entry: str
    reason: str


class CodeIssued(Body, frozen=True):
    """A new code was made for a seat, for the link of an entry, or for `organizer` or `witness`;
    the old one opens nothing any more."""

    seat: str


class PersonReplaced(Redactable, frozen=True):
    """Another person, called `name`, takes a seat from here on, for `reason`; what the one before
    has agreed to holds only for what that person typed."""

    seat: str
    name: str
    reason: str


class ScheduleChanged(Redactable, frozen=True):
    """The organizer has changed the rounds from `round` on, for `reason`; `rounds` has the whole
    rest, as `contest-opened` has the whole."""

    round: int
    rounds: list[Any]
    reason: str


class OrderProposed(Redactable, frozen=True):
    """Where two persons are required: an order that one of them gave, with its `reason`, which the
    other has to confirm. `round`, `attempt` and `phase` are those of the moment."""

    number: int
    order: dict[str, Any]
    reason: str
    round: int
    attempt: int
    phase: str


class OrderConfirmed(Body, frozen=True):
    """The other person has confirmed the order of that number: it is carried out."""

    number: int


class OrderDropped(Redactable, frozen=True):
    """The order of that number is not carried out; `reason` says why where it could not be."""

    number: int
    reason: str = ""


class DelaysDiffer(_OfAttempt, frozen=True):
    """At a judge's desk the keys of one side took noticeably longer than those of the other, on
    their way to the judge or to the entities: medians in milliseconds of real time."""

    judge: str
    to: Author
    left_ms: int
    right_ms: int


class LeftOvers(Redactable, frozen=True):
    """What stood in an entry's directory when it was emptied before a talk."""

    entry: str
    names: list[str]


class Breach(Redactable, frozen=True):
    """A breach of the protocol that belongs to no key press."""

    entry: str
    rule: str
    name: str
    detail: str


class Trouble(Redactable, frozen=True):
    """The machine's trouble: a directory gone, a disk full. Paths in it are not published."""

    where: str
    what: str


class KeyInDoubt(Body, frozen=True):
    """Key `n` of the judge may have been made twice in the directory of `entry`, whose link died
    while it made the key. `talk` counts the attempts that were opened, from 1."""

    entry: str
    talk: int
    n: int


class WrongCodes(Redactable, frozen=True):
    """From an address came so many codes that open nothing, one after another: somebody mistypes,
    or tries to get in."""

    address: str
    tries: int


class SideSealed(_OfAttempt, frozen=True):
    """Where the human sits, drawn and sealed: SHA-256 over the side and 128 random bits."""

    judge: str
    seal: str


class RoundOpened(_OfAttempt, frozen=True):
    """A round, or another attempt at it, was prepared."""


class RoundStarted(_OfAttempt, frozen=True):
    """The interaction began; it is to last `seconds`."""

    seconds: int


class RoundPaused(_Decided, frozen=True):
    """The organizer stopped the clock."""


class RoundResumed(_OfAttempt, frozen=True):
    """The clock runs again."""


class RoundExtended(Redactable, frozen=True):
    """The organizer gave the interaction `seconds` more, for `reason`."""

    round: int
    attempt: int
    seconds: int
    reason: str


class RoundEnded(_Decided, frozen=True):
    """The interaction is over and scoring begins; `reason` is `time` or the organizer's."""


class ScoringClosed(_Decided, frozen=True):
    """The organizer closed the scoring of a round before its time, for `reason`."""


class RoundClosed(_OfAttempt, frozen=True):
    """Scoring is over; the heads of the round's talks, as `{talk: {"hash", "events"}}`."""

    heads: dict[str, Any]


class RoundAgain(_Decided, frozen=True):
    """The organizer has the round played again, for `reason`: this attempt ends if it is on, and
    the next one follows."""


class RoundsStopped(Redactable, frozen=True):
    """The organizer has no more rounds played, for `reason`: the ranking comes next."""

    reason: str


class Voided(_Decided, frozen=True):
    """The organizer takes an attempt, or the one `talk` of it, out of the count, for `reason`: the
    verdicts about it do not count either."""

    talk: str = ""


class BallotExcluded(Redactable, frozen=True):
    """The organizer takes the ballot of a judge out of the count, in all versions, for `reason`."""

    judge: str
    reason: str


class VerdictGiven(Redactable, frozen=True):
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


class RankingGiven(Body, frozen=True):
    """A judge ranks all whom he met, under the labels he was shown: label to rank in half steps
    times two (2 is rank 1, 3 is rank 1.5); `talks` is label to its talks."""

    kind = "ranking"
    judge: str
    version: int
    ranks: dict[str, int]
    talks: dict[str, list[str]]


class RankingClosed(Redactable, frozen=True):
    """The organizer closed the ranking before its time, for `reason`."""

    reason: str


class ConsentGiven(Redactable, frozen=True):
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

    sides: list[dict[str, Any]]


class Result(Body, frozen=True):
    """The official result; mean ranks are exact, as fractions in text ("13/4"), or null."""

    table: dict[str, Any]
    entries: list[dict[str, Any]]
    winners: list[str]
    silver: list[dict[str, Any]]
    warnings: list[str]


class Revealed(Body, frozen=True):
    """The organizer shows the public the next step of the result: `names`, `table`, a place such as
    `place 2`, or `prizes`."""

    step: str


class DeclaredFinal(Redactable, frozen=True):
    """The organizer declares the result final, for `reason`, and ends the contest; `open` says what
    was open then and is not waited for."""

    reason: str
    open: list[str] = field(default_factory=list)


class ContestClosed(Body, frozen=True):
    """Last of all: the heads of all talks. `code` is the digest of the code that writes the results
    beside the record (`contest.results.published.code_digest`), empty if nothing is written."""

    heads: dict[str, Any]
    code: str = ""


class TalkOpened(_OfAttempt, frozen=True):
    """First in a talk's chain: who sits where."""

    judge: str
    entity: str
    side: Place


class Key(Redactable, frozen=True):
    """A key press. `n` is its number: the console's for a person, the directory's for an entry; a
    directory's number beyond `LARGEST`, as time-based ones are, is cut to that.

    `raw` is the directory's whole name, `rules` the rules that it breaks; `out_of_phase` names
    the rule by which it was recorded and not shown.
    """

    author: Author
    side: Place
    key: str
    n: int
    raw: str | None = None
    rules: list[str] = field(default_factory=list)
    out_of_phase: str | None = None


class Times(Redactable, frozen=True):
    """When keys were durable and shown: `[seq, durable_ns, shown_ns or null]` each."""

    keys: list[list[int | None]]


class TalkClosed(Body, frozen=True):
    """Last in a talk's chain as a rule; a late key may follow."""


#: Any kind's body.
AnyBody: TypeAlias = Body

KINDS: dict[str, type[Body]] = kinds_in(globals())

#: Kinds of which something may have to stay unpublished (contest/state/publication.py).
REDACTABLE = frozenset(kind for kind, body in KINDS.items() if issubclass(body, Redactable))

#: With the kinds of a season, whose bodies the readers of a contest pass over.
_KNOWN = KINDS | season.KINDS

#: Kinds whose bodies get a salt: those, and all of a season, of which nothing is published.
SALTED = frozenset(kind for kind, body in _KNOWN.items() if issubclass(body, Redactable))

#: The kinds of which a talk has as many as keys were pressed in it.
OF_KEYS = frozenset({Key.kind, Times.kind})


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    return read(kind, body, _KNOWN)


def talk_id(round_: int, attempt: int, judge: str, side: str) -> str:
    """The name of a talk and of its chain, such as `1.1.J2.left`: round, attempt, judge, side."""
    return f"{round_}.{attempt}.{judge}.{side}"
