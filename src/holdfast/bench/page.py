"""Standings as a page: one file in the style of the audit's, which loads nothing."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from holdfast._version import __version__
from holdfast.bench.standings import RuleStanding, Standings
from holdfast.bench.tables import Table, attack_table, explained, rule_table

__all__ = ["as_page"]

# The picture of rules: its width and height, and the room for its axes, in pixels.
WIDTH, HEIGHT, LEFT, BELOW = 640, 320, 60, 46


def as_page(found: Standings) -> str:
    """Return the page."""
    style = files("holdfast.audit").joinpath("page", "style.css").read_text(encoding="utf-8")
    parts = [
        _section("rules", "Release rules", _picture(found.rules), _table(rule_table(found))),
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
    said = f"{sizes}; {looks} looks; {found.seeds} plays of each; Holdfast {found.version}"
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


def _picture(rules: tuple[RuleStanding, ...]) -> str:
    """Draw worst gain against steps that are not shown: the lower left is better."""
    if not rules:
        return ""
    largest = max(1e-9, *(each.worst.mean for each in rules))
    marks = []
    taken: list[tuple[float, float]] = []
    for each in rules:
        x = LEFT + (WIDTH - LEFT - 120) * each.cost.unseen
        y = (HEIGHT - BELOW) * (1.0 - 0.92 * max(0.0, each.worst.mean) / largest)
        kind = ' class="own"' if each.own else ""
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"{kind}/>')
        # Labels of neighbours are moved apart.
        low = y
        while any(abs(low - other) < 13 and abs(x - beside) < 110 for beside, other in taken):
            low -= 13
        taken.append((x, low))
        marks.append(f'<text x="{x + 9:.1f}" y="{low + 4:.1f}">{escape(each.rule)}</text>')
    bottom, right = HEIGHT - BELOW, WIDTH - 120
    ticks = "".join(
        f'<text x="{LEFT + (right - LEFT) * share:.0f}" y="{bottom + 18}" text-anchor="middle">'
        f"{100 * share:.0f}</text>"
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    ticks += "".join(
        f'<text x="{LEFT - 8}" y="{bottom * (1 - 0.92 * share) + 4:.0f}" text-anchor="end">'
        f"{100 * largest * share:.1f}</text>"
        for share in (0.0, 0.5, 1.0)
    )
    return (
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        'aria-label="Worst gain of each rule against the steps that it does not show; the table '
        'below has the same numbers" style="max-width:100%">'
        f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>'
        f'<line class="axis" x1="{LEFT}" y1="0" x2="{LEFT}" y2="{bottom}"/>{ticks}'
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
        "honest steps of a point not shown, %</text>"
        f'<text transform="translate(14 {bottom / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"worst gain, points</text>{''.join(marks)}</svg>"
    )
