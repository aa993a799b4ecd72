"""A repair in words: who is still there, what is proved, which pairs each plan loses and why."""

from collections.abc import Sequence

from scheduler.repair import Repair
from scheduler.repair_rest import Rest
from scheduler.texts import listed


def introduced(found: Repair) -> list[str]:
    """From where it was planned.

    Arguments:
        found: both plans.

    Returns:
        Sentences without a full stop: how many rounds were begun, who is there, who is gone, and
        what of the rounds begun does not count.
    """
    roster = found.present
    kinds = (
        ("judge", roster.judges),
        ("entry", roster.entries),
        ("confederate", roster.confederates),
    )
    there = listed(_several(len(names), what) for what, names in kinds)
    gone = f"; gone: {', '.join(found.gone)}" if found.gone else ""
    said = [f"{_several(found.played, 'round')} played; still there: {there}{gone}"]
    if found.void:
        named = (
            f"round {p.round} {together((p.judge, p.entry, p.confederate))}" for p in found.void
        )
        said.append(f"does not count: {', '.join(named)}")
    if found.breach:
        said.append(f"as it stands, the rest is against what was wished for: {found.breach}")
    return said


def proved(found: Repair) -> str:
    """What is known of the repaired plan beside the one that stands.

    Arguments:
        found: both plans.

    Returns:
        A sentence.
    """
    if found.repaired == found.as_it_stands:
        return f"The rest as it stands can stay{_known(found)}."
    fewer = found.as_it_stands.lost - found.repaired.lost
    if found.breach:
        said = "Repaired, the rest keeps to what was wished for"
    elif fewer > 0:
        said = f"Repaired, {fewer} pair{'s' * (fewer != 1)} fewer are lost"
    elif found.repaired.repeats < found.as_it_stands.repeats and not fewer:
        said = "Repaired, as many pairs are lost and fewer meet again"
    elif found.weighed:
        said = "Repaired, less is lost by the weights of the wishes"
    else:
        said = "Repaired, as many pairs are lost and all are more evenly busy"
    return f"{said}{_known(found)}."


def reasons(plan: Rest) -> list[str]:
    """Why pairs are lost.

    Arguments:
        plan: one of the two.

    Returns:
        A sentence without a full stop for each reason; none where no pair is lost.
    """
    return [f"{', '.join(map(together, lost.pairs))}: {lost.reason}" for lost in plan.reasons]


def together(names: Sequence[str]) -> str:
    """Names that belong together, such as J1E1: ids such as these can be told apart without
    anything between them, others may not."""
    return ("" if all(name[-1:].isdigit() for name in names) else "/").join(names)


def _known(found: Repair) -> str:
    if not found.least_lost:
        return f"; whether another plan loses fewer was not found out ({found.by})"
    if found.weighed:
        return f": by the weights of the wishes, no plan loses less (proved {found.by})"
    return f": no plan loses fewer than {found.repaired.lost} (proved {found.by})"


def _several(number: int, what: str) -> str:
    plural = "entries" if what == "entry" else f"{what}s"
    return f"{number} {what if number == 1 else plural}"
