r"""Information bounds: an expected accuracy costs nats, and an answer carries few of them.

For uniform labels Z and any analyst, n KL(a || 1/m) <= I(Z; answers) <= H(answers), where a is the
expected accuracy and KL the divergence of two coins. docs/bounds/information.md has the proofs.
"""

from __future__ import annotations

import math

from holdfast.bounds.binomial import divergence, entropy
from holdfast.bounds.bisection import largest
from holdfast.bounds.record import Bound, with_parity
from holdfast.problem import Problem

__all__ = ["information_non_adaptive"]


def accuracy_from_information(nats: float, n_examples: int, n_classes: int) -> float:
    """Return the largest a with n KL(a || 1/m) <= nats: 1/m for no information, 1 from n log m on.

    Bisection on the gain, rounded up, so that the bound is never too low; exactly monotone in
    `nats`.

    >>> accuracy_from_information(0.0, 100, 10), accuracy_from_information(231.0, 100, 10)
    (0.1, 1.0)
    """
    if nats <= 0.0:
        return 1.0 / n_classes
    target = nats / n_examples
    if target >= math.log(n_classes):
        return 1.0
    gain = largest(lambda x: divergence(x, n_classes) <= target, 0.0, 1.0 - 1.0 / n_classes)
    return min(1.0, 1.0 / n_classes + gain)


def nats_non_adaptive(problem: Problem, *, abstentions: bool = False) -> float:
    """Return an upper bound on the entropy of the answers to queries fixed in advance.

    Every answer is Bin(n, 1/m); for m = 2 the parity of all but the first is known, one bit less,
    unless queries may abstain.
    """
    n, m, k = problem
    one = entropy(n, m)
    return one + (k - 1) * (one - math.log(2.0) if m == 2 and not abstentions else one)


def information_non_adaptive(problem: Problem) -> Bound:
    """Return the information bound for queries fixed before the first answer.

    Examples
    --------
    >>> round(information_non_adaptive(Problem(50_000, 1000, 1000)).accuracy, 4)
    0.0282
    """
    n, m, _ = problem
    return Bound(
        name="information-non-adaptive",
        statement="information inequality, non-adaptive (docs/bounds.md)",
        conditions="all queries fixed before the first answer",
        accuracy=accuracy_from_information(nats_non_adaptive(problem), n, m),
        analyst="non-adaptive",
        assumptions=with_parity(problem),
    )
