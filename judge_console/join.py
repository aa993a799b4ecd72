"""The dialog in which a person says where to sit.

It is made for people who have never seen the program: the code, which the organizer has handed out
on paper, comes first and has the keyboard; the server is filled in already where it was found or
used before; Return joins. What is wrong is said beside its field, and nothing that was typed is
lost. The pages decide nothing: model/joining.py does. All text is plain text.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, mark
from judge_console.model.joining import (
    LONGEST_TALK,
    DeskField,
    DeskPlan,
    Found,
    JoinForm,
    desk_trouble,
)
from judge_console.texts import Texts
from judge_console.views.controls import Question, Words, announce, buttons_row, once, scrolled
from lpp.connection import shown_fingerprint
from lpp.directory import LocalDirectory
from lpp.errors import BadDirectory

#: The dialog's size at 100 %, in pixels, and its limits: a small screen's.
SIZE, LARGEST = (640, 700), (1024, 728)
#: Characters that a word may have before it is broken.
LONG_WORD = 24
_MAY_BREAK = "\u200b"  # a space of no width
#: Where an item of the list keeps what is known of its server.
_KNOWN = int(Qt.ItemDataRole.UserRole)


class JoinDialog(QDialog):
    """Asks for server and code, or for what a talk without a server needs.

    Arguments:
        form: what is filled in already.
        plan: the same for a talk without a server.
        theme, texts: as for all windows.
        remember: whether the code is to be remembered.
        news: something to be said from the beginning; empty if there is nothing.

    Signals:
        given_up: the try that is on, of either kind, is to be ended.

    Attributes:
        contest, desk: the pages, whose signals say what is wanted.
    """

    given_up = Signal()

    def __init__(
        self,
        form: JoinForm,
        plan: DeskPlan,
        theme: Theme,
        texts: Texts,
        *,
        remember: bool = False,
        news: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._texts = texts
        self.setWindowTitle(texts("window.join"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        # Once what has just been said has got its room.
        self._reveal = once(self, self._bring_into_sight)
        self.contest = ContestPage(form, texts, remember, news)
        self.contest.given_up.connect(self.given_up)
        self.contest.cancelled.connect(self.reject)
        self.contest.desk_wanted.connect(self.show_desk)
        self.desk = DeskPage(plan, texts)
        self.desk.back.connect(self.reject)
        self._pages = QStackedWidget(self)
        for page in (self.contest, self.desk):
            page.said.connect(lambda: self._reveal.start(0))
            self._pages.addWidget(scrolled(page))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        theme.zoom_actions(self)
        self.resize(
            *(min(most, s * theme.zoom // 100) for s, most in zip(SIZE, LARGEST, strict=True))
        )
        self.contest.code.setFocus()
        self.contest.show_form()

    @Slot()
    def _bring_into_sight(self) -> None:
        """Large text on a small screen has to be scrolled; nobody has to look for what is asked."""
        area = self._pages.currentWidget()
        assert isinstance(area, QScrollArea)
        for widget in (*self.contest.places, self.desk.notice, self.focusWidget()):
            # What has no focus is nobody's child.
            if area.isAncestorOf(widget) and widget.isVisible():
                area.ensureWidgetVisible(widget)

    @Slot()
    def show_desk(self) -> None:
        """Asks for what a talk without a server needs."""
        self._pages.setCurrentIndex(1)
        self.setWindowTitle(self._texts("window.desk"))
        self.desk.begin_button.setDefault(True)
        self.desk.left.setFocus()

    @Slot()
    def reject(self) -> None:
        """Esc and Cancel end what is on: a try, the page without a server, or the dialog."""
        if self._form.state in ("connecting", "taken", "untrusted"):
            self.contest.give_up()
        elif self._pages.currentIndex() == 1:
            self.desk.wait(False)
            self.given_up.emit()
            self._pages.setCurrentIndex(0)
            self.setWindowTitle(self._texts("window.join"))
            self.contest.code.setFocus()
            self.contest.show_form()
        else:
            self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window's own cross ends the dialog, whatever is on."""
        self._form.give_up()
        self.given_up.emit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return held down must not answer the next question as well."""
        if not (event.isAutoRepeat() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)


class ContestPage(QWidget):
    """Asks for code and server; see JoinDialog for the arguments.

    Signals:
        tried: the form's attempt is to be tried.
        given_up: the try that is on is to be ended.
        cancelled: the person does not want to join after all.
        desk_wanted: the person wants a talk without a server.
        said: something has been said, and is on the page now.
    """

    tried = Signal()
    given_up = Signal()
    cancelled = Signal()
    desk_wanted = Signal()
    said = Signal()

    def __init__(self, form: JoinForm, texts: Texts, remember: bool, news: str) -> None:
        super().__init__()
        self._form = form
        self._texts = texts
        self._news = news
        self._searched = ""
        self._announced = ""
        self._make_fields(remember)
        self._make_answers()
        self._lay_out()

    def _make_fields(self, remember: bool) -> None:
        texts = self._texts
        self.code = QLineEdit(self._form.code)
        self.code.setPlaceholderText(texts("join.code_hint"))
        self.code.setAccessibleName(plain(texts("join.code")))
        self.code.setInputMethodHints(
            Qt.InputMethodHint.ImhNoPredictiveText | Qt.InputMethodHint.ImhPreferUppercase
        )
        self.code.textChanged.connect(self._code_typed)
        self.show_code = QCheckBox(texts("join.show_code"))
        self.show_code.toggled.connect(self._show_code)
        self._show_code(False)
        self.server = ServerBox()
        self.server.line.setPlaceholderText(texts("join.server_hint"))
        self.server.setAccessibleName(plain(texts("join.server")))
        self.server.line.setAccessibleName(plain(texts("join.server")))
        self.server.editTextChanged.connect(self._server_typed)
        self.remember = QCheckBox(texts("join.remember"))
        self.remember.setAccessibleDescription(texts("join.remember_about"))
        self.remember.setChecked(remember)

    def _make_answers(self) -> None:
        texts = self._texts
        self.code_error, self.server_error, self.notice = _News(), _News(), _News()
        self.server_note = Words(role="muted")
        self.connect_button = QPushButton(texts("join.connect"))
        mark(self.connect_button, "primary", True)
        self.connect_button.clicked.connect(lambda: self.submit())
        self.cancel_button = QPushButton(texts("join.cancel"))
        self.cancel_button.clicked.connect(self.cancelled)
        self.desk_button = QPushButton(texts("join.without_server"))
        self.desk_button.clicked.connect(self.desk_wanted)
        self.taken = Question(texts("join.take_over_no"), texts("join.take_over"))
        self.doubted = Question(texts("join.trust_no"), texts("join.trust"))
        for question in (self.taken, self.doubted):
            question.no.clicked.connect(self.give_up)
        self.taken.yes.clicked.connect(lambda: self.submit(take_over=True))
        self.doubted.yes.clicked.connect(lambda: self.submit(trust=True))

    def _lay_out(self) -> None:
        texts = self._texts
        rows = _column(self)
        rows.addWidget(Words(texts("join.heading"), "heading"))
        rows.addWidget(Words(texts("join.intro")))
        rows.addSpacing(12)
        for caption, field, below in (
            ("join.code", self.code, [self.code_error, self.show_code]),
            ("join.server", self.server, [self.server_note, self.server_error]),
        ):
            title = Words(texts(caption))
            title.setBuddy(field)
            for widget in (title, field, *below):
                rows.addWidget(widget)
            rows.addSpacing(12)
        rows.addWidget(self.remember)
        rows.addWidget(Words(texts("join.remember_about"), "muted"))
        rows.addSpacing(12)
        for widget in (self.notice, self.taken, self.doubted):
            rows.addWidget(widget)
        rows.addLayout(buttons_row(self.connect_button, self.cancel_button))
        rows.addStretch()
        rows.addLayout(buttons_row(self.desk_button))
        order = [self.code, self.show_code, self.server, self.remember]
        order += [self.taken.no, self.taken.yes, self.doubted.no, self.doubted.yes]
        order += [self.connect_button, self.cancel_button, self.desk_button]
        for one, other in itertools.pairwise(order):
            QWidget.setTabOrder(one, other)

    # What is shown

    @property
    def places(self) -> tuple[QWidget, ...]:
        """Where something may be said or asked, from above."""
        return (self.code_error, self.server_error, self.notice, self.taken, self.doubted)

    @Slot()
    def show_form(self) -> None:
        """Draws the form, and gives the keyboard to the field in question."""
        self._move_focus()
        self._draw()
        self.said.emit()

    def _draw(self) -> None:
        form, texts = self._form, self._texts
        asking, question = form.state == "asking", self._question()
        # Read-only, not disabled, where the keyboard is: it must not wander off by itself.
        self.code.setReadOnly(not asking)
        complaint = form.complaint
        about = complaint.about if complaint is not None else ""
        words = texts(complaint.key, **complaint.fields) if complaint is not None else ""
        self.code_error.say(words if about == "code" else "", "error")
        self.server_error.say(words if about == "server" else "", "error")
        self.code.setAccessibleDescription(words if about == "code" else texts("join.code_hint"))
        self.server.line.setAccessibleDescription(
            words if about == "server" else texts("join.server_hint")
        )
        if form.state == "connecting" and form.attempt is not None:
            words = texts("join.connecting", server=form.attempt.server)
            self.notice.say(words)
        elif about == "all":
            self.notice.say(words, "error")
        else:
            self.notice.say(self._news if asking else "")
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
        words = self._texts(
            "join.trust_changed" if form.changed else "join.trust_ask", server=server
        )
        # In two lines, as is easiest to compare.
        groups = shown_fingerprint(form.fingerprint).split()
        half = len(groups) // 2
        return "\n".join([words, " ".join(groups[:half]), " ".join(groups[half:])])

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

    @Slot(object)
    def see(self, found: Iterable[Found]) -> None:
        """Another set of servers is on the network now."""
        self._form.see(found)
        self._show_servers()

    def start_searching(self) -> None:
        """Servers are looked for from now on; see `see`."""
        self._searched = self._texts("join.searching")
        self._show_servers()

    @Slot()
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


class DeskPage(QWidget):
    """Asks for what a talk without a server needs.

    Arguments:
        plan: what is filled in already; its role says which fields there are.
        texts: the words.

    Signals:
        wanted: begin, with the `DeskPlan` as it is filled in. Until `failed` is called the page
            waits.
        said: something is wrong, and is on the page now.
        back: the person wants to join a contest after all.
    """

    wanted = Signal(object)
    back = Signal()
    said = Signal()

    def __init__(self, plan: DeskPlan, texts: Texts) -> None:
        super().__init__()
        self._plan = plan
        self._texts = texts
        self._busy = False
        judge = plan.role == "judge"
        self._rows = _column(self)
        self._rows.addWidget(Words(texts("desk.heading"), "heading"))
        self._rows.addWidget(Words(texts("desk.intro" if judge else "desk.intro_confederate")))
        self.notice = _News()
        self._rows.addWidget(self.notice)
        self._rows.addSpacing(12)
        title = texts("desk.browse_title")
        self.left = self._directory(texts("desk.left" if judge else "desk.only"), plan.left, title)
        self.right = self._directory(
            texts("desk.right"), plan.right, title, texts("desk.right_hint"), shown=judge
        )
        self.draw_sides = QCheckBox(texts("desk.draw"))
        self.draw_sides.setChecked(plan.sides == "random")
        self.human = QComboBox()
        self.human.addItem(texts("desk.human_behind_left"), "left")
        self.human.addItem(texts("desk.human_behind_right"), "right")
        self.human.setCurrentIndex(self.human.findData(plan.human))
        self.minutes = QDoubleSpinBox()
        self.minutes.setDecimals(0 if plan.minutes.is_integer() else 2)
        self.minutes.setRange(0, LONGEST_TALK)
        self.minutes.setSpecialValueText(texts("desk.no_limit"))
        self.minutes.setValue(plan.minutes)
        self._rows.addWidget(self.draw_sides)
        self.draw_sides.setVisible(judge)
        self._captioned(texts("desk.human_behind"), self.human, shown=judge)
        self._captioned(texts("desk.minutes"), self.minutes)
        self.record = self._directory(
            texts("desk.record"),
            plan.record,
            texts("desk.browse_record"),
            texts("desk.record_hint"),
        )
        self.begin_button = QPushButton(texts("desk.start"))
        mark(self.begin_button, "primary", True)
        self.begin_button.clicked.connect(self.begin)
        self.back_button = QPushButton(texts("join.with_server"))
        self.back_button.clicked.connect(self.back)
        self._rows.addLayout(buttons_row(self.begin_button, self.back_button))
        self._rows.addStretch()

    def _captioned(self, caption: str, *field: QWidget, shown: bool = True) -> None:
        title = Words(caption)
        title.setBuddy(field[0])
        field[0].setAccessibleName(plain(caption))
        row = QHBoxLayout()
        self._rows.addWidget(title)
        self._rows.addLayout(row)
        for widget in field:
            row.addWidget(widget)
        for widget in (title, *field):
            widget.setVisible(shown)

    def _directory(
        self, caption: str, value: str, title: str, hint: str = "", *, shown: bool = True
    ) -> QLineEdit:
        line = QLineEdit(value)
        line.setPlaceholderText(hint)
        line.setAccessibleDescription(hint)
        button = QPushButton(self._texts("desk.browse"))
        button.setAccessibleName(f"{self._texts('desk.browse')} {plain(caption)}")
        button.clicked.connect(self._browser(line, title))
        self._captioned(caption, line, button, shown=shown)
        return line

    def _browser(self, line: QLineEdit, title: str) -> Callable[[], None]:
        def browse() -> None:
            dialog = QFileDialog(self, title, line.text() or str(Path.home()))
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.fileSelected.connect(line.setText)
            dialog.open()

        return browse

    # What happens

    def plan(self) -> DeskPlan:
        """What is filled in."""
        judge = self._plan.role == "judge"
        return replace(
            self._plan,
            left=self.left.text().strip(),
            right=self.right.text().strip() if judge else "",
            minutes=self.minutes.value(),
            sides="random" if self.draw_sides.isChecked() else "as-given",
            human="left" if self.human.currentData() == "left" else "right",
            record=self.record.text().strip(),
        )

    @Slot()
    def begin(self) -> None:
        """Begins with what is filled in, or says what is wrong with it."""
        if self._busy:
            return
        plan = self.plan()
        trouble = desk_trouble(plan, _is_usable, _is_same)
        if trouble is not None:
            field, complaint = trouble
            self.failed(self._texts(complaint.key, **complaint.fields), field)
            return
        self.wait(True)
        self.wanted.emit(plan)

    def failed(self, words: str, field: DeskField = "left") -> None:
        """The talk can't begin.

        Arguments:
            words: why, for the person.
            field: which field is to be changed.
        """
        self.wait(False)
        self.notice.say(words, "error")
        {"left": self.left, "right": self.right, "record": self.record}[field].setFocus()
        announce(self, words, urgent=True)
        self.said.emit()

    def wait(self, busy: bool) -> None:
        """Takes no further order while the talk is being set up."""
        self._busy = busy
        self.notice.say("")


# The parts of both pages


class ServerBox(QComboBox):
    """A field for a server's address, with the servers that there are to choose from.

    Attributes:
        line: the field itself.
    """

    line: QLineEdit

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # None at all: completed addresses are wrong addresses. The stubs do not know that.
        self.setCompleter(None)  # type: ignore[arg-type]
        self.setItemDelegate(_ServerDelegate(self))
        self.setModel(QStandardItemModel(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        line = self.lineEdit()
        assert line is not None
        self.line = line
        self.line.setInputMethodHints(Qt.InputMethodHint.ImhUrlCharactersOnly)

    def show_servers(self, servers: Sequence[tuple[str, str]], chosen: str) -> None:
        """Puts other servers into the list, without emitting anything.

        Arguments:
            servers: (address, what is known of it), in the order of the list.
            chosen: what the field shows.
        """
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        items = [model.item(row) for row in range(model.rowCount())]
        blocked = self.blockSignals(True)
        if list(servers) != [(item.text(), item.data(_KNOWN)) for item in items]:
            model.clear()
            for address, known in servers:
                item = QStandardItem(address)
                item.setData(known, _KNOWN)
                item.setData(f"{address} {known}", Qt.ItemDataRole.AccessibleTextRole)
                model.appendRow(item)
        if self.currentText() != chosen:
            self.setCurrentIndex(self.findText(chosen, Qt.MatchFlag.MatchExactly))
            self.setEditText(chosen)
        self.blockSignals(blocked)


class _ServerDelegate(QStyledItemDelegate):
    """Shows what is known of a server beside its address."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if known := index.data(_KNOWN):
            option.text = f"{option.text}   {known}"


class _News(Words):
    """A place for news; hidden as long as there are none."""

    def __init__(self) -> None:
        super().__init__(role="notice")
        self.hide()

    def say(self, words: str, tone: str = "") -> None:
        """Says something: `tone` is "ok", "error", or empty for plain news. Empty words hide it."""
        mark(self, "tone", tone)
        self.setText(breakable(words))
        self.setVisible(bool(words))


def _column(page: QWidget) -> QVBoxLayout:
    rows = QVBoxLayout(page)
    rows.setContentsMargins(36, 28, 36, 28)
    rows.setSpacing(8)
    return rows


def breakable(text: str) -> str:
    """A text whose long words, such as paths and addresses, may be broken over lines: at their
    marks, and if they have none anywhere."""
    parts = re.split(r"(\s+)", text)
    return "".join(_broken(part) if len(part) > LONG_WORD else part for part in parts)


def _broken(word: str) -> str:
    pieces = re.split(r"(?<=[/\\.:_-])", word)
    shorter = (
        piece[at : at + LONG_WORD] for piece in pieces for at in range(0, len(piece), LONG_WORD)
    )
    return _MAY_BREAK.join(shorter)


def plain(text: str) -> str:
    """A text without the marks of the keys that choose it."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _is_usable(path: str) -> bool:
    try:
        LocalDirectory(Path(path)).check()
    except (BadDirectory, OSError, ValueError):  # a path can hold a zero
        return False
    return True


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
