"""A recording as it is played: what stands at each moment of it, and what comes next.

No clock in here: whoever plays says how many seconds have gone by. What stands at a position
depends on the position alone, so to seek is the same as to play until there. To rebuild a pairing
of 13,000 key presses takes some 15 ms, so nothing is kept to seek backwards by.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from lpp import wire
from lpp.conversation import Author, Conversation
from lpp.log2012 import Place
from lpp.recording import Recorded, Recording

#: How many times as fast a recording can be played; at once is `seek(duration)`.
SLOWEST, FASTEST = 0.25, 60.0
#: The speeds that a person chooses from.
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)

#: Seconds after the beginning at which the first key press stands: less than any gap, for times are
#: whole microseconds. A recording lasts so long at least, so that its end is never its beginning.
_LEAST = 5e-7


class Playback:
    """A recording that is played. It begins at its beginning, and stands still there.

    Arguments:
        recording: what to play.
        own: who sits at the screen, as in `Conversation`; None shows both authors' open lines.

    Attributes:
        recording: as given.
        talks: what stands at each side. Seeking backwards puts others in their place.
        position: where it stands, in seconds of the recording. At 0 nothing has been typed yet;
            at any other position all that was due until then.
        duration: seconds of the recording from the first key press to the last.
        taken: how many key presses have been shown.
        speed: seconds of the recording in a second of the one who watches.
        playing: whether `advance` goes on.
    """

    def __init__(self, recording: Recording, own: Author | None = None) -> None:
        self.recording = recording
        self._own = own
        self._offsets = [offset / 1_000_000 for offset in recording.offsets_us()]
        self.duration = max(self._offsets[-1], _LEAST) if self._offsets else 0.0
        self.speed = 1.0
        self.playing = False
        self._begin()

    @property
    def offsets(self) -> list[float]:
        """When each key press is due, in seconds of the recording; never runs back."""
        return self._offsets

    @property
    def at_end(self) -> bool:
        """Whether all has been shown."""
        return self.position >= self.duration

    @property
    def has_times(self) -> bool:
        """Whether the recording says when keys were pressed: all at one moment is no time."""
        return len(self._offsets) < 2 or self._offsets[-1] > 0

    def set_speed(self, speed: float) -> None:
        """Another speed from here on.

        Arguments:
            speed: from `SLOWEST` to `FASTEST`.

        Raises:
            ValueError: if it is beyond.
        """
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"the speed is {speed}: it goes from {SLOWEST} to {FASTEST}")
        self.speed = speed

    def play(self) -> None:
        """Goes on; from the beginning if all has been shown."""
        if self.at_end:
            self.seek(0)
        self.playing = not self.at_end

    def pause(self) -> None:
        """Stands still."""
        self.playing = False

    def advance(self, seconds: float) -> tuple[Recorded, ...]:
        """Time has gone by.

        Arguments:
            seconds: of the one who watches, since the last call; what is under 0 is 0.

        Returns:
            The key presses that were due, which stand in `talks` now; none in a pause. At the end
            the playing ends.
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
            Whether `talks` holds other conversations than before, to be drawn anew.
        """
        backwards = position < self.position
        if backwards:
            self._begin()
        self._show(position)
        self.playing = self.playing and not self.at_end
        return backwards

    def step(self, keys: int) -> bool:
        """Goes one key press on (1) or back (-1); those that share a time go together.

        Arguments:
            keys: how many, back if below 0.

        Returns:
            As `seek`.
        """
        position = self.position
        for _ in range(abs(keys)):
            position = self._next(position) if keys > 0 else self._previous(position)
        return self.seek(position)

    def _next(self, position: float) -> float:
        index = self._count(position)
        if index == len(self._offsets):
            return self.duration
        # The first key press is due at 0, where nothing stands yet.
        return max(self._offsets[index], _LEAST)

    def _previous(self, position: float) -> float:
        last = self._count(position) - 1
        if last < 0:
            return 0.0
        before = bisect_left(self._offsets, self._offsets[last]) - 1
        return max(self._offsets[before], _LEAST) if before >= 0 else 0.0

    def _count(self, position: float) -> int:
        return bisect_right(self._offsets, position) if position > 0 else 0

    def _begin(self) -> None:
        self.talks: dict[Place, Conversation] = {
            side: Conversation(self._own) for side in self.recording.sitters
        }
        self.position, self.taken = 0.0, 0

    def _show(self, position: float) -> tuple[Recorded, ...]:
        self.position = min(max(position, 0.0), self.duration)
        start, self.taken = self.taken, self._count(self.position)
        due = self.recording.presses[start : self.taken]
        for press in due:
            # A record that was tampered with may hold keys of a side that nobody sits at.
            if press.side in self.talks:
                self.talks[press.side].press(press.author, press.key)
        return due


def recording_of(past: wire.Past) -> Recording:
    """A judge's earlier talk, as the server has sent it, to be played again. Who sat there is not
    said: the one is the entity."""
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
