"""A model of a server with one seat, without I/O. It accepts each numbered key once, and keeps the
accepted keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from lpp.wire import (
    Author,
    Consent,
    Hello,
    Key,
    Past,
    Phase,
    Place,
    Press,
    Ranks,
    Read,
    Role,
    Saved,
    Shown,
    State,
    Taken,
    Talk,
    ToSeat,
    ToServer,
    Verdict,
    Welcome,
)


@dataclass
class ServerTalk:
    """One talk at the server."""

    keys: list[tuple[Author, str]] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    acknowledged: int = 0


class ModelServer:
    """The other end of one seat."""

    def __init__(self, role: Role = "judge") -> None:
        self.role: Role = role
        self.own: Author = "judge" if role == "judge" else "entity"
        self.other: Author = "entity" if role == "judge" else "judge"
        places: tuple[Place, ...] = ("left", "right") if role == "judge" else ("only",)
        self.state = State("interaction", 1, 1, places, 1_500_000)
        self.talks = {place: ServerTalk() for place in places}
        self.verdicts: list[Verdict] = []
        self.ranks: list[Ranks] = []
        self.consents: list[Consent] = []
        self.hellos: list[Hello] = []
        self.received: list[ToServer] = []

    def snapshot(self) -> list[ToSeat]:
        """The frames for a seat after its greeting, or when a round begins."""
        return [
            self.state,
            *(
                Talk(self.state.round, self.state.attempt, place, list(talk.keys), len(talk.taken))
                for place, talk in self.talks.items()
            ),
        ]

    def receive(self, frame: ToServer) -> list[ToSeat]:
        """Takes a frame; returns the answers."""
        self.received.append(frame)
        state = self.state
        match frame:
            case Hello():
                self.hellos.append(frame)
                return [Welcome("J1", self.role, "A contest", 4), *self.snapshot()]
            case Press() if (frame.round, frame.attempt) == (state.round, state.attempt):
                talk = self.talks[frame.place]
                assert frame.n <= len(talk.taken) + 1, "a number was left out"
                if frame.n == len(talk.taken) + 1:
                    talk.taken.append(frame.key)
                    talk.keys.append((self.own, frame.key))
                return [Taken(frame.round, frame.attempt, frame.place, len(talk.taken))]
            case Shown() if (frame.round, frame.attempt) == (state.round, state.attempt):
                talk = self.talks[frame.place]
                assert frame.author == self.other
                assert frame.n <= self.typed(frame.place), "unsent keys can't be shown"
                talk.acknowledged = max(talk.acknowledged, frame.n)
            case Verdict():
                self.verdicts.append(frame)
                at = "2010-10-23T17:00:00Z"
                return [
                    Saved(
                        "verdict",
                        len(self.verdicts),
                        at,
                        frame.round,
                        frame.attempt,
                        human=frame.human,
                        confidence=frame.confidence,
                        reason=frame.reason,
                    ),
                ]
            case Ranks():
                self.ranks.append(frame)
                at = "2010-10-23T17:00:00Z"
                return [Saved("ranking", len(self.ranks), at, ranks=frame.ranks)]
            case Consent():
                self.consents.append(frame)
                at, version = "2010-10-23T09:00:00Z", len(self.consents)
                return [
                    Saved("consent", version, at, publish=frame.publish, pseudonym=frame.pseudonym)
                ]
            case Read():
                talk = self.talks[frame.place]
                keys = [(10 * n, author, key) for n, (author, key) in enumerate(talk.keys)]
                return [Past(frame.round, frame.attempt, frame.place, keys)]
            case _:
                pass
        return []

    def typed(self, place: Place) -> int:
        """The number of keys that the other side has typed in a talk."""
        return sum(author == self.other for author, _ in self.talks[place].keys)

    def type(self, place: Place, key: str) -> Key:
        """The other side presses a key."""
        self.talks[place].keys.append((self.other, key))
        number = self.typed(place)
        return Key(self.state.round, self.state.attempt, place, self.other, number, key)

    def begin(self, round_: int, attempt: int, phase: Phase = "interaction") -> list[ToSeat]:
        """Begins a round; its talks are empty."""
        self.state = State(phase, round_, attempt, self.state.places, 1_500_000)
        self.talks = {place: ServerTalk() for place in self.state.places}
        return self.snapshot()
