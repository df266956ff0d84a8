"""Pictures of ideas in docs/attacks: a pool's three guesses, a steered tail, hit pools.

    python scripts/attack_pictures.py

writes docs/images/third_label.svg, steered_pools.svg and hit_pools.svg. They show no measured
numbers: the first two are computed from the formulas of the pages, the third is a sketch.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from holdfast.attacks.exact._pool_odds import label_odds
from holdfast.attacks.steering._tail import surpluses

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#999999"


def _plain(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def third_label() -> Figure:
    """Draw the law of a pool's surplus, and the probability of each guess."""
    size, m = 10, 10
    surplus, law = surpluses(size, m)
    kept = np.abs(surplus) <= 4
    surplus, law = surplus[kept], law[kept]
    odds = np.array([label_odds(size, int(s), m) for s in surplus])
    colours = np.where(surplus > 0, BLUE, np.where(surplus < 0, ORANGE, GREEN))
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.bar(surplus, law, color=colours)
    left.set(xlabel="surplus S of label 1 over label 0", ylabel="probability")
    left.set_title("A pool of 10 examples, 10 classes", fontsize=10)
    left.set_ylim(0, 0.36)
    for x, words, colour in (
        (-2.6, "guess label 0", ORANGE),
        (0, "a third label", GREEN),
        (2.6, "guess label 1", BLUE),
    ):
        left.text(x, 0.33, words, ha="center", color=colour, fontsize=9)
    for column, colour, words in (
        (1, BLUE, "label 1"),
        (0, ORANGE, "label 0"),
        (2, GREEN, "each other label"),
    ):
        right.plot(surplus, odds[:, column], "o-", color=colour, ms=4, label=words)
    right.axhline(1 / m, color=GREY, lw=0.8, ls=":")
    right.text(4.05, 1 / m + 0.008, "1/m", color=GREY, fontsize=8, ha="right")
    right.set(xlabel="surplus S", ylabel="probability of an example's label")
    right.set_title("What the surplus says", fontsize=10)
    right.legend(frameon=False, fontsize=8, loc="upper center")
    for axes in (left, right):
        axes.set_xticks(range(-4, 5))
        _plain(axes)
    return figure


def steered_pools() -> Figure:
    """Draw the leads of pools after the design, and after a tail that fills up to a level."""
    size, m, n_pools = 100, 10, 40
    surplus, law = surpluses(size, m)
    drawn = surplus[np.searchsorted(law.cumsum(), (np.arange(n_pools) + 0.5) / n_pools)]
    drawn = np.random.default_rng(5).permutation(drawn)
    best = np.array([max(label_odds(size, int(s), m)) for s in drawn])
    level = 0.13
    figure = Figure(figsize=(8.4, 2.7), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axes in (left, right):
        axes.bar(np.arange(n_pools), best, color=BLUE, width=0.85)
        axes.axhline(1 / m, color=GREY, lw=0.8, ls=":")
        axes.set(xlabel="pools", xticks=[], xlim=(-1.5, n_pools + 3.5))
        _plain(axes)
    left.set_title("After the design: luck is uneven", fontsize=10)
    left.set_ylabel("probability of the best label")
    left.text(n_pools, 1 / m + 0.001, "1/m", color=GREY, fontsize=8)
    low = best < level
    right.bar(
        np.arange(n_pools)[low], level - best[low], bottom=best[low], color=ORANGE, width=0.85
    )
    right.axhline(level, color=ORANGE, lw=1.0)
    right.set_title("The last looks lift the rest to one level", fontsize=10)
    right.text(n_pools, level + 0.001, "level", color=ORANGE, fontsize=8)
    left.set_ylim(0.08, 0.17)
    return figure


def hit_pools() -> Figure:
    """Sketch two rounds: blocks tested, hits split, parts parked or tested again."""
    figure = Figure(figsize=(9.4, 3.0), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 100), ylim=(2, 33))
    axes.axis("off")

    def block(x: float, y: float, width: float, words: str, colour: str, fill: bool) -> None:
        axes.add_patch(
            Rectangle(
                (x, y), width, 5, facecolor=colour if fill else "white", edgecolor=colour, lw=1.4
            )
        )
        axes.text(
            x + width / 2, y + 2.4, words, ha="center", va="center", fontsize=9,
            color="white" if fill else colour,
        )  # fmt: skip

    def arrow(start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
        axes.add_patch(
            FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=colour, lw=1.0)
        )

    for i, total in enumerate((0, 1, 0, 0, -1, 0)):
        colour = {0: GREY, 1: BLUE, -1: ORANGE}[total]
        block(12 * i, 27, 11, f"S = {total}".replace("-", "\N{MINUS SIGN}"), colour, total != 0)
    words = "round 1: label 0 against label 1,\none exact sum per block"
    axes.text(74, 29.4, words, fontsize=8.5, va="center")
    words = "round 2: hits are split in three,\nall others tested for labels 2 and 3"
    axes.text(74, 16, words, fontsize=8.5, va="center")
    for k in range(3):
        block(3 + 4.2 * k, 13.5, 3.6, "1" if k == 1 else "", BLUE, k == 1)
        block(44 + 4.2 * k, 13.5, 3.6, "1" if k == 0 else "", ORANGE, k == 0)
    for i, total in enumerate((0, 0, 1)):
        colour = BLUE if total else GREY
        block(17.5 + 8.6 * i, 13.5, 8, f"S = {total}", colour, bool(total))
    arrow((17, 26.6), (10, 19), BLUE)
    arrow((53, 26.6), (49, 19), ORANGE)
    for x in (6, 30, 42, 66):
        arrow((x, 26.6), (30, 19), GREY)
    axes.text(0, 8, "then: small parts with a hit are parked, their examples guessed as its label;",
              fontsize=9)  # fmt: skip
    axes.text(0, 4, "what has no hit goes on to the next round, with two new labels.", fontsize=9)
    arrow((9, 13.2), (9, 10.2), BLUE)
    arrow((45.8, 13.2), (45.8, 10.2), ORANGE)
    return figure


# What is drawn, each into a file of its name.
PICTURES = (third_label, steered_pools, hit_pools)


def main() -> None:
    """Write all pictures."""
    mpl.rcParams["svg.hashsalt"] = "holdfast"
    mpl.rcParams["svg.fonttype"] = "none"
    for draw in PICTURES:
        path = IMAGES / f"{draw.__name__}.svg"
        draw().savefig(path, metadata={"Date": None})
        path.write_text(
            "\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
            + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
