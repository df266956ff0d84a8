"""Every attack that takes a prior: from a calibrated model, never worse than it on average."""

import numpy as np
import pytest

from holdfast import Problem
from holdfast.answers import RoundedAnswers
from holdfast.attacks.description import Needs
from holdfast.attacks.registry import attack_names, attack_type
from holdfast.planner import Auto
from holdfast.priors import Prior

# Many whole games of every attack with a prior.
pytestmark = pytest.mark.slow


def with_prior():
    """Return every attack that takes a model as `prior=` and needs no order of the rows.

    Attacks on rows in runs take the class shares of a prior alone.
    """
    able = [cls for cls in map(attack_type, attack_names()) if cls.takes_prior]
    return [cls for cls in able if cls.needs is not Needs.RUNS]


SEEDS = 10


def model(kind, hidden, m, rng):
    """Return calibrated probabilities: equally sure of all, or of some more than of others.

    How sure it is of which example does not depend on the seed: one that plans first plays every
    attack in its head, once for all models that are equally sure.
    """
    n = hidden.size
    spread = np.maximum(np.random.default_rng([n, m]).beta(1.6, 0.4, size=n), 1 / m)
    sure = np.full(n, 0.8) if kind == "even" else spread
    wrong = (hidden + rng.integers(1, m, size=n)) % m
    top = np.where(rng.random(n) < sure, hidden, wrong)
    return Prior.candidates(top[:, None], sure[:, None], m)


def gains(cls, n, m, k, kind, answers=None, decimals=None):
    """Return matches above the model's own, one number a seed."""
    out = []
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, n, m])
        hidden = rng.integers(m, size=n)
        prior = model(kind, hidden, m, rng)
        options = {} if answers is None else {"answers": answers}
        attack = cls(Problem(n, m, k), rng=rng, prior=prior, **options)
        while (query := attack.ask()) is not None:
            accuracy = np.count_nonzero(query == hidden) / n
            attack.tell(accuracy if decimals is None else round(accuracy, decimals))
        before = np.count_nonzero(prior.top() == hidden)
        out.append(np.count_nonzero(attack.predict() == hidden) - before)
    return np.array(out, dtype=float)


def assert_not_worse(gained):
    assert gained.mean() >= -4 * gained.std(ddof=1) / np.sqrt(gained.size), gained


def test_there_are_such_attacks():
    assert {c.__name__ for c in with_prior()} >= {
        "Lattice", "Detecting", "ChampionChallenger", "HadamardBlocks", "LabelSubset", "Auto",
    }  # fmt: skip


@pytest.mark.parametrize(
    "cls", [c for c in with_prior() if c is not Auto], ids=lambda cls: cls.__name__
)
@pytest.mark.parametrize("kind", ["even", "uneven"])
@pytest.mark.parametrize(("m", "k"), [(2, 1), (2, 20), (10, 2), (10, 120), (40, 30)])
def test_exact_answers(cls, m, k, kind):
    assert_not_worse(gains(cls, 150, m, k, kind))


@pytest.mark.parametrize(("m", "k", "kind"), [(2, 20, "even")])
def test_the_planned_attack_with_exact_answers(m, k, kind):
    """The planned attack is one of the others: most of its time goes into choosing which."""
    assert_not_worse(gains(Auto, 150, m, k, kind))


ROUNDED = [
    (cls, kind)
    for cls in with_prior()
    if cls.takes_answers and RoundedAnswers in cls.tolerates
    for kind in (["uneven"] if cls is Auto else ["even", "uneven"])
]


@pytest.mark.parametrize(
    ("cls", "kind"),
    [
        pytest.param(cls, kind, marks=pytest.mark.long if cls is Auto else [])
        for cls, kind in ROUNDED
    ],
    ids=[f"{cls.__name__}-{kind}" for cls, kind in ROUNDED],
)
def test_rounded_answers(cls, kind):
    assert_not_worse(gains(cls, 400, 5, 24, kind, RoundedAnswers(0.01), 2))
