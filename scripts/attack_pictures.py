"""Pictures of ideas in docs/attacks: detecting, pools, tails, hit pools, attacks through metrics.

    python scripts/attack_pictures.py

writes docs/images/NAME.svg for each of `PICTURES`. They show no measured numbers: they are computed
from the formulas of the pages, or sketches.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from holdfast.attacks import Detecting
from holdfast.attacks.exact.pool_odds import label_odds
from holdfast.attacks.steering.stages import surpluses
from holdfast.attacks.through_metrics import Digits
from holdfast.attacks.through_metrics.count_sums import CountSum
from holdfast.problem import Problem

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#999999"


def _plain(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def detecting() -> Figure:
    """Draw four queries that tell five labels of two classes, and how their answers are read."""
    hidden = np.array([1, 0, 1, 1, 0])
    attack = Detecting(Problem(hidden.size, 2, 4), rng=np.random.default_rng(0), permuted=False)
    asked = []
    while (query := attack.ask()) is not None:
        asked.append(query.copy())
        attack.tell(float((query == hidden).mean()))
    counts = [int((query == hidden).sum()) for query in asked]
    figure = Figure(figsize=(9.4, 3.1), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(-1, 101), ylim=(-1, 32))
    axes.axis("off")
    # Rows from the largest set of bits to the empty one, as they are asked.
    sets, names = ("{a, b}", "{b}", "{a}", "{ }"), ("a, b", "a, b", "a", "b", "none")
    colours = (BLUE, BLUE, ORANGE, GREEN, GREY)
    axes.text(0, 29, "example's bits", fontsize=9)
    axes.text(0, 0.6, "hidden labels", fontsize=9)
    axes.text(46, 29, "answer", fontsize=9, ha="center")
    for j, (name, colour) in enumerate(zip(names, colours, strict=True)):
        axes.text(18.5 + 5 * j, 29, name, fontsize=9, ha="center", color=colour)
        axes.text(18.5 + 5 * j, 0.6, str(hidden[j]), fontsize=9, ha="center")
    for i, (name, query, count) in enumerate(zip(sets, asked, counts, strict=True)):
        y = 22.5 - 6 * i
        axes.text(0, y + 1.7, f"query {name}", fontsize=9)
        axes.text(46, y + 1.7, str(count), fontsize=9, ha="center")
        for j, label in enumerate(query.tolist()):
            axes.add_patch(
                Rectangle(
                    (16.2 + 5 * j, y), 4.6, 5, lw=1.2, edgecolor=colours[j],
                    facecolor=colours[j] if label else "white",
                )
            )  # fmt: skip
            colour = "white" if label else colours[j]
            axes.text(18.5 + 5 * j, y + 1.7, str(label), ha="center", fontsize=9, color=colour)
    both, b, a, none = counts
    minus = "\N{MINUS SIGN}"
    read = both - b - a + none
    for y, words, colour in (
        (23, f"{both} {minus} {b} {minus} {a} + {none} = {read}: the other three cancel.", BLUE),
        (19, "Label 0 or 1 adds \N{PLUS-MINUS SIGN}1 in the first example,", BLUE),
        (15.5, f"\N{PLUS-MINUS SIGN}2 in the second: {read} = {minus}1 + 2 tells both.", BLUE),
        (11, "With these known, query {a} less query { } tells", ORANGE),
        (7.5, "the third, query {b} less query { } the fourth,", GREEN),
        (4, "and query { } itself the fifth.", GREY),
    ):
        axes.text(54, y, words, fontsize=9, color=colour)
    return figure


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
    right.set(xlabel="surplus S", ylabel="probability")
    right.set_title("What it says of an example's label", fontsize=10)
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
    axes.set(xlim=(-1, 101), ylim=(2, 33))
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
    words = "round 1: label 0 (blue) against label 1\n(orange), one exact sum per block"
    axes.text(74, 29.4, words, fontsize=8.5, va="center")
    words = "round 2: hits are split in three, all\nothers tested for labels 2 (green) and 3"
    axes.text(74, 16, words, fontsize=8.5, va="center")
    for k in range(3):
        block(3 + 4.2 * k, 13.5, 3.6, "1" if k == 1 else "", BLUE, k == 1)
        block(44 + 4.2 * k, 13.5, 3.6, "1" if k == 0 else "", ORANGE, k == 0)
    for i, total in enumerate((0, 0, 1)):
        colour = GREEN if total else GREY
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


def by_group() -> Figure:
    """Sketch queries of four groups in one submission, and scores dealt out."""
    figure = Figure(figsize=(8.4, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 104), ylim=(0, 27))
    axes.axis("off")
    widths, x = (38, 26, 19, 18), 2.0
    colours = (BLUE, ORANGE, GREEN, GREY)
    for at, (width, colour) in enumerate(zip(widths, colours, strict=True)):
        middle = x + width / 2
        axes.text(middle, 24.5, f"attack {at + 1}", ha="center", fontsize=9, color=colour)
        axes.add_patch(Rectangle((x, 12), width - 0.6, 5, facecolor=colour, edgecolor="white"))
        axes.text(
            middle, 14.4, f"group {at + 1}", ha="center", va="center", fontsize=9, color="white"
        )
        for start, end in (((middle - 2, 23.5), (middle - 2, 17.5)),
                           ((middle + 2, 17.5), (middle + 2, 23.5))):  # fmt: skip
            axes.add_patch(
                FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=colour)
            )
        axes.text(middle - 3, 20, "query", ha="right", va="center", fontsize=8)
        axes.text(middle + 3, 20, "score", ha="left", va="center", fontsize=8)
        x += width
    axes.text(2, 8.5, "one submission, one look: a score for each group", fontsize=9)
    axes.text(2, 4, "small groups are done first; all labels are known when the largest is",
              fontsize=9)  # fmt: skip
    return figure


def digits() -> Figure:
    """Draw which unit each digit of a log-loss has, and what rounding hides."""
    n = 10_000
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    axes = figure.subplots()
    rows = (("all digits of a float", None), ("5 decimals", 5), ("4 decimals", 4))
    for row, (words, decimals) in enumerate(rows):
        problem, rng = Problem(n, 2, n), np.random.default_rng(0)
        design = Digits(problem, rng=rng, decimals=decimals)._design
        y, low = -row, float(design.slack)
        axes.barh(y, low, left=1e-12, height=0.5, color=GREY, alpha=0.35)
        axes.plot(design.units, [y] * len(design.units), "|", color=BLUE, ms=13, mew=1.3)
        axes.plot([design.weight], [y], "s", color=ORANGE, ms=7)
        axes.text(
            1.4e-12, y + 0.33, f"{words}: {len(design.units)} labels as digits, and a count",
            fontsize=8.5, va="bottom",
        )  # fmt: skip
    axes.set(xscale="log", xlim=(1e-12, 200), ylim=(-2.5, 0.85), yticks=[])
    axes.set_xlabel("what a label adds to the sum of losses, in nats")
    axes.text(45, 0.05, "a match", color=ORANGE, fontsize=8.5, va="center")
    axes.text(3e-11, -1.0, "hidden by rounding", color="#555555", fontsize=8.5, va="center")
    axes.spines["left"].set_visible(False)
    _plain(axes)
    return figure


def graded() -> Figure:
    """Draw the ranks of a submission: a bulk, and single examples above it with gaps."""
    figure = Figure(figsize=(8.4, 2.2), layout="constrained")
    axes = figure.subplots()
    bulk, above, x = 26, 0, 0
    axes.bar(np.arange(bulk), [0.6] * bulk, width=0.8, color=GREY)
    x, asked = bulk, []
    for place in range(5):
        while above < 2**place - 1:
            axes.bar([x], [0.6], width=0.8, color=GREEN, alpha=0.45)
            above, x = above + 1, x + 1
        axes.bar([x], [0.6], width=0.8, color=BLUE)
        asked.append(x)
        above, x = above + 1, x + 1
    for place, at in enumerate(asked):
        axes.text(at, 0.66, f"D + {2**place}", ha="center", fontsize=8, color=BLUE, rotation=38)
    axes.text(
        bulk / 2, 0.66, "one score: all share one rank in the middle", ha="center", fontsize=8.5
    )
    axes.set(xlim=(-1, x + 2), ylim=(0, 1.15), yticks=[])
    axes.set_xticks([])
    axes.set_xlabel(
        "examples by score; blue: asked about, green: labels that are known fill the gaps"
    )
    axes.spines["left"].set_visible(False)
    _plain(axes)
    return figure


def joint_counts() -> Figure:
    """Draw a macro F1 that falls apart into the hits of three classes."""
    sizes, shown, hits = (100, 100, 100), (73, 81, 146), (24, 27, 49)
    below = [size + often for size, often in zip(sizes, shown, strict=True)]
    weights = tuple(Fraction(2, 3 * each) for each in below)
    value = float(sum(hit * weight for hit, weight in zip(hits, weights, strict=True)))
    read = CountSum(weights, (0, 0, 0), shown).read(Fraction(value), Fraction(1, 2**50))
    assert read == hits, "the picture shows what is read"
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 302), ylim=(0, 30))
    axes.axis("off")
    x = 1.0
    names = ("test 0 shows class 0", "test 1 shows class 1", "all others: class 2, the sink")
    rows = zip(names, shown, below, read, (BLUE, ORANGE, GREY), strict=True)
    for at, (name, often, under, found, colour) in enumerate(rows):
        middle = x + often / 2
        axes.add_patch(Rectangle((x, 21), often - 1, 5, facecolor=colour, edgecolor="white"))
        axes.text(middle, 23.4, f"{name}", ha="center", va="center", fontsize=8, color="white")
        axes.text(middle, 27.3, f"{often} examples", ha="center", fontsize=8)
        axes.text(middle, 12.3, f"{found} / {under}", ha="center", fontsize=10, color=colour)
        axes.add_patch(FancyArrowPatch((middle, 20.5), (middle, 15.5), arrowstyle="-|>",
                                       mutation_scale=9, color=colour))  # fmt: skip
        if at:
            axes.text(x, 12.3, "+", ha="center", fontsize=10)
        x += often
    words = f"2/3 of that is the macro F1 of classes of 100 each, {value!r}"
    axes.text(1, 6.5, words, fontsize=9)
    axes.text(1, 1.5, f"{below[0]}, {below[1]} and {below[2]} have no common divisor: "
              "no other hits add up to it", fontsize=9)  # fmt: skip
    return figure


def class_pools() -> Figure:
    """Draw a submission that cuts twelve examples into three pools, and the matrix it is told."""
    hidden = np.array([0, 2, 1, 1, 0, 2, 0, 1, 2, 2, 0, 1])
    shown = np.array([0, 1, 1, 2, 0, 2, 1, 1, 2, 0, 2, 0])
    told = np.array([[np.sum((shown == p) & (hidden == c)) for c in range(3)] for p in range(3)])
    figure = Figure(figsize=(8.4, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 104), ylim=(0, 27))
    axes.axis("off")
    colours = (BLUE, ORANGE, GREEN)
    for pool in range(3):
        y = 18 - 7 * pool
        axes.text(0, y + 2.2, f"pool {pool}: all called class {pool}", fontsize=9, va="center")
        for place, at in enumerate(np.flatnonzero(shown == pool).tolist()):
            axes.add_patch(
                Rectangle(
                    (30 + 6 * place, y), 5, 5, lw=1.2, edgecolor=colours[pool], facecolor="white"
                )
            )
            axes.text(32.5 + 6 * place, y + 2.3, str(hidden[at]), ha="center", va="center",
                      fontsize=9, color=GREY)  # fmt: skip
        axes.add_patch(FancyArrowPatch((55, y + 2.5), (61, y + 2.5), arrowstyle="-|>",
                                       mutation_scale=9, color=colours[pool]))  # fmt: skip
        for label in range(3):
            own = label == pool
            axes.add_patch(
                Rectangle((63 + 9 * label, y), 8.4, 5, edgecolor=colours[pool], lw=1.2,
                          facecolor=colours[pool] if own else "white")
            )  # fmt: skip
            axes.text(67.2 + 9 * label, y + 2.3, str(told[pool, label]), ha="center", va="center",
                      fontsize=9, color="white" if own else colours[pool])  # fmt: skip
    for label in range(3):
        axes.text(67.2 + 9 * label, 24.6, f"class {label}", ha="center", fontsize=8.5)
    axes.text(30, 24.6, "hidden labels", fontsize=8.5, color=GREY)
    words = "A confusion matrix tells all nine counts in one look; recalls tell the filled ones."
    axes.text(0, 0.3, words, fontsize=9)
    return figure


def count_reader() -> Figure:
    """Draw F1 and the Matthews correlation against true positives: each value is one count."""
    n, positives, called = 100, 40, 50
    hits = np.arange(0, positives + 1)
    f1 = 2 * hits / (positives + called)
    missed, false = positives - hits, called - hits
    right = n - positives - false
    below = np.sqrt(float(called * positives * (n - positives) * (n - called)))
    matthews = (hits * right - false * missed) / below
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    axes = figure.subplots()
    for values, colour, words in ((f1, BLUE, "F1"), (matthews, ORANGE, "Matthews correlation")):
        axes.plot(hits, values, ".", ms=4, color=colour, label=words)
    at = 27
    matches = n - positives - called + 2 * at
    axes.plot([0, at, at], [f1[at], f1[at], -0.9], color=GREY, lw=1.0)
    axes.annotate(f"F1 = {f1[at]:.2f}", (0.4, f1[at] + 0.05), fontsize=8.5, color=BLUE)
    axes.annotate(f"{at} true positives: {matches} matches", (at + 0.5, -0.72), fontsize=8.5)
    axes.set(xlim=(0, positives), ylim=(-0.9, 1.0), ylabel="value shown")
    axes.set_xlabel(
        f"true positives among the {called} that are called positive; {positives} of {n} are"
    )
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(0.0, 0.78))
    _plain(axes)
    return figure


def rare_positives() -> Figure:
    """Draw F1 against true positives for a large and a small part, beside a rounding step."""
    positives, step = 100, 0.01
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    pair = figure.subplots(1, 2, sharey=True)
    rows = ((pair[0], 5000, 50, "half of 10,000 called positive"), (pair[1], 70, 0, "a part of 70"))
    for axes, called, first, words in rows:
        hits = first + np.arange(5)
        f1 = 2 * hits / (positives + called)
        shown = np.round(f1 / step) * step
        low, high = (f1[0] + f1[-1]) / 2 - 0.03, (f1[0] + f1[-1]) / 2 + 0.03
        for line in np.arange(np.ceil(low / step), high / step):
            axes.axhline(step * line - f1[0], color=GREY, lw=0.6, ls=":")
        axes.plot(hits, f1 - f1[0], "o", color=BLUE, ms=5, label="F1")
        axes.plot(hits, shown - f1[0], "_", color=ORANGE, ms=16, mew=2, label="as shown")
        axes.set_title(words, fontsize=10)
        axes.set(xlabel="true positives", xticks=hits)
        _plain(axes)
    pair[0].set_ylabel("F1, from the first on")
    pair[0].set_ylim(-0.015, 0.06)
    pair[0].legend(frameon=False, fontsize=8.5, loc="upper left")
    pair[0].text(51.2, 0.021, "all counts look alike", fontsize=8.5)
    pair[1].text(0.0, 0.047, "each count is told", fontsize=8.5)
    return figure


def targets() -> Figure:
    """Draw a cross term whose digits are targets, and a raise that tells a side."""
    hidden, radix = (7, 2, 5), 10
    total = sum(value * radix**place for place, value in enumerate(hidden))
    figure = Figure(figsize=(8.4, 2.7), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.1, 1.0))
    left.set(xlim=(0, 60), ylim=(0, 28))
    left.axis("off")
    left.set_title("Squared errors: a sum whose digits are targets", fontsize=10)
    for place, (value, colour) in enumerate(zip(hidden, (BLUE, ORANGE, GREEN), strict=True)):
        x = 40 - 18 * place
        left.add_patch(Rectangle((x, 15), 15, 6, facecolor=colour, edgecolor="white"))
        left.text(x + 7.5, 17.8, f"weight {radix**place}", ha="center", va="center", fontsize=9,
                  color="white")  # fmt: skip
        left.text(x + 7.5, 23, f"target {value}", ha="center", fontsize=9, color=colour)
        left.text(x + 7.5, 9.5, f"{value * radix**place}", ha="center", fontsize=10, color=colour)
        if place:
            left.text(x + 16.5, 9.5, "+", ha="center", fontsize=10)
    left.text(4, 3, f"the cross term is {total}, one number of one look", fontsize=9)
    right.set_title("Absolute errors: a raise tells the side", fontsize=10)
    here = np.linspace(0, 10, 11)
    for target, place, colour in ((7, (0.9, 6.4), BLUE), (3, (6.4, 6.0), ORANGE)):
        right.plot(here, np.abs(here - target), color=colour, lw=1.2)
        start, end = abs(5 - target), abs(5.5 - target)
        right.annotate("", (5.5, end), (5, start),
                       arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})  # fmt: skip
        right.text(*place, f"target {target}", fontsize=8.5, color=colour)
    right.set(xlabel="submitted number", ylabel="its error", xlim=(0, 10), ylim=(0, 7))
    right.text(5.0, 4.6, "raised from 5 by 1/2", ha="center", fontsize=8.5)
    _plain(right)
    return figure


def top_k() -> Figure:
    """Draw the labels of three examples, cut into blocks of two at random places."""
    m, k, cuts, hidden = 8, 2, (0, 1, 5), (5, 0, 2)
    figure = Figure(figsize=(8.4, 2.5), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 104), ylim=(0, 25))
    axes.axis("off")
    colours = (BLUE, ORANGE, GREEN, GREY)
    for row, (cut, label) in enumerate(zip(cuts, hidden, strict=True)):
        y = 17 - 6 * row
        axes.text(0, y + 2.2, f"example {row + 1}", fontsize=9, va="center")
        for at in range(m):
            block = (at - cut) % m // k
            mine = at == label
            axes.add_patch(
                Rectangle((14 + 7.5 * at, y), 7, 4.6, edgecolor=colours[block], lw=1.2,
                          facecolor=colours[block] if mine else "white")
            )  # fmt: skip
            axes.text(17.5 + 7.5 * at, y + 2.1, str(at), ha="center", va="center", fontsize=9,
                      color="white" if mine else colours[block])  # fmt: skip
        block = (label - cut) % m // k
        axes.text(77, y + 2.2, f"label {label}: block {block}", fontsize=9, va="center",
                  color=colours[block])  # fmt: skip
    axes.text(14, 23, "eight labels in four blocks of two, cut at a random place", fontsize=9)
    axes.text(0, 0.8, "To name both labels of a block scores if the label is in it: four classes "
              "instead of eight.", fontsize=9)  # fmt: skip
    return figure


# What is drawn, each into a file of its name.
PICTURES = (
    detecting,
    third_label,
    steered_pools,
    hit_pools,
    by_group,
    digits,
    graded,
    joint_counts,
    class_pools,
    count_reader,
    rare_positives,
    targets,
    top_k,
)


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
