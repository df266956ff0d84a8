"""Sample splitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from holdfast.bounds.binomial import entropy
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.errors import BudgetExhausted
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import State
from holdfast.rules.base import Reading
from holdfast.rules.checks import check_count
from holdfast.rules.selection import Selecting, narrowed, public_seed, shuffled
from holdfast.rules.told import Told, Wording

__all__ = ["Split"]


@dataclass(frozen=True)
class Split(Selecting):
    """Cut the test set into parts and use up one after the other.

    With k looks and p parts, look t is scored on part floor(t p/k) alone. If k changes on the way
    the new one counts, and no part before the last one used comes back. With p = k every answer
    comes from examples that no earlier look has touched, so it is an unbiased estimate whatever
    was asked before. It does not stop the parts from being overfit one by one: the
    gain over the whole test set falls only by a logarithm.

    Parameters
    ----------
    parts
        Number of parts, of nearly equal size.
    seed
        Key of the hash that cuts them.

    Examples
    --------
    >>> str(Split(10)), Split(10).scored(Problem(1000, 10, 50)).n_examples
    ('split:10', 100)
    """

    parts: int
    seed: int = 0

    name: ClassVar[str] = "split"
    source: ClassVar[str] = "sample splitting; textbook"
    text_forms: ClassVar[tuple[str, ...]] = ("split:10",)
    same_examples: ClassVar[bool] = False
    tells_of_others: ClassVar[bool] = False  # only how many looks there were

    def __post_init__(self) -> None:
        check_count("parts", self.parts, 1)
        check_count("seed", self.seed, 0)

    def init(self, problem: Problem) -> State:
        """Return the state before the first look; the number of looks fixes who gets which part."""
        check_at_least("n_examples (one a part)", problem.n_examples, self.parts)
        return {"looks": 0, "n_queries": problem.n_queries, "part": 0}

    def resume(self, state: State, problem: Problem) -> State:
        """Return the state with its parts spread over the present budget; none comes back."""
        if state["n_queries"] == problem.n_queries and "part" in state:
            return state
        looks, k = state["looks"], state["n_queries"]
        reached = state.get("part", max(looks - 1, 0) * self.parts // k)
        return {"looks": looks, "n_queries": problem.n_queries, "part": reached}

    def cautions(self) -> tuple[str, ...]:
        """Return a warning if the seed is the public default."""
        return public_seed(self, self.seed)

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reading of the part whose turn it is.

        Raises
        ------
        BudgetExhausted
            All parts are used up.
        """
        looks, k = state["looks"], state["n_queries"]
        if looks >= k:
            raise BudgetExhausted(f"split has used up all {self.parts} parts in {k} looks.")
        n, part = reading.evaluation.n_examples, max(state["part"], looks * self.parts // k)
        order = shuffled(n, self.seed, "split")
        chosen = order[n * part // self.parts : n * (part + 1) // self.parts]
        scored = narrowed(reading, chosen)
        told = replace(scored.told, part=part)
        return replace(scored, told=told), {**state, "looks": looks + 1, "part": part}

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase with the part."""
        which = f"part {told.part + 1}" if told.part is not None else "one"
        return so_far.then(f" on {which} of {self.parts} parts of the examples")

    @property
    def share(self) -> float:
        """That of one part."""
        return 1.0 / self.parts

    def scored(self, problem: Problem) -> Problem:
        """Return the problem of one part, the smallest."""
        n, m, k = problem
        return Problem(n // self.parts, m, k)

    def counts_nats(self, problem: Problem) -> float:
        """Return the sum over the parts of the limit for exact counts on each."""
        return self.counts_nats_of(problem, {problem.n_queries: 1})

    def counts_nats_of(
        self, problem: Problem, states: Mapping[int, int], *, whole: bool = True
    ) -> float:
        """Return the sum over the parts, each with the looks that all states spend on it.

        The parts' labels stay independent, whatever is asked in which order. Looks of a budget
        that is not known may all be on one part or on several: see `_however_spread`.
        """
        n, m, _ = problem
        if not whole:
            return self._however_spread(problem)
        shares: Counter[tuple[int, int]] = Counter()
        for part in range(self.parts):
            size = n * (part + 1) // self.parts - n * part // self.parts
            # Look t of k belongs to part floor(t p/k): the looks from ceil(part k/p) on.
            looks = sum(
                count * (-(-(part + 1) * k // self.parts) - -(-part * k // self.parts))
                for k, count in states.items()
            )
            shares[size, looks] += 1
        return sum(
            count * nats_adaptive_tilted(Problem(size, m, looks))
            for (size, looks), count in shares.items()
            if looks
        )

    def _however_spread(self, problem: Problem) -> float:
        """Return the most that all looks can tell, however they are spread over the parts.

        On a part of s examples L looks tell at most h + g(L - 1), h the entropy of one answer and
        g convex. So q parts that are used get q h + g(k - q) at most, which is convex in q and
        largest for one part or for as many as there can be.
        """
        n, m, k = problem
        size, used = -(-n // self.parts), min(self.parts, k)
        together = nats_adaptive_tilted(Problem(size, m, k))
        apart = nats_adaptive_tilted(Problem(size, m, k - used + 1))
        return max(together, (used - 1) * entropy(size, m) + apart)
