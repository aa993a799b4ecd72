"""The program of an entry whose link has it in its care, as the organizer sees it."""

from __future__ import annotations

from contest.links.remote import RemoteLink


class LinkedProgram:
    """See contest.links.program.Program.

    Arguments:
        link: the server's side of its link.
    """

    def __init__(self, link: RemoteLink) -> None:
        self._link = link

    @property
    def running(self) -> bool | None:
        """Whether it has not ended; None as long as the link has told of no program."""
        return self._link.running

    async def restart(self) -> None:
        """Has the link end it, if it runs, and start it anew; waits for nothing."""
        self._link.restart()
