"""Hill climbing: random changes, each kept if the score rises."""

from __future__ import annotations

from holdfast.attacks.climbing.belief import Rise
from holdfast.attacks.climbing.block_climb import BlockClimb
from holdfast.attacks.description import Reads
from holdfast.problem import Problem

__all__ = ["HillClimb"]


class HillClimb(BlockClimb):
    r"""Change one block's label at a time and keep the change if the score rises.

    The first query is all 0. Each later one gives the next block the next label; when every
    block was tried with label 1 the second pass tries label 2, and so on, but for blocks that can
    rise no more. One pass over k - 1 blocks reaches exactly what `BlockMajority` reaches, but
    adaptively: it only needs to hear whether the score rose. It is `BlockClimb` with the blocks
    in turn, and takes the same parameters; `n_blocks` is k - 1 here, or one per example.

    Implements: acharya2020 fig:smallk (Figure 1), climbing instead of comparing neighbours

    Examples
    --------
    >>> import numpy as np
    >>> attack = HillClimb(Problem(4, 2, 3), rng=np.random.default_rng(0), permuted=False)
    >>> for matches in (1, 2, 1):
    ...     query = attack.ask()
    ...     attack.tell(matches / 4)
    >>> attack.predict()
    array([1, 1, 0, 0], dtype=uint8)
    """

    summary = "changes blocks, keeps what scores higher"
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})
    accounts = 1
    effort = 1.0
    in_turn = True

    @classmethod
    def number_of_blocks(cls, problem: Problem, rise: Rise) -> int:  # noqa: ARG003
        """Return one block for each look but the first, at most one per example."""
        return min(max(problem.n_queries - 1, 1), problem.n_examples)
