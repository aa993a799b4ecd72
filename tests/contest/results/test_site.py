"""Tests the folder of pages: complete, readable without scripts, and with only
publishable data."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import PurePosixPath

from contest.record.events import event_from_json
from tests.contest.build import Builder, brief, changed, contest, exported, publishable, small


class Links(HTMLParser):
    """The links of a page, its ids, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.scripts: list[dict[str, str | None]] = []
        self._in: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if "id" in found:
            self.ids.append(found["id"] or "")
        if tag == "script":
            self.scripts.append(found)
        assert not any(name.startswith("on") or name == "style" for name in found)
        self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._in.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._in[-1:] != ["script"]:
            self.text += data


def made(b: Builder) -> dict[str, bytes]:
    """All files of a contest's pages."""
    return exported(b.log(), "html")


@cache
def whole() -> dict[str, bytes]:
    """The files of the whole contest."""
    return made(contest())


def pages(files: dict[str, bytes]) -> dict[str, Links]:
    """The parsed pages."""
    return {
        name: Links(content.decode()) for name, content in files.items() if name.endswith(".html")
    }


@cache
def whole_pages() -> dict[str, Links]:
    """The parsed pages of the whole contest."""
    return pages(whole())


def test_each_talk_has_a_page_linked_from_the_first_page() -> None:
    files = whole()
    talks = [name for name in files if name.startswith("talks/")]
    assert len(talks) == len(contest().read().talks) == 40
    first = whole_pages()["index.html"]
    assert set(talks) <= set(first.links)


def test_links_are_relative_and_have_targets() -> None:
    files, read = whole(), whole_pages()
    for name, page in read.items():
        assert len(page.ids) == len(set(page.ids))
        for link in page.links:
            path, _, anchor = link.partition("#")
            assert not re.match(r"[a-z]+:|/", link)
            aim = name
            if path:
                parts: list[str] = []
                for part in (PurePosixPath(name).parent / path).parts:
                    parts = parts[:-1] if part == ".." else [*parts, part]
                aim = "/".join(parts)
            assert aim in files, (name, link)
            assert not anchor or anchor in read[aim].ids, (name, link)


def test_transcripts_are_readable_without_scripts() -> None:
    view = contest().read()
    read = whole_pages()
    for talk in view.talks:
        if not view.counts(talk):
            continue
        name = f"talks/round{talk.round}-attempt{talk.attempt}-{talk.judge}-{talk.side}.html"
        assert "What is a hammer for?" in read[name].text
        assert all(
            script.get("src") or script.get("type") == "application/json"
            for script in read[name].scripts
        )


def test_typed_text_is_escaped_in_pages_and_scripts() -> None:
    files = whole()
    found = 0
    for name, content in files.items():
        if name.startswith("talks/"):
            html = content.decode()
            (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html)
            assert "<" not in data
            assert ">" not in data
            found += "".join(char for t in json.loads(data)["talks"] for _, _, char in t["keys"])[
                :100000
            ].count("<script>")
            assert "<script>alert" not in html
    assert found


def test_the_player_has_every_shown_key_with_its_time() -> None:
    view = contest().read()
    talk = next(t for t in view.talks if view.counts(t) and t.round == 3)
    desk = [t for t in view.talks if (t.round, t.attempt, t.judge) == (3, 1, talk.judge)]
    name = f"talks/round3-attempt1-{talk.judge}-{talk.side}.html"
    html = whole()[name].decode()
    (data,) = re.findall(r'data-player="data">(.*?)</script>', html)
    played = json.loads(data)
    assert [len(each["keys"]) for each in played["talks"]] == [len(view.shown(t)) for t in desk]
    times = [at for at, _, _ in played["talks"][0]["keys"]]
    assert times == sorted(times)
    assert times[-1] <= played["length_ms"]
    # The 30 seconds for which the clock was stopped are left out.
    assert played["length_ms"] == 300_001


def test_withheld_text_is_on_no_page() -> None:
    b = brief()
    own = {**b.events[0].body["settings"], "publication": {"default": "withhold"}}
    files = made(changed(b, 1, settings=own))
    read = pages(files)
    everything = "\n".join(page.text for page in read.values())
    for hidden in ("hammer", "Person 1", "Judge 2", "small room"):
        assert hidden not in everything
    assert "Withheld at the request of a participant." in everything
    assert "Left out at the request of a participant." in everything
    assert b"hammer" not in b"".join(files.values())
    assert "downloads/withheld.csv" in files


def test_the_record_can_be_downloaded() -> None:
    files = whole()
    lines = files["downloads/events.jsonl"].splitlines()
    assert [event_from_json(line) for line in lines] == publishable(contest().events)
    head = contest().chains.head(None)
    assert head in whole_pages()["index.html"].text
    assert json.loads(files["downloads/results.json"])["record"]["head"] == head


def test_exactly_the_tables_for_download_are_described() -> None:
    for files in (whole(), made(small(close=False))):
        tables = {name.rpartition("/")[2] for name in files if name.endswith(".csv")}
        package = json.loads(files["downloads/datapackage.json"])
        assert {each["path"] for each in package["resources"]} == tables
        assert "statistics.csv" not in package["description"]
        for each in package["resources"]:
            head = files[f"downloads/{each['path']}"].decode().partition("\n")[0]
            assert head.split(",") == [field["name"] for field in each["schema"]["fields"]]
    first = whole_pages()["index.html"]
    assert "downloads/datapackage.json" in first.links
    assert "the meaning of each column" in first.text


def test_pages_of_an_unfinished_contest_say_so() -> None:
    read = pages(made(small(lambda b, t: b.type(t["E1"], "judge", "J1", "a"), close=False)))
    assert "Not final" in read["index.html"].text
    assert "to judges" in read["index.html"].text
    assert len(read) == 4


def test_headings_are_in_order() -> None:
    for name, content in whole().items():
        if name.endswith(".html"):
            levels = [int(level) for level in re.findall(r"<h([1-6])", content.decode())]
            assert levels[0] == 1, name
            assert all(b <= a + 1 for a, b in pairwise(levels)), name
