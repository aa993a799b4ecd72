"""The editions of the competition, as one table of settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules of one edition.

    Attributes:
        name: the year.
        title: the organizers' name for the competition.
        function: the function that a program calls to drop a block.
        models: the language models that answer; prompt scores are summed over them.
        classifier: the model that gives the similarity.
        package: the Python package that an entry must use; empty if an entry is a prompt in a
            text file.
        options: further fields of each request to the language model.
        master_seed: the seed from which each trial's seed is derived; None for no seed.
        word_limit: the most words in a prompt; None for no limit.
        seconds: the time limit for a trial, checked before each request; None for no limit.
        tokens: the token limit for a trial, checked after each request: if a request exceeds the
            limit, the trial is lost. None for no limit.
        diversity: the classifier's vectors that are compared: "softmax" or "cls"; empty if the
            score has no diversity.
        must_beat: the baseline that the winner must beat; empty for none.
        trials: the number of trials for each letter.
        letters: the target letters.
    """

    name: str
    title: str
    function: str
    models: tuple[str, ...]
    classifier: str
    package: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    master_seed: int | None = None
    word_limit: int | None = None
    seconds: int | None = None
    tokens: int | None = None
    diversity: str = ""
    must_beat: str = ""
    trials: int = 10
    letters: str = ascii_uppercase


EDITIONS = {
    edition.name: edition
    for edition in (
        Edition(
            name="2023",
            title="ChatGPT4PCG",
            function="ab_drop",
            models=("gpt-3.5-turbo",),
            classifier="pittawat/vit-base-letter",
            word_limit=900,
        ),
        Edition(
            name="2024",
            title="ChatGPT4PCG 2",
            function="drop_block",
            models=("gpt-3.5-turbo-0125",),
            classifier="pittawat/vit-base-uppercase-english-characters",
            package="chatgpt4pcg",
            options={"temperature": 1.0, "seed": 42},
            seconds=120,
            tokens=25_000,
            diversity="softmax",
        ),
        Edition(
            name="2025",
            title="LLMs4PCG",
            function="drop_block",
            models=(
                "qwen2.5:32b-instruct-fp16",
                "gemma2:27b-instruct-fp16",
                "phi3:14b-medium-128k-instruct-fp16",
            ),
            classifier="pittawat/vit-base-uppercase-english-characters",
            package="llms4pcg",
            options={"temperature": 1.0},
            master_seed=6280,
            seconds=500,
            tokens=25_000,
            diversity="cls",
            must_beat="baseline_zero_shot",
        ),
    )
}
