"""Letters for subjects: an order of its own for each item, drawn at random and sealed.

What is drawn stands outside the chains until marking is over; on record is its SHA-256 over 128
random bits, so that nobody can change it afterwards, and no marker can find it out by trying.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contest.record.events import canonical

#: Bytes of the salt.
_SALT = 16


def letter(index: int) -> str:
    """The letter of an index from 0: A to Z, then AA, AB and so on."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def draw(items: Iterable[str], subjects: Sequence[str], salt: str | None = None) -> dict[str, Any]:
    """Draws an order of the subjects for each item.

    Arguments:
        items: their ids.
        subjects: their ids.
        salt: what all of it comes from, in hex; drawn if left out. The same one gives the same.

    Returns:
        `{"letters": {item: [subject, …]}, "salt": …}`, the first subject being A.
    """
    salt = secrets.token_hex(_SALT) if salt is None else salt
    letters = {}
    for item in items:
        order = sorted(subjects)
        random.Random(f"{salt} {item}").shuffle(order)
        letters[item] = order
    return {"letters": letters, "salt": salt}


def digest(drawn: Mapping[str, Any]) -> str:
    """What is on record of it while it is sealed, in hex."""
    plain = {"letters": dict(drawn["letters"]), "salt": drawn["salt"]}
    return hashlib.sha256(canonical(plain)).hexdigest()
