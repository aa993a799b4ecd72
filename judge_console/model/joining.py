"""The form for the server and the seat's code, and the errors that it shows.

`JoinForm` takes the person's input and the servers found on the network, returns a `JoinAttempt`
(`submit`), and learns its result. Each error is a `FormProblem`: the key of a text, its fields, and
the field of the form that it is about, so that the dialog can show it beside that field and move
the focus there.

The server issues codes as `SEAT-XXXX-XXXX-XXXX`. People read them from paper, so blanks, dashes and
case don't matter. Impossible codes are refused before anything is sent, because a server delays its
answer to a wrong code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from lpp.errors import UserError

#: The letters and digits of a code's secret part, without those that are easily confused on paper.
CODE_LETTERS = frozenset("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
#: How many there are, and how many in a group.
CODE_LENGTH, CODE_GROUP = 12, 4
_LOOKS = "a code is the id of a seat or an entry and twelve letters and digits: J1-7KQ2-M4XD-9TRA"
#: The most servers that are remembered.
REMEMBERED = 8

#: "asking": the person fills in the form. "connecting": the console is connecting. "taken": another
#: console has the seat, and the person is asked whether to take it over. "untrusted": no trusted
#: authority has signed the server's certificate, and the person is asked whether it is the right
#: one; the code has not been sent yet.
JoinState: TypeAlias = Literal["asking", "connecting", "taken", "untrusted"]
#: The field that a problem is about; "all" for none in particular.
About: TypeAlias = Literal["server", "code", "all"]


@dataclass(frozen=True, slots=True)
class FormProblem:
    """An error, in words for a person.

    Attributes:
        about: the field of the form.
        key: the key of the text, as in `texts`.
        fields: the values of the text's fields, by name.
    """

    about: About
    key: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server to choose from.

    Attributes:
        address: `HOST:PORT`, with `wss://` before it for TLS, and with the path if it is not the
            usual one.
        contest: the contest's name.
        announced: whether it is announced on the network now; otherwise it is only remembered.
    """

    address: str
    contest: str = ""
    announced: bool = True


@dataclass(frozen=True, slots=True)
class JoinAttempt:
    """An attempt to take a seat: where to connect, and with which code.

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


#: The kinds of failure, from `ConnectionLost.kind` and `SeatRefused.code` (judge_console.client):
#: each with the field that it is about, and its text.
FAILURES: Final[Mapping[str, tuple[About, str]]] = {
    "busy": ("all", "errors.busy"),
    "unreachable": ("server", "errors.unreachable"),
    "unknown-host": ("server", "errors.unknown_host"),
    "bad-code": ("code", "refused.bad_code"),
    "version": ("all", "refused.version"),
    "refused": ("all", "errors.refused"),
    "untrusted": ("server", "errors.untrusted"),
    "internal": ("all", "errors.internal"),
}


class BadCode(UserError):
    """The text can't be a seat's code.

    Attributes:
        problem: why, for a person.
    """

    def __init__(self, message: str, problem: FormProblem) -> None:
        super().__init__(message)
        self.problem = problem


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
        raise BadCode("there is no code", FormProblem("code", "errors.code_missing"))
    at, secret = len(typed), ""
    while at and len(secret) < CODE_LENGTH:
        at -= 1
        if typed[at] not in "-_.":  # between the groups
            secret = typed[at] + secret
    seat = typed[:at].removesuffix("-")
    for char in secret if seat else "":
        if char not in CODE_LETTERS:
            problem = FormProblem("code", "errors.code_letter", {"char": char})
            raise BadCode(f"no code contains {char!r}; {_LOOKS}", problem)
    if not seat:
        raise BadCode(
            f"something is missing from the code; {_LOOKS}",
            FormProblem("code", "errors.code_short"),
        )
    groups = (secret[n : n + CODE_GROUP] for n in range(0, CODE_LENGTH, CODE_GROUP))
    return "-".join([seat, *groups])


class JoinForm:
    """The form and its content.

    Arguments:
        address: checks the typed server and returns the address to connect to; raises UserError if
            it is not an address.
        servers: remembered servers, the most recent first.
        server, code: the initial content of the fields.
        trusted: addresses of servers, as `address` returns them, to the fingerprints of the
            certificates that the person has accepted; None if the command line says what to trust,
            so that the person is not asked.

    Attributes:
        server, code: as typed.
        state: see `JoinState`.
        problem: the error to show; None if there is none.
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
        trusted: Mapping[str, str] | None = MappingProxyType({}),
    ) -> None:
        self._address = address
        self._asks = trusted is not None
        self._trusted = dict(trusted or {})
        self._remembered = tuple(servers)
        self._found: tuple[FoundServer, ...] = ()
        # Once the person has chosen a server, the network's announcements don't change it.
        self._chosen = bool(server)
        self.server = server
        self.code = code
        self.state: JoinState = "asking"
        self.problem: FormProblem | None = None
        self.attempt: JoinAttempt | None = None
        self.fingerprint = ""
        self._preselect()

    # The servers to choose from

    @property
    def choices(self) -> tuple[FoundServer, ...]:
        """The servers to choose from: first those found on the network, the most recently used
        first, then the remembered ones."""
        there = {found.address for found in self._found}
        used = {server: place for place, server in enumerate(self._remembered)}
        found = sorted(self._found, key=lambda one: used.get(one.address, len(used)))
        remembered = (
            FoundServer(one, announced=False) for one in self._remembered if one not in there
        )
        return (*found, *remembered)

    @property
    def chosen(self) -> FoundServer | None:
        """The server in the form, if it is one of the choices."""
        return next((one for one in self.choices if one.address == self.server.strip()), None)

    def set_found(self, found: Iterable[FoundServer]) -> None:
        """Sets the servers that are announced on the network now."""
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
            self._clear_problem("server")

    def type_code(self, text: str) -> None:
        """The person has typed a code."""
        if text != self.code:
            self.code = text
            self._clear_problem("code")

    def _clear_problem(self, about: About) -> None:
        """Clears the error about a field that has changed."""
        if self.problem is not None and self.problem.about in (about, "all"):
            self.problem = None

    @property
    def changed(self) -> bool:
        return self.attempt is not None and self.attempt.url in self._trusted

    def submit(self, *, take_over: bool = False, trust: bool = False) -> JoinAttempt | None:
        """The person wants to connect.

        Arguments:
            take_over: the answer to the question in the state "taken".
            trust: the answer to the question in the state "untrusted".

        Returns:
            The attempt to make; None if there is an error or the console is already connecting.
        """
        if self.state not in ("asking", "taken", "untrusted"):
            return None
        if trust and self.state == "untrusted" and self.attempt is not None and self.fingerprint:
            self._trusted[self.attempt.url] = self.fingerprint
        self.state, self.problem = "asking", None
        try:
            code = seat_code(self.code)
            url = self._checked_server()
        except BadCode as exc:
            self.problem = exc.problem
        except UserError:
            if server := self.server.strip():
                self.problem = FormProblem("server", "errors.bad_address", {"server": server})
            else:
                self.problem = FormProblem("server", "errors.server_missing")
        else:
            self._chosen = True
            self.state = "connecting"
            fingerprint = self._trusted.get(url, "")
            self.attempt = JoinAttempt(url, self.server.strip(), code, take_over, fingerprint)
            return self.attempt
        return None

    def _checked_server(self) -> str:
        # Addresses contain no blanks, so remove any that were typed by mistake.
        return self._address("".join(self.server.split()))

    def give_up(self) -> None:
        """The person cancels, or leaves the seat to the other console."""
        self.state, self.problem = "asking", None

    # The result of the attempt

    def failed(self, kind: str, reason: str = "", fingerprint: str = "") -> None:
        """The attempt failed.

        Arguments:
            kind: a key of `FAILURES`, or "seat-taken", which leads to a question, as "untrusted"
                does unless the command line says what to trust. Any other kind means that the host
                runs no contest server, or a very different version.
            reason: in words, if there are any.
            fingerprint: of the server's certificate, if that is not trusted.
        """
        if self.state != "connecting" or self.attempt is None:
            return
        if kind == "untrusted" and fingerprint and self._asks:
            self.state, self.fingerprint = "untrusted", fingerprint
        elif kind == "seat-taken":
            self.state = "taken"
        else:
            about, key = FAILURES.get(kind, ("server", "errors.no_contest"))
            fields = {"server": self.attempt.server, "reason": reason}
            self.state, self.problem = "asking", FormProblem(about, key, fields)


def remember(
    attempt: JoinAttempt, servers: Sequence[str], trusted: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Updates what is remembered after somebody has taken a seat: the server and its certificate
    come first.

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
