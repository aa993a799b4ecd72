"""A therapist after the manner of 1966: it knows nothing, and turns what you say back to you.

`engine` reads a script and applies it; the script, `script.toml`, is our own.
"""

from bots.therapist.bot import Therapist

__all__ = ["Therapist"]
