"""The kinds of event, and the body of each: the codebook of the record in code.

A body is a struct; its docstring and fields become the table of docs/reference/record.md
(scripts/tables.py). `reason` is in a person's own words. Where there is a `version`, the highest
one counts. All numbers are integers; times are nanoseconds of the contest's clock.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import field

from contest.record import season
from contest.record.events import Body, Redactable, kinds_in, read
from contest.record.events import to_json as to_json
from lpp.wire import Author as Author

Place: TypeAlias = Literal["left", "right"]

#: Version of this codebook, in the contest's first event. From 2 on, `entry-started` and `trouble`
#: have salts, because the paths in them are not published.
FORMAT = 2


class _OfAttempt(Body, frozen=True):
    """An event about an attempt at a round."""

    round: int
    attempt: int


class _Decided(Redactable, frozen=True):
    """A person's decision about an attempt at a round; `reason` says why."""

    round: int
    attempt: int
    reason: str


class ContestOpened(Redactable, frozen=True):
    """The first event. `format` is the version of this codebook, `program` names the server that
    writes the record, `settings` holds `contest.toml` and the text that people agreed to,
    `schedule` has the pairings as `{"rounds": [[{"judge", "entry", "confederate"}, …], …]}`,
    `speed` is in thousandths of real time."""

    format: int
    program: str
    settings: dict[str, Any]
    schedule: dict[str, Any]
    speed: int


class TakenUp(Body, frozen=True):
    """Another server (`program`, its name and version) continues the contest. The contest's clock
    was stopped in between."""

    program: str


class ServerStalled(Body, frozen=True):
    """The server, and with it the contest's clock, froze for `ms` milliseconds of real time."""

    ms: int


class SeatJoined(Body, frozen=True):
    """The console at `seat` connected or reconnected; `client` is its name."""

    seat: str
    client: str = ""


class TextPasted(_OfAttempt, frozen=True):
    """Text of this many `characters` was pasted into a `place` of a seat, or (`replacement`)
    inserted by software on the person's computer. The settings say how it is treated."""

    seat: str
    place: Literal["left", "right", "only"]
    how: Literal["paste", "replacement"]
    characters: int


class SeatLeft(Body, frozen=True):
    """The console at `seat` disconnected, or its connection was lost."""

    seat: str
    reason: str = ""


class EntryStarted(Redactable, frozen=True):
    """The entry's program was started with this `command`, which is not published."""

    entry: str
    command: list[str]


class EntryExited(Body, frozen=True):
    """The entry's program exited with `code` (negative: killed by a signal)."""

    entry: str
    code: int


class EntryRestarted(Redactable, frozen=True):
    """The organizer restarted the entry's program."""

    entry: str
    reason: str


class CodeIssued(Body, frozen=True):
    """A new code was issued for `seat`: a seat, an entry's link, `organizer` or `witness`. The old
    code no longer works."""

    seat: str


class PersonReplaced(Redactable, frozen=True):
    """A new person, called `name`, took over `seat`. The earlier person's consent still applies to
    what they typed."""

    seat: str
    name: str
    reason: str


class ScheduleChanged(Redactable, frozen=True):
    """`rounds` replaced the schedule from `round` on."""

    round: int
    rounds: list[Any]
    reason: str


class OrderProposed(Redactable, frozen=True):
    """With `[rules] two_persons`: one person gave order `number`. `order` holds its `action` and
    fields. `round`, `attempt` and `phase` say when it was proposed; they limit when it can be
    confirmed."""

    number: int
    order: dict[str, Any]
    reason: str
    round: int
    attempt: int
    phase: str


class OrderConfirmed(Body, frozen=True):
    """A second person confirmed order `number`; the events that carry it out follow."""

    number: int


class OrderDropped(Redactable, frozen=True):
    """Order `number` was dropped, by a person or because it could no longer be carried out."""

    number: int
    reason: str = ""


class DelaysDiffer(_OfAttempt, frozen=True):
    """Keys on one side of a desk took longer than those on the other, by more than chance
    explains, on their way `to` the `judge` or the `entity`. `left_ms` and
    `right_ms` are medians over the last minute of the contest's clock, in milliseconds of real
    time. At most once per desk and attempt."""

    judge: str
    to: Author
    left_ms: int
    right_ms: int


class LeftOvers(Redactable, frozen=True):
    """The entry's directory still held these `names` when it was emptied before a talk."""

    entry: str
    names: list[str]


class Breach(Redactable, frozen=True):
    """The entry broke a `rule` with something other than a key press: its `name`, and `detail` in
    words."""

    entry: str
    rule: str
    name: str
    detail: str


class Trouble(Redactable, frozen=True):
    """A problem with the machine, such as a full disk: `where`, and `what` in words. Paths in it
    are not published."""

    where: str
    what: str


class KeyInDoubt(Body, frozen=True):
    """The judge's key `n` may have been delivered twice to `entry`, whose link died while it was
    delivering the key. `talk` is the number of the attempt at a round, counted from 1 over all
    rounds. Earlier versions wrote `trouble`."""

    entry: str
    talk: int
    n: int


class WrongCodes(Redactable, frozen=True):
    """`tries` wrong codes came from an `address` (for IPv6, its network)."""

    address: str
    tries: int


class SideSealed(_OfAttempt, frozen=True):
    """The human's side was sealed: `seal` is the SHA-256 of the text `human:nonce`."""

    judge: str
    seal: str


class RoundOpened(_OfAttempt, frozen=True):
    """The attempt was prepared."""


class RoundStarted(_OfAttempt, frozen=True):
    """The interaction began; it lasts `seconds`."""

    seconds: int


class RoundPaused(_Decided, frozen=True):
    """The organizer stopped the clock, or the server did: because the record could not be written,
    or not everybody was back after a restart."""


class RoundResumed(_OfAttempt, frozen=True):
    """The clock was started again."""


class RoundExtended(Redactable, frozen=True):
    """The interaction was extended by `seconds`."""

    round: int
    attempt: int
    seconds: int
    reason: str


class RoundEnded(_Decided, frozen=True):
    """The interaction ended and scoring began; `reason` is `time` or the organizer's."""


class ScoringClosed(_Decided, frozen=True):
    """The organizer closed scoring early."""


class RoundClosed(_OfAttempt, frozen=True):
    """Scoring ended; `heads` lists the heads of the talks, as `{talk: {"hash", "events"}}`."""

    heads: dict[str, Any]


class RoundAgain(_Decided, frozen=True):
    """The round will be played again; a running attempt ends. The previous attempt counts until the
    next one is closed."""


class RoundsStopped(Redactable, frozen=True):
    """No more rounds will be played, and those left in the schedule don't count as open. The
    ranking is next."""

    reason: str


class Voided(_Decided, frozen=True):
    """The attempt, or one `talk` of it, does not count, and neither do verdicts about it. Never
    after the reveal."""

    talk: str = ""


class BallotExcluded(Redactable, frozen=True):
    """No version of the judge's ballot counts. Never after the reveal."""

    judge: str
    reason: str


class VerdictGiven(Redactable, frozen=True):
    """A judge said which side the human was on: `human` is left or right, `confidence` is 0 to 100
    or null."""

    kind = "verdict"
    round: int
    attempt: int
    judge: str
    human: Place
    version: int
    confidence: int | None = None
    reason: str = ""


class RankingOpened(Body, frozen=True):
    """The rounds are over; the judges can rank the participants."""


class RankingGiven(Body, frozen=True):
    """A judge's ranking. `ranks` maps a label to twice its rank: 2 is the most human, 3 means rank
    1.5. `talks` maps a label to its talks."""

    kind = "ranking"
    judge: str
    version: int
    ranks: dict[str, int]
    talks: dict[str, list[str]]


class RankingClosed(Redactable, frozen=True):
    """The organizer closed the ranking early."""

    reason: str


class ConsentGiven(Redactable, frozen=True):
    """The person at `seat` said whether what they type may be published (`publish`), and under
    which `pseudonym` (empty: the name in the settings)."""

    kind = "consent"
    seat: str
    publish: bool
    version: int
    pseudonym: str = ""


class SidesRevealed(Body, frozen=True):
    """All seals were opened, after every verdict and ranking. Each item of `sides` is `{"round",
    "attempt", "judge", "human", "nonce"}`."""

    sides: list[dict[str, Any]]


class Result(Body, frozen=True):
    """The official result: `table` by judge and entry, `entries` by place with exact mean ranks
    such as "13/4" (or null), `winners`, `silver`, `warnings`."""

    table: dict[str, Any]
    entries: list[dict[str, Any]]
    winners: list[str]
    silver: list[dict[str, Any]]
    warnings: list[str]


class Revealed(Body, frozen=True):
    """The next `step` of the result was shown to the public: `names`, `table`, places from last to
    first as `place 4`, `prizes`. Without these events, everything is shown when the contest
    closes."""

    step: str


class DeclaredFinal(Redactable, frozen=True):
    """The organizer declared the result final, which ends the contest; `open` lists what was still
    open."""

    reason: str
    open: list[str] = field(default_factory=list)


class ContestClosed(Body, frozen=True):
    """The last event; `heads` lists the head of every talk. `code` is the digest of the code that
    writes the results (`contest.results.published.code_digest`), or empty."""

    heads: dict[str, Any]
    code: str = ""


class TalkOpened(_OfAttempt, frozen=True):
    """The first event of a talk: `judge` meets `entity`, who is on `side`."""

    judge: str
    entity: str
    side: Place


class Key(Redactable, frozen=True):
    """A key press by `author` on `side`. `n` is the number that the console gave the `key`, or the
    number in the directory's name (at most 2^53 - 1); `raw` is the directory's whole name, null for
    a person; `rules` are the rules of the protocol that it breaks; `out_of_phase` is the rule that
    kept it from being shown, or null."""

    author: Author
    side: Place
    key: str
    n: int
    raw: str | None = None
    rules: list[str] = field(default_factory=list)
    out_of_phase: str | None = None


class Times(Redactable, frozen=True):
    """When `keys` became durable and were shown: `[seq, durable, shown]` each, by the contest's
    clock, null where not known. If only `durable` is null, the server was killed, and `shown`
    is when the key was confirmed again."""

    keys: list[list[int | None]]


class TalkClosed(Body, frozen=True):
    """Usually the last event of a talk; a late key may follow."""


#: Any kind's body.
AnyBody: TypeAlias = Body

KINDS: dict[str, type[Body]] = kinds_in(globals())

#: All kinds, including those of a season, which readers of a contest skip.
_KNOWN = KINDS | season.KINDS

#: Kinds whose bodies get a salt: those that may have to stay unpublished in part
#: (contest/state/publication.py), and all kinds of a season, which is never published.
SALTED = frozenset(kind for kind, body in _KNOWN.items() if issubclass(body, Redactable))

#: The kinds that record key presses and their times; they make up most of a record.
KEY_KINDS = frozenset({Key.kind, Times.kind})


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body; see `read`."""
    return read(kind, body, _KNOWN)


def talk_id(round_: int, attempt: int, judge: str, side: str) -> str:
    """The name of a talk and of its chain, such as `1.1.J2.left`: round, attempt, judge, side."""
    return f"{round_}.{attempt}.{judge}.{side}"
