"""The dense r-label design, decoded by centred group means."""

from __future__ import annotations

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.attacks.designs.message_passing import MessagePassing
from holdfast.attacks.designs.subset_design import SubsetDesign, label_counts, one_step_accuracy
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["LabelSubset"]


class LabelSubset(MessagePassing):
    r"""Give each example r of the m labels in random queries; take the best group mean.

    Two labels per block stop at 2/m, and all m labels spread the answers too thin until
    k > 9 m log m: between n/m and m log m queries the paper proves nothing. Here each example
    shows r labels of its own, each in k/r of the queries. The answers of the queries that show
    its true label are one higher on average, so the label with the best mean, above the mean of
    all answers, is the guess.

    The more labels, the likelier the true one is among them, and the fewer answers each one has:

        accuracy = (r/m) integral phi(x) Phi(x + d)^(r-1) dx,   d^2 = k m / ((r-1) n)

    for exact answers, and r is chosen to make it largest. For few queries r = 3 has the largest
    constant over r, .598 sqrt(k/(mn)), against .564 for two labels.

    It is one round of `MessagePassing`, and takes the same parameters.

    Departures
    ----------
    Not in the paper; it fills the gap between its two regimes (1 + n/2m < k <= 9 m log m).

    Examples
    --------
    >>> import numpy as np
    >>> attack = LabelSubset(Problem(10_000, 100, 1000), rng=np.random.default_rng(0))
    >>> attack.n_labels
    8
    >>> round(LabelSubset.expected_accuracy(attack.problem), 4)
    0.036
    """

    summary = "averages random queries of few labels"
    effort = 40.0
    results = 2  # since 2: decoded as one round of message passing
    rounds = 1

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with in this setting; None: it can."""
        return super(MessagePassing, cls).obstacle(setting)

    @classmethod
    def best_label_count(cls, problem: Problem, answers: AnswerModel) -> int:
        """Return the number of labels with the largest expected accuracy of one step."""
        return SubsetDesign.best_label_count(problem, answers)

    @classmethod
    def expected_accuracy(cls, problem: Problem, *, answers: AnswerModel | None = None) -> float:
        """Return the accuracy in the Gaussian limit, with the best r and without a prior."""
        model = ExactAnswers() if answers is None else answers
        return max(one_step_accuracy(problem, r, model) for r in label_counts(problem.n_classes))
