"""Tools for taking pictures of a running contest (scripts/screenshots.py, page_screenshots.py).

* `running` -- the contest, in a separate thread
* `leaping` -- its clock, which can be advanced
* `hands` -- a person's keys and mouse at a window
* `seated` -- a person at a window
* `camera` -- saves pictures of windows, with lists of what can be seen
* `indexed` -- saves a picture as a small PNG
* `course` -- the scenes of the contest, and when a picture is taken
* `board`, `audience` -- the pictures of the server's pages
"""
