"""Sphinx settings of the site: `make site` builds it into out/site."""

import re
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts import api_pages  # noqa: E402

from holdfast import __version__  # noqa: E402

project = "Holdfast"
author = "The Holdfast authors"
copyright = "the Holdfast authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.bibtex",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
bibtex_bibfiles = ["references.bib"]
# Single backticks in docstrings are code.
default_role = "code"

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
# Pages link to headings by the names that forges give them.
myst_heading_anchors = 4

# One file without fonts of its own: formulas need no network. `formulas_in_the_site` puts it there.
MATHJAX = "tex-svg.js"
mathjax_path = f"mathjax/{MATHJAX}"

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_custom_sections = ["Departures"]

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"Holdfast {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_logo = "_static/logo.svg"
html_theme_options = {"sidebar_hide_name": True}
html_copy_source = False
html_show_sphinx = False

# Pages of the repository that stand beside docs, where forges look for them.
BESIDE = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "README.md": "index"}


def pages_beside_docs(_, name, content):
    """Show CONTRIBUTING and CHANGELOG as pages, and lead links to them there."""
    up, inner = "../" * (name.count("/") + 1), "../" * name.count("/")
    for page, shown in BESIDE.items():
        if name == shown != "index":
            text = (ROOT / page).read_text(encoding="utf-8")
            text = re.sub(r"\]\((?!docs/|[a-z]+:|#)", "](../", text)
            content[0] = text.replace("](docs/", "](")
    for page, shown in BESIDE.items():
        content[0] = content[0].replace(f"]({up}{page}", f"]({inner}{shown}.md")


def docstrings_as_they_are_written(*about):
    """Leave a docstring's stars and bars alone, and list the statements that it names."""
    lines, listed = about[-1], False
    for at, line in enumerate(lines):
        plain = line if "``" in line else re.sub(r"(?<!\\)([*|])", r"\\\1", line)
        begins = re.match(r"(Implements|Guarantee): ", plain) is not None
        listed = begins or (listed and bool(plain))
        lines[at] = ("* " if begins else "  ") + plain if listed else plain


def fields_said_once(*about):
    """Leave out a named tuple's field: its class says it, in a section of its docstring."""
    told = getattr(about[3], "__doc__", None)
    return True if str(told).startswith("Alias for field") else None


def reachable_without_a_mouse(*about):
    """Say the level of the sidebar's headings, and let keys scroll wide code and tables."""
    context = about[3]
    tree, body = context.get("furo_navigation_tree", ""), context.get("body", "")
    context["furo_navigation_tree"] = tree.replace('"heading"', '"heading" aria-level="2"')
    for wide in ("<pre", '<div class="table-wrapper'):
        body = body.replace(wide, f'{wide.split()[0]} tabindex="0"{wide[len(wide.split()[0]) :]}')
    context["body"] = body


def formulas_in_the_site(app, failure):
    """Copy the one file of MathJax that the pages ask for: the package has 24 MB of others."""
    if failure is None and app.builder.format == "html":
        package = distribution("sphinx-mathjax-offline")
        source = package.locate_file(f"sphinx-mathjax-offline/static/mathjax/{MATHJAX}")
        folder = Path(app.outdir) / "_static" / "mathjax"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / MATHJAX)


def setup(app):
    """Write the pages that come from the code, before a build reads any."""
    api_pages.write()
    app.connect("source-read", pages_beside_docs)
    app.connect("autodoc-process-docstring", docstrings_as_they_are_written, priority=100)
    app.connect("autodoc-skip-member", fields_said_once)
    app.connect("html-page-context", reachable_without_a_mouse, priority=900)
    app.connect("build-finished", formulas_in_the_site)
