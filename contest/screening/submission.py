"""What the rules of section 1 say of a submission, as the register has it.

Pure functions of a form and of `[season]`: which rules it breaks, what else should be known, and
what decides who goes before whom.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from contest.screening.associates import clashes, likenesses
from contest.screening.bodies import Form
from contest.setup.calendar import SeasonTable
from contest.setup.names import same
from contest.setup.rules import RULES, Finding
from scheduler.texts import listed, shown


def look(
    id_: str, form: Form, forms: Mapping[str, Form], table: SeasonTable
) -> tuple[list[Finding], list[str]]:
    """All that the rules say of an entry, beside the others.

    Arguments:
        id_: the entry's.
        form: what is known of it.
        forms: entry to form, of those that are not withdrawn.
        table: `[season]`.

    Returns:
        The rules that it breaks; what else should be known, each a clause.
    """
    return (
        [
            *(Finding("1/individual", shared.words()) for shared in clashes(forms, id_)),
            *findings(form, table),
        ],
        [
            *(
                f"{shown(shared.name)} of {shared.first} and {shown(shared.other)} of "
                f"{shared.second} are nearly the same name; make sure that they are two persons"
                for shared in likenesses(forms, id_)
            ),
            *remarks(form, table),
        ],
    )


def findings(form: Form, table: SeasonTable) -> list[Finding]:
    """Which rules about posting, media, platform, testing date and presence an entry breaks.

    Arguments:
        form: what is known of it.
        table: `[season]`.
    """
    found = []
    if not table.opens <= form.posted <= table.closes:
        where = "before" if form.posted < table.opens else "after"
        day = table.opens if form.posted < table.opens else table.closes
        found.append(Finding("1/posted", f"posted on {form.posted}, {where} {day}"))
    if not form.service or not form.proof:
        lacks = "service" if not form.service else "number of a receipt"
        found.append(Finding("1/proof", f"no {lacks} that proves the posting"))
    if not _one_of(form.media, table.media):
        said = shown(form.media) if form.media else "no media"
        found.append(Finding("1/media", f"submitted on {said}, not on {_or(table.media)}"))
    runs = [each for each in form.platforms if _one_of(each, table.platforms)]
    if form.way in (1, 2) and not runs:
        said = listed(map(shown, form.platforms)) if form.platforms else "no platform"
        found.append(Finding("1/platform", f"said to run on {said}, not on {_or(table.platforms)}"))
    if form.way != 1:
        found += _appearance(form, table)
    return found


def _appearance(form: Form, table: SeasonTable) -> list[Finding]:
    found = []
    if form.agreed is None:
        found.append(Finding("1/agreed", "no day on which a testing date was agreed"))
    elif form.agreed >= table.agreed_before:
        found.append(
            Finding(
                "1/agreed",
                f"the testing date was agreed on {form.agreed}, not before {table.agreed_before}",
            )
        )
    if form.testing is None:
        found.append(Finding("1/testing", "no testing date"))
    elif not table.testing_from <= form.testing <= table.testing_to:
        found.append(
            Finding(
                "1/testing",
                f"the testing date is {form.testing}, not between {table.testing_from} and "
                f"{table.testing_to}",
            )
        )
    if not form.present:
        found.append(Finding("1/present", "the entrant is not said to be present at the contest"))
    return found


def remarks(form: Form, table: SeasonTable) -> list[str]:
    """What breaks no rule and should be known, each a clause."""
    found = []
    if form.received > table.closes:
        decides = Finding(
            "1/priority",
            f"received on {form.received}, after {table.closes}: posting decides, although "
            f"“{RULES['1/receipt'].sentence}” stands in the list of dates",
        )
        found.append(decides.in_full())
    if form.received > table.testing_to:
        found.append(f"received on {form.received}, after the last day of testing")
    if form.posted_at is None:
        found.append("the proof has no time of day: it counts as the end of that day")
    return found


def priority(form: Form) -> tuple[dt.date, dt.time, dt.date, dt.time]:
    """What decides who goes before whom, the smaller first: date of posting, its time of day (a
    proof without one counts as the end of the day), and for those posted at one moment the receipt,
    in the same way. Dates and times are those of the place of posting, as the proofs have them."""
    return (
        form.posted,
        form.posted_at or dt.time.max,
        form.received,
        form.received_at or dt.time.max,
    )


def _one_of(name: str, known: Iterable[str]) -> bool:
    return any(same(name, each) for each in known)


def _or(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
