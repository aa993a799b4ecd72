"""The playback of a recording: the conversations at each moment.

There is no clock here: the caller says how many seconds have passed. The conversations depend on
the position alone, so seeking gives the same result as playing. Rebuilding a pairing of 13,000 key
presses takes about 15 ms, so nothing is stored for seeking backwards.
"""

from __future__ import annotations

from bisect import bisect_right

from lpp import wire
from lpp.conversation import Conversation
from lpp.log2012 import Place
from lpp.recording import RecordedKey, Recording

#: The slowest and the fastest speed, as a multiple of real time; `seek(duration)` shows everything
#: at once.
SLOWEST, FASTEST = 0.25, 60.0
#: The speeds that a person chooses from.
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)
#: The shortest duration in seconds, so that beginning and end always differ. Times are whole
#: microseconds.
_LEAST = 5e-7


class Playback:
    """Plays a recording. It starts paused, at the beginning.

    Arguments:
        recording: the recording to play.

    Attributes:
        recording: as given.
        talks: the conversation on each side. Seeking backwards replaces them.
        position: in seconds of the recording. At 0 nothing has been typed yet; at any other
            position everything up to it has.
        duration: seconds of the recording from the first key press to the last.
        taken: how many key presses have been shown.
        speed: seconds of the recording per second of real time.
        playing: whether `advance` moves the position.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._offsets = [offset / 1_000_000 for offset in recording.offsets_us()]
        self.duration = max(self._offsets[-1], _LEAST) if self._offsets else 0.0
        self.speed = 1.0
        self.playing = False
        self._begin()

    @property
    def at_end(self) -> bool:
        """Whether everything has been shown."""
        return self.position >= self.duration

    @property
    def has_times(self) -> bool:
        """Whether the recording says when keys were pressed; it does not if all have the same
        time."""
        return len(self._offsets) < 2 or self._offsets[-1] > 0

    def set_speed(self, speed: float) -> None:
        """Changes the speed from here on.

        Arguments:
            speed: from `SLOWEST` to `FASTEST`.

        Raises:
            ValueError: if it is out of range.
        """
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"the speed is {speed}: it must be from {SLOWEST} to {FASTEST}")
        self.speed = speed

    def play(self) -> None:
        """Starts or resumes playing; at the end, starts again from the beginning."""
        if self.at_end:
            self.seek(0)
        self.playing = not self.at_end

    def advance(self, seconds: float) -> tuple[RecordedKey, ...]:
        """Advances the position by the time that has passed.

        Arguments:
            seconds: of real time since the last call; less than 0 counts as 0.

        Returns:
            The key presses that were due and are now in `talks`; none while paused. Playing stops
            at the end.
        """
        if not self.playing:
            return ()
        due = self._show(self.position + max(0.0, seconds) * self.speed)
        self.playing = not self.at_end
        return due

    def seek(self, position: float) -> bool:
        """Moves to another position, backwards or forwards.

        Arguments:
            position: in seconds of the recording; limited to its beginning and end.

        Returns:
            Whether `talks` has new conversations, which have to be drawn from the beginning.
        """
        backwards = position < self.position
        if backwards:
            self._begin()
        self._show(position)
        self.playing = self.playing and not self.at_end
        return backwards

    def _begin(self) -> None:
        self.talks: dict[Place, Conversation] = {
            side: Conversation() for side in self.recording.entities
        }
        self.position, self.taken = 0.0, 0

    def _show(self, position: float) -> tuple[RecordedKey, ...]:
        self.position = min(max(position, 0.0), self.duration)
        start = self.taken
        self.taken = bisect_right(self._offsets, self.position) if self.position > 0 else 0
        due = self.recording.presses[start : self.taken]
        for press in due:
            # A manipulated record may contain keys on a side that has no entity.
            if press.side in self.talks:
                self.talks[press.side].press(press.author, press.key)
        return due


def recording_of(past: wire.Past) -> Recording:
    """A judge's earlier talk, as the server sent it, as a recording. It does not reveal who
    the partner was."""
    side: Place = "right" if past.place == "right" else "left"
    return Recording(
        name=f"{past.round}.{past.attempt}.{past.place}",
        about=(),
        entities={side: "entity"},
        presses=tuple(
            RecordedKey(milliseconds * 1000, side, author, key, line)
            for line, (milliseconds, author, key) in enumerate(past.keys, 1)
        ),
    )
