"""A thousand tiny problems: nobody's optimal play exceeds the certificate, and some reach it."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from holdfast.certificates import certify
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.bounds import optimal_play
from tests.bounds.optimal_play import Rule, best_play, uniform_rows

# Sums of a few hundred products.
ROUNDING = 1e-12
STEPS = ("1", "0.9", "0.5", "0.4", "0.34", "0.3", "0.2")
# The most label vectors that a search with one, two and three looks goes through in moderate time.
MOST_VECTORS = {1: 700, 2: 40, 3: 16}
CHUNKS = 10


def game_and_rule(text: str, n: int) -> tuple[Rule, str]:
    kind, _, step = text.partition(":")
    if kind == "round":
        return optimal_play.rounded(n, Fraction(step)), f"round:step={float(step)!r}"
    if kind == "ladder":
        return optimal_play.ladder(n, Fraction(step)), f"ladder:{float(step)!r}"
    return {"exact": optimal_play.exact, "improved": optimal_play.improved}[kind], kind


def random_rows(rng: np.random.Generator, n: int, m: int, kind: str) -> list[list[float]]:
    if kind == "uniform":
        return uniform_rows(n, m)
    spread = float(rng.choice([0.2, 1.0, 4.0]))
    if kind == "shares":
        return [rng.dirichlet(np.full(m, spread)).tolist()] * n
    return rng.dirichlet(np.full(m, spread), size=n).tolist()


def what_is_known(rows: Sequence[Sequence[float]], kind: str) -> object:
    if kind == "uniform":
        return None
    if kind == "shares":
        return rows[0]
    return Prior.dense(rows) if kind == "rows" else float(np.max(rows, axis=1).mean())


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(chunk, marks=pytest.mark.slow if chunk < 1 else pytest.mark.long)
        for chunk in range(CHUNKS)
    ],
)
def test_optimal_play_of_a_thousand_tiny_problems_is_within_the_certificate(chunk: int) -> None:
    rng = np.random.default_rng([11, chunk])
    tried = 0
    while tried < 1000 // CHUNKS:
        n, m, k = int(rng.integers(1, 7)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
        if m**n > MOST_VECTORS[k]:
            continue
        text = str(rng.choice(["exact", "improved", "round", "ladder", "ladder"]))
        if text in ("round", "ladder"):
            text += f":{rng.choice(STEPS)}"
        accounts = int(rng.integers(1, 4))
        kind = str(rng.choice(["uniform", "shares", "rows", "accuracy"]))
        rows = random_rows(rng, n, m, kind)
        game, name = game_and_rule(text, n)
        best = best_play(rows, k, game, accounts=accounts)
        found = certify(
            Problem(n, m, k),
            parse_rule(name),
            accounts=accounts,
            looks_each=k,
            knows=what_is_known(rows, kind),
        )
        assert best <= found.accuracy + ROUNDING, (n, m, k, text, accounts, kind, rows, found)
        tried += 1


@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (2, 4)])
def test_one_exact_look_is_certified_to_the_last_digit(n: int, m: int) -> None:
    best = best_play(uniform_rows(n, m), 1, optimal_play.exact)
    assert certify(Problem(n, m, 1)).accuracy == pytest.approx(best, abs=ROUNDING)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_ladder_of_one_step_is_certified_to_the_last_digit(n: int) -> None:
    best = best_play(uniform_rows(n, 2), 1, optimal_play.ladder(n, Fraction(1)))
    found = certify(Problem(n, 2, 1), parse_rule("ladder:1.0"))
    assert found.accuracy == pytest.approx(best, rel=1e-8)


@pytest.mark.parametrize("known", [None, [0.7, 0.2, 0.1], 0.6])
def test_a_first_look_that_tells_nothing_is_certified_as_such(known: object) -> None:
    found = certify(Problem(4, 3, 1), parse_rule("improved"), knows=known)
    assert found.accuracy == found.free
    assert found.gain == 0.0
