"""Tests the classifiers, and diversity."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from string import ascii_uppercase
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from contest.errors import BadSettings
from disciplines.chatgpt4pcg.similarity import Model, Templates, diversity


def drawn(letter: str, size: int = 700) -> Image.Image:
    image = Image.new("L", (1024, 1024), 255)
    font = ImageFont.load_default(size)
    ImageDraw.Draw(image).text((150, 50), letter, fill=0, font=font, stroke_width=12)
    return image


@pytest.mark.parametrize("letter", ascii_uppercase)
def test_a_drawn_letter_is_seen(letter: str) -> None:
    seen = Templates().classify(drawn(letter))
    assert seen.softmax.index(max(seen.softmax)) == ascii_uppercase.index(letter)
    assert math.isclose(sum(seen.softmax), 1, abs_tol=1e-6)


def test_nothing_is_seen_in_a_white_picture() -> None:
    assert Templates().classify(Image.new("L", (1024, 1024), 255)).softmax == (0.0,) * 26


@pytest.mark.parametrize("size", [(1024, 1), (1, 1024), (1024, 1024)])
def test_any_picture_has_probabilities(size: tuple[int, int]) -> None:
    seen = Templates().classify(Image.new("L", size, 0))
    assert all(0 <= each <= 1 for each in seen.softmax)


# Diversity


@pytest.mark.parametrize(
    ("vectors", "trials", "expected"),
    [
        ([], 10, 0),
        ([[1, 0]], 10, 0),
        ([[1, 0], [1, 0]], 2, 0),
        ([[1, 0], [0, 1]], 2, 1),
        ([[1, 0], [0, 1]], 10, 1 / 45),
        ([[1, 0], None, [0, 1]], 3, 1 / 3),
        ([[1, 0], [0, 1], [1, 0]], 3, 2 / 3),
        ([[1, 0], [0, 1]], 1, 0),
    ],
)
def test_diversity(vectors: list[Any], trials: int, expected: float) -> None:
    assert math.isclose(diversity(vectors, trials), expected, abs_tol=1e-12)


@given(st.lists(st.lists(st.floats(0.001, 1), min_size=4, max_size=4), max_size=6))
def test_diversity_is_between_0_and_1_and_has_no_order(vectors: list[list[float]]) -> None:
    found = diversity(vectors, 6)
    assert 0 <= found <= 1
    assert math.isclose(found, diversity(vectors[::-1], 6), abs_tol=1e-12)


# A model directory: the library is several gigabytes, so a stand-in takes its calls.


class Tensor(list[Any]):
    def softmax(self, _: int) -> Tensor:
        powers = [math.exp(each) for each in self[0]]
        return Tensor([Tensor(power / sum(powers) for power in powers)])

    def tolist(self) -> list[float]:
        return list(self)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What stands for transformers: a model that always sees B; its labels can be changed."""
    held = SimpleNamespace(labels=dict(enumerate(ascii_uppercase)), modes=[])

    class Network:
        config = SimpleNamespace(id2label=held.labels)

        def eval(self) -> None: ...

        def __call__(self, *, pixels: str, output_hidden_states: bool) -> SimpleNamespace:
            held.modes.append(pixels)
            index = next((k for k, v in held.labels.items() if v in ("B", "LABEL_1")), 1)
            logits = Tensor([[10.0 if n == index else 0.0 for n in range(26)]])
            last = {(0, 0): Tensor([0.5, 0.25])}
            return SimpleNamespace(logits=logits, hidden_states=[None, last])

    def processor(*, images: Image.Image, return_tensors: str) -> dict[str, str]:
        return {"pixels": images.mode + return_tensors}

    def loads(made: Any) -> SimpleNamespace:
        def from_pretrained(place: str, *, local_files_only: bool) -> Any:
            assert local_files_only
            return made

        return SimpleNamespace(from_pretrained=from_pretrained)

    transformers = ModuleType("transformers")
    transformers.AutoImageProcessor = loads(processor)  # type: ignore[attr-defined]
    transformers.AutoModelForImageClassification = loads(Network())  # type: ignore[attr-defined]
    torch = ModuleType("torch")
    torch.no_grad = lambda: __import__("contextlib").nullcontext()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return held


@pytest.mark.parametrize("labels", [ascii_uppercase, ascii_uppercase[::-1], "LABEL"])
def test_a_model_gives_probabilities_by_its_labels(
    library: SimpleNamespace, tmp_path: Path, labels: str
) -> None:
    (tmp_path / "config.json").write_text("{}")
    if labels == "LABEL":
        library.labels.update({n: f"LABEL_{n}" for n in range(26)})
    else:
        library.labels.update(dict(enumerate(labels)))
    seen = Model(tmp_path).classify(drawn("B"))
    assert seen.softmax[1] > 0.99
    assert seen.embedding == (0.5, 0.25)
    assert library.modes == ["RGBpt"]


def test_unusable_models_are_refused(library: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"config\.json"):
        Model(tmp_path / "nowhere")
    (tmp_path / "config.json").write_text("{}")
    library.labels.clear()
    with pytest.raises(BadSettings, match="0 classes"):
        Model(tmp_path)


def test_without_the_library_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BadSettings, match="pcg-models"):
        Model(tmp_path)
