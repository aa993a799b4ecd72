"""How a session without a server runs: waiting, talk, scoring, over, by the clock or by hand."""

from __future__ import annotations

from typing import Literal, TypeAlias

Phase: TypeAlias = Literal["waiting", "interaction", "scoring", "over"]


class Course:
    """The phases of one session. All times are seconds of one clock that never runs back.

    Arguments:
        seconds: how long the talk lasts, from the judge's first key on; None is without a limit.
        scoring: how long a verdict is taken after it; None is without a limit.
        scored: whether there is a verdict to be given at all.

    Attributes:
        phase: where the session is.
        started: when the judge began; None before.
    """

    def __init__(self, seconds: float | None, scoring: float | None, scored: bool) -> None:
        self.phase: Phase = "waiting"
        self.started: float | None = None
        self._seconds, self._scoring, self._scored = seconds, scoring, scored
        self._scored_from = 0.0

    def begin(self) -> None:
        """Everything is ready for the talk."""
        self.phase = "interaction"

    def start(self, now: float) -> bool:
        """The judge presses a key.

        Returns:
            Whether it is the first.
        """
        if self.started is not None:
            return False
        self.started = now
        return True

    def end(self) -> float | None:
        """When the phase ends by the clock; None if it does not."""
        if self.phase == "interaction" and self.started is not None and self._seconds is not None:
            return self.started + self._seconds
        if self.phase == "scoring" and self._scoring is not None:
            return self._scored_from + self._scoring
        return None

    def is_due(self, now: float) -> bool:
        """Whether the phase is over by the clock."""
        end = self.end()
        return end is not None and now >= end

    def go_on(self, now: float) -> bool:
        """The phase ends, at the time that was set for it if that is past.

        Returns:
            Whether a talk that had begun has ended by it.
        """
        end, talked = self.end(), self.phase == "interaction" and self.started is not None
        if talked and self._scored:
            self.phase = "scoring"
            self._scored_from = now if end is None else min(now, end)
        else:
            self.phase = "over"
        return talked

    def left(self, now: float) -> tuple[float | None, bool]:
        """What is left of the phase, in seconds (None: no limit), and whether that is running: it
        stands still until the judge begins."""
        end = self.end()
        if end is not None:
            return max(0.0, end - now), True
        return (self._seconds, False) if self.phase == "interaction" else (None, True)
