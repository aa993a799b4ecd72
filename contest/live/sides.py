"""Sides: where the human sits, drawn once for each pairing and sealed.

Each is drawn on its own: an exact balance would tell a judge the last one. The seal in the record
is a SHA-256 over the side and 128 random bits; the reveal, after every verdict and ranking is
closed, shows both, so that anybody can check that no side was changed afterwards.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from dataclasses import dataclass
from typing import Any

from contest.record.bodies import Place

_OTHER: dict[Place, Place] = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Sealed:
    """Where the human of a pairing sits, and the random bits of its seal (32 hex digits)."""

    human: Place
    nonce: str

    @property
    def program(self) -> Place:
        """Where the program sits."""
        return _OTHER[self.human]

    @property
    def seal(self) -> str:
        """What the record holds before the reveal, in hex."""
        return hashlib.sha256(f"{self.human}:{self.nonce}".encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """For the record."""
        return {"human": self.human, "nonce": self.nonce}


def draw(rng: random.Random | None = None) -> Sealed:
    """Draws a side from `rng`, or the system's randomness; the seal's bits are the system's."""
    chosen = (rng or random.SystemRandom()).choice(("left", "right"))
    human: Place = "left" if chosen == "left" else "right"
    return Sealed(human, secrets.token_hex(16))
