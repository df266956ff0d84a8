"""The baseline: a guess that has seen no answer."""

from __future__ import annotations

from holdfast.answers import EVERY_MODEL
from holdfast.attacks.description import Reads
from holdfast.attacks.informed import InformedAttack
from holdfast.labels import Labels

__all__ = ["Constant"]


class Constant(InformedAttack):
    """Ask nothing and guess one label per example: accuracy 1/m on every test set.

    The guess is the constant 0 seen through the per-example permutation. With `permuted` off it
    is the same label everywhere, which scores whatever that class's share is. With a prior the
    guess is the model's own labels.

    Implements: acharya2020 sec:problem (the baseline accuracy 1/m at k = 0)

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem
    >>> attack = Constant(Problem(4, 3, 1), rng=np.random.default_rng(0), permuted=False)
    >>> print(attack.ask(), attack.predict())
    None [0 0 0 0]
    """

    family = "paper"
    summary = "asks nothing and guesses"
    reads = Reads.NOTHING
    tolerates = EVERY_MODEL

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002 - it never asks
        return None

    def _guess(self) -> Labels:
        return self._shifted(0 if self._prior is None else self._prior.top())
