"""Who is logged in at the board: random tokens, kept as hashes, that end when nobody uses them."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

#: Seconds without a page or an order after which a session ends. A round and a break fit in.
IDLE = 2 * 3600.0
#: Sessions at once; with one more, the one that was used longest ago ends.
MOST = 32


@dataclass
class Session:
    """Somebody who has shown a code.

    Attributes:
        who: `organizer`, or whose code it was.
        form: what each form of this session's pages brings back; a page of somebody else can't
            know it.
        said: what the next page is to say, and whether it went well.
        ended: whether it has ended; who holds it, holds nothing.
    """

    who: str
    used: float
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    said: tuple[str, bool] | None = None
    ended: bool = False


class Sessions:
    """All who are logged in.

    Arguments:
        now: seconds of real time that never go back.
        ended: told that a session has ended.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._now = now
        self._ended = ended
        self._sessions: dict[str, Session] = {}

    def open(self, who: str) -> str:
        """Opens a session.

        Returns:
            Its token, for the cookie; here only its hash is kept.
        """
        self._forget()
        while len(self._sessions) >= MOST:
            self._end(min(self._sessions, key=lambda key: self._sessions[key].used))
        token = secrets.token_urlsafe(32)
        self._sessions[_hash(token)] = Session(who, self._now())
        return token

    def find(self, token: str, *, use: bool = True) -> Session | None:
        """The session of a token, or None if there is none.

        Arguments:
            token: what the cookie holds.
            use: whether this puts its idle end off.
        """
        self._forget()
        session = self._sessions.get(_hash(token))
        if session is not None and use:
            session.used = self._now()
        return session

    def close(self, session: Session) -> None:
        """Ends a session."""
        for key in [key for key, each in self._sessions.items() if each is session]:
            self._end(key)

    def close_all(self, who: str) -> None:
        """Ends all sessions that were opened by this one's code."""
        for key in [key for key, each in self._sessions.items() if each.who == who]:
            self._end(key)

    def is_open(self, session: Session) -> bool:
        """Whether a session goes on."""
        self._forget()
        return not session.ended

    def _forget(self) -> None:
        latest = self._now() - IDLE
        for key in [key for key, each in self._sessions.items() if each.used <= latest]:
            self._end(key)

    def _end(self, key: str) -> None:
        self._sessions.pop(key).ended = True
        self._ended()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
