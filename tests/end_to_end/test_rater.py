"""`loebner rater` with a real keyboard, at a real server."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loebner.cli import main
from tests.disciplines.questionnaires import NAME
from tests.raters_server import PATIENCE, raters_server
from tests.xvfb import Screen, screen

__all__ = ["screen"]  # a fixture


def test_a_rater_types_and_leaves(screen: Screen, tmp_path: Path) -> None:
    with raters_server("labyrinth", tmp_path) as server:
        environ = screen.environ() | {"XDG_STATE_HOME": str(tmp_path / "state")}
        command = [sys.executable, "-m", "loebner", "rater", server.link, "--language", "en"]
        with subprocess.Popen(command, env=environ) as process:
            screen.focus(screen.window(NAME))
            screen.keys("Tab", "Tab", "Down", "Tab", "h", "i", "shift+1")
            server.until_typed(1, {"consistency": "2", "consistency comment": "hi!"})
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("link", ["R1-AAAA-BBBB-CCCC", "http://127.0.0.1:1/sit/R1-AAAA-BBBB-CCCC"])
def test_what_is_no_link_is_refused(link: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rater", link]) == 2
    assert "http://HOST:PORT/r/CODE" in capsys.readouterr().err
