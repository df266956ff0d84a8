"""Theorem 2: any attack, on any labels, as good as on uniform ones."""

from __future__ import annotations

import numpy as np

from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import Needs
from holdfast.forecasts import Setting
from holdfast.labels import Labels
from holdfast.protocols import Answer, Attack

__all__ = ["Permuted"]


class Permuted(LabelAttack):
    r"""Play another attack through a random permutation of each example's labels.

    If the inner attack asks q, ask pi(q); if it guesses z, guess pi(z). The answer to pi(q) on
    the labels z is the answer to q on pi^-1(z), and pi^-1(z) is uniform whatever z is: the
    wrapped attack scores on the worst label vector what the inner one scores on uniform labels.

    Implements: acharya2020 thm:reduction (Theorem 2)
    Guarantee: acharya2020 cor:minmax (Corollary 1), for every label vector, any mechanism

    Departures
    ----------
    The proof draws pi_j uniformly from all permutations; it only uses that pi_j^-1(z_j) is
    uniform, so a uniform cyclic shift does. The output is pi(z), never pi^-1(z) (the paper's
    "alternative view" has it the wrong way round).

    Parameters
    ----------
    attack
        The attack to wrap; give it `permuted=False` if it has the option, once is enough.
    rng
        Where the permutations are drawn from; independent of the attack's own generator.

    Examples
    --------
    >>> from holdfast import Problem
    >>> from holdfast.attacks import BlockMajority
    >>> rng = np.random.default_rng(0)
    >>> inner = BlockMajority(Problem(6, 3, 2), rng=rng, permuted=False)
    >>> attack = Permuted(inner, rng=rng)
    >>> inner_view = (attack.ask().astype(int) - attack.shifts) % 3
    >>> inner_view.tolist()
    [1, 1, 1, 1, 1, 1]
    """

    family = "wrappers"
    summary = "plays another attack on shuffled labels"
    needs = Needs.ATTACK
    adaptive = True  # as far as the class can tell: it depends on the attack that is wrapped

    @classmethod
    def obstacle(cls, setting: Setting) -> str:  # noqa: ARG003
        """Return why no plan has a figure for it."""
        return "wraps another attack and gains what that gains"

    def __init__(self, attack: Attack[Labels], *, rng: np.random.Generator) -> None:
        super().__init__(attack.problem, rng=rng)
        self._inner = attack

    @property
    def shifts(self) -> Labels:
        """How far each example's labels are shifted."""
        return self._shifts.copy()

    def ask(self) -> Labels | None:
        """Return pi(q) for the inner attack's query q."""
        query = self._inner.ask()
        return None if query is None else self._shifted(query)

    def tell(self, answer: Answer) -> None:
        """Hand the answer on as it is."""
        self._inner.tell(answer)
        self._answered += 1

    def predict(self) -> Labels:
        """Return pi(z) for the inner attack's guess z."""
        return self._shifted(self._inner.predict())
