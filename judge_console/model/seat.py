"""What a seat knows, and what it has to say, without any I/O.

`SeatModel` takes the server's frames (`receive`) and the person's acts (`press`, `verdict`,
`rank`, `agree`, `read`), and gives the frames to send (`outgoing`). It has no socket, clock or
thread; a shell around it (judge_console/client.py, and the tests) carries the frames.

The rules that it keeps:

1. The server's snapshot is the truth. A `Talk` frame replaces what the pane showed; own keys that
   the server does not hold yet are put after it, and sent again.
2. A key's number is its identity. Own keys are numbered from 1 in each talk and all of them are
   kept, so that whatever number the server says it holds, the rest can be sent: also by another
   console at this seat, after this one was killed. Nothing is sent into a talk before its
   snapshot has come: only then is it known where to begin.
3. The other side's keys are numbered too. One that was there before is ignored; one that is
   missing means that the view can't be trusted, and `needs_snapshot` asks for a new connection.
4. A key that the server would refuse is not taken here: it would keep all later ones from being
   taken. Where the server misses a number all the same, a new connection begins at the right one.
5. A talk lives as long as the round and attempt that the last `State` named. Own keys of a talk
   that is gone and that the server never confirmed are counted in `lost_keys`.
6. A verdict, ranking or consent is sent again after a reconnect until the server says that it is
   saved, or refuses it: one that comes too late costs a refusal, one that was dropped here would
   cost a round. Where several were given, only the last one is sent again.
"""

from __future__ import annotations

from collections.abc import Mapping

from judge_console.model.errands import Errands
from judge_console.model.talkview import TalkKey, TalkView
from lpp.errors import YoursToFix
from lpp.names import is_sendable
from lpp.wire import (
    VERSION,
    Agreement,
    Author,
    Hello,
    Key,
    Past,
    Phase,
    Place,
    RankThese,
    Refused,
    Role,
    Saved,
    State,
    Taken,
    Talk,
    ToSeat,
    ToServer,
    Welcome,
)

#: Refusals after which there is no use in coming back with the same code.
FATAL = frozenset({"bad-code", "version", "seat-taken"})


class SeatRefused(YoursToFix):
    """The server does not let this console sit at the seat.

    Attributes:
        code: why: `bad-code`, `version` or `seat-taken`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SeatModel(Errands):
    """A seat's view of the contest.

    Arguments:
        code: the seat's secret code.
        client: the console's name and version, for the organizer's eyes.
        take_over: whether to take the seat from another console that sits there.
        earlier: what consoles before this one have typed at this seat: by talk, key by number.

    Attributes, beside those of `Errands`:
        welcome: who sits here; None before the first greeting.
        state_at: when it came, in seconds of the clock that `receive` is given.
        talks: the running round's talks by place.
        agreement: what is recorded and published, once the server has said it.
        rank_these: what is to be ranked, once the server asks.
        lost_keys: own keys that the server never confirmed, in talks that are gone.
        needs_snapshot: the view can't be trusted; only a new connection mends it.
    """

    def __init__(
        self,
        code: str,
        client: str = "",
        take_over: bool = False,
        earlier: Mapping[TalkKey, Mapping[int, str]] | None = None,
    ) -> None:
        super().__init__()
        self.welcome: Welcome | None = None
        self.state_at = 0.0
        self.talks: dict[Place, TalkView] = {}
        self.agreement: Agreement | None = None
        self.rank_these: RankThese | None = None
        self.lost_keys = 0
        self.needs_snapshot = False
        self._code = code
        self._client = client
        self._take_over = take_over
        self._earlier = dict(earlier or {})
        self._greeted = False
        self._synced: set[Place] = set()

    # What is known

    @property
    def role(self) -> Role | None:
        """Judge or confederate; None before the first greeting."""
        return self.welcome.role if self.welcome else None

    @property
    def own(self) -> Author:
        """Under which author's name this seat types."""
        return "entity" if self.role == "confederate" else "judge"

    @property
    def phase(self) -> Phase:
        """The phase that the server last named."""
        return self.state.phase

    def remaining(self, now: float) -> float | None:
        """What is left of the phase.

        Arguments:
            now: seconds of the same monotonic clock that `receive` is given.

        Returns:
            Seconds of contest time, never below 0; None where the phase has no limit. In a pause
            it stands still.
        """
        return remaining(self.state, self.state_at, now)

    def keys(self, place: Place) -> list[tuple[Author, str]]:
        """What is shown at a place, as (author, key name); empty where there is no talk. The list
        is the model's own and grows; a snapshot puts another one in its place."""
        talk = self.talks.get(place)
        return talk.shown if talk is not None else []

    def talk_key(self, place: Place) -> TalkKey:
        """Which talk sits at a place in the running round."""
        contest = self.welcome.contest_id if self.welcome else ""
        return (contest, self.state.round, self.state.attempt, place)

    # The connection

    def hello(self, cut: bool = True) -> Hello:
        """Begins a connection.

        Arguments:
            cut: whether the last one broke off without a word of the server's. Then the server
                may not know yet, and the seat takes itself over. Where the server has closed it in
                order, perhaps for another console's sake, nothing is taken over.

        Returns:
            The frame to send first.
        """
        self._greeted = False
        self._synced.clear()
        self.needs_snapshot = False
        self._send_again()
        take_over = self._take_over if self.welcome is None else cut
        return Hello(self._code, VERSION, self._client, take_over)

    def receive(self, frame: ToSeat, now: float) -> None:
        """Takes a frame of the server.

        Arguments:
            frame: the frame.
            now: seconds of any monotonic clock, at its coming.

        Raises:
            SeatRefused: if the server does not let us sit here.
        """
        match frame:
            case Welcome():
                self._receive_welcome(frame)
            case State():
                self._receive_state(frame, now)
            case Talk():
                self._receive_talk(frame)
            case Key():
                self._receive_key(frame)
            case Taken():
                talk = self._talk(frame.round, frame.attempt, frame.place)
                if talk is not None:
                    talk.confirm(frame.n)
            case Saved():
                self._take_saved(frame)
            case Agreement():
                self.agreement = frame
            case RankThese():
                self.rank_these = frame
            case Past():
                self._take_past(frame)
            case Refused():
                self._receive_refused(frame)

    def outgoing(self) -> list[ToServer]:
        """The frames to send now, in order; each is given once in a connection. Own keys first,
        then what is on the screen (one frame a talk for whatever came), then decisions."""
        if not self._greeted:
            return []
        talks = [self.talks[place] for place in sorted(self._synced)]
        return [
            *(press for talk in talks for press in talk.unsent()),
            *(shown for talk in talks for shown in talk.unacknowledged()),
            *self._errands_outgoing(),
        ]

    # The person's acts

    def press(self, place: Place, key: str) -> int:
        """A key was pressed.

        Arguments:
            place: in which talk.
            key: a key name.

        Returns:
            Its number, or 0 if it does not count: where there is no talk (yet) at this place, the
            phase is not "interaction", or this is no name of a key. Then nothing is shown or sent.
        """
        talk = self.talks.get(place)
        if talk is None or self.state.phase != "interaction" or not is_sendable(key):
            return 0
        return talk.press(key)

    def painted(self, heard: Mapping[Place, int] | None = None) -> None:
        """What stands on the screen now is to be acknowledged.

        Arguments:
            heard: place to the number of the other side's last key that was drawn; None is all
                that has come.
        """
        for place, talk in self.talks.items():
            talk.painted(talk.heard if heard is None else heard.get(place, 0))

    # Frames, one by one

    def _receive_welcome(self, frame: Welcome) -> None:
        if frame.version != VERSION:
            raise SeatRefused(
                "version",
                f"the server speaks version {frame.version} of the protocol, this console"
                f" version {VERSION}: install the same release on both",
            )
        if self.welcome is not None and self.welcome.contest_id != frame.contest_id:
            # Another contest is held at the same place: nothing of the old one belongs there.
            self._forget_round()
            self._forget_answers()
            self.state = State(phase="before")
            self.rank_these = None
        self.welcome = frame
        self._greeted = True

    def _receive_state(self, state: State, now: float) -> None:
        if (state.round, state.attempt) != (self.state.round, self.state.attempt):
            self._forget_round()
        if state.phase == "over":
            self._forget_decisions()
        self.state = state
        self.state_at = now

    def _forget_round(self) -> None:
        self.lost_keys += sum(talk.unconfirmed for talk in self.talks.values())
        self.talks = {}
        self._synced.clear()
        self._forget_verdict()

    def _receive_talk(self, frame: Talk) -> None:
        if (frame.round, frame.attempt) != (self.state.round, self.state.attempt):
            return
        talk = self.talks.get(frame.place)
        if talk is None:
            talk = TalkView(frame.round, frame.attempt, frame.place, self.own)
            self.talks[frame.place] = talk
        talk.replace(frame, self._earlier.pop(self.talk_key(frame.place), {}))
        self._synced.add(frame.place)

    def _receive_key(self, frame: Key) -> None:
        if (frame.round, frame.attempt) != (self.state.round, self.state.attempt):
            return
        if frame.author == self.own:
            return  # own keys are shown when they are pressed
        talk = self.talks.get(frame.place)
        if talk is None or frame.place not in self._synced or not talk.hear(frame):
            self.needs_snapshot = True

    def _receive_refused(self, frame: Refused) -> None:
        if frame.code in FATAL:
            raise SeatRefused(frame.code, frame.message)
        if not self._take_refusal(frame) and frame.code == "gap":
            self.needs_snapshot = True

    def _talk(self, round_: int, attempt: int, place: Place) -> TalkView | None:
        talk = self.talks.get(place)
        return talk if talk and (talk.round, talk.attempt) == (round_, attempt) else None


def remaining(state: State, since: float, now: float) -> float | None:
    """What is left of a phase; see `SeatModel.remaining`.

    Arguments:
        state: the last one.
        since: when it came.
        now: seconds of the same clock.
    """
    if state.remaining_ms is None:
        return None
    left = state.remaining_ms / 1000
    if state.phase != "paused":
        left -= (now - since) * state.speed
    return max(0.0, left)
