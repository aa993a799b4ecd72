"""Pictures: what is drawn where, that text is text, as SVG, PNG and plain characters."""

from __future__ import annotations

import io
import re
import sys
from importlib import resources
from xml.etree import ElementTree

import matplotlib.image
import pytest

from contest.results.document import Results
from contest.results.pictures import (
    FIXED,
    ON_TINT,
    Boxes,
    Dot,
    Label,
    Picture,
    gaps,
    inline,
    pictures_of,
    png_file,
    rankings,
    shares,
    square,
    svg_file,
    time_lines_of,
    tints,
)
from contest.results.rhythm import distribution
from contest.results.statistics import ScienceMissing, share
from scheduler import Ballot, Pairing, Schedule, make, schedule_2010
from tests.contest.build import Builder, contest, small

EVIL = "</svg><script>x</script>&\"'$x^2$\x1b[31m"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    """Of the whole contest."""
    return pictures_of(Results(contest().read()))


def rects(picture: Picture) -> list[tuple[float, ...]]:
    """All boxes."""
    return [b for shape in picture.shapes if isinstance(shape, Boxes) for b in shape.boxes]


def labels(picture: Picture) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Label)]


def test_a_contest_has_five_pictures(pictures: dict[str, Picture]) -> None:
    assert list(pictures) == ["square", "shares", "strengths", "rankings", "gaps"]
    for name, picture in pictures.items():
        assert re.fullmatch("[a-z]+", name)
        assert picture.title
        assert len(picture.words) > 60
        for shape in picture.shapes:
            if isinstance(shape, Dot | Label):
                assert 0 <= shape.x <= picture.width
                assert 0 <= shape.y <= picture.height
            else:
                for x, y, width, height in shape.boxes:
                    assert 0 <= x < x + width <= picture.width
                    assert 0 <= y < y + height <= picture.height


def test_no_row_and_no_column_of_the_square_has_a_tint_twice() -> None:
    picture = square(schedule_2010(), {})
    cells = [shape for shape in picture.shapes if isinstance(shape, Boxes)]
    assert len(cells) == 32
    for halves in (cells[::2], cells[1::2]):
        for line in (0, 1):
            for place in {cell.boxes[0][line] for cell in halves}:
                row = [cell.fill for cell in halves if cell.boxes[0][line] == place]
                assert len(row) == len(set(row)) == 4


def test_the_square_marks_whom_the_judge_took_for_the_human() -> None:
    schedule = Schedule.of([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E2", "C2")])
    picture = square(schedule, {(1, "J1"): "C1", (1, "J2"): "E2"})
    marks = [s for s in picture.shapes if isinstance(s, Dot) and s.fill == "on-tint"]
    for mark, (x, _, width, _) in zip(marks, rects(picture)[1:3], strict=True):
        assert x < mark.x < x + width


@pytest.mark.parametrize(("judges", "with_ids"), [(4, True), (9, True), (30, False)])
def test_a_large_square_has_no_ids_and_fits(judges: int, with_ids: bool) -> None:
    picture = square(make(judges, judges, judges).schedule, {})
    assert picture.width <= 700
    assert ("E1" in labels(picture)) is with_ids


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("count", [1, 4, 5, 17, 60])
def test_text_can_be_read_on_every_tint(count: int) -> None:
    found = tints(count) + tints(count, 0.9)
    for tint in found:
        assert (_luminance(tint) + 0.05) / (_luminance(ON_TINT) + 0.05) >= 4.5
    assert len(set(tints(count))) == count


def test_the_colours_of_files_are_those_of_the_page() -> None:
    css = (resources.files("contest") / "results/templates/results.css").read_text("utf-8")
    light = dict(re.findall(r"--([\w-]+): (#\w+);", css.partition("}")[0]))
    assert {n: v for n, v in FIXED.items() if n != "on-tint"} == {
        name: light[name] for name in FIXED if name != "on-tint"
    }
    assert f".f-on-tint {{ fill: {ON_TINT}; }}" in css


def test_intervals_are_drawn_from_end_to_end() -> None:
    picture = shares({"E1": share(3, 12), "E2": share(12, 12)}, ["E2", "E1"])
    assert [text for text in labels(picture) if text.startswith("E")] == ["E2", "E1"]
    drawn = rects(picture)[5:]  # behind the lines of the scale
    at = {text.text: text.x for text in picture.shapes if isinstance(text, Label)}
    whole = at["100 %"] - at["0 %"]
    x, _, width, _ = drawn[3]
    assert (x - at["0 %"]) / whole == pytest.approx(0.0889, abs=0.001)
    assert (x + width - at["0 %"]) / whole == pytest.approx(0.5323, abs=0.001)
    assert drawn[1][0] + drawn[1][2] == pytest.approx(at["100 %"])


def test_ranks_stand_in_the_order_of_their_means() -> None:
    ranks = ((2.0, 1.0), (1.5, 1.5), (2.0, 1.0))
    ballots = [Ballot.of(f"J{at}", {"E1": e, "C1": c}) for at, (e, c) in enumerate(ranks)]
    picture = rankings(ballots, ["E1"])
    assert [text for text in labels(picture) if text in ("E1", "C1")] == ["C1", "E1"]
    assert [text for text in labels(picture) if text.startswith("mean")] == [
        *("mean 1.167", "mean 1.833"),
    ]
    assert labels(picture).count("2") == 1 + 2
    assert "C1: mean rank 1.17 (7/6)" in picture.words


def test_gaps_are_told_for_who_does_not_see_them() -> None:
    picture = gaps({"judges": distribution([100.0] * 3 + [5000.0]), "programs": ()})
    assert "judges: most often 91 to 128 milliseconds; about 25 % are pauses" in picture.words
    assert "nothing to show" in labels(picture)


def test_what_is_beyond_the_scale_of_gaps_is_told_as_that() -> None:
    picture = gaps({"judges": distribution([0.5, 2.0]), "humans": distribution([60_000.0])})
    assert "judges: most often under 6 milliseconds; about 0 % are pauses" in picture.words
    assert "humans: most often 11,585 milliseconds and more; about 100 % are" in picture.words


def test_a_time_line_has_a_mark_where_a_key_was() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.wait(149.85)
        b.type(talks["E1"], "judge", "J1", "a")

    (picture,) = time_lines_of(small(play).read())
    marks = [s for s in picture.shapes if isinstance(s, Boxes) and s.boxes[0][2] < 1]
    times = {text.text: text.x for text in picture.shapes if isinstance(text, Label)}
    middle = (times["00:00"] + times["05:00"]) / 2
    assert [(mark.fill, len(mark.boxes)) for mark in marks] == [("judge", 1)]
    assert marks[0].boxes[0][0] == pytest.approx(middle, abs=1)
    assert "J1: 1 key" in picture.words


def test_a_time_line_of_each_desk_in_each_attempt() -> None:
    names = [picture.name for picture in time_lines_of(contest().read())]
    assert len(set(names)) == 20
    assert names[0] == "round1-attempt1-J1-keys"


# As files


def test_svg_is_well_formed_and_says_what_it_shows(pictures: dict[str, Picture]) -> None:
    for name, picture in pictures.items():
        root = ElementTree.fromstring(svg_file(picture))
        assert root.tag == f"{SVG}svg"
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-labelledby"] == f"t-{name} d-{name}"
        assert root.findtext(f"{SVG}title") == picture.title
        assert root.findtext(f"{SVG}desc") == picture.words
        texts = [each.text for each in root.iter(f"{SVG}text")]
        assert texts == labels(picture)


def test_in_a_page_it_has_the_pages_colours(pictures: dict[str, Picture]) -> None:
    for picture in pictures.values():
        svg = inline(picture)
        assert "<style" not in svg
        assert "xmlns" not in svg
        assert "style=" not in svg


def test_text_is_text_in_every_form(pictures: dict[str, Picture]) -> None:
    picture = Picture("x", EVIL, EVIL, 300, 60)
    picture.label(5, 20, EVIL)
    picture.box(1, 1, 5, 5, "ink")
    for svg in (svg_file(picture), inline(picture).encode()):
        root = ElementTree.fromstring(svg)
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
            *("svg", "title", "desc", "style", "text", "path"),
        }
        (text,) = (each.text for each in root.iter() if each.tag.endswith("text"))
        assert text == EVIL.replace("\x1b", "\\x1b")
    # No formula is made of it, and a script that the font lacks is no error.
    picture.label(5, 40, "人間かな")
    assert png_file(picture)


def test_png_is_drawn_twice_as_fine_as_a_screen(pictures: dict[str, Picture]) -> None:
    picture = pictures["shares"]
    found = matplotlib.image.imread(io.BytesIO(png_file(picture)))
    assert found.shape[:2] == (round(2 * picture.height), round(2 * picture.width))
    colours = {tuple(round(255 * c) for c in pixel[:3]) for row in found[::3] for pixel in row[::3]}
    entity = tuple(int(FIXED["entity"][at : at + 2], 16) for at in (1, 3, 5))
    assert entity in colours
    assert (255, 255, 255) in colours


def test_png_is_the_same_each_time(pictures: dict[str, Picture]) -> None:
    assert png_file(pictures["square"]) == png_file(pictures["square"])


def test_without_matplotlib_it_says_what_to_install(
    pictures: dict[str, Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ScienceMissing, match=r"the extra 'science'"):
        png_file(pictures["square"])
