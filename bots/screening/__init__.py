"""A bot for the screening questions of the rules of 2010 (section 4): time, things, relationships
and memory.

`bot` hands a sentence to the part that can answer it:

* `clock`, `rounds` -- time, date, part of the day; the contest's rounds;
* `knowledge`, `uses`, `features`, `groups`, `sums` -- things, what they are for and what they
  have; small sums;
* `scales`, `measure`, `telling`, `order`, `compare` -- comparisons of what is known and told;
* `clauses`, `asking`, `names`, `matching`, `memory` -- statements, and questions on them;
* `smalltalk` -- the rest.
"""

from bots.screening.bot import ScreeningBot

__all__ = ["ScreeningBot"]
