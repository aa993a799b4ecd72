"""How the documentation becomes a site: `make docs`. Sphinx's settings."""

import runpy
from importlib.metadata import version as version_of
from pathlib import Path

# Tables of the code become build/tables/, which pages include.
runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "tables.py"))["write"]()

project = "loebner"
author = "The authors of loebner"
copyright = f"2026 {author}"
release = version = version_of("loebner")

extensions = ["myst_parser", "sphinx.ext.apidoc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# index.md includes the list that README.md has for those who read the files; clients are programs.
exclude_patterns = ["README.md", "clients", "api/*/modules.rst", "reference/codebook"]
myst_heading_anchors = 4

# What others build on, from its docstrings; the contest's and the consoles' insides are not.
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
# Only where it is defined, not where a package passes it on.
autodoc_default_options = {"members": True, "ignore-module-all": True}
# A name such as `Refused` is in several packages; in a docstring it is its own package's.
suppress_warnings = ["ref.python"]
napoleon_use_ivar = True
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = f"loebner {release}"
html_favicon = "../contest/pages/static/icon.svg"
html_copy_source = False
