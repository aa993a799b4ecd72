"""Tests that `scripts/prepare.sh` waits while another program holds a lock of Debian's packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: A stand-in for a command that fails twice, like apt-get while another program holds its lock.
LOCKED = """\
#!/bin/sh
echo "$@" >> "{log}"
tries=$(grep -c " {what}" "{log}")
case "$*" in *{what}*) ;; *) exit 0 ;; esac
[ "$tries" -gt 2 ] && exit 0
echo "E: {said}" >&2
exit 100
"""


def prepared(tmp_path: Path, what: str, said: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Runs the script in a copy of the project where a package is missing.

    Returns:
        What became of it, and how apt-get was called, a call a line.
    """
    home, tools, log = tmp_path / "project", tmp_path / "tools", tmp_path / "apt.log"
    (home / "scripts").mkdir(parents=True)
    tools.mkdir()
    shutil.copy(ROOT / "scripts" / "prepare.sh", home / "scripts")
    for name in ("setup.cfg", "pyproject.toml"):
        (home / name).touch()
    (home / ".venv" / "bin").mkdir(parents=True)
    (home / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (home / ".venv" / "prepared").touch()
    own = {
        "apt-get": LOCKED.format(log=log, what=what, said=said),
        "dpkg-query": "#!/bin/sh\nexit 1\n",
        "id": "#!/bin/sh\necho 0\n",
        "sleep": "#!/bin/sh\n",
    }
    for name, script in own.items():
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    done = subprocess.run(
        ["sh", str(home / "scripts" / "prepare.sh")],
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return done, log.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="the packages are Debian's")
@pytest.mark.parametrize("what", ["update", "install"])
def test_the_script_waits_for_a_lock(what: str, tmp_path: Path) -> None:
    said = "Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
    done, calls = prepared(tmp_path, what, said)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("waiting for another program") == 1
    assert sum(f" {what}" in call for call in calls.splitlines()) == 3
    assert all("DPkg::Lock::Timeout=600" in call for call in calls.splitlines())


@pytest.mark.skipif(sys.platform != "linux", reason="the packages are Debian's")
def test_other_failures_are_reported_at_once(tmp_path: Path) -> None:
    done, calls = prepared(tmp_path, "install", "Unable to locate package libegl1")
    assert done.returncode == 1
    assert "Unable to locate package" in done.stderr
    assert sum(" install" in call for call in calls.splitlines()) == 1
