"""All pictures of a contest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from contest.history.filenames import file_name, own_names
from contest.history.tallying import of_view, played_schedule, tally_of
from contest.history.views import ContestView
from contest.pictures import keys, rows
from contest.pictures.shapes import Picture
from contest.pictures.square import square
from contest.statistics import Statistics
from contest.statistics.talks import distributions
from scheduler import Choice, Verdict


def pictures_of(view: ContestView, found: Statistics) -> dict[str, Picture]:
    """The pictures of a contest by their names: `square`, `shares`, `strengths`, `rankings`,
    `gaps`; those that there is something to draw for.

    Arguments:
        view: the contest, as it may be published.
        found: its statistics.

    Raises:
        RecordTrouble: if the record can't be tallied.
    """
    schedule, verdicts, ballots = of_view(view)
    tally = tally_of(view)
    entries = schedule.roster.entries
    made = [square(played_schedule(view), taken_in(verdicts))]
    if found.judged is not None:
        if found.judged.programs.out_of:
            places = [standing.entry for standing in tally.entries]
            made.append(rows.shares(found.judged.entries, places))
        if found.judged.strengths.each:
            made.append(rows.strengths(found.judged.strengths, entries))
    counted = [b for b in ballots if not b.excluded]
    if counted:
        ranks = [{rank.participant: rank.value for rank in b.ranks} for b in counted]
        made.append(rows.rankings(ranks, entries))
    if found.talks:
        made.append(keys.gaps(distributions(found.talks)))
    return {picture.name: picture for picture in made}


def taken_in(verdicts: Iterable[Verdict]) -> dict[tuple[int, str], str]:
    """Whom each judge took for the human, by round and judge."""
    return {
        (v.pairing.round, v.pairing.judge): v.pairing.entry
        if v.choice is Choice.ENTRY
        else v.pairing.confederate
        for v in verdicts
        if v.choice is not None
    }


def time_lines_of(view: ContestView) -> Iterator[Picture]:
    """A time line of each desk in each attempt at a round."""
    desks = [
        list(talks) for _, talks in groupby(view.talks, key=lambda t: (t.round, t.attempt, t.judge))
    ]
    names = own_names(file_name(talks[0], "keys") for talks in desks)
    for talks, name in zip(desks, names, strict=True):
        yield keys.desk(view, talks, name)
