"""The windows of `loebner demo --windows`: real windows at real seats, with scripted people before
them until somebody types.

* `company` -- a seat that a window shows and a scripted person uses
* `windows` -- the program that opens the windows: `python -m loebner.windowed.windows`
* `beside` -- how the demo runs that program beside the contest
"""
