"""A recording as it is played: what is at each moment of it.

There is no clock here: the caller says how many seconds have passed. What is at a position depends
on the position alone, so seeking is the same as playing until there. Rebuilding a pairing of 13,000
key presses takes some 15 ms, so nothing is kept to seek backwards by.
"""

from __future__ import annotations

from bisect import bisect_right

from lpp import wire
from lpp.conversation import Conversation
from lpp.log2012 import Place
from lpp.recording import Recorded, Recording

#: How many times as fast a recording can be played; at once is `seek(duration)`.
SLOWEST, FASTEST = 0.25, 60.0
#: The speeds that a person chooses from.
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)
#: Seconds that a recording lasts at least: its end is never its beginning. Times are whole
#: microseconds.
_LEAST = 5e-7


class Playback:
    """A recording that is played. It begins paused, at its beginning.

    Arguments:
        recording: what to play.

    Attributes:
        recording: as given.
        talks: what is at each side. Seeking backwards replaces them.
        position: in seconds of the recording. At 0 nothing has been typed yet; at any other
            position all that was due until then.
        duration: seconds of the recording from the first key press to the last.
        taken: how many key presses have been shown.
        speed: seconds of the recording per second of the viewer.
        playing: whether `advance` goes on.
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
        """Whether all has been shown."""
        return self.position >= self.duration

    @property
    def has_times(self) -> bool:
        """Whether the recording says when keys were pressed: all at one moment is not a time."""
        return len(self._offsets) < 2 or self._offsets[-1] > 0

    def set_speed(self, speed: float) -> None:
        """Changes the speed from here on.

        Arguments:
            speed: from `SLOWEST` to `FASTEST`.

        Raises:
            ValueError: if it is beyond.
        """
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"the speed is {speed}: it must be from {SLOWEST} to {FASTEST}")
        self.speed = speed

    def play(self) -> None:
        """Plays on; from the beginning if all has been shown."""
        if self.at_end:
            self.seek(0)
        self.playing = not self.at_end

    def advance(self, seconds: float) -> tuple[Recorded, ...]:
        """Lets time pass.

        Arguments:
            seconds: of the viewer, since the last call; less than 0 counts as 0.

        Returns:
            The key presses that were due and are in `talks` now; none in a pause. Playing stops at
            the end.
        """
        if not self.playing:
            return ()
        due = self._show(self.position + max(0.0, seconds) * self.speed)
        self.playing = not self.at_end
        return due

    def seek(self, position: float) -> bool:
        """Goes to another position, backwards or forwards.

        Arguments:
            position: in seconds of the recording; brought to its beginning or end where beyond.

        Returns:
            Whether `talks` holds other conversations than before, to be drawn again.
        """
        backwards = position < self.position
        if backwards:
            self._begin()
        self._show(position)
        self.playing = self.playing and not self.at_end
        return backwards

    def _begin(self) -> None:
        self.talks: dict[Place, Conversation] = {
            side: Conversation() for side in self.recording.sitters
        }
        self.position, self.taken = 0.0, 0

    def _show(self, position: float) -> tuple[Recorded, ...]:
        self.position = min(max(position, 0.0), self.duration)
        start = self.taken
        self.taken = bisect_right(self._offsets, self.position) if self.position > 0 else 0
        due = self.recording.presses[start : self.taken]
        for press in due:
            # A record that was tampered with may hold keys of a side at which nobody sits.
            if press.side in self.talks:
                self.talks[press.side].press(press.author, press.key)
        return due


def recording_of(past: wire.Past) -> Recording:
    """A judge's earlier talk, as the server has sent it, as a recording. It does not say who sat
    there, only that it was the entity."""
    side: Place = "right" if past.place == "right" else "left"
    return Recording(
        name=f"{past.round}.{past.attempt}.{past.place}",
        about=(),
        sitters={side: "entity"},
        presses=tuple(
            Recorded(milliseconds * 1000, side, author, key, line)
            for line, (milliseconds, author, key) in enumerate(past.keys, 1)
        ),
    )
