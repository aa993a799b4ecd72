"""Tools for taking pictures of a running contest (scripts/screenshots.py, page_screenshots.py).

* `contest` -- the contest, in a separate thread
* `clock` -- its clock, which can be advanced
* `hands` -- a person's keys and mouse at a window
* `player` -- a person at a window
* `camera` -- saves pictures of windows, with lists of what can be seen
* `png` -- saves a picture as a small PNG
* `scenes` -- the scenes of the contest, and when a picture is taken
* `board`, `audience` -- the pictures of the server's pages
"""
