"""The strongest attacks as they were before the third label, the steered tail and hit pools.

`benchmarks.power --before` plays them on the same labels, chosen by the same planner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import HitPools, PooledDetecting, SteeredPools
from holdfast.attacks.exact.lindstrom import DesignPlan, plan_pooled
from holdfast.attacks.registry import attack_types, build
from holdfast.labels import Labels
from holdfast.planner import Mixture, plan
from holdfast.planner.plan import MIXTURE
from holdfast.problem import Problem
from holdfast.protocols import Attack

__all__ = ["TwoLabelPools", "before"]


class TwoLabelPools(PooledDetecting):
    """Gain the most that one round can, a pool's tie guessed as one of its two labels.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    """

    summary = "one round of digits and two-label pools"

    @staticmethod
    def _plan(problem: Problem) -> DesignPlan:
        return plan_pooled(problem, third_label=False)

    def _read(
        self, named: NDArray[np.int64], surplus: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        symbols, sure = super()._read(named, surplus)
        pooled = np.flatnonzero(self._pool >= 0)
        symbols[pooled[surplus[self._pool[pooled]] == 0]] = 0
        return symbols, sure


def before(
    problem: Problem, rng: np.random.Generator, *, non_adaptive: bool = False
) -> Attack[Labels]:
    """Return the attack that would have been chosen."""
    newer = (HitPools, PooledDetecting, SteeredPools)
    known = [cls for cls in attack_types() if cls not in newer] + [TwoLabelPools]
    chosen = plan(problem, non_adaptive=non_adaptive, attacks=known).chosen
    by_name = {cls.name: cls for cls in known}
    if chosen.attack == MIXTURE:
        rest = by_name[chosen.settings["rest"]]
        return Mixture(problem, rng=rng, n_certain=chosen.settings["n_certain"], rest=rest)
    return build(by_name[chosen.attack], by_name[chosen.attack].usable(problem), rng)
