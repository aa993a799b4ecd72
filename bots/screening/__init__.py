"""A bot for the screening questions of the rules of 2010 (section 4): time, things, relationships
and memory.

`bot` hands a sentence to the part that can answer it:

* `clock`, `rounds`, `rows` -- time, date, part of the day; the contest's rounds; what is in a row;
* `knowledge`, `uses`, `features`, `groups`, `kin`, `sums` -- things, what they are for and what
  they have; kin; small sums;
* `scales`, `measure`, `telling`, `order`, `compare` -- comparisons of what is known and told;
* `clauses`, `asking`, `names`, `matching`, `memory` -- statements, and questions on them;
* `smalltalk` -- the rest.
"""

from bots.screening.bot import ScreeningBot

__all__ = ["ScreeningBot"]
