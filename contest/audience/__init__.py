"""What an audience sees of a contest: the talks while they are on, later; then the result, as the
organizer reveals it; then all talks, to be played again.

* `show` -- what may be seen: the state of the contest now, and as it was when the delay began
* `feed` -- the same step by step by the contest's clock, and the viewers
* `frames` -- what viewers are sent
* `routes` -- the page, its WebSocket, and the archive

A spectator learns only what a judge at that desk sees, by one delay for all: each key counts from
when the server received it. So no word, number, path or delay of ours tells who is who before the
reveal.
"""
