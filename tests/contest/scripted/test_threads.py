"""The windows of a demo and its contest, in a thread each, load the scripted people at once."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import threading
from contest.scripted.characters import confederates, facts, judges
sys.setswitchinterval(1e-6)
begin = threading.Barrier(4)
def load():
    begin.wait()
    # Without their caches, as if each call were the first one.
    judges.__wrapped__(), confederates.__wrapped__(), facts.__wrapped__()
threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_that_load_people_at_once_do_not_crash() -> None:
    # In processes of their own, because only the first use of a struct crashed, every other time.
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
