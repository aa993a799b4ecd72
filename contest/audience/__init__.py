"""The audience's pages: first the talks, live with a delay; then the result, as the organizer
reveals it; then all talks, to be replayed.

* `show` -- the audience's view, from the contest's state now and from the state before the delay
* `feed` -- releases this in steps of the contest's clock, for all viewers
* `frames` -- the frames for viewers
* `routes` -- the page, its WebSocket, and the archive

Spectators learn only what the judge at a desk sees, with one delay for all keys, counted from when
the server received each key. So no word, number, path or delay of ours tells who is who before the
reveal.
"""
