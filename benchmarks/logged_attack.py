"""Attacks that write down each of their plays, so that plays can be counted across processes."""

from __future__ import annotations

import os
from typing import Any

from holdfast import Problem, attacks

__all__ = ["LOG", "LoggedBayes", "LoggedMajority"]

# The variable with the path of the file that gets a line per play.
LOG = "HOLDFAST_BENCH_LOG"


class LoggedMajority(attacks.BlockMajority):
    """`BlockMajority`, with a line for each play: its seed, which no two cells share."""

    def __init__(self, problem: Problem, **settings: Any) -> None:
        super().__init__(problem, **settings)
        _log(self._seed)


class LoggedBayes(attacks.NaiveBayes):
    """`NaiveBayes`, which takes longer, with a line for each play."""

    def __init__(self, problem: Problem, **settings: Any) -> None:
        super().__init__(problem, **settings)
        _log(self._seed)


def _log(seed: object) -> None:
    path = os.environ.get(LOG)
    if path:
        with open(path, "a", encoding="utf-8") as log:
            log.write(f"{seed}\n")
