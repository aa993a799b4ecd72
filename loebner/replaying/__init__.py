"""What `loebner replay` shows a recording in.

* `source` -- where recordings come from: a file, or a contest's folder
* `lines` -- text, line by line
* `panes` -- side by side on a terminal
* `window` -- the windows of the console
"""
