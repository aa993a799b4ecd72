"""Who is associated with which entry: nobody with two of them.

An *individual* is associated with an entry as its entrant or as somebody else who is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

from contest.screening.bodies import Form
from contest.setup.names import folded, near, same
from scheduler.texts import natural, shown


@dataclass(frozen=True, slots=True)
class Shared:
    """Two names of two entries that are one individual's, or nearly the same.

    Attributes:
        first, second: the entries.
        name, other: how the one and the other have it.
    """

    first: str
    second: str
    name: str
    other: str

    def words(self) -> str:
        """Who is associated with which, as a clause."""
        if self.name == self.other:
            return f"{shown(self.name)} is associated with {self.first} and {self.second}"
        return (
            f"{shown(self.name)} of {self.first} and {shown(self.other)} of {self.second} are the "
            "same name"
        )


def people(form: Form) -> tuple[str, ...]:
    """All individuals associated with an entry, each once, the entrant first."""
    found: dict[str, str] = {}
    for name in (form.entrant, *form.individuals):
        found.setdefault(folded(name), name)
    return tuple(found.values())


def clashes(forms: Mapping[str, Form], about: str | None = None) -> list[Shared]:
    """Individuals who are associated with more than one entry.

    Arguments:
        forms: entry to form, of those that are not withdrawn.
        about: only those who are associated with this entry; with all if left out.

    Returns:
        A row a pair of entries and names, in the order of the entries' ids.
    """
    return _shared(forms, about, same)


def likenesses(forms: Mapping[str, Form], about: str | None = None) -> list[Shared]:
    """Names of two entries that are nearly the same: somebody should look whether they are one
    person's. Arguments and result as of `clashes`."""
    return _shared(forms, about, near)


def _shared(
    forms: Mapping[str, Form], about: str | None, alike: Callable[[str, str], bool]
) -> list[Shared]:
    return [
        Shared(first, second, name, other)
        for first, second in combinations(sorted(forms, key=natural), 2)
        if about is None or about in (first, second)
        for name in people(forms[first])
        for other in people(forms[second])
        if alike(name, other)
    ]
