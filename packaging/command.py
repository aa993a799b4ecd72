"""What the frozen program `loebner` runs."""

import sys

from loebner import cli, frozen

sys.exit(frozen.run(sys.argv[1:], cli.main))
