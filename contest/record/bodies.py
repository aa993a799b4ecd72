"""The kinds of event, and the body of each: the codebook of the record in code.

A body is a struct; its docstring and fields become the table of docs/reference/record.md
(scripts/tables.py). `reason` is a person's words; of a `version` the highest counts. All numbers
are whole; times are nanoseconds of the contest's clock.
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
    """The first event. `format` is the version of this codebook, `program` keeps the record,
    `settings` are `contest.toml` and the text that people agreed to, `schedule` has the pairings as
    `{"rounds": [[{"judge", "entry", "confederate"}, …], …]}`, `speed` is thousandths of real
    time."""

    format: int
    program: str
    settings: dict[str, Any]
    schedule: dict[str, Any]
    speed: int


class TakenUp(Body, frozen=True):
    """Another server (`program`, its name and version) continues the contest, whose clock stood
    still in between."""

    program: str


class ServerStalled(Body, frozen=True):
    """The server, and the contest's clock, stood still for `ms` milliseconds of real time."""

    ms: int


class SeatJoined(Body, frozen=True):
    """The console at `seat` came or came back; `client` names it."""

    seat: str
    client: str = ""


class TextPasted(_OfAttempt, frozen=True):
    """Text of so many `characters` was pasted at a `place` of a seat, or (`replacement`) put in by
    a program of the person's; the settings say what becomes of it."""

    seat: str
    place: Literal["left", "right", "only"]
    how: Literal["paste", "replacement"]
    characters: int


class SeatLeft(Body, frozen=True):
    """The console at `seat` went, or its connection was lost."""

    seat: str
    reason: str = ""


class EntryStarted(Redactable, frozen=True):
    """The entry's program was started by this `command`, which is not published."""

    entry: str
    command: list[str]


class EntryExited(Body, frozen=True):
    """The entry's program ended with exit `code`, negative for a signal."""

    entry: str
    code: int


class EntryRestarted(Redactable, frozen=True):
    """The organizer restarts the entry's program."""

    entry: str
    reason: str


class CodeIssued(Body, frozen=True):
    """A new code for `seat`: a seat, an entry's link, `organizer` or `witness`; the old one is
    void."""

    seat: str


class PersonReplaced(Redactable, frozen=True):
    """A new person, called `name`, takes `seat`; the earlier person's consent holds for what they
    typed."""

    seat: str
    name: str
    reason: str


class ScheduleChanged(Redactable, frozen=True):
    """`rounds` replaces the schedule from `round` on."""

    round: int
    rounds: list[Any]
    reason: str


class OrderProposed(Redactable, frozen=True):
    """With `[rules] two_persons`: one person gave order `number`; `order` has its `action` and
    fields. It can be confirmed only in the same `round`, `attempt` and `phase`."""

    number: int
    order: dict[str, Any]
    reason: str
    round: int
    attempt: int
    phase: str


class OrderConfirmed(Body, frozen=True):
    """The other person confirmed order `number`; its effect follows."""

    number: int


class OrderDropped(Redactable, frozen=True):
    """Order `number` is dropped, by a person or because it became impossible."""

    number: int
    reason: str = ""


class DelaysDiffer(_OfAttempt, frozen=True):
    """The two sides of a desk took different times, beyond chance, on their way `to` the `judge` or
    the `entity`: `left_ms` and `right_ms` are medians of the last minute of real time. Once a
    talk."""

    judge: str
    to: Author
    left_ms: int
    right_ms: int


class LeftOvers(Redactable, frozen=True):
    """`names` in the entry's directory when it was emptied before a talk."""

    entry: str
    names: list[str]


class Breach(Redactable, frozen=True):
    """The entry broke a `rule` by something that is no key press: its `name`, and `detail` in
    words."""

    entry: str
    rule: str
    name: str
    detail: str


class Trouble(Redactable, frozen=True):
    """Trouble with the machine, such as a full disk: `where`, and `what` in words. Paths in it are
    not published."""

    where: str
    what: str


class KeyInDoubt(Body, frozen=True):
    """Key `n` of the judge may have been made twice for `entry`, whose link died while it made the
    key; `talk` counts attempts from 1. Earlier versions wrote `trouble`."""

    entry: str
    talk: int
    n: int


class WrongCodes(Redactable, frozen=True):
    """`tries` wrong codes came from an `address` (of IPv6 its network)."""

    address: str
    tries: int


class SideSealed(_OfAttempt, frozen=True):
    """Where the human sits, sealed: `seal` is the SHA-256 of the text `human:nonce`."""

    judge: str
    seal: str


class RoundOpened(_OfAttempt, frozen=True):
    """The attempt was prepared."""


class RoundStarted(_OfAttempt, frozen=True):
    """The interaction began, for `seconds`."""

    seconds: int


class RoundPaused(_Decided, frozen=True):
    """The organizer stopped the clock."""


class RoundResumed(_OfAttempt, frozen=True):
    """The clock runs again."""


class RoundExtended(Redactable, frozen=True):
    """The interaction lasts `seconds` longer."""

    round: int
    attempt: int
    seconds: int
    reason: str


class RoundEnded(_Decided, frozen=True):
    """The interaction is over, scoring begins; `reason` is `time` or the organizer's."""


class ScoringClosed(_Decided, frozen=True):
    """The organizer closed the scoring before its time."""


class RoundClosed(_OfAttempt, frozen=True):
    """Scoring is over; `heads` takes in the talks, as `{talk: {"hash", "events"}}`."""

    heads: dict[str, Any]


class RoundAgain(_Decided, frozen=True):
    """The round is played again; a running attempt ends. Until the next one is closed, the previous
    one counts."""


class RoundsStopped(Redactable, frozen=True):
    """No more rounds; those of the schedule that remain are not open. The ranking is next."""

    reason: str


class Voided(_Decided, frozen=True):
    """The attempt, or one `talk` of it, does not count, nor do verdicts about it. Never after the
    reveal."""

    talk: str = ""


class BallotExcluded(Redactable, frozen=True):
    """No version of the judge's ballot counts. Never after the reveal."""

    judge: str
    reason: str


class VerdictGiven(Redactable, frozen=True):
    """A judge says where the human sat: `human` is left or right, `confidence` 0 to 100, or
    null."""

    kind = "verdict"
    round: int
    attempt: int
    judge: str
    human: Place
    version: int
    confidence: int | None = None
    reason: str = ""


class RankingOpened(Body, frozen=True):
    """All rounds are played; judges rank."""


class RankingGiven(Body, frozen=True):
    """A judge's ranking. `ranks` is label to twice its rank: 2 is the most human, 3 is rank 1.5;
    `talks` is label to its talks."""

    kind = "ranking"
    judge: str
    version: int
    ranks: dict[str, int]
    talks: dict[str, list[str]]


class RankingClosed(Redactable, frozen=True):
    """The organizer closed the ranking before its time."""

    reason: str


class ConsentGiven(Redactable, frozen=True):
    """Whether what is typed at `seat` may be published (`publish`), and under which `pseudonym`
    (empty: the settings' name)."""

    kind = "consent"
    seat: str
    publish: bool
    version: int
    pseudonym: str = ""


class SidesRevealed(Body, frozen=True):
    """All seals opened, after every verdict and ranking. `sides` has `{"round", "attempt", "judge",
    "human", "nonce"}` each."""

    sides: list[dict[str, Any]]


class Result(Body, frozen=True):
    """The official result: `table` of judge and entry, `entries` by place with exact mean ranks
    such as "13/4", or null, `winners`, `silver`, `warnings`."""

    table: dict[str, Any]
    entries: list[dict[str, Any]]
    winners: list[str]
    silver: list[dict[str, Any]]
    warnings: list[str]


class Revealed(Body, frozen=True):
    """The next `step` shown to the public: `names`, `table`, places from the last to the first as
    `place 4`, `prizes`. Without such events, all is shown when the contest closes."""

    step: str


class DeclaredFinal(Redactable, frozen=True):
    """The result is final, and the contest ends; `open` lists what was not waited for."""

    reason: str
    open: list[str] = field(default_factory=list)


class ContestClosed(Body, frozen=True):
    """The last event; `heads` takes in every talk. `code` is the digest of the code that writes the
    results (`contest.results.published.code_digest`), or empty."""

    heads: dict[str, Any]
    code: str = ""


class TalkOpened(_OfAttempt, frozen=True):
    """The first event of a talk: `judge` meets `entity`, who sits at `side`."""

    judge: str
    entity: str
    side: Place


class Key(Redactable, frozen=True):
    """A key press by `author` at `side`. `n` is the console's number of the `key`, or the
    directory's (at most 2^53 - 1); `raw` is the directory's whole name, null for a person; `rules`
    are the protocol's rules that it breaks; `out_of_phase` is the rule by which it was not shown,
    or null."""

    author: Author
    side: Place
    key: str
    n: int
    raw: str | None = None
    rules: list[str] = field(default_factory=list)
    out_of_phase: str | None = None


class Times(Redactable, frozen=True):
    """When `keys` were durable and shown: `[seq, durable, shown]` each, by the contest's clock,
    null where not known. If only durable is null, the server had been killed, and shown is when the
    key was confirmed again."""

    keys: list[list[int | None]]


class TalkClosed(Body, frozen=True):
    """Usually the last event of a talk; a late key may follow."""


#: Any kind's body.
AnyBody: TypeAlias = Body

KINDS: dict[str, type[Body]] = kinds_in(globals())

#: With the kinds of a season, whose bodies the readers of a contest pass over.
_KNOWN = KINDS | season.KINDS

#: Kinds of which something may have to stay unpublished (contest/state/publication.py), and all of
#: a season, of which nothing is published: their bodies get a salt.
SALTED = frozenset(kind for kind, body in _KNOWN.items() if issubclass(body, Redactable))

#: The kinds of which a talk has as many as keys were pressed in it.
OF_KEYS = frozenset({Key.kind, Times.kind})


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body; see `read`."""
    return read(kind, body, _KNOWN)


def talk_id(round_: int, attempt: int, judge: str, side: str) -> str:
    """The name of a talk and of its chain, such as `1.1.J2.left`: round, attempt, judge, side."""
    return f"{round_}.{attempt}.{judge}.{side}"
