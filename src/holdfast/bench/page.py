"""Standings as a page: one file in the style of the audit's, which loads nothing."""

from __future__ import annotations

from html import escape

from holdfast.bench.picture import picture
from holdfast.bench.standings import Standings
from holdfast.bench.tables import Table, attack_table, explained, rule_table
from holdfast.plain_page import framed, section, table

__all__ = ["as_page"]

STYLE = """.picture text { fill: var(--ink); font-size: 12px; }
.picture .axis { stroke: var(--line); }
.picture .tie { stroke: var(--ink); stroke-width: 0.6; }
table th[scope="row"] { text-align: left; }
.picture circle { fill: var(--series-1); } .picture circle.own { fill: var(--series-2); }"""


def as_page(found: Standings) -> str:
    """Return the page."""
    parts = [
        section("rules", "Release rules", picture(found.rules), _table(rule_table(found))),
        section("attacks", "Attacks", _table(attack_table(found))),
        section("figures", "What the figures are", f"<p>{escape(explained(found))}</p>"),
    ]
    if found.failures:
        listed = "".join(f"<li>{escape(each)}</li>" for each in found.failures)
        parts.append(section("failed", "Not played", f"<ul>{listed}</ul>"))
    return framed(
        brand="Holdfast bench",
        title=f"Standings: suite {found.suite}",
        heading=f"Standings, suite {found.suite}",
        facts=_facts(found),
        style=STYLE,
        sections=parts,
    )


def _facts(found: Standings) -> str:
    sizes = "; ".join(f"{n:,} examples of {m} classes" for n, m in found.sizes)
    looks = ", ".join(f"{k:,}" for k in found.looks)
    said = f"{sizes}; {looks} looks; {found.seeds} plays of each; Holdfast {found.version}; "
    return said + f"digest of the suite {found.digest}"


def _table(found: Table) -> str:
    return table(found.titles, found.rows, label="Standings", header=1)
