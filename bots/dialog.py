"""The dialog for choosing a communications directory, as a separate program.

`bots.browse` runs it in its own process, because a GUI toolkit that finds no screen aborts the
whole process, and a bot doesn't need the toolkit for anything else. It imports no other module of
this project, and prints the chosen path as one line of JSON: null if the user cancelled.
"""

from __future__ import annotations

import json
import sys


def ask_qt(title: str, start: str) -> str | None:
    """Shows the dialog with Qt.

    Arguments:
        title: the window's title.
        start: the directory shown first.

    Returns:
        The chosen directory's path, or None if the user cancelled.
    """
    from PySide6.QtWidgets import QApplication, QFileDialog

    application = QApplication.instance() or QApplication([title])
    dialog = QFileDialog(None, title, start)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
    accepted = bool(dialog.exec())
    chosen = dialog.selectedFiles()
    dialog.deleteLater()
    application.processEvents()
    return chosen[0] if accepted and chosen else None


def ask_tk(title: str, start: str) -> str | None:
    """Shows the dialog with Tk; arguments and result as for `ask_qt`."""
    import tkinter
    from tkinter import filedialog

    root = tkinter.Tk()
    try:
        root.withdraw()
        chosen = filedialog.askdirectory(parent=root, title=title, initialdir=start, mustexist=True)
    finally:
        root.destroy()
    return chosen or None


def main(toolkit: str, title: str, start: str) -> None:
    """Shows the dialog with the named toolkit and prints the choice."""
    ask = {"qt": ask_qt, "tk": ask_tk}[toolkit]
    # ASCII, so that the encoding of the pipe can't damage a path.
    print(json.dumps(ask(title, start)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
