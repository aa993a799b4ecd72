"""A therapist after the manner of 1966."""

from bots.therapist.bot import Therapist

__all__ = ["Therapist"]
