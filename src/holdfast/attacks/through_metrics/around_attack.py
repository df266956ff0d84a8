"""Attacks around another one: they hand it the match counts behind a metric's values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import Lattice
from holdfast.attacks.exact.lattice.forecast import lattice_affordable, lattice_looks
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    MetricEstimate,
    ThroughMetric,
)
from holdfast.errors import NotSupported
from holdfast.problem import Problem

__all__ = ["EXACT", "LATTICE", "AroundAttack", "OnCounts", "Told", "proved_by"]


class Told(NamedTuple):
    """How match counts that are read off values reach an attack on accuracies.

    Parameters
    ----------
    unit
        What a value differs by between no match and all: noise and steps of the rule count in it.
        None: the rule is undone, and `blur` is all that is left of it.
    blur
        The standard deviation of the accuracies that it is told.
    """

    unit: float | None = 1.0
    blur: float = 0.0


# Counts as they are, whatever the values are rounded to.
EXACT = Told(None)


def _unknown(problem: Problem, told: Told = EXACT) -> MetricEstimate:  # noqa: ARG001 - of any
    raise NotSupported("no formula tells what it gains.")


class OnCounts(NamedTuple):
    """An attack on match counts, to be put on a board that shows something else.

    Parameters
    ----------
    name
        What tables call it.
    summary
        What it does, in six words.
    make
        Makes it from a problem, `rng=` and `told=`: how counts reach it.
    forecast
        What it gains on a problem where accuracies are shown, and they reach it so.
    """

    name: str
    summary: str
    make: Callable[..., Any]
    forecast: Callable[..., MetricEstimate] = _unknown


def _lattice(problem: Problem, *, rng: np.random.Generator, told: Told) -> Lattice:  # noqa: ARG001
    return Lattice(problem, rng=rng)


def _lattice_forecast(problem: Problem, told: Told = EXACT) -> MetricEstimate:  # noqa: ARG001
    n, m, k = problem
    known = min(n, lattice_affordable(k, problem))
    looks = math.ceil(lattice_looks(n, m))
    return MetricEstimate.of_proved(known, looks, "labels made certain", problem)


LATTICE = OnCounts(Lattice.name, Lattice.summary, _lattice, _lattice_forecast)


def proved_by(attack: Any, n_examples: int) -> NDArray[np.bool_]:
    """Return which labels an attack has proved; none where it proves none, or has not begun."""
    known: NDArray[np.bool_] = np.zeros(n_examples, dtype=np.bool_)
    if getattr(attack, "proves_labels", False):
        known = attack.certain()
    return known


class AroundAttack(ThroughMetric):
    """An attack through a metric that plays another one, on match counts.

    Attributes
    ----------
    takes_prior
        Whether that attack may start from what is known of the labels; it is named beside this one
        then.
    takes_climbers
        Whether that attack may be one that hears only which look was the best.
    """

    takes_prior: ClassVar[bool] = True
    takes_climbers: ClassVar[bool] = False

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> Any:
        """Make it for a board whose metric it reads, around an attack on match counts."""
        raise NotImplementedError

    @classmethod
    def forecast_on(
        cls, problem: Problem, board: MetricBoard, inner: OnCounts = LATTICE
    ) -> MetricEstimate:
        """Forecast what it gains around an attack on match counts."""
        raise NotImplementedError
