"""Descriptions of attacks through a metric, by which plans, audits and sweeps select them.

Where another number than one accuracy is shown, an attack says in `reads_metric` whose values it
reads, in `fits` what must be public, and in `on_board` how it is made for a board.
`registry.attacks_on` asks all of them. An attack that puts another one, on match counts, on such a
board derives from `AroundAttack` and is given that one.
`ByGroup` and `ClassPools` are told several numbers at a look: they say their name and summary here,
and are made by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Described
from holdfast.attacks.exact.lattice import Lattice
from holdfast.errors import NotSupported
from holdfast.metrics import Accuracy, BalancedAccuracy, LabelMetric, Metric, RocAuc
from holdfast.problem import Problem

__all__ = [
    "EXACT",
    "LATTICE",
    "AroundAttack",
    "MetricBoard",
    "OnCounts",
    "ThroughMetric",
    "Told",
    "label_metric",
    "proved_by",
    "scores_two_classes",
]


class MetricBoard(NamedTuple):
    """What is public of a board that shows one number per look.

    Parameters
    ----------
    metric
        The metric whose values are shown.
    low, high
        The least and the largest hidden number, where numbers are hidden.
    sizes
        How many examples each class has, where that is public; None: it is not known.
    shares
        The class shares, where everybody knows that classes are unequal.
    step
        By how much a value must rise to be shown as a new best; 0: any rise is.
    changed
        Why values can't be read as they are, where the rule does more than rounding.
    is_group
        Whether it is one group of a test set, whose class sizes are not public.
    noise
        The standard deviation of what the rule adds to each look's own value, before it rounds;
        None: it does not tell each look's own value.
    rounding
        The step to which it rounds; 0: it does not.
    lowest, highest
        Where values are cut off.
    targets
        The hidden numbers in no order, as far as their mean and quantiles are public: looks at
        constants tell them.
    in_runs
        Whether rows come in runs of one label.
    """

    metric: Metric
    low: int = 0
    high: int = 1
    sizes: tuple[int, ...] | None = None
    shares: tuple[float, ...] | None = None
    step: float = 0.0
    changed: str | None = None
    is_group: bool = False
    noise: float | None = 0.0
    rounding: float = 0.0
    lowest: float = -math.inf
    highest: float = math.inf
    targets: NDArray[Any] | None = None
    in_runs: bool = False

    @property
    def decimals(self) -> int | None:
        """How many decimals are shown; None: all that a float has, or it rounds to another step.

        >>> from holdfast.metrics import F1
        >>> MetricBoard(F1(), rounding=0.01).decimals
        2
        """
        return next((each for each in range(13) if self.rounding == 10.0**-each), None)

    @property
    def positives(self) -> int | None:
        """The number of positives of two classes, where it is public."""
        return None if self.sizes is None else self.sizes[1]

    def about(self, problem: Problem) -> MetricBoard:
        """Return it for a whole test set or for one of its groups, whichever has these sizes.

        >>> from holdfast.metrics import F1
        >>> MetricBoard(F1(), sizes=(60, 40)).about(Problem(30, 2, 5)).is_group
        True
        """
        if self.sizes is None or sum(self.sizes) == problem.n_examples:
            return self
        return self._replace(sizes=None, is_group=True)


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
    """

    name: str
    summary: str
    make: Callable[..., Any]


def _lattice(problem: Problem, *, rng: np.random.Generator, told: Told) -> Lattice:
    if told.blur:
        raise NotSupported("it needs exact counts, and these have a variance.")
    return Lattice(problem, rng=rng)


LATTICE = OnCounts(Lattice.name, Lattice.summary, _lattice)


def proved_by(attack: Any, n_examples: int) -> NDArray[np.bool_]:
    """Return which labels an attack has proved; none where it proves none, or has not begun."""
    known: NDArray[np.bool_] = np.zeros(n_examples, dtype=np.bool_)
    if getattr(attack, "proves_labels", False):
        known = attack.certain()
    return known


class ThroughMetric(Described):
    """What is true of an attack through a metric, said once: a subclass overrides what differs.

    Attributes
    ----------
    title
        What tables call it: its name, unless it says otherwise.
    reads_decimals
        Whether it reads values as they are, or rounded to decimals, and nothing else.
    narrows
        Whether `ranges()` tells the least and the largest number that each target can still be.
    tells_class_sizes
        Whether `class_sizes` tells how many examples each class has, and `inner` the attack on
        match counts: then a final submission may call what is not proved as the metric likes best.
    """

    title: ClassVar[str]
    reads_decimals: ClassVar[bool] = True
    narrows: ClassVar[bool] = False
    tells_class_sizes: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.title = cls.__dict__.get("title", cls.name)

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it reads values of this metric."""
        return False

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is worth making for what is public of a board whose metric it reads.

        What rounding or a rule hides does not matter here: `on_board` refuses that.
        """
        return True

    @classmethod
    def variants(cls, board: MetricBoard) -> list[dict[str, int]]:  # noqa: ARG003
        """Return what `on_board` may be given besides, of which nobody knows what is best."""
        return [{}]

    @classmethod
    def on_board(
        cls,
        problem: Problem,  # noqa: ARG003
        board: MetricBoard,  # noqa: ARG003
        *,
        rng: np.random.Generator,  # noqa: ARG003
    ) -> Any:
        """Make it for a board whose metric it reads.

        Raises `NotSupported`, with the reason, where it can't play.
        """
        raise TypeError(f"{cls.__name__} reads no metric by itself.")


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


def label_metric(metric: Metric) -> LabelMetric:
    """Return the metric of labels whose value is shown for a submission of labels 0 and 1.

    With two scores only, the area under the ROC curve is the balanced accuracy.

    >>> str(label_metric(RocAuc()))
    'balanced_accuracy'
    """
    shown = BalancedAccuracy() if isinstance(metric, RocAuc) else metric
    assert isinstance(shown, LabelMetric)
    return shown


def scores_two_classes(metric: Metric, n_classes: int) -> bool:
    """Tell whether labels of two classes get another value than their accuracy."""
    kinds = isinstance(metric, LabelMetric | RocAuc) and not isinstance(metric, Accuracy)
    return n_classes == 2 and kinds
