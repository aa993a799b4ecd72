"""Runs the command `loebner` as `python -m loebner`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # With -m, Python looks for packages in the current folder first, where a contest's folder is
    # often named `contest`. Don't look there, just as the command `loebner` doesn't.
    if not sys.flags.safe_path and not Path(sys.path[0], "loebner", "__main__.py").is_file():
        del sys.path[0]

    from loebner.cli import entry_point

    entry_point()
