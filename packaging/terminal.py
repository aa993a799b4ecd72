"""The entry point of the frozen program `loebner-terminal`."""

import sys

from loebner import frozen, terminal

sys.exit(frozen.run(sys.argv[1:], terminal.main))
