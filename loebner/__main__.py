"""`python -m loebner` is the command `loebner`."""

from loebner.cli import entry_point

if __name__ == "__main__":
    entry_point()
