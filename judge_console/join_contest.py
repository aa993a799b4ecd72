"""The page of the joining dialog for a contest: code and server, and what came of a try.

The page decides nothing: model/joining.py does. What it wants done comes out as signals, and
`ContestPage.show_form` draws how the form stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from judge_console.join_widgets import Question, ServerBox, breakable, label, notice, plain, say
from judge_console.look.theme import mark
from judge_console.model.joining import Found, JoinForm
from judge_console.texts import Texts
from judge_console.views.announce import announce
from lpp.trust import shown_fingerprint


class ContestPage(QWidget):
    """Asks for code and server.

    Arguments:
        form: what is filled in already.
        texts: the words.
        remember: whether the code is to be remembered.
        news: something to be said from the beginning; empty if there is nothing.
        parent: as Qt has it.

    Signals:
        tried: the form's attempt is to be tried.
        given_up: the try that is on is to be ended.
        cancelled: the person does not want it after all.
        desk_wanted: the person wants a talk without a server.
        said: something has been said, and stands on the page now.
    """

    tried = Signal()
    given_up = Signal()
    cancelled = Signal()
    desk_wanted = Signal()
    said = Signal()

    def __init__(
        self, form: JoinForm, texts: Texts, remember: bool, news: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._texts = texts
        self._news = news
        self._searched = ""
        self._announced = ""
        self._make_fields(remember)
        self._make_answers()
        self._lay_out()

    # What stands on it

    def _make_fields(self, remember: bool) -> None:
        texts = self._texts
        self.code = QLineEdit(self._form.code, self)
        self.code.setPlaceholderText(texts("join.code_hint"))
        self.code.setAccessibleName(plain(texts("join.code")))
        self.code.setInputMethodHints(
            Qt.InputMethodHint.ImhNoPredictiveText | Qt.InputMethodHint.ImhPreferUppercase
        )
        self.code.textChanged.connect(self._code_typed)
        self.show_code = QCheckBox(texts("join.show_code"), self)
        self.show_code.toggled.connect(self._show_code)
        # What the person types now may be seen; what was remembered from another day need not.
        self.show_code.setChecked(not self._form.code)
        self._show_code(self.show_code.isChecked())
        self.server = ServerBox(self)
        self.server.line.setPlaceholderText(texts("join.server_hint"))
        self.server.setAccessibleName(plain(texts("join.server")))
        self.server.line.setAccessibleName(plain(texts("join.server")))
        self.server.editTextChanged.connect(self._server_typed)
        self.remember = QCheckBox(texts("join.remember"), self)
        self.remember.setAccessibleDescription(texts("join.remember_about"))
        self.remember.setChecked(remember)

    def _make_answers(self) -> None:
        texts = self._texts
        self.code_error, self.server_error = notice(self), notice(self)
        self.notice = notice(self)
        self.server_note = label("", "muted", self)
        self.connect_button = QPushButton(texts("join.connect"), self)
        mark(self.connect_button, "primary", True)
        self.connect_button.clicked.connect(self._join)
        self.cancel_button = QPushButton(texts("join.cancel"), self)
        self.cancel_button.clicked.connect(self.cancelled)
        self.desk_button = QPushButton(texts("join.without_server"), self)
        self.desk_button.clicked.connect(self.desk_wanted)
        self.taken = Question(texts("join.take_over_no"), texts("join.take_over"), self)
        self.leave_button, self.take_button = self.taken.no, self.taken.yes
        self.doubted = Question(texts("join.trust_no"), texts("join.trust"), self)
        for question in (self.taken, self.doubted):
            question.no.clicked.connect(self.give_up)
        self.take_button.clicked.connect(self._take_over)
        self.doubted.yes.clicked.connect(self._trust)

    def _lay_out(self) -> None:
        texts = self._texts
        rows = QVBoxLayout(self)
        rows.setContentsMargins(36, 28, 36, 28)
        rows.setSpacing(8)
        rows.addWidget(label(texts("join.heading"), "heading", self))
        rows.addWidget(label(texts("join.intro"), "", self))
        rows.addSpacing(12)
        for caption, field, below in (
            ("join.code", self.code, [self.code_error, self.show_code]),
            ("join.server", self.server, [self.server_note, self.server_error]),
        ):
            title = label(texts(caption), "", self)
            title.setBuddy(field)
            for widget in (title, field, *below):
                rows.addWidget(widget)
            rows.addSpacing(12)
        rows.addWidget(self.remember)
        rows.addWidget(label(texts("join.remember_about"), "muted", self))
        rows.addSpacing(12)
        rows.addWidget(self.notice)
        rows.addWidget(self.taken)
        rows.addWidget(self.doubted)
        rows.addLayout(_row(self.connect_button, self.cancel_button))
        rows.addStretch()
        rows.addLayout(_row(self.desk_button))
        order = [self.code, self.show_code, self.server, self.remember, self.leave_button]
        order += [self.take_button, self.doubted.no, self.doubted.yes]
        order += [self.connect_button, self.cancel_button, self.desk_button]
        for one, other in itertools.pairwise(order):
            QWidget.setTabOrder(one, other)

    # How the form stands

    @Slot()
    def show_form(self) -> None:
        """Draws the form as it stands now, and gives the keyboard to the field in question."""
        self._move_focus()
        self._draw()
        self.said.emit()

    @property
    def places(self) -> tuple[QWidget, ...]:
        """Where something may be said or asked, from above."""
        return (self.code_error, self.server_error, self.notice, self.taken, self.doubted)

    def _draw(self) -> None:
        form, texts = self._form, self._texts
        asking, question = form.state == "asking", self._question()
        # Read-only, not disabled, where the keyboard is: it must not wander off by itself.
        self.code.setReadOnly(not asking)
        complaint = form.complaint
        about = complaint.about if complaint is not None else ""
        words = texts(complaint.key, **complaint.fields) if complaint is not None else ""
        say(self.code_error, words if about == "code" else "", "error")
        say(self.server_error, words if about == "server" else "", "error")
        self.code.setAccessibleDescription(words if about == "code" else texts("join.code_hint"))
        self.server.line.setAccessibleDescription(
            words if about == "server" else texts("join.server_hint")
        )
        if form.state == "connecting" and form.attempt is not None:
            words = texts("join.connecting", server=form.attempt.server)
            say(self.notice, words)
        elif about == "all":
            say(self.notice, words, "error")
        else:
            say(self.notice, self._news if asking else "")
        self.taken.ask(texts("join.take_over_ask") if question is self.taken else "")
        self.doubted.ask(self._doubt() if question is self.doubted else "")
        if question is not None:
            words = question.words.text()
        for widget in (self.server, self.remember, self.desk_button, self.connect_button):
            widget.setEnabled(asking)
        (question.no if question is not None else self.connect_button).setDefault(True)
        self._show_servers()
        if words != self._announced:
            self._announced = words
            announce(self, words, urgent=True)

    def _move_focus(self) -> None:
        complaint = self._form.complaint
        question = self._question()
        if question is not None:
            question.show()  # what can't be seen gets no focus, nor what is disabled
            question.no.setFocus()
            return
        if complaint is not None and complaint.about == "server":
            self.server.setEnabled(True)
            line = self.server.line
        elif complaint is not None or self._form.state == "connecting":
            line = self.code
        else:
            return
        line.setFocus()
        line.end(False)  # and nothing is marked, else the next letter would replace all

    def _question(self) -> Question | None:
        """The question that is asked now."""
        return {"taken": self.taken, "untrusted": self.doubted}.get(self._form.state)

    def _doubt(self) -> str:
        form = self._form
        server = form.attempt.server if form.attempt is not None else ""
        if form.changed:
            words = self._texts("join.trust_changed", server=server)
        else:
            words = self._texts("join.trust_ask", server=server)
        # In two lines, as is easiest to compare.
        groups = shown_fingerprint(form.fingerprint).split()
        half = len(groups) // 2
        return "\n".join([words, " ".join(groups[:half]), " ".join(groups[half:])])

    def _show_servers(self) -> None:
        form = self._form
        self.server.show_servers(
            [(one.address, self._known(one)) for one in form.choices], form.server
        )
        if form.server:
            known = self._known(form.chosen) if form.chosen is not None else ""
        else:
            known = self._searched
        self.server_note.setText(breakable(known))
        self.server_note.setVisible(bool(known))

    def _known(self, server: Found) -> str:
        """What is known of a server that was found; nothing of one that is only remembered."""
        texts = self._texts
        if not server.heard:
            return ""
        contest = server.contest
        if not server.fits:
            contest = texts("join.other_release", contest=contest)
        return texts("join.found_one", contest=contest) if contest else texts("join.found_nameless")

    # What happens

    def see(self, found: Iterable[Found]) -> None:
        """Another set of servers is on the network now."""
        self._form.see(found)
        self._show_servers()

    def start_searching(self) -> None:
        """Servers are looked for from now on; see `see`."""
        self._searched = self._texts("join.searching")
        self._show_servers()

    def stop_searching(self) -> None:
        """The network has had its time; what is found later is shown all the same."""
        self._searched = self._texts("join.none_found")
        self._show_servers()

    @Slot(str)
    def _code_typed(self, text: str) -> None:
        self._form.type_code(text)
        self._draw()

    @Slot(str)
    def _server_typed(self, text: str) -> None:
        self._form.type_server(text)
        self._draw()

    @Slot(bool)
    def _show_code(self, shown: bool) -> None:
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.code.setEchoMode(mode)

    @Slot()
    def _join(self) -> None:
        self.submit()

    @Slot()
    def _take_over(self) -> None:
        self.submit(take_over=True)

    @Slot()
    def _trust(self) -> None:
        self.submit(trust=True)

    def submit(self, *, take_over: bool = False, trust: bool = False) -> None:
        """Tries what is filled in, or says what is wrong with it.

        Arguments:
            take_over: whether to take the seat from another console.
            trust: whether the server's certificate is the right one.
        """
        self._news = ""
        attempt = self._form.submit(take_over=take_over, trust=trust)
        self.show_form()
        if attempt is not None:
            self.tried.emit()

    @Slot()
    def give_up(self) -> None:
        """Ends the try that is on, or the question that is asked."""
        self._form.give_up()
        self.given_up.emit()
        self.code.setFocus()
        self.show_form()


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch()
    return row
