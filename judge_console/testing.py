"""A stand-in for a seat's other end, for tests of windows and for pictures of them: no thread, no
socket, and time as the test sets it.

    played = Played()
    session = played.session()
    played.say(Welcome("J1", "judge", "A contest", 4))
    played.say(State("interaction", 1, 1, ("left", "right")))
    played.say(Talk(1, 1, "left", []), Talk(1, 1, "right", []))
    window = JudgeWindow(session)
    played.type("left", "Hello")
    assert played.sent == […]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from judge_console.memory import Drafts
from judge_console.model import Human, SeatModel, SeatRefused
from judge_console.seat import Lost
from judge_console.session import Session
from judge_console.updates import Differences, Picture, Update
from lpp.names import keys_of
from lpp.wire import Key, Place, ToSeat, ToServer


class Played:
    """The other end of a session, as `judge_console.worker.Hands`.

    Arguments:
        answer: what the other end says to each frame, at once; nothing if left out.
        can_end: see `judge_console.updates.Picture`.

    Attributes:
        model: the seat's.
        sent: all frames that the seat has sent.
        pasted: (place, text) of each paste.
        now: seconds of the clock of the remaining time.
    """

    def __init__(
        self,
        answer: Callable[[ToServer], Iterable[ToSeat]] | None = None,
        can_end: bool = False,
    ) -> None:
        self.model = SeatModel("code", "test")
        self.sent: list[ToServer] = []
        self.pasted: list[tuple[Place, str]] = []
        self.now = 0.0
        self.stopped = False
        self.ended_by_person = False
        self._answer = answer
        self._differences = Differences(self.model, can_end)
        self._connected = False
        self._trouble = ""
        self._ended: BaseException | None = None
        self._updates: list[Update] = []
        self._session: Session | None = None

    def session(self, drafts: Drafts | None = None) -> Session:
        """A session that is played by this."""
        self._session = Session(lambda news: self, drafts, monotonic=lambda: self.now)
        self._session.start()
        return self._session

    # What the test does

    def say(self, *frames: ToSeat) -> None:
        """The other end says something; a first frame of a connection is `Welcome`."""
        for frame in frames:
            try:
                self.model.receive(frame, self.now)
            except SeatRefused as exc:
                self._connected, self._ended = False, exc
            else:
                self._connected = True
        self._trouble = ""
        self._carry()

    def type(self, place: Place, text: str) -> None:
        """The other side types a text (or key names, one by one: see `hear`)."""
        self.hear(place, *keys_of(text))

    def hear(self, place: Place, *keys: str) -> None:
        """The other side presses keys."""
        talk = self.model.talks[place]
        other = "entity" if talk.own == "judge" else "judge"
        self.say(
            *(
                Key(talk.round, talk.attempt, place, other, talk.heard + n, key)  # type: ignore[arg-type]
                for n, key in enumerate(keys, 1)
            )
        )

    def lose(self, trouble: str = "the cable is out") -> None:
        """The link is cut; `say(Welcome(…))` brings it back."""
        self._connected, self._trouble = False, trouble
        self.model.hello()
        self._tell()

    def _carry(self) -> None:
        while self._connected and (frames := self.model.outgoing()):
            self.sent += frames
            for frame in frames if self._answer is not None else ():
                assert self._answer is not None
                for answer in self._answer(frame):
                    self.model.receive(answer, self.now)
        self._tell()

    def _tell(self) -> None:
        lost = Lost(self._trouble)
        picture: Picture = self._differences.picture(self._connected, lost, self._ended)
        self._updates.append(Update(picture, self._differences.streams(), tuple(self.model.talks)))
        if self._session is not None:
            self._session.refresh()

    # Hands

    def start(self) -> None:
        """See Hands."""

    def stop(self, saving: float = 0.0) -> None:
        """See Hands."""
        self.stopped = True

    def take(self) -> list[Update]:
        """See Hands."""
        updates, self._updates = self._updates, []
        return updates

    def press(self, place: Place, key: str) -> None:
        """See Hands."""
        self.model.press(place, key)
        self._carry()

    def paste(self, place: Place, text: str) -> None:
        """See Hands."""
        self.pasted.append((place, text))

    def verdict(self, human: Human, confidence: int | None, reason: str) -> None:
        """See Hands."""
        self.model.verdict(human, confidence, reason)
        self._carry()

    def rank(self, half_steps: Mapping[str, int]) -> None:
        """See Hands."""
        self.model.rank(half_steps)
        self._carry()

    def agree(self, publish: bool, pseudonym: str) -> None:
        """See Hands."""
        self.model.agree(publish, pseudonym)
        self._carry()

    def read(self, round_: int, attempt: int, place: Place) -> None:
        """See Hands."""
        self.model.read(round_, attempt, place)
        self._carry()

    def end(self) -> None:
        """See Hands."""
        self.ended_by_person = True

    def painted(self, heard: Mapping[Place, int]) -> None:
        """See Hands."""
        self.model.painted(heard)
