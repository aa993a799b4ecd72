"""Finds out who makes and removes what in a directory, and writes it into the log.

Listings say what stands there; where creations are told truly and in order (inotify), they say in
which order names came, and show names that were gone before any listing. A name that a listing
holds and no telling has named yet waits a moment for it, so that order is the directory's own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from lpp.conformance.log import Kind, Log
from lpp.conformance.places import Place

#: Seconds that a listed name waits for its telling.
SETTLE = 0.02

JUDGE, ENTRY, OTHERS = "judge", "entry", "others"


class Watch:
    """Looks at a directory.

    Arguments:
        place: the directory.
        log: where what is found is written.
        since: seconds since the check began, from a monotonic time.

    Attributes:
        standing: names that stand there as far as we know, with who made them.
    """

    def __init__(self, place: Place, log: Log, since: Callable[[float], float]) -> None:
        self._place = place
        self._log = log
        self._since = since
        self._told: deque[tuple[str, float]] = deque()
        self._own: Counter[str] = Counter()
        self._fresh: dict[str, float] = {}
        self._untold: set[str] = set()
        self.standing: dict[str, str] = {}

    def begin(self) -> None:
        """Takes down what stands there already."""
        for name in sorted(self._place.names()):
            self.standing[name] = OTHERS
            self._log.add(0.0, Kind.STOOD, name, self._place.what(name))

    def created(self, name: str, at: float) -> None:
        """Takes the telling that a name was made; from any thread."""
        if self._place.ordered:
            self._told.append((name, at))

    def make(self, names: list[str], what: str, kind: Kind, at: float) -> None:
        """Makes something ourselves: all of it first, then it is written down, so that it comes
        as much at once as can be. Raises OSError."""
        self._own.update(names)
        made: list[str] = []
        try:
            for name in names:
                self._place.make(name, what)
                made.append(name)
        finally:
            self._own.subtract(names[len(made) :])
            for name in made:
                self.standing[name] = JUDGE if kind is Kind.PRESSED else OTHERS
                self._log.add(self._since(at), kind, name, what)

    def take(self, name: str, at: float) -> None:
        """Removes something ourselves; if it is gone already, the entry removed it.
        Raises OSError."""
        what = self._place.remove(name)
        if what is not None:
            self._log.add(self._since(at), Kind.TAKEN, name, what)
            self.standing.pop(name, None)

    def look(self, now: float) -> None:
        """Looks, and writes down what is new.

        Arguments:
            now: monotonic seconds.

        Raises:
            OSError: if the directory can't be listed.
        """
        # Tellings first: what is told before a listing is made stands in it, or has gone.
        told = [self._told.popleft() for _ in range(len(self._told))]
        for name, at in told:
            self._take_told(name, at)
        listed = set(self._place.names())
        self._find_made(listed, now)
        for name in [name for name in self.standing if name not in listed]:
            self._gone(name, now)

    def _take_told(self, name: str, at: float) -> None:
        if self._own[name] > 0:
            self._own[name] -= 1
            return
        if name in self._untold:
            self._untold.discard(name)
            return
        self._fresh.pop(name, None)
        if name in self.standing:
            self._gone(name, at)
        self._made(name, at)

    def _find_made(self, listed: set[str], now: float) -> None:
        for name in sorted(listed - self.standing.keys()):
            seen = self._fresh.setdefault(name, now)
            if not self._place.ordered:
                self._made(name, now)
            elif now - seen >= SETTLE:
                self._untold.add(name)
                self._made(name, seen)
        for name in [name for name in self._fresh if name not in listed]:
            # It came and went between two looks; its telling may still come.
            if now - self._fresh[name] >= SETTLE:
                self._untold.add(name)
                self._made(name, self._fresh[name])
        for name in self.standing:
            self._fresh.pop(name, None)

    def _made(self, name: str, at: float) -> None:
        self.standing[name] = ENTRY
        self._log.add(self._since(at), Kind.MADE, name, self._place.what(name))

    def _gone(self, name: str, at: float) -> None:
        owner = self.standing.pop(name)
        self._log.add(self._since(at), Kind.GONE, name, detail="" if owner == JUDGE else owner)
