"""An attack that writes down each of its plays, so that plays can be counted across processes."""

from __future__ import annotations

import os

import numpy as np

from holdfast import Problem, attacks

__all__ = ["LOG", "LoggedMajority"]

# The variable with the path of the file that gets a line per play.
LOG = "HOLDFAST_BENCH_LOG"


class LoggedMajority(attacks.BlockMajority):
    """`BlockMajority`, with a line for each play: its seed, which no two cells share."""

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        path = os.environ.get(LOG)
        if path:
            with open(path, "a", encoding="utf-8") as log:
                log.write(f"{self._seed}\n")
