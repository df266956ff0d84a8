"""Attacks on all groups of a breakdown at once: one look answers each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import Turns
from holdfast.attacks.through_metrics.description import ThroughMetric, proved_by
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.labels import Labels, label_dtype
from holdfast.problem import Problem
from holdfast.protocols import Answer, Attack

__all__ = ["ByGroup"]


class ByGroup(Turns[Labels], ThroughMetric):
    """Play one attack per group side by side: queries are merged, answers are dealt out.

    A board that shows a score for each of g groups answers g queries in one look, each about fewer
    examples. No group can tell that others are asked about, so every guarantee of the inner
    attacks holds for its group with all the looks.

    Departures
    ----------
    Not in the paper, which has one accuracy per look: the queries of independent problems,
    concatenated.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes of the whole test set; each group's attack gets all the looks.
    groups
        The group of each example, as in `metrics.Breakdown`; the answers come in its order.
    make
        Makes the attack on one group from its problem and a generator.
    rng
        Where the attacks' generators are spawned from, one for each group.

    Examples
    --------
    >>> from holdfast import attacks, metrics, oracles
    >>> problem, groups = Problem(6, 2, 9), ["a", "b", "a", "b", "a", "a"]
    >>> attack = ByGroup(problem, groups, attacks.Lattice, rng=np.random.default_rng(0))
    >>> board = oracles.MetricOracle(
    ...     [1, 0, 1, 1, 0, 0], metrics.Breakdown(groups), n_queries=9)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> attack.predict(), board.looks <= 6
    (array([1, 0, 1, 1, 0, 0], dtype=uint8), True)
    """

    summary = "plays every group by itself"

    def __init__(
        self,
        problem: Problem,
        groups: Sequence[Any] | Any,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(problem)
        n, m, k = self._problem
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
        if codes.shape != (n,):
            raise InvalidInput(f"groups must be one per example, got {codes.size} for {n}.")
        self._members = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
        generators = rng.spawn(len(self._members))
        self._attacks = [
            make(Problem(member.size, m, k), rng=generator)
            for member, generator in zip(self._members, generators, strict=True)
        ]
        self._open: list[bool] = [True] * len(self._attacks)

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002
        """Return the merged query; None when no group has anything left to ask."""
        asked = [
            attack.ask() if is_open else None
            for attack, is_open in zip(self._attacks, self._open, strict=True)
        ]
        self._open = [query is not None for query in asked]
        if not any(self._open):
            return None
        # A group that is done shows its guess: as good as anything, and nobody listens.
        parts = [
            attack.predict() if query is None else query
            for attack, query in zip(self._attacks, asked, strict=True)
        ]
        return self._merged(parts)

    def _checked(self, answer: Answer) -> tuple[float, ...]:
        """Return the groups' scores, and a total that may follow them."""
        scores = answer if isinstance(answer, tuple) else (answer,)
        if len(scores) not in (len(self._attacks), len(self._attacks) + 1):
            raise InconsistentAnswer(
                f"answer must have a score for each of {len(self._attacks)} groups, "
                f"got {len(scores)}."
            )
        return scores

    def _take(self, answer: tuple[float, ...]) -> None:
        """Deal out the groups' scores; a total that follows them is not needed."""
        for attack, is_open, score in zip(self._attacks, self._open, answer, strict=False):
            if is_open:
                attack.tell(score)

    def _guess(self) -> Labels:
        """Return every group's guess."""
        return self._merged([attack.predict() for attack in self._attacks])

    def certain(self) -> NDArray[np.bool_]:
        """Tell which labels are proved, by attacks that prove any."""
        found = np.zeros(self._problem.n_examples, dtype=np.bool_)
        for member, attack in zip(self._members, self._attacks, strict=True):
            found[member] = proved_by(attack, member.size)
        return found

    def _merged(self, parts: Sequence[Labels]) -> Labels:
        """Return one submission: labels, or scores and rows of probabilities, which are floats."""
        n, m, _ = self._problem
        first = np.asarray(parts[0])
        kind = first.dtype if first.dtype.kind == "f" else label_dtype(m)
        whole: Labels = np.empty((n, *first.shape[1:]), dtype=kind)
        for member, part in zip(self._members, parts, strict=True):
            whole[member] = part
        return whole
