"""Sphinx settings for the documentation site (`make docs`)."""

import runpy
from importlib.metadata import version as version_of
from pathlib import Path

# Writes the tables of the code into build/tables/, from which pages include them.
runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "tables.py"))["write"]()

project = "loebner"
author = "The authors of loebner"
copyright = f"2026 {author}"
release = version = version_of("loebner")

extensions = ["myst_parser", "sphinx.ext.apidoc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# index.md includes README.md, which is the start page in the repository; clients are programs.
exclude_patterns = ["README.md", "clients", "api/*/modules.rst", "reference/codebook"]
myst_heading_anchors = 4

# The API pages of the packages that others build on, but not of the contest and the consoles.
apidoc_modules = [
    {
        "path": f"../{name}",
        "destination": f"api/{name}",
        "exclude_patterns": ["../bots/screening"],
        "separate_modules": False,
        "module_first": True,
    }
    for name in ("lpp", "scheduler", "bots")
]
# Documents a name only where it is defined, not where a package re-exports it.
autodoc_default_options = {"members": True, "ignore-module-all": True}
# Several packages have a name such as `Refused`; a docstring means its own package's.
suppress_warnings = ["ref.python"]
napoleon_use_ivar = True
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = f"loebner {release}"
html_favicon = "../contest/pages/static/icon.svg"
html_copy_source = False
