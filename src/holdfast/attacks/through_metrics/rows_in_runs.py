"""Runs of rows as the examples of a small problem: attacks on the order of a test set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NewBestAnswers,
    NoisyAnswers,
    RankAnswers,
    RoundedAnswers,
    SubsetAnswers,
    check_tolerated,
)
from holdfast.attacks.climbing.block_climb import BlockClimb
from holdfast.attacks.description import Needs, NewBestBoard, Reads
from holdfast.attacks.outer import Outer
from holdfast.attacks.registry import register
from holdfast.attacks.through_metrics.affine_forms import has_affine_form
from holdfast.attacks.through_metrics.description import MetricBoard, ThroughMetric
from holdfast.attacks.through_metrics.linear_reader import LinearReader
from holdfast.errors import NotSupported
from holdfast.metrics import Accuracy, LabelMetric, Metric, RocAuc, Submission
from holdfast.priors import Prior
from holdfast.problem import Problem, check_at_least

__all__ = ["RowsInRuns", "RunClimb", "RunReader"]

# Into so many parts audits cut the rows: nobody knows where runs begin and end.
RUNS = (16, 20, 32, 40, 64)


class RowsInRuns(Outer):
    """Play an attack on parts of the rows, each part as one example; a subclass says which attack.

    The rows are cut into `runs` parts of equal length, up to one row, and all rows of a part are
    called alike. A metric of parts that have one label each is that of their rows: accuracies,
    recalls, F1 and their kin stay the same if every count is multiplied, and so do areas under the
    ROC curve, and means of losses. So the inner attack is told the released values as they are. A
    part that begins in one run and ends in another has some of each label, which linear estimates
    take as they come.

    Parameters
    ----------
    problem
        The sizes of the board.
    inner
        The attack on parts.
    runs
        How many parts its problem has.
    """

    needs = Needs.RUNS

    def __init__(self, problem: Problem, inner: Any, runs: int) -> None:
        super().__init__(inner)
        self._problem = problem
        self._part = np.arange(problem.n_examples) * runs // problem.n_examples

    @property
    def problem(self) -> Problem:
        """The sizes of the board."""
        return self._problem

    def send(self, query: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return what every row is given, of what each part is."""
        found: NDArray[np.generic] = np.asarray(query)[self._part]
        return found

    @classmethod
    def variants(cls, board: MetricBoard) -> list[dict[str, int]]:  # noqa: ARG003
        """Return into how many parts the rows may be cut."""
        return [{"runs": runs} for runs in RUNS]

    @classmethod
    def fits(cls, board: MetricBoard, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether rows come in runs."""
        return board.in_runs


def _parts_of(problem: Problem, runs: int) -> Problem:
    """Return the problem of so many parts, at most one for each row."""
    problem = Problem.of(problem)
    return problem._replace(n_examples=min(check_at_least("runs", runs, 2), problem.n_examples))


@register
class RunReader(RowsInRuns, ThroughMetric):
    """Estimate the label of each part of the rows from random submissions' values.

    `LinearReader` on parts: twenty looks tell most of forty labels, however many rows each stands
    for.

    Departures
    ----------
    Not in the paper, whose examples have no order.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the submissions come from.
    answers
        What a released accuracy tells, where accuracies are shown.
    prior
        What is known of the labels, of which the class sizes are used; None: accuracies are read as
        those of equal classes.
    runs
        Into how many parts the rows are cut.
    metric
        What the board shows.
    noise, step, sizes, shares, highest
        As `LinearReader` takes them, of the whole board.

    Examples
    --------
    >>> from holdfast import oracles, play
    >>> hidden = np.random.default_rng(1).integers(2, size=40).repeat(50)
    >>> board = oracles.LabelOracle(hidden, problem=Problem(2000, 2, 30))
    >>> attack = RunReader(Problem(2000, 2, 30), rng=np.random.default_rng(0), runs=40)
    >>> bool(np.mean(play(attack, board) == hidden) > 0.8)
    True
    """

    summary = "estimates each run's label from values"
    reads_decimals = False
    takes_answers = True
    takes_prior = True
    tolerates = frozenset({ExactAnswers, RoundedAnswers, NoisyAnswers, SubsetAnswers})
    intolerance = "it reads every look's own value"

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether values are affine in the labels."""
        return has_affine_form(metric, n_classes)

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator, runs: int = 32
    ) -> RunReader:
        """Make it for a board that tells something of every look's own value."""
        if board.noise is None:
            raise NotSupported("it reads every look's own value, and the rule does not tell it.")
        return cls(
            problem,
            rng=rng,
            runs=runs,
            metric=board.metric,
            noise=board.noise,
            step=board.rounding,
            sizes=board.sizes,
            shares=board.shares,
            highest=board.highest,
        )

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        answers: AnswerModel | None = None,
        prior: Prior | NDArray[Any] | None = None,
        runs: int = 32,
        metric: Metric | None = None,
        noise: float = 0.0,
        step: float = 0.0,
        sizes: Sequence[float] | None = None,
        shares: Sequence[float] | None = None,
        highest: float = math.inf,
    ) -> None:
        problem, parts = Problem.of(problem), _parts_of(problem, runs)
        if answers is not None:
            check_tolerated(type(self), answers, problem)
            noise = math.hypot(noise, math.sqrt(answers.variance(problem)) / problem.n_examples)
        if prior is not None:
            known = prior if isinstance(prior, Prior) else Prior.dense(prior)
            known.check_fits(problem)
            sizes = known.dense_rows().sum(axis=0).tolist()
        elif metric is None and sizes is None and shares is None:
            sizes = [problem.n_examples / problem.n_classes] * problem.n_classes
        # Where all parts but a few have a row more, values of parts are off by up to this much.
        noise = math.hypot(noise, 0.5 / problem.n_examples)
        whole = None if sizes is None else np.array(sizes) * (parts.n_examples / problem.n_examples)
        inner = LinearReader(
            parts,
            rng=rng,
            metrics=[Accuracy() if metric is None else metric],
            noise=noise,
            step=step,
            sizes=None if whole is None else whole.tolist(),
            shares=shares,
            highest=highest,
        )
        super().__init__(problem, inner, parts.n_examples)


@register
class RunClimb(RowsInRuns, ThroughMetric):
    """Climb by the labels of parts of the rows: one bit a look is enough.

    `BlockClimb` on parts. Where the order of scores counts there are twice as many parts as looks:
    those that are never challenged stand between those called positive and those called negative.

    Departures
    ----------
    Not in the paper, whose examples have no order.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the climb's seed is drawn from.
    runs
        Into how many parts the rows are cut; None: one for each look, or two, 8 to 64.
    scores
        Whether the board takes scores rather than labels.
    climb
        As `BlockClimb` takes it.

    Examples
    --------
    >>> from holdfast import oracles, play
    >>> from holdfast.rules import Ladder
    >>> hidden = np.random.default_rng(1).integers(2, size=40).repeat(50)
    >>> problem = Problem(2000, 2, 40)
    >>> board = oracles.LabelOracle(hidden, problem=problem, mechanism=Ladder(0.01))
    >>> attack = RunClimb(problem, rng=np.random.default_rng(0))
    >>> bool(np.mean(play(attack, board) == hidden) > 0.8)
    True
    """

    summary = "climbs by the labels of runs"
    reads = Reads.NEW_BEST
    reads_decimals = False
    tolerates = frozenset({ExactAnswers, RankAnswers, NewBestAnswers})
    intolerance = "noise or rounding would decide what it keeps"
    fewest_and_most: ClassVar[tuple[int, int]] = (8, 64)

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:
        """Return those of the climb."""
        return BlockClimb.settings_for(problem, board)

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it scores labels, or the order of two classes."""
        return isinstance(metric, LabelMetric) or (isinstance(metric, RocAuc) and n_classes == 2)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        runs: int | None = None,
    ) -> RunClimb:
        """Make it for any board: it hears which look was the best."""
        settings = cls.settings_for(problem, NewBestBoard(board.step))
        scores = board.metric.takes is Submission.SCORES
        return cls(problem, rng=rng, runs=runs, scores=scores, **settings)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        runs: int | None = None,
        scores: bool = False,
        **climb: Any,
    ) -> None:
        problem = Problem.of(problem)
        fewest, most = self.fewest_and_most
        looks = problem.n_queries
        parts = _parts_of(problem, runs or min(most, max(fewest, (1 + scores) * looks)))
        n_parts = parts.n_examples
        # A score in the middle is neither right nor wrong: one part at a time is challenged then.
        challenged = min(n_parts, max(1, looks - 1)) if scores else n_parts
        order = rng.permutation(n_parts) if scores else np.arange(n_parts)
        inner = BlockClimb(parts._replace(n_examples=challenged), rng=rng, **climb)
        super().__init__(problem, inner, n_parts)
        self._place = order[self._part]
        self._is_challenged = self._place < challenged
        self._place = np.where(self._is_challenged, self._place, 0)

    def send(self, query: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return the label of each row's part; in the middle where it is never challenged."""
        labels: NDArray[np.generic] = np.asarray(query)[self._place]
        return labels if self._is_challenged.all() else np.where(self._is_challenged, labels, 0.5)
