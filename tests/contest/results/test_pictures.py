"""Tests pictures: positions of their parts, SVG and PNG from one figure, and words as text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from contest.results.document import Results
from contest.results.pictures import (
    _files,
    gaps,
    intervals,
    pictures_of,
    square,
    tints,
)
from contest.results.rhythm import distribution
from scheduler import make
from tests.contest.build import contest

EVIL = "</svg><script>x</script>&\"'$x^2$"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The pictures of the whole contest."""
    return dict(pictures_of(Results(contest().read())))


def test_a_contest_has_five_pictures(files: dict[str, bytes]) -> None:
    stems = list(dict.fromkeys(name.rpartition(".")[0] for name in files))
    assert stems == ["square", "shares", "strengths", "rankings", "gaps"]
    for stem in stems:
        root = ElementTree.fromstring(files[f"{stem}.svg"])
        assert not [each for each in root.iter() if each.tag.endswith("script")]
        assert files[f"{stem}.png"].startswith(b"\x89PNG\r\n")
    said = files["shares.svg"].decode()
    assert {"E1", "E4", "50 %"} <= set(re.findall(">([^<]+)<", said))
    # Nothing is loaded from elsewhere: the only addresses are XML namespaces.
    assert not re.search(r"(href|src)=\"(?!#)", said)


def test_pictures_are_reproducible(files: dict[str, bytes]) -> None:
    again = pictures_of(Results(contest().read()))
    for name, content in (next(again), next(again)):
        assert content == files[name]


def test_words_are_text_even_if_the_font_lacks_their_characters() -> None:
    row = {"of": EVIL[:10], "low": 0.1, "value": 0.2, "high": 0.3, "method": f"{EVIL} 人間かな"}
    svg = dict(_files("x", *intervals("t", [row], [])))["x.svg"]
    texts = [each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")]
    assert any(EVIL in (text or "") for text in texts)


def test_intervals_are_drawn_at_their_values() -> None:
    rows = [{"of": "E1", "low": 0.0889, "value": 0.25, "high": 0.5323, "method": "Wilson"}]
    (line, dot, _) = intervals("shares", rows, ["E1"])[1].axes[0].lines
    assert (list(line.get_xdata()), list(dot.get_xdata())) == ([0.0889, 0.5323], [0.25])


@pytest.mark.parametrize(("judges", "with_ids"), [(4, True), (30, False)])
def test_a_large_square_has_no_ids(judges: int, with_ids: bool) -> None:
    axes = square(make(judges, judges, judges).schedule, {})[1].axes[0]
    assert ("E1" in [text.get_text() for text in axes.texts]) is with_ids


def test_gaps_beyond_the_scale_are_in_the_outer_bins() -> None:
    bins = distribution([0.5, 2.0, 60_000.0])
    assert (bins[0], bins[-1]) == pytest.approx((2 / 3, 1 / 3))
    axes = gaps({"judges": bins, "humans": (), "programs": ()})[1].axes[0]
    assert len(axes.patches) == 1


@pytest.mark.parametrize("count", [1, 4, 17, 60])
def test_black_text_is_readable_on_every_tint(count: int) -> None:
    for tint in tints(count) + tints(count, 0.9):
        channels = [int(tint[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert (luminance + 0.05) / 0.05 >= 4.5
    assert len(set(tints(count))) == count


def test_png_is_fine_enough_for_print(files: dict[str, bytes]) -> None:
    assert (
        int.from_bytes(files["shares.png"][16:20], "big") == 7 * 192
    )  # the width in the PNG header
