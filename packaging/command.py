"""The entry point of the frozen program `loebner`."""

import sys

from loebner import cli, frozen

sys.exit(frozen.run(sys.argv[1:], cli.main))
