"""Tests stability against the official values, and pictures against the official ones."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from disciplines.chatgpt4pcg import physics, picture
from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.files import trial_number
from disciplines.chatgpt4pcg.level import Block, build, read_xml
from disciplines.chatgpt4pcg.physics import NoEngine, Pose, Stability, stability
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data

LEVELS = DATA / "levels"


def official(version: str) -> Iterator[tuple[Path, float]]:
    """The levels of a version, and their stability."""
    for file in sorted((LEVELS / version / "stability").iterdir()):
        rows = json.loads(file.read_text("utf-8"))["raws"]
        scores = {trial_number(row["tag"]): row["score"] for row in rows}
        for level in (LEVELS / version / "levels" / file.stem).iterdir():
            yield level, scores[trial_number(level.name)]


def blocks_of(calls: str) -> tuple[Block, ...]:
    """Such as `b11 4, b31 5`."""
    pairs = (pair.split() for pair in calls.split(",") if pair.strip())
    lines = "".join(f"ab_drop('{name}',{column})\n" for name, column in pairs)
    return build(lines, EDITIONS["2023"]).blocks


@needs_data
@pytest.mark.parametrize(
    ("engine", "versions", "of", "at_least"),
    [("box2d", ("v1", "v2", "v3"), 90, 89), ("pymunk", ("v2",), 30, 29)],
)
def test_the_official_stability(
    engine: str, versions: tuple[str, ...], of: int, at_least: int
) -> None:
    levels = [pair for version in versions for pair in official(version)]
    found = [stability(read_xml(path.read_bytes(), path.name), engine) for path, _ in levels]
    assert len(found) == of
    equal = sum(each.score == score for each, (_, score) in zip(found, levels, strict=True))
    assert equal >= at_least
    assert {each.engine for each in found} == {engine}


@needs_data
def test_the_official_pictures_of_stable_levels() -> None:
    overlaps = []
    for path, score in official("v1"):
        if score < 1:
            continue
        own = picture.silhouette(stability(read_xml(path.read_bytes(), path.name)).after)
        image = LEVELS / "v1" / "images" / path.parent.name / f"{path.stem}.png"
        with Image.open(image) as opened:
            theirs = opened.convert("L")
        both, either = ImageChops.lighter(own, theirs), ImageChops.darker(own, theirs)
        overlaps.append(both.histogram()[0] / either.histogram()[0])
    assert len(overlaps) == 22
    assert sum(overlaps) / len(overlaps) >= 0.99
    assert min(overlaps) >= 0.97


@pytest.mark.parametrize("engine", physics.ENGINES)
@pytest.mark.parametrize(
    ("calls", "score", "moving"),
    [
        ("b11 4", 1.0, 0),
        ("b13 4", 1.0, 0),
        ("b11 3, b11 5, b31 4", 1.0, 0),
        ("b13 4, b31 5", 0.5, 1),  # the wide block falls off
        ("", 0.0, 0),
    ],
)
def test_stability(engine: str, calls: str, score: float, moving: int) -> None:
    blocks = blocks_of(calls)
    found = stability(blocks, engine)
    assert (found.score, found.starting, found.moving) == (score, len(blocks), moving)
    assert sum(far >= physics.MOVED for far in found.distances) == moving
    assert len(found.before) == len(found.after) == len(blocks)


@pytest.mark.parametrize(("name", "most"), [("b11", 8), ("b31", 12)])
def test_a_tower_up_to_this_height_settles_without_moving(name: str, most: int) -> None:
    assert stability(blocks_of(", ".join([f"{name} 4"] * most)), "box2d").moving == 0
    assert stability(blocks_of(", ".join([f"{name} 4"] * (most + 1))), "box2d").moving > 0


def test_the_same_level_gives_the_same_result() -> None:
    blocks = blocks_of("b11 4, b31 5, b13 5, b31 3, b11 6")
    assert stability(blocks) == stability(blocks)


def test_simulating_a_full_grid_or_overlapping_blocks_ends() -> None:
    full = blocks_of(", ".join(f"b11 {column}" for column in range(20) for _ in range(16)))
    assert stability(full).starting == 320
    assert stability(blocks_of("b31 4") * 30).starting == 30


def test_a_missing_engine_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Box2D", None)
    physics._b2_world.cache_clear()
    monkeypatch.setitem(sys.modules, "pymunk", None)
    with pytest.raises(NoEngine) as caught:
        stability(())
    assert (caught.value.exit_code, caught.value.extra) == (2, "pcg")


def test_pymunk_takes_the_place_of_box2d(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Box2D", None)
    physics._b2_world.cache_clear()
    assert stability(blocks_of("b11 4")).engine == "pymunk"


def test_the_picture_for_the_classifier() -> None:
    image = picture.silhouette([Pose("RectSmall", 5.0, 7.0, 0.0)])
    assert (image.size, image.mode) == ((1024, 1024), "L")
    assert {value for value, number in enumerate(image.histogram()) if number} == {0, 255}
    # Its longer side extends from margin to margin; drawn blocks are larger, and cut off there.
    assert ImageChops.invert(image).getbbox() == (100, 371, 924, 653)
    turned = picture.silhouette([Pose("RectSmall", 5.0, 7.0, 0.7853981633974483)])
    left, top, right, bottom = ImageChops.invert(turned).getbbox() or (0, 0, 0, 0)
    assert abs((right - left) - (bottom - top)) <= 1
    assert picture.silhouette([]).getextrema() == (255, 255)


def test_the_drawing_for_a_report() -> None:
    measured = stability(blocks_of("b11 4, b31 5"))
    image = picture.before_and_after(measured)
    assert image.size == (1024, 512)
    assert picture.as_png(image).startswith(b"\x89PNG")
    nothing = Stability(0.0, 0, 0, (), (), (), "box2d")
    assert picture.before_and_after(nothing).size == (1024, 512)
    far = Pose("SquareTiny", -1000.0, 0.0, 0.0), Pose("SquareTiny", 1000.0, 0.0, 0.0)
    apart = Stability(0.5, 2, 1, far, far, (0.0, 1.0), "box2d")
    assert picture.before_and_after(apart).size == (1024, 512)
