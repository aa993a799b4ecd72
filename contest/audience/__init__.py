"""What an audience sees of a contest: the talks while they are on, later; then the result, as the
organizer reveals it; then all talks, to be played again.

* `show` -- what may be seen, computed from events that have come out of the delay
* `delay` -- events that wait for their time
* `frames` -- what viewers are sent
* `feed` -- the same by the contest's clock, and who watches
* `viewer` -- one who watches, however slow
* `outcome` -- what is revealed of the result, step by step
* `site` -- the archive: a folder for any web server, which the contest's own server serves, too
* `doors` -- the routes

A spectator learns only what a judge at that desk sees, by a delay that is one for all: each key
counts from when it was received, in whichever way it came. So no word, number, path nor delay of
ours tells who is who before the reveal.
"""
