"""Templates of pages: a package, so that they are installed with the code."""
