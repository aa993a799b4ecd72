"""The form in which a person says where to sit: server and code, and what is wrong with them.

`JoinForm` takes what is typed and what is found, says what to try (`submit`), and is told how the
try went. What is wrong comes as `Complaint`s: the key of a text, its fields, and the field of the
form that it is about, so that the words are beside it and the keyboard goes there.

A code is `SEAT-XXXX-XXXX-XXXX`, as the server issues it. People read it from paper, so blanks,
dashes and case are forgiven, and what can't be a code is said before anything is sent: a server
answers a wrong one late, on purpose.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from lpp.errors import YoursToFix

#: The letters and digits of a code's secret part: none that is mistaken for another on paper.
CODE_LETTERS = frozenset("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
#: How many of them, and in groups of how many.
CODE_LENGTH, CODE_GROUP = 12, 4
#: Servers that are remembered at most.
REMEMBERED = 8

#: "asking": the person fills the form in. "connecting": a try is on. "taken": the seat is another
#: console's, and the person is asked whether to take it over. "untrusted": the server shows a
#: certificate that nothing vouches for, and the person is asked whether it is the right one; no
#: code was said yet.
JoinState: TypeAlias = Literal["asking", "connecting", "taken", "untrusted"]
#: What a complaint is about; "all" is neither.
About: TypeAlias = Literal["server", "code", "all"]


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that is wrong, in words for a person.

    Attributes:
        about: the field of the form.
        key: the text's, as texts has it.
        fields: the text's, by name.
    """

    about: About
    key: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A server to choose.

    Attributes:
        address: `HOST:PORT`, with `wss://` before it where it speaks TLS, and a path where that is
            not the usual one.
        contest: the contest's name.
        heard: whether it is on the network now; else it is only remembered.
    """

    address: str
    contest: str = ""
    heard: bool = True


@dataclass(frozen=True, slots=True)
class Attempt:
    """What to try: connect there, with this code.

    Attributes:
        url: the address, as the checker of addresses gives it.
        server: the same as the person knows it.
        code: in the form in which it was issued.
        take_over: whether to take the seat from another console.
        fingerprint: of the server's certificate, where a person has said that it is the right
            one; empty where nobody has.
    """

    url: str
    server: str
    code: str
    take_over: bool = False
    fingerprint: str = ""


#: How a try may fail, as `judge_console.client.Lost.kind` and `SeatRefused.code` have it: what that
#: is about, and which text says so.
FAILED: Final[Mapping[str, tuple[About, str]]] = {
    "busy": ("all", "errors.busy"),
    "unreachable": ("server", "errors.unreachable"),
    "unknown-host": ("server", "errors.unknown_host"),
    "bad-code": ("code", "refused.bad_code"),
    "version": ("all", "refused.version"),
    "refused": ("all", "errors.refused"),
    "internal": ("all", "errors.internal"),
}


class BadCode(YoursToFix):
    """What can't be a seat's code.

    Attributes:
        complaint: why, for a person.
    """

    def __init__(self, message: str, complaint: Complaint) -> None:
        super().__init__(message)
        self.complaint = complaint


def seat_code(text: str) -> str:
    """A seat's code as it was issued, from what a person typed.

    Arguments:
        text: the code; case, blanks, and which dashes there are do not matter.

    Returns:
        `SEAT-XXXX-XXXX-XXXX`, in capitals.

    Raises:
        BadCode: if nothing was typed, something is missing, or a letter is in no code.
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
    """The form, as far as it is filled in.

    Arguments:
        address: checks what a person typed for a server, and gives the address to connect to;
            raises YoursToFix if it is none.
        servers: remembered servers, the last one first.
        server, code: what is filled in already, if anything is.
        trusted: addresses of servers, as `address` gives them, to the fingerprints of certificates
            that the person has accepted before.

    Attributes:
        server, code: as typed.
        state: see `JoinState`.
        complaint: what is wrong; None if nothing is known to be.
        attempt: the last try; None before the first.
        fingerprint: while "untrusted", of the certificate in question; empty if it is not known.
        changed: whether it is another one than the person has accepted before.
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
        # Once the person has said which server, no news of the network change it.
        self._chosen = bool(server)
        self.server = server
        self.code = code
        self.state: JoinState = "asking"
        self.complaint: Complaint | None = None
        self.attempt: Attempt | None = None
        self.fingerprint = ""
        self._preselect()

    # What there is to choose from

    @property
    def choices(self) -> tuple[Found, ...]:
        """The servers to choose from: found ones first, of these the last one used; then those
        that are remembered."""
        there = {found.address for found in self._found}
        used = {server: place for place, server in enumerate(self._remembered)}
        found = sorted(self._found, key=lambda one: used.get(one.address, len(used)))
        remembered = (Found(one, heard=False) for one in self._remembered if one not in there)
        return (*found, *remembered)

    @property
    def chosen(self) -> Found | None:
        """The server that is in the form, if it is one of the choices."""
        return next((one for one in self.choices if one.address == self.server.strip()), None)

    def see(self, found: Iterable[Found]) -> None:
        """Another set of servers is on the network now."""
        self._found = tuple(found)
        self._preselect()

    def _preselect(self) -> None:
        if not self._chosen and self.state == "asking" and (choices := self.choices):
            self.server = choices[0].address

    # What the person does

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
        """What was changed is not wrong any more, as far as anybody knows."""
        if self.complaint is not None and self.complaint.about in (about, "all"):
            self.complaint = None

    @property
    def changed(self) -> bool:
        return self.attempt is not None and self.attempt.url in self._trusted

    def submit(self, *, take_over: bool = False, trust: bool = False) -> Attempt | None:
        """The person wants to sit there.

        Arguments:
            take_over: the answer to the question that is asked in the state "taken".
            trust: the answer to the one that is asked in the state "untrusted".

        Returns:
            What to try; None if something is wrong, or a try is on already.
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
        except YoursToFix:
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
        # An address has no blanks; where one was typed it is a slip of the thumb.
        return self._address("".join(self.server.split()))

    def give_up(self) -> None:
        """The person has cancelled the try, or leaves the seat to the other console."""
        self.state, self.complaint = "asking", None

    # How the try went

    def failed(self, kind: str, reason: str = "", fingerprint: str = "") -> None:
        """Nobody was greeted.

        Arguments:
            kind: a key of `FAILED`, or "untrusted" or "seat-taken", which are asked about. Any
                other means that what answers is not a server of ours, or one of another release.
            reason: in words, where there are any.
            fingerprint: of the server's certificate, where that is not trusted.
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
    """What to remember once somebody has sat down: that server and its certificate first.

    Arguments:
        attempt: where.
        servers: those that are remembered already.
        trusted: the certificates that are remembered already, by address.

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
