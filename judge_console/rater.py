"""A rater's connection: carries out the model's requests, one after the other, in a thread."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from judge_console.memory import Drafts, folder_of
from judge_console.model.rating import RaterModel, Request, rater_link
from judge_console.views.controls import single_shot
from lpp.connection import next_pause

#: Milliseconds from the last change until it is sent.
PAUSE = 500
#: Seconds to wait for the server's answer.
TIMEOUT = 20.0
#: Seconds to wait for a pending request when the window closes.
GRACE = 2.0
#: The maximum size of an answer in bytes; even a long dialogue is much shorter.
LONGEST = 32 * 1024 * 1024
_DRAFT = "unsaved"


class _Answer(NamedTuple):
    request: Request
    #: The HTTP status; 0 without an answer.
    status: int
    body: bytes


class RaterClient(QObject):
    """A rater's seat at a server. Everything typed is kept on disk until the server has saved it.

    Arguments:
        link: the rater's link.
        seats: the parent of the seats' folders; see `memory.folder_of`.

    Signals:
        changed: the model or the state of the connection has changed.

    Attributes:
        model: the seat.
        trouble: why the server can't be reached; empty if it can.
        wrong: whether the link is not valid.

    Raises:
        UserError: if it is not a rater's link.
    """

    changed = Signal()
    _answered = Signal(object)

    def __init__(self, link: str, seats: Path) -> None:
        super().__init__()
        self._link, code = rater_link(link)
        self._drafts = Drafts(folder_of(seats, code))
        self.model = RaterModel(self._drafts.get(_DRAFT))
        self.trouble, self.wrong, self._closed = "", False, False
        self._thread: threading.Thread | None = None
        self._pause = 0.0
        self._soon = single_shot(self, self.work)
        self._answered.connect(self._take)

    def type(self, name: str, text: str) -> None:
        """Takes the rater's input; see `RaterModel.type`."""
        self.model.type(name, text)
        self._keep()
        self._soon.start(PAUSE)
        self.changed.emit()

    def go(self, number: int, *, complete: bool = False) -> None:
        """Goes to another item; see `RaterModel.go`."""
        self.model.go(number, complete=complete)
        self.changed.emit()
        self.work()

    @Slot()
    def work(self) -> None:
        """Sends the model's next request, unless one is on its way."""
        request = self.model.request()
        if request is not None and self._thread is None and not (self.wrong or self._closed):
            self._thread = threading.Thread(
                target=self._ask, args=(request,), name="rater's request", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Ends the connection; unsaved input stays on disk for the next time."""
        self._closed = True
        self._soon.stop()
        if self._thread is not None:
            self._thread.join(GRACE)
        self._drafts.close()

    def _keep(self) -> None:
        self._drafts.put(_DRAFT, self.model.draft)

    def _ask(self, request: Request) -> None:
        form = None if request.fields is None else urllib.parse.urlencode(request.fields).encode()
        asked = urllib.request.Request(
            self._link + request.path, form, {"Accept": "application/json"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=TIMEOUT) as reply:
                answer = _Answer(request, HTTPStatus.OK, reply.read(LONGEST))
        except urllib.error.HTTPError as exc:
            with exc:
                answer = _Answer(request, exc.code, exc.read(LONGEST))
        except (OSError, HTTPException, ValueError) as exc:
            reason = getattr(exc, "reason", exc)
            words = getattr(reason, "strerror", None) or str(reason)
            answer = _Answer(request, 0, words.encode("utf-8", "replace"))
        self._answered.emit(answer)

    @Slot(object)
    def _take(self, answer: _Answer) -> None:
        request, status, body = answer
        if self._closed:
            return
        if self._thread is not None:
            self._thread.join()
        self._thread, self.trouble = None, ""
        refusal = 400 <= status < 500 and status != HTTPStatus.TOO_MANY_REQUESTS
        try:
            if status == HTTPStatus.OK:
                self.model.answered(request, body)
            elif refusal and request == Request(""):
                self.wrong = True
            elif refusal:
                self.model.rejected(request, _words(body))
                self.trouble = "" if request.fields is not None else _words(body)
            else:
                self.trouble = _words(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.trouble = "this is not a raters' server"
        self._keep()
        self.changed.emit()
        self._pause = next_pause(self._pause, 0.0) if self.trouble else 0.0
        if self.trouble:
            self._soon.start(round(1000 * self._pause))
        else:
            self.work()


def _words(body: bytes) -> str:
    """The words of a refusal, from JSON or plain text."""
    text = body.decode("utf-8", "replace").strip()
    try:
        return str(json.loads(text)["error"])
    except (ValueError, LookupError, TypeError):
        return text[:300]
