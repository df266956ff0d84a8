"""Standings as a page: one file in the style of the audit's, which loads nothing."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from holdfast._version import __version__
from holdfast.bench.picture import picture
from holdfast.bench.standings import Standings
from holdfast.bench.tables import Table, attack_table, explained, rule_table

__all__ = ["as_page"]


def as_page(found: Standings) -> str:
    """Return the page."""
    style = files("holdfast.audit").joinpath("page", "style.css").read_text(encoding="utf-8")
    parts = [
        _section("rules", "Release rules", picture(found.rules), _table(rule_table(found))),
        _section("attacks", "Attacks", _table(attack_table(found))),
        _section("figures", "What the figures are", f"<p>{escape(explained(found))}</p>"),
    ]
    if found.failures:
        listed = "".join(f"<li>{escape(each)}</li>" for each in found.failures)
        parts.append(_section("failed", "Not played", f"<ul>{listed}</ul>"))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="Holdfast {escape(__version__)}">
<title>Standings: suite {escape(found.suite)}</title>
<style>{style}
.picture text {{ fill: var(--ink); font-size: 12px; }} .picture .axis {{ stroke: var(--line); }}
.picture .tie {{ stroke: var(--ink); stroke-width: 0.6; }}
table th[scope="row"] {{ text-align: left; }}
.picture circle {{ fill: var(--series-1); }} .picture circle.own {{ fill: var(--series-2); }}
</style>
</head>
<body>
<a class="skip" href="#rules">Skip to the standings</a>
<div class="frame">
<header>
  <p class="brand">Holdfast bench</p>
  <h1>Standings, suite {escape(found.suite)}</h1>
  <p class="what">{_facts(found)}</p>
</header>
<main>
{"".join(parts)}</main>
</div>
</body>
</html>
"""


def _facts(found: Standings) -> str:
    sizes = "; ".join(f"{n:,} examples of {m} classes" for n, m in found.sizes)
    looks = ", ".join(f"{k:,}" for k in found.looks)
    said = f"{sizes}; {looks} looks; {found.seeds} plays of each; Holdfast {found.version}; "
    said += f"digest of the suite {found.digest}"
    return escape(said)


def _section(name: str, title: str, *content: str) -> str:
    head = f'<h2 id="{name}-title">{escape(title)}</h2>'
    body = "\n".join(each for each in content if each)
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{head}\n{body}\n</section>\n'


def _table(table: Table) -> str:
    titles = "".join(f'<th scope="col">{escape(each)}</th>' for each in table.titles)
    rows = "".join(
        "<tr>"
        + f'<td>{escape(row[0])}</td><th scope="row">{escape(row[1])}</th>'
        + "".join(f"<td>{escape(each)}</td>" for each in row[2:])
        + "</tr>\n"
        for row in table.rows
    )
    return (
        '<div class="wide"><div class="scroll" tabindex="0" role="region" aria-label="Standings">\n'
        f"<table><thead><tr>{titles}</tr></thead><tbody>\n{rows}</tbody></table>\n</div></div>"
    )
