"""Similarity and diversity: how much a level's picture looks like its letter, and how much a team's
pictures differ from each other.

The similarity is either a stored value, from an official run or another program, or computed by one
of two classifiers:

* `Model`: a model in a directory, in the format of the library transformers, like the official
  classifiers; needs the extra `pcg-models`;
* `Templates`: the small built-in classifier, which compares a picture with letters drawn here. It
  is **not official**, and meant for trying prompts at home and for testing a contest in advance.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from operator import mul
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple, Protocol

from PIL import Image, ImageDraw, ImageFont

from contest.errors import BadSettings

#: The notice on every page and in every JSON and CSV file of a result that `Templates` made.
UNOFFICIAL = (
    "Unofficial result: similarity from the small built-in classifier, not the official model."
)


class Classification(NamedTuple):
    """A classifier's result for a picture.

    Attributes:
        softmax: the probabilities of all letters, A to Z.
        embedding: the vector of the last layer; empty if there is none.
    """

    softmax: tuple[float, ...]
    embedding: tuple[float, ...] = ()


class Classifier(Protocol):
    """Recognizes letters in pictures."""

    def classify(self, picture: Image.Image) -> Classification:
        """Classifies a picture."""


# A model for the transformers library


class Model:
    """An image classifier in a directory, as transformers saves it.

    Arguments:
        directory: a directory with `config.json`, the weights and `preprocessor_config.json`;
            nothing is downloaded.

    Raises:
        BadSettings: if there is no model, it does not have 26 classes, or transformers is not
            installed.
    """

    def __init__(self, directory: Path) -> None:
        if not (directory / "config.json").is_file():
            raise BadSettings(f"{directory}: this is not a model's directory: no config.json")
        try:
            # Imported here, because both take seconds, and few people have them.
            import torch
            import transformers
        except ImportError as exc:
            raise BadSettings(
                f"{exc.name} is not installed: a model directory needs the extra 'pcg-models'"
            ) from exc
        self._torch = torch
        place = str(directory)
        try:
            self._processor = transformers.AutoImageProcessor.from_pretrained(
                place, local_files_only=True
            )
            self._model = transformers.AutoModelForImageClassification.from_pretrained(
                place, local_files_only=True
            )
        except (OSError, ValueError, KeyError) as exc:
            raise BadSettings(f"{directory}: can't be loaded as a model ({exc})") from exc
        self._model.eval()
        self._order = _order_of(self._model.config.id2label, directory)

    def classify(self, picture: Image.Image) -> Classification:
        """The softmax of the model's output, and the first vector (CLS) of its last layer."""
        inputs = self._processor(images=picture.convert("RGB"), return_tensors="pt")
        with self._torch.no_grad():
            out = self._model(**inputs, output_hidden_states=True)
            softmax = out.logits.softmax(-1)[0].tolist()
            embedding = out.hidden_states[-1][0, 0].tolist()
        return Classification(tuple(softmax[index] for index in self._order), tuple(embedding))


def _order_of(labels: Mapping[Any, str], directory: Path) -> list[int]:
    """The indexes of a model's outputs in the order of the letters: by its labels, or as they are
    if the labels aren't letters."""
    if len(labels) != len(ascii_uppercase):
        raise BadSettings(f"{directory}: this model has {len(labels)} classes, not 26 letters")
    by_letter = {str(label).upper(): int(index) for index, label in labels.items()}
    if set(by_letter) == set(ascii_uppercase):
        return [by_letter[letter] for letter in ascii_uppercase]
    return list(range(len(labels)))


# The built-in classifier

#: The side in pixels to which pictures and templates are scaled; the number of pixels with the
#: white border around them.
_SIDE, _POINTS = 32, 48 * 48
#: The exponent that sets how much boxes of different shapes reduce the likeness.
_SHAPE = 0.25
#: For drawn letters: the font's size in pixels, and by how many pixels their strokes are widened.
_FONT_SIZE, _STROKES = 160, (0, 5, 10)
#: The temperature of the softmax: a letter with this much more likeness is e times as probable.
_TEMPERATURE = 0.05
#: Our own letters of 5 x 7 squares, which can be built of blocks; each row is five bits.
_SQUARES = """
A 0E 11 11 1F 11 11 11  B 1E 11 11 1E 11 11 1E  C 0F 10 10 10 10 10 0F  D 1E 11 11 11 11 11 1E
E 1F 10 10 1E 10 10 1F  F 1F 10 10 1E 10 10 10  G 0F 10 10 13 11 11 0F  H 11 11 11 1F 11 11 11
I 1F 04 04 04 04 04 1F  J 1F 02 02 02 02 12 0C  K 11 12 14 18 14 12 11  L 10 10 10 10 10 10 1F
M 11 1B 15 15 11 11 11  N 11 19 19 15 13 13 11  O 1F 11 11 11 11 11 1F  P 1F 11 11 1F 10 10 10
Q 1F 11 11 11 15 12 1D  R 1F 11 11 1F 14 12 11  S 1F 10 10 1F 01 01 1F  T 1F 04 04 04 04 04 04
U 11 11 11 11 11 11 1F  V 11 11 11 11 0A 0A 04  W 11 11 11 15 15 1B 11  X 11 11 0A 04 0A 11 11
Y 11 11 0A 04 04 04 04  Z 1F 01 02 04 08 10 1F
"""


class Templates:
    """The built-in classifier, which is not official.

    A picture and each template are cropped to the box around the black pixels, and scaled to the
    same size. Their likeness is their correlation, reduced if the boxes have different shapes. The
    best template of each letter counts, and a softmax over the letters gives the probabilities. The
    templates are letters of Pillow's own font in three weights, and our own of 5 x 7 squares.
    """

    def classify(self, picture: Image.Image) -> Classification:
        """The letters' probabilities; 0 for each if nothing is black."""
        held = _bits(picture)
        if held is None:
            return Classification((0.0,) * len(ascii_uppercase))
        likeness = [
            max(_likeness(held, template) for template in templates)
            for templates in _templates().values()
        ]
        powers = [math.exp(each / _TEMPERATURE) for each in likeness]
        softmax = tuple(round(power / sum(powers), 9) for power in powers)
        return Classification(softmax)


class _Bits(NamedTuple):
    """A picture of `_SIDE` x `_SIDE` pixels as the bits of a number, 1 for black; and the ratio of
    its box's width to its height."""

    bits: int
    ratio: float


def _likeness(one: _Bits, other: _Bits) -> float:
    """The correlation of two pictures, from -1 to 1, reduced if their boxes differ in shape."""
    mine, theirs = one.bits.bit_count(), other.bits.bit_count()
    both = (one.bits & other.bits).bit_count()
    spread = math.sqrt(mine * (_POINTS - mine) * theirs * (_POINTS - theirs))
    alike = min(one.ratio, other.ratio) / max(one.ratio, other.ratio)
    return float((_POINTS * both - mine * theirs) / spread * alike**_SHAPE)


def _bits(picture: Image.Image) -> _Bits | None:
    """Scales a picture; None if nothing in it is black."""
    black = picture.convert("L").point(lambda value: 255 if value < 128 else 0)
    box = black.getbbox()
    if box is None:
        return None
    small = black.crop(box).resize((_SIDE, _SIDE), Image.Resampling.BOX)
    bits = int("".join("01"[value >= 128] for value in small.tobytes()), 2)
    return _Bits(bits, (box[2] - box[0]) / (box[3] - box[1]))


@functools.cache
def _templates() -> dict[str, list[_Bits]]:
    """Letter to its templates."""
    font = ImageFont.load_default(_FONT_SIZE)
    found: dict[str, list[_Bits]] = {}
    words = _SQUARES.split()
    for letter, *rows in zip(*(words[start::8] for start in range(8)), strict=True):
        pictures = []
        for stroke in _STROKES:
            image = Image.new("L", (2 * _FONT_SIZE, 2 * _FONT_SIZE), 255)
            ImageDraw.Draw(image).text(
                (_FONT_SIZE / 2, _FONT_SIZE / 2), letter, fill=0, font=font, stroke_width=stroke
            )
            pictures.append(image)
        squares = Image.new("L", (5, 7), 255)
        for y, row in enumerate(rows):
            for x in range(5):
                if int(row, 16) >> (4 - x) & 1:
                    squares.putpixel((x, y), 0)
        pictures.append(squares.resize((100, 140), Image.Resampling.NEAREST))
        found[letter] = [bits for each in pictures if (bits := _bits(each)) is not None]
    return found


# Diversity


def diversity(vectors: Sequence[Sequence[float] | None], trials: int) -> Decimal:
    """How much a team's pictures for a letter differ: the mean cosine distance over all pairs.

    Arguments:
        vectors: the vector of each trial; None or empty for a missing one, which has distance 0 to
            all others.
        trials: the number of trials; the mean is over all their pairs, including missing ones.
    """
    held = [_unit(vector) for vector in vectors if vector]
    distance = sum(max(0.0, 1 - math.fsum(map(mul, a, b))) for a, b in combinations(held, 2))
    pairs = trials * (trials + 1) // 2 - trials
    return Decimal(repr(distance / pairs)) if pairs else Decimal(0)


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [each / length for each in vector] if length else list(vector)
