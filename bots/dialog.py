"""The dialog in which a person chooses a communications directory: a program of its own.

`bots.browse` runs it as one, for a toolkit that finds no screen aborts its whole process, and a
bot has no other use for a toolkit. It imports nothing of ours, and prints the chosen path as one
line of JSON: null if the dialog was cancelled.
"""

from __future__ import annotations

import json
import sys


def ask_qt(title: str, start: str) -> str | None:
    """Asks by Qt.

    Arguments:
        title: the window's title.
        start: the directory that is shown first.

    Returns:
        The chosen directory's path, or None if the person cancelled.
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
    """Asks by Tk; arguments and result as for `ask_qt`."""
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
    """Asks by the named toolkit and prints the answer."""
    ask = {"qt": ask_qt, "tk": ask_tk}[toolkit]
    # ASCII, so that no code page of a pipe can spoil a path.
    print(json.dumps(ask(title, start)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
