"""The dialog that asks for the server and the seat's code.

It is made for people who have never seen the program. The code, which the organizer has handed out
on paper, comes first and has the keyboard focus. The server is filled in if one was found on the
network or used before. Return connects. Errors appear beside their field, and nothing typed is
lost. All decisions are in model/joining.py. All text is plain text.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.joining import FoundServer, JoinForm
from judge_console.views.controls import (
    Notice,
    Question,
    TextLabel,
    breakable,
    buttons_row,
    scrolled,
    single_shot,
)
from lpp.connection import format_fingerprint
from texts import Texts, without_mnemonics

#: The dialog's size at 100 %, and its largest size, which fits a small screen, in pixels.
SIZE, LARGEST = (640, 700), (1024, 728)
#: The role under which a list item keeps what is known about its server.
_KNOWN = int(Qt.ItemDataRole.UserRole)


class JoinDialog(QDialog):
    """Asks for server and code.

    Arguments:
        form: the form to fill in.
        theme, texts: as for all windows.
        remember: whether the box to remember the code is checked.

    Signals:
        tried: the person wants to connect; see the form's attempt.
        cancelled: the person cancels the attempt.
        serverless: the person wants a talk without a server.
    """

    tried = Signal()
    cancelled = Signal()
    serverless = Signal()

    def __init__(
        self, form: JoinForm, theme: Theme, texts: Texts, *, remember: bool = False
    ) -> None:
        super().__init__()
        self._form, self._texts = form, texts
        self.setWindowTitle(texts("window.join"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        # After the layout has made room for the new words.
        self._reveal = single_shot(self, self._bring_into_sight)
        self._searched = ""
        self.code = QLineEdit(form.code)
        self.code.setPlaceholderText(texts("join.code_hint"))
        self.code.setInputMethodHints(
            Qt.InputMethodHint.ImhNoPredictiveText | Qt.InputMethodHint.ImhPreferUppercase
        )
        self.code.textChanged.connect(self._code_typed)
        self.show_code = QCheckBox(texts("join.show_code"))
        self.show_code.toggled.connect(self._show_code)
        self._show_code(False)
        self.server = ServerBox()
        self.server.line.setPlaceholderText(texts("join.server_hint"))
        self.server.line.setAccessibleName(without_mnemonics(texts("join.server")))
        self.server.editTextChanged.connect(self._server_typed)
        self.remember = QCheckBox(texts("join.remember"))
        self.remember.setAccessibleDescription(texts("join.remember_about"))
        self.remember.setChecked(remember)
        self.code_error, self.server_error, self.notice = Notice(), Notice(), Notice()
        self.server_note = TextLabel(role="muted")
        self.connect_button = QPushButton(texts("join.connect"))
        set_style_property(self.connect_button, "primary", True)
        self.connect_button.clicked.connect(lambda: self.submit())
        self.cancel_button = QPushButton(texts("join.cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.serverless_button = QPushButton(texts("join.serverless"))
        self.serverless_button.clicked.connect(self.serverless)
        self.take_over_question = Question(texts("join.take_over_no"), texts("join.take_over"))
        self.trust_question = Question(texts("join.trust_no"), texts("join.trust"))
        for question in (self.take_over_question, self.trust_question):
            question.no.clicked.connect(self.give_up)
        self.take_over_question.yes.clicked.connect(lambda: self.submit(take_over=True))
        self.trust_question.yes.clicked.connect(lambda: self.submit(trust=True))
        body = QWidget()
        rows = QVBoxLayout(body)
        rows.setContentsMargins(36, 28, 36, 28)
        rows.setSpacing(8)
        rows.addWidget(TextLabel(texts("join.heading"), "heading"))
        rows.addWidget(TextLabel(texts("join.intro")))
        _captioned(rows, texts("join.code"), self.code)
        rows.addWidget(self.code_error)
        rows.addWidget(self.show_code)
        _captioned(rows, texts("join.server"), self.server)
        for widget in (
            *(self.server_note, self.server_error, self.remember),
            TextLabel(texts("join.remember_about"), "muted"),
            *(self.notice, self.take_over_question, self.trust_question),
        ):
            rows.addWidget(widget)
        rows.addLayout(buttons_row(self.connect_button, self.cancel_button))
        rows.addLayout(buttons_row(self.serverless_button))
        rows.addStretch()
        self._area = scrolled(body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        theme.zoom_actions(self)
        self.resize(
            *(min(most, s * theme.zoom // 100) for s, most in zip(SIZE, LARGEST, strict=True))
        )
        self.code.setFocus()
        self.show_form()

    # What is shown

    @Slot()
    def _bring_into_sight(self) -> None:
        """Scrolls to the question or error, because large text may not fit on a small screen."""
        said = (
            self.code_error,
            self.server_error,
            self.notice,
            self.take_over_question,
            self.trust_question,
        )
        for widget in (*said, self.focusWidget()):
            # Without a focus this is None, which has no ancestor.
            if self._area.isAncestorOf(widget) and widget.isVisible():
                self._area.ensureWidgetVisible(widget)

    @Slot()
    def show_form(self) -> None:
        """Draws the form, and moves the focus to the field that needs attention."""
        self._draw()
        problem, question = self._form.problem, self._question()
        if question is not None:
            question.no.setFocus()
        elif problem is not None or self._form.state == "connecting":
            about_server = problem is not None and problem.about == "server"
            line = self.server.line if about_server else self.code
            line.setFocus()
            line.end(False)  # selects nothing, else the next letter would replace everything
        self._reveal.start(0)

    def _draw(self) -> None:
        form, texts = self._form, self._texts
        asking, question = form.state == "asking", self._question()
        # Read-only, not disabled, because a disabled field would lose the focus.
        self.code.setReadOnly(not asking)
        for widget in (self.server, self.remember, self.connect_button, self.serverless_button):
            widget.setEnabled(asking)
        problem = form.problem
        words = texts(problem.key, **problem.fields) if problem is not None else ""
        said = {problem.about: words} if problem is not None else {}
        for about, error, line in (
            ("code", self.code_error, self.code),
            ("server", self.server_error, self.server.line),
        ):
            error.say(said.get(about, ""), "error")  # type: ignore[call-overload]
            hint = texts(f"join.{about}_hint")
            line.setAccessibleDescription(said.get(about, hint))  # type: ignore[call-overload]
        if form.state == "connecting" and form.attempt is not None:
            self.notice.say(texts("join.connecting", server=form.attempt.server))
        else:
            self.notice.say(said.get("all", ""), "error")
        self.take_over_question.ask(
            texts("join.take_over_ask") if question is self.take_over_question else ""
        )
        self.trust_question.ask(self._doubt() if question is self.trust_question else "")
        (question.no if question is not None else self.connect_button).setDefault(True)
        self._show_servers()

    def _question(self) -> Question | None:
        """The question that is asked now."""
        return {"taken": self.take_over_question, "untrusted": self.trust_question}.get(
            self._form.state
        )

    def _doubt(self) -> str:
        form = self._form
        server = form.attempt.server if form.attempt is not None else ""
        words = "join.trust_changed" if form.changed else "join.trust_ask"
        # In two lines, which is easiest to compare.
        groups = format_fingerprint(form.fingerprint).split()
        half = len(groups) // 2
        lines = (self._texts(words, server=server), *map(" ".join, (groups[:half], groups[half:])))
        return "\n".join(lines)

    def _show_servers(self) -> None:
        form = self._form
        self.server.show_servers(
            [(one.address, self._known(one)) for one in form.choices], form.server
        )
        known = self._searched
        if form.server:
            known = self._known(form.chosen) if form.chosen is not None else ""
        self.server_note.setText(breakable(known))
        self.server_note.setVisible(bool(known))

    def _known(self, server: FoundServer) -> str:
        """What is known about a server that was found; empty for one that is only remembered."""
        texts = self._texts
        if not server.announced:
            return ""
        if not server.contest:
            return texts("join.found_nameless")
        return texts("join.found_one", contest=server.contest)

    # What happens

    @Slot(object)
    def show_found(self, found: Iterable[FoundServer]) -> None:
        """The servers on the network have changed."""
        self._form.set_found(found)
        self._show_servers()

    def search(self, searching: bool) -> None:
        """Shows that the network is being searched, or that nothing was found. Servers that are
        found later appear anyway."""
        self._searched = self._texts("join.searching" if searching else "join.none_found")
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

    def submit(self, *, take_over: bool = False, trust: bool = False) -> None:
        """Connects with what is filled in, or shows what is wrong with it.

        Arguments:
            take_over: whether to take the seat from another console.
            trust: whether the server's certificate is the right one.
        """
        attempt = self._form.submit(take_over=take_over, trust=trust)
        self.show_form()
        if attempt is not None:
            self.tried.emit()

    @Slot()
    def give_up(self) -> None:
        """Cancels the attempt, or answers the question with no."""
        self._form.give_up()
        self.cancelled.emit()
        self.code.setFocus()
        self.show_form()

    @Slot()
    def reject(self) -> None:
        """Esc and Cancel end the attempt, or else close the dialog."""
        if self._form.state == "asking":
            self.close()
        else:
            self.give_up()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window's close button always ends the dialog."""
        self._form.give_up()
        self.cancelled.emit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignores repeats of Return, so that holding it down does not answer the next question
        too."""
        if not (event.isAutoRepeat() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)


class ServerBox(QComboBox):
    """A field for a server's address, with the known servers to choose from.

    Attributes:
        line: the field itself.
    """

    line: QLineEdit

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # No completion: completed addresses are wrong addresses. The stubs don't allow None.
        self.setCompleter(None)  # type: ignore[arg-type]
        self.setItemDelegate(_ServerDelegate(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        line = self.lineEdit()
        assert line is not None
        self.line = line
        self.line.setInputMethodHints(Qt.InputMethodHint.ImhUrlCharactersOnly)
        self._servers: list[tuple[str, str]] = []

    def show_servers(self, servers: list[tuple[str, str]], chosen: str) -> None:
        """Replaces the servers in the list, without emitting a signal.

        Arguments:
            servers: (address, what is known about it), in the order of the list.
            chosen: the text of the field.
        """
        with QSignalBlocker(self):
            if servers != self._servers:
                self._servers = servers
                self.clear()
                for row, (address, known) in enumerate(servers):
                    self.addItem(address)
                    self.setItemData(row, known, _KNOWN)
                    role = Qt.ItemDataRole.AccessibleTextRole
                    self.setItemData(row, f"{address} {known}", role)
            if self.currentText() != chosen:
                self.setCurrentIndex(self.findText(chosen, Qt.MatchFlag.MatchExactly))
                self.setEditText(chosen)


class _ServerDelegate(QStyledItemDelegate):
    """Shows what is known about a server beside its address."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if known := index.data(_KNOWN):
            option.text = f"{option.text}   {known}"


def _captioned(rows: QVBoxLayout, caption: str, field: QWidget) -> None:
    """Adds a field with its caption above it."""
    title = TextLabel(caption)
    title.setBuddy(field)
    field.setAccessibleName(without_mnemonics(caption))
    rows.addSpacing(8)
    rows.addWidget(title)
    rows.addWidget(field)
