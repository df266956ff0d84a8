"""Pages without scripts: one file in the style of the audit's, which loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from holdfast._version import __version__

__all__ = ["framed", "section", "table"]


def framed(
    *, brand: str, title: str, heading: str, facts: str, style: str, sections: Iterable[str]
) -> str:
    """Return a page of sections that are HTML already; the other texts are escaped.

    Parameters
    ----------
    brand
        Which part of Holdfast made it, above the heading.
    title, heading, facts
        What the browser calls it, what it is about, and the line below.
    style
        Rules that this page needs beside the style that all share.
    sections
        What `section` returns.
    """
    shared = files("holdfast.audit").joinpath("page", "style.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="Holdfast {escape(__version__)}">
<title>{escape(title)}</title>
<style>{shared}
{style}
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="frame">
<header>
  <p class="brand">{escape(brand)}</p>
  <h1>{escape(heading)}</h1>
  <p class="what">{escape(facts)}</p>
</header>
<main id="main">
{"".join(sections)}</main>
</div>
</body>
</html>
"""


def section(name: str, title: str, *content: str) -> str:
    """Return a section: its anchor, its title and what is HTML already.

    >>> print(section("a", "1 < 2", "<p>So it is.</p>", ""))
    <section id="a" aria-labelledby="a-title">
    <h2 id="a-title">1 &lt; 2</h2>
    <p>So it is.</p>
    </section>
    <BLANKLINE>
    """
    head = f'<h2 id="{name}-title">{escape(title)}</h2>'
    body = "\n".join(each for each in content if each)
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{head}\n{body}\n</section>\n'


def table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, label: str, header: int = 0
) -> str:
    """Return a table that scrolls where it is too wide.

    Parameters
    ----------
    titles, rows
        Texts; they are escaped.
    label
        What a screen reader calls it.
    header
        Which column names the row.
    """
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in titles)
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(cell)}</th>' if at == header else f"<td>{escape(cell)}</td>"
            for at, cell in enumerate(row)
        )
        + "</tr>\n"
        for row in rows
    )
    return (
        '<div class="wide"><div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(label)}">\n'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>\n</div></div>"
    )
