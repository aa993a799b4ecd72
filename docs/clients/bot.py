"""An entry for the Loebner Prize in plain Python, which echoes: python bot.py [DIRECTORY]"""

import os
import re
import sys
import time

CHARS = "{}[](),.><\\/|\"'=_+-!@#$%*^~`&:;? \t\n\b"
NAMES = """braceleft braceright bracketleft bracketright parenleft parenright comma period greater
less backslash slash bar quotedbl quoteright equal underscore plus minus exclam at numbersign dollar
percent asterisk asciicircum asciitilde quoteleft ampersand colon semicolon question space Tab
Return BackSpace"""
NAME_OF = dict(zip(CHARS, NAMES.split(), strict=True))
CHAR_OF = {name: char for char, name in NAME_OF.items()} | {"apostrophe": "'", "grave": "`"}
MEMORY = os.path.abspath(__file__) + ".numbers"  # not in the directory, which may be emptied


def reply(line):
    return line  # your bot goes here


def browse():
    from tkinter import filedialog

    return filedialog.askdirectory(title="The communications directory") or sys.exit("none chosen")


def listed(extension):
    """The key presses in the directory, in order: (number, name of directory, key name)."""
    form = re.compile(rf"([0-9]{{1,40}})\.(.*)\.{extension}", re.IGNORECASE | re.DOTALL)
    try:
        found = [form.fullmatch(name) for name in set(os.listdir(directory))]
    except OSError:
        return []  # the directory is missing for a moment
    return sorted((int(match[1]), match[0], match[2]) for match in found if match)


def press(char):
    global number, claimed
    while True:
        number += 1
        if number > claimed:  # reserve a thousand numbers before they are used
            with open(MEMORY, "a+") as memory:
                memory.seek(0)
                number = max([number, *(int(last) + 1 for last in memory.read().split())])
                claimed = number + 999
                print(claimed, file=memory)
        try:
            return os.mkdir(f"{directory}/{number:010d}.{NAME_OF.get(char, char)}.other")
        except OSError:
            time.sleep(0.02)  # number taken, disk full or directory away: try again


open(MEMORY, "a").close()  # if it can't be written, fail now rather than in the contest
directory = sys.argv[1] if len(sys.argv) > 1 else browse()
print("listening in", directory, flush=True)
number = max([each[0] for each in listed("other") if each[0] < 10**10], default=0)
claimed, line, last_key, taken = 0, "", 0.0, set()
while True:
    time.sleep(0.02)
    chars = ""
    top = max([each[0] for each in listed("judge")], default=-1)
    # A listing can show a key and miss an older one. A second listing has all keys up to that one.
    for _, name, key in [each for each in listed("judge") if each[0] <= top]:
        if name not in taken:
            chars += CHAR_OF.get(key, key if len(key) == 1 else "")
            last_key = time.monotonic()
        try:
            os.rmdir(f"{directory}/{name}")
            taken.discard(name)
        except OSError:
            taken.add(name)  # can't be removed yet: try again in the next pass, but count it once
    if line and not chars and time.monotonic() - last_key > 4:
        chars = "\n"  # not every judge presses Return
    for char in chars:
        if char == "\n" and line.strip():
            for each in reply(line) + "\n":
                press(each)
        line = "" if char == "\n" else line[:-1] if char == "\b" else line + char
