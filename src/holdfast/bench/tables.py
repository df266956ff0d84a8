"""Standings as tables: rows of texts, and Markdown made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.bench.standings import Standings
from holdfast.experiments.summary import Mean

__all__ = ["Table", "as_markdown", "attack_table", "explained", "markdown_table", "rule_table"]

YOURS = " (yours)"


class Table(NamedTuple):
    """Titles and rows."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def attack_table(found: Standings) -> Table:
    """Return the attacks' standings."""
    places = [(n, m, k) for n, m in found.sizes for k in found.looks]
    titles = ["", "attack", "share of the best, %", "under other rules, %"]
    titles += [f"({n:,}, {m}) {k} looks" for n, m, k in places]
    rows = []
    for at, each in enumerate(found.attacks, start=1):
        gains = {(gain.n_examples, gain.n_classes, gain.looks): gain.gain for gain in each.gains}
        shown = [points(gains[place]) if place in gains else "-" for place in places]
        name = each.attack + (YOURS if each.own else "")
        shares = (f"{100 * each.share:.1f}", f"{100 * each.share_under_rules:.1f}")
        rows.append((str(at), name, *shares, *shown))
    return Table(tuple(titles), tuple(rows))


def rule_table(found: Standings) -> Table:
    """Return the rules' standings."""
    titles = ["", "release rule", "worst gain, points", "shown scores are off by, points"]
    titles += ["steps of a point not shown, %"]
    titles += [f"({n:,}, {m}) worst gain, by" for n, m in found.sizes]
    rows = []
    for at, each in enumerate(found.rules, start=1):
        off = "no scores" if each.cost.off is None else f"{100 * each.cost.off:.2f}"
        name = each.rule + (YOURS if each.own else "")
        gains = {(gain.n_examples, gain.n_classes): gain for gain in each.gains}
        shown = [
            f"{points(gains[sizes].gain)} {gains[sizes].attack}" if sizes in gains else "-"
            for sizes in found.sizes
        ]
        unseen = f"{100 * each.cost.unseen:.0f}"
        rows.append((str(at), name, points(each.worst), off, unseen, *shown))
    return Table(tuple(titles), tuple(rows))


def explained(found: Standings) -> str:
    """Return what the figures are, and what they are not."""
    return (
        f"Gains are points of accuracy above guessing, means and standard errors over "
        f"{found.seeds} plays; every attack and rule meets the same hidden labels. Share of the "
        "best: an attack's gain over the largest of the board, mean over all boards with exact "
        "scores, and under all other rules. Worst gain: of the strongest attack with one account, "
        "which the other plays choose; an attack that is not here may gain more. Off and not "
        "shown: what honest teams lose that improve by one point at a time, 20 teams."
    )


def as_markdown(found: Standings) -> str:
    """Return both standings as Markdown."""
    parts = [
        "# Standings",
        f"Suite {found.suite} (digest {found.digest}), Holdfast {found.version}.",
        "## Attacks",
        markdown_table(attack_table(found)),
        "## Release rules",
        markdown_table(rule_table(found)),
        explained(found),
    ]
    if found.failures:
        parts += ["## Not played", "\n".join(f"- {each}" for each in found.failures)]
    return "\n\n".join(parts) + "\n"


def points(value: Mean) -> str:
    """Return a gain in points with its standard error."""
    error = "" if math.isnan(value.stderr) else f" ± {100 * value.stderr:.2f}"
    return f"{100 * value.mean:.2f}{error}"


def markdown_table(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [_line(table.titles), _line(["--:" if not title else "---" for title in table.titles])]
    return "\n".join([*lines, *map(_line, table.rows)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
