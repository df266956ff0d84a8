"""Figure of bias against looks, between what is achievable and what is not."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.registry import attack_types
from holdfast.bounds import best_impossible
from holdfast.bounds.acharya2020 import SMALL_K, large_k, regime_edges, small_k
from holdfast.extras import needed_for
from holdfast.problem import Problem

__all__ = ["bias_figure", "check_can_draw", "guaranteed", "stands_out"]

# Okabe and Ito's colours and Tol's wine, told apart by readers with any colour vision; black is for
# bounds.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
# One marker more than colours, so that the two do not repeat together; in grey the dash tells the
# next eight apart. Plain dashes and dots are for guarantees and bounds.
MARKERS = "osD^vPX<"
DASHES: tuple[Any, ...] = (
    "-",
    (0, (6, 1.5, 1, 1.5)),
    (0, (9, 3)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (1.5, 1)),
)
# Long enough to show a whole dash in the legend.
HANDLE_LENGTH = 3.6
# An attack and the statement that guarantees it are drawn in one colour.
GUARANTEES = {cls.name: cls.guarantee for cls in attack_types() if cls.guarantee}
STATEMENTS_OF = {"small-k": small_k, "large-k": large_k}
STATEMENTS = {"small-k": "Theorem 3 guarantees", "large-k": "Theorem 6 guarantees"}
# A mean closer to zero than this many standard errors has no place on a logarithmic axis.
LEAST_ERRORS_ABOVE_ZERO = 3.0


class _Curve(NamedTuple):
    looks: NDArray[np.float64]
    bias: NDArray[np.float64]


def check_can_draw() -> None:
    """Raise `NotSupported` if matplotlib is not installed."""
    with needed_for("the figure"):
        import matplotlib  # noqa: F401


def bias_figure(
    summaries: Sequence[Mapping[str, Any]],
    n_examples: int,
    n_classes: int,
    *,
    paths: Sequence[str | os.PathLike[str]],
    names: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw the measured bias of each attack against its looks, with bounds; log-log.

    Parameters
    ----------
    summaries
        What `summarise` returns; those of other sizes are left out.
    n_examples, n_classes
        The sizes that the figure is for.
    paths
        Where to save it; the suffix says as what (.png, .svg, .pdf). Folders are made.
    names
        What the legend calls attacks, if not by their names.

    Returns
    -------
    The paths.
    """
    check_can_draw()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    n, m = n_examples, n_classes
    points = [s for s in summaries if (s["n_examples"], s["n_classes"]) == (n, m)]
    most = max([10, *(s["n_queries"] for s in points)])
    grid = _looks(n, m, 2 * most)
    settings: Any = {"font.size": 11, "svg.hashsalt": "holdfast", "svg.fonttype": "path"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(9.6, 5.8), layout="constrained")
        axes = figure.add_subplot()
        _draw_bounds(axes, grid, n, m)
        _draw_attacks(axes, points, grid, n, m, names or {})
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(0.8, grid[-1])
        axes.set_ylim(_lowest(points, n, m), 1.35 * (1 - 1 / m))
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axes.set_xlabel("scored submissions (looks)")
        axes.set_ylabel("gain: accuracy above guessing, in points")
        # Names that say more leave the axes little of the width, and a title over them is cut off.
        head = axes.set_title if names is None else figure.suptitle
        head(f"Overfitting a hidden test set: {n:,} examples, {m:,} classes", fontsize="large")
        axes.grid(which="major", color="0.88", linewidth=0.8)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        figure.legend(loc="outside right center", frameon=False, handlelength=HANDLE_LENGTH)
        saved = [Path(path) for path in paths]
        for path in saved:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without the date the same numbers make the same file.
            figure.savefig(path, dpi=150, metadata=_dateless(path))
    return saved


def _looks(n: int, m: int, most: int) -> NDArray[np.int64]:
    """Return the looks that curves are drawn through, with both ends of each guarantee's range."""
    evenly = np.geomspace(1, most, 60).astype(np.int64)
    return np.unique([*evenly, *(end for end in regime_edges(n, m) if end <= most)])


def _draw_bounds(axes: Any, grid: NDArray[np.int64], n: int, m: int) -> None:
    highest = 1 - 1 / m

    def above(k: int) -> float:
        return best_impossible(Problem(n, m, k)) - 1 / m

    def above_fixed(k: int) -> float:
        return best_impossible(Problem(n, m, k), analyst="non-adaptive") - 1 / m

    anyone, fixed = _curve(above, grid), _curve(above_fixed, grid)
    axes.fill_between(anyone.looks, anyone.bias, 2 * highest, color="0.90", linewidth=0)
    axes.plot(*anyone, color="black", linewidth=1.8, label="no attack can exceed")
    axes.plot(
        *fixed, color="black", linewidth=1.4, linestyle=":", label="no non-adaptive attack can"
    )


def stands_out(mean: float, stderr: float) -> bool:
    """Tell whether a mean is so far above zero that it has a place on a logarithmic axis."""
    return mean > LEAST_ERRORS_ABOVE_ZERO * _error(stderr)


def _draw_attacks(
    axes: Any,
    points: Sequence[Mapping[str, Any]],
    grid: NDArray[np.int64],
    n: int,
    m: int,
    shown: Mapping[str, str],
) -> None:
    names = list(dict.fromkeys(point["attack"] for point in points))
    for at, name in enumerate(names):
        seen = sorted(
            (point["n_queries"], point["bias"].mean, _error(point["bias"].stderr))
            for point in points
            if point["attack"] == name and stands_out(*point["bias"])
        )
        if not seen:
            continue
        colour = COLOURS[at % len(COLOURS)]
        looks, means, errors = (np.array(part) for part in zip(*seen, strict=True))
        axes.errorbar(
            looks,
            means,
            yerr=errors,
            color=colour,
            marker=MARKERS[at % len(MARKERS)],
            linestyle=DASHES[at // len(MARKERS) % len(DASHES)],
            markersize=6,
            linewidth=1.3,
            capsize=3,
            label=shown.get(name, name),
        )
        if name in GUARANTEES:
            bound = GUARANTEES[name]
            curve = _curve(partial(_guaranteed_at, bound, n, m), grid)
            if curve.looks.size:
                label = STATEMENTS[bound]
                axes.plot(*curve, color=colour, linestyle="--", linewidth=1.6, label=label)


def guaranteed(bound_name: str, problem: Problem) -> float | None:
    """Return the bias that a statement guarantees its attack; None: it does not apply."""
    accuracy = STATEMENTS_OF[bound_name](problem).accuracy
    return None if accuracy is None else accuracy - 1 / problem.n_classes


def _guaranteed_at(bound_name: str, n: int, m: int, k: int) -> float | None:
    return guaranteed(bound_name, Problem(n, m, k))


def _curve(bias: Callable[[int], float | None], grid: NDArray[np.int64]) -> _Curve:
    """Evaluate a bound wherever it applies."""
    points = [(float(k), value) for k in grid.tolist() if (value := bias(k)) is not None]
    looks, values = zip(*points, strict=True) if points else ((), ())
    return _Curve(np.array(looks), np.array(values))


def _lowest(points: Sequence[Mapping[str, Any]], n: int, m: int) -> float:
    """Return a lower end of the axis that shows every visible mean and the first guarantee."""
    seen: list[float] = [
        point["bias"].mean - _error(point["bias"].stderr)
        for point in points
        if point["bias"].mean > LEAST_ERRORS_ABOVE_ZERO * _error(point["bias"].stderr) > 0
    ]
    return 0.6 * min([SMALL_K / math.sqrt(n * m), *seen])


def _error(stderr: float) -> float:
    return 0.0 if np.isnan(stderr) else stderr


def _dateless(path: Path) -> dict[str, None]:
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower(), {})
