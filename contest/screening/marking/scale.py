"""Scales of marks, each with its wording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from contest.errors import BadOrder

_WRONG = "wrong, no answer, or an evasion"
_PARTLY = "partly right, or right and spoiled by what else is said"
_RIGHT = "right, as a person would answer who has understood the question"


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale.

    Attributes:
        name: its marks, such as `0/0.5/1`.
        marks: them, the lowest first.
        wording: what each stands for.
        quality: the same where the general quality of all responses is marked.
    """

    name: str
    marks: tuple[Fraction, ...]
    wording: tuple[str, ...]
    quality: tuple[str, ...]

    def read(self, text: str) -> Fraction:
        """A mark as somebody writes it; 0,5 and 1/2 are 0.5.

        Raises:
            BadOrder: if it is none of this scale.
        """
        try:
            mark = Fraction(text.strip().replace(",", "."))
        except (ValueError, ZeroDivisionError):
            mark = Fraction(-1)
        if len(text) > 20 or mark not in self.marks:
            raise BadOrder(f"{text[:20]!r} is no mark; the scale is {self.name}")
        return mark

    def suggested(self, halves: int) -> Fraction:
        """The mark that halves of a full one come to; half a mark is none where the scale has no
        middle."""
        index = halves * (len(self.marks) - 1) // 2
        return self.marks[index]


_THREE = (_WRONG, _PARTLY, _RIGHT)
_GENERAL = (
    "nothing that a person would say",
    "now and then as a person would",
    "mostly as a person would",
)

SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            Scale(
                "0/1",
                (Fraction(0), Fraction(1)),
                (f"{_WRONG}, or partly right", _RIGHT),
                (_GENERAL[0], "now and then as a person would, or better"),
            ),
            Scale("0/0.5/1", (Fraction(0), Fraction(1, 2), Fraction(1)), _THREE, _GENERAL),
            Scale("0/1/2", (Fraction(0), Fraction(1), Fraction(2)), _THREE, _GENERAL),
        )
    }
)
#: The one that is taken if nothing is said.
DEFAULT = "0/0.5/1"


def scale_of(name: str) -> Scale:
    """The scale of that name.

    Raises:
        BadOrder: if there is none.
    """
    if name not in SCALES:
        raise BadOrder(f"there is no scale {name[:20]!r}; there are {', '.join(SCALES)}")
    return SCALES[name]


def written(mark: Fraction) -> str:
    """A mark, or a sum of them, as people write it: 0.5; as a fraction where no short decimal is
    exact."""
    text = f"{float(mark):.10g}"
    return text if Fraction(text) == mark else str(mark)
