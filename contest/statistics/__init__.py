"""What the numbers of a contest say, beside the official result and never in its place.

    found = statistics_of(view)      # of a contest's record, as it may be published
    found = statistics_of_tally(verdicts, ballots)   # of verdicts and rankings alone
    for part in told(found): ...     # in words, each with its method and what it supposes
    text(found)                      # the same as lines for a terminal

What is said of judges' decisions needs numpy and scipy (the extra `science`); without them it is
left out, and said to be. How everybody typed needs nothing. All of it is explained to people
outside in docs/explanation/what-the-numbers-say.md.
"""

from contest.statistics.needs import ScienceMissing
from contest.statistics.told import BESIDE, Part, told
from contest.statistics.whole import Statistics, statistics_of, statistics_of_tally

__all__ = [
    "BESIDE",
    "Part",
    "ScienceMissing",
    "Statistics",
    "statistics_of",
    "statistics_of_tally",
    "told",
]
