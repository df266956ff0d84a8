"""Heat map of the matrix."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, NotSupported
from holdfast.extras import remedy
from holdfast.quoting import quoted

__all__ = ["check_figure", "heat_map"]

FORMATS = (".png", ".svg", ".pdf")


def check_figure(path: str | os.PathLike[str]) -> None:
    """Raise what `heat_map` would, before minutes are spent on what it should draw."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise InvalidInput(f"figure must end in {', '.join(FORMATS)}, got {quoted(path.name)}.")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"figure must lie in a folder that exists, got {quoted(str(path))}.")
    if find_spec("matplotlib") is None:
        raise NotSupported(remedy("the figure", "matplotlib"))


def heat_map(result: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Draw what `run_matrix` returned: rules down, attacks across, the bias as colour.

    Numbers are percentage points of accuracy above 1/m. The strongest attack with one account
    is framed; on the right are what no attack can exceed and the blur for honest teams. Grey:
    the attack can't play there.

    Parameters
    ----------
    result
        What `run_matrix` returned.
    path
        Where to write; the suffix (.png, .svg or .pdf) is the format.
    """
    check_figure(path)
    from matplotlib.figure import Figure

    rules = [summary.rule for summary in result["rules"]]
    attacks = result["suite"]["attacks"]
    values = np.full((len(rules), len(attacks)), np.nan)
    for cell in result["cells"]:
        if cell.bias is not None:
            values[rules.index(cell.rule), attacks.index(cell.attack)] = 100 * cell.bias.mean
    figure = Figure(figsize=(3.8 + 0.62 * (len(attacks) + 2), 2.6 + 0.34 * len(rules)))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    top = max(float(np.nanmax(values)), 1e-9)
    axes.imshow(values, cmap=_colours(), vmin=0.0, vmax=top, aspect="auto")
    for row, summary in enumerate(result["rules"]):
        for column, attack in enumerate(attacks):
            value = values[row, column]
            if np.isnan(value):
                continue
            dark = value > 0.6 * top
            axes.text(
                column, row, f"{value:.1f}".replace("-0.0", "0.0"),
                ha="center", va="center", fontsize=8, color="white" if dark else "#222222",
                fontweight="bold" if attack == summary.strongest else "normal",
            )  # fmt: skip
            if attack == summary.strongest:
                _frame(axes, column, row)
        for place, text in (
            (len(attacks), f"{100 * summary.certified:.1f}"),
            (len(attacks) + 1, f"{100 * summary.resolution:.3g}"),
        ):
            axes.text(place, row, text, ha="center", va="center", fontsize=8, color="#222222")
    columns = [*attacks, "no attack can exceed", "blur for honest teams"]
    axes.set_xticks(range(len(columns)), columns, rotation=40, ha="left", fontsize=8)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rules)), rules, fontsize=8)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.tick_params(length=0)
    axes.axvline(len(attacks) - 0.5, color="#222222", linewidth=1)
    for spine in axes.spines.values():
        spine.set_visible(False)
    n, m, k = result["problem"]
    axes.set_title(
        f"Accuracy above guessing, in points: {n:,} examples, {m:,} classes, {k:,} scored "
        f"submissions (suite {result['suite']['version']}, {result['trials']} trials)",
        fontsize=9, loc="left", pad=12,
    )  # fmt: skip
    figure.savefig(path, bbox_inches="tight", dpi=160)


def _colours() -> Any:
    from matplotlib import colormaps

    return colormaps["YlOrRd"].with_extremes(bad="#d9d9d9")


def _frame(axes: Any, column: int, row: int) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="#222222", linewidth=1.5)
    )
