r"""Lindström's detecting design for m labels: what each node of the lattice can hold.

Queries are the rows x = 0 .. K-1, read as sets of bits; with x every subset of x is a smaller
number, so any K gives a family closed under subsets. A node is a row a >= 1 with s = |a| bits.
What an example at node a shows in row x depends only on the bits of x inside a, so in the
alternating sum over the subsets of a,

    T_a = sum over x ⊆ a of (-1)^(|a|-|x|) A(x),

an example at a node that does not contain a cancels, one at a contributes a value that its labels
were arranged for, and one at a larger node contributes what is known once that node is decoded.

A node has 2^(s-1) subsets of either sign. A *digit* asks about h labels of one example: label l is
shown on |c(l)| U subsets of the sign of c(l), with c = 1, -1, 2, -2, .., h/2, -h/2, and the subsets
that are left over are paired onto equal labels. The example adds c(its label) U to T_a, 0 if its
label is none of the h. That needs W U <= 2^(s-1), W = 1 + 2 + .. + h/2, and the digits of a node
use the units U = 1, h_1 + 1, (h_1 + 1)(h_2 + 1), .. and are read off like those of a number. For
even m all m labels can also have odd values, 1, -1, 3, -3, .., and the base m instead of m + 1.

A *pool* is any number of examples that show label 1 on U subsets of positive sign and label 0
elsewhere. It adds U times its surplus of 1s over 0s, and comes last in its node, so that its range
does not matter. All of the pool is guessed 1 if there are more of them, 0 if there are fewer, and a
third label if there are as many: then either of the two is rarer than a label that was not asked.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.subset_lattice import node_sizes
from holdfast.bounds.bisection import least
from holdfast.bounds.multinomial import one_query_gain
from holdfast.kernels.lazy_walk import expected_distances, return_probabilities
from holdfast.problem import Problem

__all__ = [
    "DesignPlan",
    "Digit",
    "NodePlan",
    "capacity",
    "plan_exact",
    "plan_pooled",
    "pool_gains",
    "too_many_to_plan",
]

# Pools of every size up to n are weighed, which takes a few seconds for so many examples. Plans
# leave the attacks out beyond; they can be played all the same.
MOST_WEIGHED = 2_000_000


class Digit(NamedTuple):
    """One example's place in a node: it is asked about `labels` labels, in units of `unit`."""

    labels: int
    unit: int


class NodePlan(NamedTuple):
    """What a node holds. `odd`: its digits have odd values. `pool`: the pool's unit, 0 if none."""

    digits: tuple[Digit, ...]
    pool: int
    odd: bool


def weight(labels: int, odd: bool) -> int:
    """Return W, the sum of the positive values of a digit that asks about so many labels."""
    half = labels // 2
    return half * half if odd else half * (half + 1) // 2


def digit_gain(labels: int, n_classes: int) -> float:
    """Return how much likelier a digit's example is guessed right than one not asked about.

    Its label is among the h with probability h/m; otherwise one of the m - h others is guessed.
    """
    return min(labels, n_classes - 1) / n_classes


def _full(n_classes: int, bits: int, odd: bool) -> NodePlan:
    """Fill a node with digits that ask about every label (all but one, if m is odd)."""
    node_capacity = 1 << (bits - 1)
    labels = n_classes - n_classes % 2
    base = labels if odd else labels + 1
    digits, unit = [], 1
    while weight(labels, odd) * unit <= node_capacity:
        digits.append(Digit(labels, unit))
        unit *= base
    return NodePlan(tuple(digits), 0, odd)


@cache
def most_digits(n_classes: int, bits: int) -> NodePlan:
    """Return the plan that identifies the most labels at a node with this many bits."""
    plans = [_full(n_classes, bits, odd=False)]
    if n_classes % 2 == 0:
        plans.append(_full(n_classes, bits, odd=True))
    return max(plans, key=lambda plan: len(plan.digits))


@cache
def _packings(n_classes: int, bits: int) -> tuple[tuple[float, tuple[Digit, ...], int], ...]:
    """Return the best even-valued digits of a node, by their number, with and without a pool.

    Whatever examples and pools are worth, one of these is the best: the gain of its digits, the
    digits, and the pool's unit, 0 if there is none.
    """
    m, node_capacity = n_classes, 1 << (bits - 1)
    choices = sorted(
        {
            min(h, m - m % 2)
            for h in (*range(2, 18, 2), 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, m)
        }
    )

    @cache
    def best(unit: int) -> dict[tuple[int, bool], tuple[float, tuple[Digit, ...], int]]:
        found: dict[tuple[int, bool], tuple[float, tuple[Digit, ...], int]] = {}
        if unit <= node_capacity:
            found[0, True] = (0.0, (), unit)
        found[0, False] = (0.0, (), 0)
        for labels in choices:
            if weight(labels, False) * unit > node_capacity:
                break
            for (count, pooled), (gain, digits, pool) in best(unit * (labels + 1)).items():
                more, at = gain + digit_gain(labels, m), (count + 1, pooled)
                if at not in found or more > found[at][0] + 1e-12:
                    found[at] = (more, (Digit(labels, unit), *digits), pool)
        return found

    return tuple(best(1).values())


def most_gain(n_classes: int, bits: int, worth: float, price: float) -> NodePlan:
    """Return the plan with the largest expected gain.

    Even values: a search over how many labels each digit asks about. Odd values: the digits that
    leave room for a pool, whose surplus moves in steps of 2 for two classes and of 1 for more.

    Parameters
    ----------
    n_classes
        m.
    bits
        s, the size of the node.
    worth
        What a pool gains, less the price of its examples.
    price
        What an example would gain elsewhere: a digit is worth its gain less the price.
    """
    m, node_capacity = n_classes, 1 << (bits - 1)
    best, plan = 0.0, NodePlan((), 0, False)
    for gain, digits, pool in _packings(m, bits):
        total = gain - price * len(digits) + (worth if pool else 0.0)
        if (worth > 0 or not pool) and total > best + 1e-12:
            best, plan = total, NodePlan(digits, pool, False)
    found = [(best, plan)]
    if m % 2 == 0:
        odd = _full(m, bits, odd=True)
        each = digit_gain(m, m) - price
        found.append((len(odd.digits) * each, odd))
        for count in range(len(odd.digits), -1, -1):
            unit: int = m**count * (2 if m > 2 and count else 1)
            if unit <= node_capacity:
                found.append((count * each + worth, NodePlan(odd.digits[:count], unit, True)))
                break
    return max(found, key=lambda pair: pair[0])[1]


def capacity(n_classes: int, n_queries: int) -> int:
    """Return how many labels this many queries identify, whatever the labels are.

    With two classes one more example is found from what the empty set's answer leaves; for
    n <= 13 this is the most that any fixed set of queries can do.

    >>> capacity(2, 1024), capacity(3, 1024), capacity(10, 1024)
    (5121, 3082, 649)
    """
    sizes = node_sizes(n_queries)
    total = sum(count * len(most_digits(n_classes, bits).digits) for bits, count in sizes.items())
    return total + (n_classes == 2)


class DesignPlan(NamedTuple):
    """How many queries are asked, what nodes of each size hold, and the gain that is expected."""

    n_queries: int
    nodes: dict[int, NodePlan]
    gain: float


@lru_cache(maxsize=64)
def plan_exact(problem: Problem) -> DesignPlan:
    """Identify as many labels as can be; all of them if possible, in as few queries as it takes."""
    n, m, k = problem
    if capacity(m, k) >= n:
        k = least(lambda looks: capacity(m, looks) >= n, 0, k)
    sizes = node_sizes(k)
    nodes = {bits: most_digits(m, bits) for bits in sizes}
    seated = min(n, sum(count * len(nodes[bits].digits) for bits, count in sizes.items()))
    return DesignPlan(k, nodes, seated * (1 - 1 / m) + one_query_gain(n - seated, m))


def too_many_to_plan(problem: Problem) -> str | None:
    """Return why a plan does not weigh pools of so many examples; None: it does."""
    if problem.n_examples <= MOST_WEIGHED:
        return None
    return f"its exact sum over pools takes too long with over {MOST_WEIGHED:,} examples"


@lru_cache(maxsize=64)
def pool_gains(most: int, n_classes: int, *, third_label: bool = True) -> NDArray[np.float64]:
    """Return what pools of 0 .. most examples gain above chance.

    Let S_g be the surplus of 1s over 0s among g examples, a lazy walk. An example has label 1, 0 or
    another one, each with probability 1/m, and the others' surplus makes up for it: given S_g = s,
    in proportion to P(S_{g-1} = s-1), P(S_{g-1} = s+1) and P(S_{g-1} = s). The walk's law falls to
    both sides of 0, so the best of the three is 1 for s > 0, 0 for s < 0 and another label for
    s = 0. Summed over s the best is 1 + 2 P(S_{g-1} = 0), and the pool gains (2g/m) P(S_{g-1} = 0).
    Two classes have no third label, and gain E|S_g|/2; so do pools that are denied one.

    >>> pool_gains(2, 10)
    array([0.  , 0.2 , 0.32])
    """
    if n_classes == 2 or not third_label:
        return expected_distances(most, n_classes) / 2
    before = return_probabilities(most, n_classes)
    gains = np.zeros(most + 1)
    gains[1:] = 2.0 * np.arange(1, most + 1) / n_classes * before[:-1]
    return gains


@lru_cache(maxsize=64)
def plan_pooled(problem: Problem, *, third_label: bool = True) -> DesignPlan:
    """Gain as much as can be expected, certain or not; `third_label` as in `pool_gains`.

    Examples are scarce once there are many nodes, so each has a price, the same everywhere. At a
    given price every node takes what it gains most from; the price is raised until no more
    examples are taken than there are.
    """
    n, m, k = problem
    exact = plan_exact(problem)
    if capacity(m, k) >= n or k == 1:
        return exact
    sizes = node_sizes(k)
    best = exact
    low, high = 0.0, 1.0
    gains = pool_gains(n, m, third_label=third_label)
    sizes_of_pools = np.arange(gains.size)
    # A pool of g gains at most sqrt(steepest * g): one of more than steepest / price^2 costs more
    # than it gains.
    steepest = float((gains[1:] ** 2 / sizes_of_pools[1:]).max())
    for _ in range(30):
        price = (low + high) / 2
        reach = min(n, math.ceil(steepest / price**2)) + 1
        net = gains[:reach] - price * sizes_of_pools[:reach]
        size = int(net.argmax())
        nodes = {bits: most_gain(m, bits, float(net[size]), price) for bits in sizes}
        best = max(best, _filled(problem, nodes, gains), key=_gain)
        held = sum(sizes[bits] * len(nodes[bits].digits) for bits in sizes)
        hosts = sum(sizes[bits] for bits in sizes if nodes[bits].pool)
        low, high = (price, high) if held + hosts * size > n else (low, price)
    # With few nodes a pool gains no more than a digit, and without pools the empty set's answer
    # counts the examples that are left.
    alone = {bits: most_gain(m, bits, 0.0, 0.0) for bits in sizes}
    bare = {bits: node._replace(pool=0) for bits, node in alone.items()}
    return max(best, _filled(problem, bare, gains), key=_gain)


def _gain(plan: DesignPlan) -> float:
    return plan.gain


def _filled(problem: Problem, nodes: dict[int, NodePlan], gains: NDArray[np.float64]) -> DesignPlan:
    """Return the plan of these nodes; it gains nothing if they ask for more examples than are."""
    n, m, k = problem
    sizes = node_sizes(k)
    held = sum(sizes[bits] * len(nodes[bits].digits) for bits in sizes)
    if held > n:
        return DesignPlan(k, nodes, 0.0)
    digits = sum(
        sizes[bits] * sum(digit_gain(digit.labels, m) for digit in nodes[bits].digits)
        for bits in sizes
    )
    hosts = sum(sizes[bits] for bits in sizes if nodes[bits].pool)
    if not hosts:
        return DesignPlan(k, nodes, digits + one_query_gain(n - held, m))
    each, more = divmod(n - held, hosts)
    pools = float((hosts - more) * gains[each] + more * gains[min(each + 1, n)])
    return DesignPlan(k, nodes, digits + pools)
