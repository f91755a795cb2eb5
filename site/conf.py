"""Sphinx's settings for the site. Its sources are what assemble.py gathers in build/docs-source; `make docs` runs both."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
sys.path[:0] = [str(HERE), str(TREE / "python")]

project = "orff"
author = "The orff authors"
copyright = author
release = version = (TREE / "VERSION").read_text().strip()

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_copybutton", "mathml",
              "plain_docstrings", "whole_theme"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

autosummary_generate = False
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False
copybutton_prompt_text = r"\$ "

smartquotes = False  # would make a dash of --option
highlight_language = "text"

html_theme = "furo"
html_title = f"orff {release}"
# A font with the sizes that formulas need, where it is installed (Debian: fonts-lmodern), and its licence; else the browser's own.
FONT = Path("/usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf")
LICENCE = Path("/usr/share/texmf/doc/fonts/lm-math/GUST-FONT-LICENSE.txt")
html_static_path = [str(path) for path in (HERE / "static", FONT, LICENCE) if path.exists()]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0b6e83", "color-brand-content": "#0b6e83"},
    "dark_css_variables": {"color-brand-primary": "#5cc8dc", "color-brand-content": "#5cc8dc"},
}
pygments_style = "tango"
pygments_dark_style = "monokai"
