"""What has changed at a seat, as values that a window takes when it is ready to draw: the picture
of all but the talks, and what has come in each talk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from judge_console.model import SeatModel, What
from judge_console.seat import Lost, LostKind
from lpp.wire import Agreement, Author, Past, Place, RankThese, Refused, Saved, State, Welcome


@dataclass(frozen=True, slots=True)
class Picture:
    """All that a window shows but the talks themselves; see the model's attributes.

    Attributes:
        can_end: whether the person at this seat decides when the talk ends.
        connected: whether the seat is linked to its other end now.
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
    past: Mapping[tuple[int, int, Place], Past] = field(default_factory=dict)
    unreadable: Mapping[tuple[int, int, Place], Refused] = field(default_factory=dict)
    lost_keys: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """What has come in a talk.

    Attributes:
        place: which.
        fresh: whether `keys` are all that stands there, and replace what was shown.
        keys: (author, key name), in the order of showing.
        heard: the number of the other side's last key among them and all before.
    """

    place: Place
    fresh: bool
    keys: tuple[tuple[Author, str], ...]
    heard: int


@dataclass(frozen=True, slots=True)
class Update:
    """What has changed: the whole picture if it has, and the talks; places that are not in
    `places` have no talk (any more)."""

    picture: Picture | None
    streams: tuple[Stream, ...]
    places: tuple[Place, ...]


class Differences:
    """What is new in a model since the last time, as updates.

    Arguments:
        model: a seat's.
        can_end: see `Picture`.
    """

    def __init__(self, model: SeatModel, can_end: bool = False) -> None:
        self._model = model
        self._can_end = can_end
        self._given: dict[Place, tuple[list[tuple[Author, str]], int]] = {}

    def streams(self) -> tuple[Stream, ...]:
        """What has come in the talks."""
        streams = []
        for place, talk in self._model.talks.items():
            shown, count = self._given.get(place, (None, 0))
            fresh = shown is not talk.shown
            keys = tuple(talk.shown if fresh else talk.shown[count:])
            if fresh or keys:
                streams.append(Stream(place, fresh, keys, talk.heard))
                self._given[place] = (talk.shown, len(talk.shown))
        for place in self._given.keys() - self._model.talks.keys():
            del self._given[place]
        return tuple(streams)

    def picture(self, connected: bool, lost: Lost, ended: BaseException | None) -> Picture:
        """All else, as it stands."""
        model = self._model
        return Picture(
            connected=connected,
            can_end=self._can_end,
            trouble=lost.trouble,
            kind=lost.kind,
            fingerprint=lost.fingerprint,
            ended=ended,
            welcome=model.welcome,
            state=model.state,
            state_at=model.state_at,
            agreement=model.agreement,
            saved=dict(model.saved),
            unsaved=model.unsaved,
            refused=dict(model.refused),
            rank_these=model.rank_these,
            past=dict(model.past),
            unreadable=dict(model.unreadable),
            lost_keys=model.lost_keys,
        )
