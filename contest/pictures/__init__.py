"""Pictures of a contest: what is drawn is a list of shapes, made by pure functions; how it becomes
a file is another matter.

    picture = square(schedule, taken)
    inline(picture)       # SVG in a page, in the page's own colours
    svg_file(picture)     # SVG as a file of its own
    png_file(picture)     # needs the extra `science`

Each has a title and says in words what it shows; all that stands in it is text.
"""

from contest.pictures.made import pictures_of, time_lines_of
from contest.pictures.png import png_file
from contest.pictures.shapes import Picture
from contest.pictures.svg import inline, svg_file

__all__ = ["Picture", "inline", "pictures_of", "png_file", "svg_file", "time_lines_of"]
