"""How pictures of a running contest are taken (scripts/screenshots.py).

* `running` -- the contest, in a separate thread
* `leaping` -- its clock, which can be put forward
* `hands` -- a person's keys and mouse at a window
* `camera` -- a picture of a window as a file, with what can be seen in it
* `indexed` -- a picture as a small PNG
* `course` -- what happens in the contest, and when a picture is taken
"""
