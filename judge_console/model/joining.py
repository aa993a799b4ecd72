"""The form for the server and the seat's code, and what is wrong with them.

`JoinForm` takes what is typed and which servers are found, returns what to connect to (`submit`),
and learns the result. Each error is a `Complaint`: the key of a text, its fields, and the field of
the form that it is about, so that the dialog can show it beside that field and move the focus
there.

The server issues codes as `SEAT-XXXX-XXXX-XXXX`. People read them from paper, so blanks, dashes and
case don't matter. What can't be a code is reported before anything is sent, because a server delays
its answer to a wrong code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from lpp.errors import UserError

#: The letters and digits of a code's secret part, without those that are easily confused on paper.
CODE_LETTERS = frozenset("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
#: How many there are, and how many in a group.
CODE_LENGTH, CODE_GROUP = 12, 4
#: The most servers that are remembered.
REMEMBERED = 8

#: "asking": the person fills in the form. "connecting": the console is connecting. "taken": another
#: console has the seat, and the person is asked whether to take it over. "untrusted": no authority
#: vouches for the server's certificate, and the person is asked whether it is the right one; the
#: code was not sent yet.
JoinState: TypeAlias = Literal["asking", "connecting", "taken", "untrusted"]
#: The field that a complaint is about; "all" for none in particular.
About: TypeAlias = Literal["server", "code", "all"]


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error, in words for a person.

    Attributes:
        about: the field of the form.
        key: the key of the text, as in `texts`.
        fields: the text's, by name.
    """

    about: About
    key: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A server to choose from.

    Attributes:
        address: `HOST:PORT`, with `wss://` before it for TLS, and with the path if it is not the
            usual one.
        contest: the contest's name.
        heard: whether it is on the network now; otherwise it is only remembered.
    """

    address: str
    contest: str = ""
    heard: bool = True


@dataclass(frozen=True, slots=True)
class Attempt:
    """What to connect to, and with which code.

    Attributes:
        url: the address, as the address check returns it.
        server: the address as the person typed it.
        code: as it was issued.
        take_over: whether to take the seat from another console.
        fingerprint: of the server's certificate, if the person has accepted it; otherwise empty.
    """

    url: str
    server: str
    code: str
    take_over: bool = False
    fingerprint: str = ""


#: The ways to fail, from `judge_console.client.Lost.kind` and `SeatRefused.code`: the field that
#: each is about, and its text.
FAILED: Final[Mapping[str, tuple[About, str]]] = {
    "busy": ("all", "errors.busy"),
    "unreachable": ("server", "errors.unreachable"),
    "unknown-host": ("server", "errors.unknown_host"),
    "bad-code": ("code", "refused.bad_code"),
    "version": ("all", "refused.version"),
    "refused": ("all", "errors.refused"),
    "internal": ("all", "errors.internal"),
}


class BadCode(UserError):
    """The text can't be a seat's code.

    Attributes:
        complaint: why, for a person.
    """

    def __init__(self, message: str, complaint: Complaint) -> None:
        super().__init__(message)
        self.complaint = complaint


def seat_code(text: str) -> str:
    """A seat's code as it was issued, from what a person typed.

    Arguments:
        text: the code; case, blanks and the kind of dashes do not matter.

    Returns:
        `SEAT-XXXX-XXXX-XXXX`, in capitals.

    Raises:
        BadCode: if it is empty or too short, or contains a letter that codes don't have.
    """
    typed = "".join(
        "-" if unicodedata.category(char) == "Pd" else char
        for char in unicodedata.normalize("NFKC", text).upper()
        if not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf")
    )
    if not typed:
        raise BadCode("there is no code", Complaint("code", "errors.code_missing"))
    at, secret = len(typed), ""
    while at and len(secret) < CODE_LENGTH:
        at -= 1
        if typed[at] not in "-_.":  # between the groups
            secret = typed[at] + secret
    seat = typed[:at].removesuffix("-")
    for char in secret if seat else "":
        if char not in CODE_LETTERS:
            complaint = Complaint("code", "errors.code_letter", {"char": char})
            raise BadCode(f"{char!r} is in no code", complaint)
    if not seat:
        raise BadCode(
            "something is missing from the code: it looks like J1-7KQ2-M4XD-9TRA",
            Complaint("code", "errors.code_short"),
        )
    groups = (secret[n : n + CODE_GROUP] for n in range(0, CODE_LENGTH, CODE_GROUP))
    return "-".join([seat, *groups])


class JoinForm:
    """The form and its content.

    Arguments:
        address: checks the typed server and returns the address to connect to; raises UserError if
            it is not an address.
        servers: remembered servers, the most recent first.
        server, code: what is already filled in, if anything.
        trusted: addresses of servers, as `address` returns them, to the fingerprints of the
            certificates that the person has accepted.

    Attributes:
        server, code: as typed.
        state: see `JoinState`.
        complaint: what is wrong; None if nothing is.
        attempt: the last attempt; None before the first.
        fingerprint: while "untrusted", of the certificate in question; empty if unknown.
        changed: whether the person has accepted a different certificate of this server before.
    """

    def __init__(
        self,
        address: Callable[[str], str],
        servers: Sequence[str] = (),
        server: str = "",
        code: str = "",
        trusted: Mapping[str, str] | None = None,
    ) -> None:
        self._address = address
        self._trusted = dict(trusted or {})
        self._remembered = tuple(servers)
        self._found: tuple[Found, ...] = ()
        # Once the person has chosen a server, the network's announcements don't change it.
        self._chosen = bool(server)
        self.server = server
        self.code = code
        self.state: JoinState = "asking"
        self.complaint: Complaint | None = None
        self.attempt: Attempt | None = None
        self.fingerprint = ""
        self._preselect()

    # The servers to choose from

    @property
    def choices(self) -> tuple[Found, ...]:
        """The servers to choose from: those that were found, the most recently used first, and then
        the remembered ones."""
        there = {found.address for found in self._found}
        used = {server: place for place, server in enumerate(self._remembered)}
        found = sorted(self._found, key=lambda one: used.get(one.address, len(used)))
        remembered = (Found(one, heard=False) for one in self._remembered if one not in there)
        return (*found, *remembered)

    @property
    def chosen(self) -> Found | None:
        """The server in the form, if it is one of the choices."""
        return next((one for one in self.choices if one.address == self.server.strip()), None)

    def see(self, found: Iterable[Found]) -> None:
        """Takes the servers that are on the network now."""
        self._found = tuple(found)
        self._preselect()

    def _preselect(self) -> None:
        if not self._chosen and self.state == "asking" and (choices := self.choices):
            self.server = choices[0].address

    # The person's actions

    def type_server(self, text: str) -> None:
        """The person has typed or chosen a server."""
        if text != self.server:
            self._chosen = True
            self.server = text
            self._forgive("server")

    def type_code(self, text: str) -> None:
        """The person has typed a code."""
        if text != self.code:
            self.code = text
            self._forgive("code")

    def _forgive(self, about: About) -> None:
        """Withdraws the complaint about a field that has changed."""
        if self.complaint is not None and self.complaint.about in (about, "all"):
            self.complaint = None

    @property
    def changed(self) -> bool:
        return self.attempt is not None and self.attempt.url in self._trusted

    def submit(self, *, take_over: bool = False, trust: bool = False) -> Attempt | None:
        """The person wants to connect.

        Arguments:
            take_over: the answer to the question in the state "taken".
            trust: the answer to the question in the state "untrusted".

        Returns:
            What to connect to; None if something is wrong or the console is connecting already.
        """
        if self.state not in ("asking", "taken", "untrusted"):
            return None
        if trust and self.state == "untrusted" and self.attempt is not None and self.fingerprint:
            self._trusted[self.attempt.url] = self.fingerprint
        self.state, self.complaint = "asking", None
        try:
            code = seat_code(self.code)
            url = self._checked_server()
        except BadCode as exc:
            self.complaint = exc.complaint
        except UserError:
            if server := self.server.strip():
                self.complaint = Complaint("server", "errors.bad_address", {"server": server})
            else:
                self.complaint = Complaint("server", "errors.server_missing")
        else:
            self._chosen = True
            self.state = "connecting"
            fingerprint = self._trusted.get(url, "")
            self.attempt = Attempt(url, self.server.strip(), code, take_over, fingerprint)
            return self.attempt
        return None

    def _checked_server(self) -> str:
        # Addresses have no blanks; a typed one is a slip.
        return self._address("".join(self.server.split()))

    def give_up(self) -> None:
        """The person cancels, or leaves the seat to the other console."""
        self.state, self.complaint = "asking", None

    # How the attempt ended

    def failed(self, kind: str, reason: str = "", fingerprint: str = "") -> None:
        """The attempt failed.

        Arguments:
            kind: a key of `FAILED`, or "untrusted" or "seat-taken", which lead to a question. Any
                other means that the host does not run our server, or another release of it.
            reason: in words, if there are any.
            fingerprint: of the server's certificate, if that is not trusted.
        """
        if self.state != "connecting" or self.attempt is None:
            return
        if kind == "untrusted" and fingerprint:
            self.state, self.fingerprint = "untrusted", fingerprint
        elif kind == "seat-taken":
            self.state = "taken"
        else:
            about, key = FAILED.get(kind, ("server", "errors.no_contest"))
            fields = {"server": self.attempt.server, "reason": reason}
            self.state, self.complaint = "asking", Complaint(about, key, fields)


def remember(
    attempt: Attempt, servers: Sequence[str], trusted: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """What to remember once somebody has taken a seat: that server and its certificate come first.

    Arguments:
        attempt: the successful one.
        servers: the servers remembered so far.
        trusted: the certificates remembered so far, by address.

    Returns:
        The servers and the certificates to remember.
    """
    kept = [attempt.server, *(other for other in servers if other != attempt.server)]
    known = dict(trusted)
    if attempt.fingerprint:
        known = {
            attempt.url: attempt.fingerprint,
            **{k: known[k] for k in known if k != attempt.url},
        }
    return kept[:REMEMBERED], dict(list(known.items())[:REMEMBERED])
