"""What the frozen program `loebner-terminal` runs."""

import sys

from loebner import frozen, terminal

sys.exit(frozen.run(sys.argv[1:], terminal.main))
