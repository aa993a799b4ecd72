"""The files that a finished contest leaves beside its record, and the code that wrote them.

The last event of the record has the digest of that code. A verifier with the same code can compute
the same files, character by character; one with other code compares what the files say.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from contest.history.views import ContestView
from contest.results.document import results_stream
from contest.results.page import page_stream

RESULTS = "results.json"
PAGE = "results.html"

#: Name of each file to what makes it, in parts.
PUBLISHED: Mapping[str, Callable[[ContestView], Iterator[str]]] = MappingProxyType(
    {RESULTS: results_stream, PAGE: page_stream}
)

_PACKAGES = ("contest", "lpp", "scheduler")
_SOURCES = (".py", ".html", ".css")
#: Libraries that the text of a page depends on.
_LIBRARIES = ("jinja2", "markupsafe", "numpy", "scipy", "matplotlib", "krippendorff")


@functools.cache
def code_digest() -> str:
    """SHA-256, in hex, of our code, of the versions of the libraries that it makes pages with, and
    of the kind of machine. Two programs with the same digest write the same files."""
    digest = hashlib.sha256()
    for line in (platform.python_version(), platform.system(), platform.machine()):
        digest.update(f"{line}\n".encode())
    for library in _LIBRARIES:
        try:
            digest.update(f"{library} {version(library)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"{library} is not installed\n".encode())
    for package in _PACKAGES:
        _add(digest.update, files(package), package)
    return digest.hexdigest()


def _add(update: Callable[[bytes], None], folder: Traversable, name: str) -> None:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            _add(update, each, f"{name}/{each.name}")
        elif each.name.endswith(_SOURCES):
            content = each.read_bytes()
            update(f"{name}/{each.name} {len(content)}\n".encode() + content)
