"""The rules of the contest as pure functions: schedules with proofs, and the tally.

Part of loebner. This package imports no other package of the project and does no I/O (except for
:mod:`scheduler.files`, which reads text files).

Terms: a *pairing* is one judge, one entry and one confederate in one round; a *verdict* says which
of the two entities the judge took for the human; a *ballot* is a judge's ranking of all
participants at the end.

The core::

    report = check(read_schedule(text))         # pairs repeated and missing, clashes, rounds
    made = make(4, 4, 4)                        # a schedule and its proof
    result = tally(verdicts, ballots, schedule) # table, places, silver medal, warnings
"""

from scheduler.checking import check
from scheduler.errors import BadInput, Refused, SchedulerError
from scheduler.explain import (
    explain_places,
    explain_plan,
    explain_prizes,
    explain_report,
    explain_rules,
    explain_silver,
)
from scheduler.formats import (
    bundled,
    read_schedule,
    rounds_json,
    schedule_2010,
    write_csv,
    write_rounds,
)
from scheduler.planning.plan import NO_WISHES, NoValidSchedule, Plan, make, make_plan
from scheduler.prizes import PRIZES_2010, Prizes, awards
from scheduler.rules import RULES_2010, Rules, rules_of
from scheduler.schedule import Matrix, Pairing, Roster, Schedule
from scheduler.tallying import Standing, Tally, tally
from scheduler.verdicts import (
    Ballot,
    Choice,
    Verdict,
    read_rankings,
    read_verdicts,
)

__all__ = [
    "NO_WISHES",
    "PRIZES_2010",
    "RULES_2010",
    "BadInput",
    "Ballot",
    "Choice",
    "Matrix",
    "NoValidSchedule",
    "Pairing",
    "Plan",
    "Prizes",
    "Refused",
    "Roster",
    "Rules",
    "Schedule",
    "SchedulerError",
    "Standing",
    "Tally",
    "Verdict",
    "awards",
    "bundled",
    "check",
    "explain_places",
    "explain_plan",
    "explain_prizes",
    "explain_report",
    "explain_rules",
    "explain_silver",
    "make",
    "make_plan",
    "read_rankings",
    "read_schedule",
    "read_verdicts",
    "rounds_json",
    "rules_of",
    "schedule_2010",
    "tally",
    "write_csv",
    "write_rounds",
]
