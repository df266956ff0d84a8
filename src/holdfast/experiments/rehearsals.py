"""Rehearsals: small plays that compile, in one process, what the plays of many others need."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np

from holdfast.attacks.description import Needs
from holdfast.attacks.registry import attack_type, attack_types
from holdfast.errors import HoldfastError
from holdfast.experiments.suite import attack_on
from holdfast.labels import label_dtype
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["REHEARSED_EXAMPLES", "REHEARSED_LOOKS", "suite_rehearsals"]

# Kernels take over from a thousand examples on.
REHEARSED_EXAMPLES, REHEARSED_LOOKS = 2048, 20
# How sure a rehearsed model is of its labels.
SURE = 0.6


def suite_rehearsals(
    rule: Rule, n_classes: int, *, from_model: bool = False
) -> list[Callable[[], None]]:
    """Return a small play of every attack that plays alone, and from a model if that is asked."""
    able = [cls for cls in attack_types() if cls.needs in (None, Needs.PRIOR, Needs.ROUNDING)]
    plain = [(cls.name, False) for cls in able if cls.needs is not Needs.PRIOR]
    informed = [(cls.name, True) for cls in able if cls.takes_prior and from_model]
    return [partial(_rehearse, name, rule, n_classes, known) for name, known in plain + informed]


def _rehearse(name: str, rule: Rule, n_classes: int, modelled: bool) -> None:
    """Play a small game; who can't play this rule needs nothing compiled for it."""
    problem = Problem(REHEARSED_EXAMPLES, n_classes, REHEARSED_LOOKS)
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=REHEARSED_EXAMPLES).astype(label_dtype(n_classes))
    prior = None
    if modelled:
        sure = np.full((labels.size, 1), max(SURE, 1 / n_classes))
        prior = Prior.candidates(labels[:, None].astype(np.int64), sure, n_classes)
    with suppress(HoldfastError):
        oracle = LabelOracle(labels, problem=problem, mechanism=rule, rng=rng)
        play(
            attack_on(attack_type(name), problem, rng, rule, prior=prior),
            oracle,
            until_refused=True,
        )
