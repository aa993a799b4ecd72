"""Fields of the season's forms: what each asks for, what stands in it, what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from contest.errors import BadOrder
from contest.screening.bodies import Form
from contest.screening.forms import FIELDS, NAME_LIMIT, NEEDED, TEXT_LIMIT, one_line
from contest.screening.register import WAYS
from contest.setup.calendar import SeasonTable

Kind = Literal["line", "text", "choice", "tick"]
#: The fields of a form as they were sent.
Typed = Mapping[str, str]


class Faulty(BadOrder):
    """Fields that can't be used, each with what is wrong with it."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        many = f"{len(faults)} fields have" if len(faults) > 1 else "one field has"
        super().__init__(f"nothing is written yet: {many} to be looked at")
        self.faults = dict(faults)


@dataclass(frozen=True, slots=True)
class Box:
    """A field as a page shows it.

    Attributes:
        name: by which it is sent.
        label: for a person.
        kind: of one line, of many, a choice of `offers`, or to be ticked.
        hint: what helps to fill it in.
        needed: whether it can't be left out.
        longest: characters that are taken at most; 0 for any number.
        value: what stands in it.
        fault: what is wrong with that.
        first: whether it is the first one with a fault, and has the focus.
        broken: the rules that it breaks, in full.
        held: what the register says, where that is something else.
        offers: value and words of a choice; of a line what may be meant.
    """

    name: str
    label: str
    kind: Kind = "line"
    hint: str = ""
    needed: bool = False
    longest: int = NAME_LIMIT
    value: str = ""
    fault: str = ""
    first: bool = False
    broken: tuple[str, ...] = ()
    held: str = ""
    offers: tuple[tuple[str, str], ...] = ()


#: The register's fields as they stand together, each group under its heading.
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "The entry": ("program", "entrant", "individuals"),
        "The post": ("posted", "service", "proof", "received"),
        "What came": ("way", "media", "platforms"),
        "Only for ways 2 and 3, where the entrant comes": ("testing", "agreed", "present"),
        "Besides": ("command", "note"),
    }
)

#: Field to its name for a person, and to what helps to fill it in.
_LABELS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "program": ("Program", ""),
        "entrant": ("Entrant", FIELDS["entrant"]),
        "individuals": (
            "Individuals",
            "whoever else is associated with it, with semicolons between them",
        ),
        "posted": (
            "Date of posting",
            "as the proof has it, with its time of day if there is one: 2010-05-03 14:05",
        ),
        "service": ("Service", FIELDS["service"]),
        "proof": ("Number of the receipt", "that proves the posting"),
        "received": ("Date of receipt", "with its time of day if that is known"),
        "way": ("Way of submission", ""),
        "media": ("Media", FIELDS["media"]),
        "platforms": ("Platforms", "on which it runs, with semicolons between them"),
        "testing": ("Testing date", "on which the entrant comes: 2010-06-15 14:30"),
        "agreed": ("Agreed on", "the day on which the testing date was agreed"),
        "present": ("The entrant will be present at the contest", ""),
        "command": ("Command", FIELDS["command"]),
        "note": ("Note", FIELDS["note"]),
    }
)

#: A rule to the field beside which it is quoted.
BESIDE: Mapping[str, str] = MappingProxyType(
    {
        "1/individual": "entrant",
        "1/posted": "posted",
        "1/proof": "proof",
        "1/media": "media",
        "1/platform": "platforms",
        "1/agreed": "agreed",
        "1/testing": "testing",
        "1/present": "present",
    }
)


def register_boxes(
    texts: Typed,
    faults: Mapping[str, str],
    broken: Mapping[str, Sequence[str]],
    held: Typed,
    table: SeasonTable,
) -> list[tuple[str, list[Box]]]:
    """The register's fields, group by group.

    Arguments:
        texts: field to what stands in it.
        faults: field to what is wrong with it.
        broken: field to the rules that it breaks.
        held: field to what the register says; nothing of an entry that is not in it yet.
        table: `[season]`.
    """
    offers = {
        "way": tuple((str(way), f"{way}: {words}") for way, words in WAYS.items()),
        "media": tuple((each, each) for each in table.media),
        "platforms": tuple((each, each) for each in table.platforms),
    }
    kinds: dict[str, Kind] = {"way": "choice", "present": "tick"}
    first = first_of(faults, [name for names in GROUPS.values() for name in names])
    return [
        (
            title,
            [
                Box(
                    name,
                    *(_LABELS[name][0], kinds.get(name, "line"), _LABELS[name][1]),
                    needed=name in NEEDED,
                    longest=TEXT_LIMIT if name in ("command", "note") else NAME_LIMIT,
                    value=texts.get(name, ""),
                    fault=faults.get(name, ""),
                    first=name == first,
                    broken=tuple(broken.get(name, ())),
                    held=_held(name, texts, held),
                    offers=offers.get(name, ()),
                )
                for name in names
            ],
        )
        for title, names in GROUPS.items()
    ]


def _held(name: str, texts: Typed, held: Typed) -> str:
    if not held or held[name] == texts.get(name, ""):
        return ""
    return held[name] or "nothing"


def texts_of(form: Form) -> dict[str, str]:
    """What the register holds of an entry, field by field as somebody would write it."""
    return {
        "program": form.program,
        "entrant": form.entrant,
        "individuals": "; ".join(form.individuals),
        "posted": stamp(form.posted, form.posted_at),
        "service": form.service,
        "proof": form.proof,
        "received": stamp(form.received, form.received_at),
        "way": str(form.way),
        "media": form.media,
        "platforms": "; ".join(form.platforms),
        "testing": "" if form.testing is None else stamp(form.testing, form.testing_at),
        "agreed": "" if form.agreed is None else str(form.agreed),
        "present": "yes" if form.present else "no",
        "command": form.command,
        "note": form.note,
    }


def stamp(day: object, time: object) -> str:
    """A day, with its time where there is one, as `read_form` takes it."""
    return str(day) if time is None else f"{day} {time}".removesuffix(":00")


def changed_in(texts: Typed, form: Form) -> dict[str, str]:
    """Those of the register's fields that are not as a form has them."""
    before = texts_of(form)
    return {name: text for name, text in texts.items() if text != before[name]}


def texts_in(typed: Typed) -> dict[str, str]:
    """What a form says of the register's fields; a box that is not ticked says no."""
    return {name: typed.get(name, "no" if name == "present" else "") for name in FIELDS}


# Who says so, and why

BY = Box("by", "Your name", hint="goes on record", needed=True)
REASON = Box("reason", "Reason", hint="goes on record", needed=True, longest=TEXT_LIMIT)


def filled(
    boxes: Sequence[Box], typed: Typed | None, faults: Typed, above: Collection[str] = ()
) -> list[Box]:
    """The fields of who says so and why, as a page shows them.

    Arguments:
        boxes: in the order of the page.
        typed: the form; None for one that is still empty.
        faults: field to what is wrong with it.
        above: the fields that stand above these.
    """
    first = first_of(faults, [*above, *(box.name for box in boxes)])
    return [
        replace(
            box,
            value=(typed or {}).get(box.name, ""),
            fault=faults.get(box.name, ""),
            first=box.name == first,
        )
        for box in boxes
    ]


def signing_faults(typed: Typed, *boxes: Box) -> dict[str, str]:
    """What is wrong with who says so and why.

    Arguments:
        typed: the form.
        boxes: those that it has.
    """
    found = {}
    for box in boxes:
        try:
            if not one_line(typed.get(box.name, ""), box.longest) and box.needed:
                found[box.name] = "is empty: it goes on record"
        except ValueError as exc:
            found[box.name] = str(exc)
    return found


def first_of(faults: Collection[str], order: Sequence[str]) -> str:
    """The first field that has a fault, in the order of a page; empty if none has."""
    return next((name for name in order if name in faults), "")
