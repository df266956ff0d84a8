"""Looks that `Lattice` needs: the figures in docs/attacks/lattice.md.

    python -m benchmarks.lattice looks --trials 10 --seed 2025
    python -m benchmarks.lattice budgets --trials 10 --seed 2025
    python -m benchmarks.lattice prior --trials 10 --seed 2025
    python -m benchmarks.lattice forecast --problem 2000,100 --looks 300 --model constant --trials 4
    python -m benchmarks.lattice vary BACKLOG_BITS 10.0 20.0 40.0 --problem 2000,100 --trials 4

`looks`: all labels, and the ratio to n log2(m) / H(Bin(n, 1/m)). `budgets`: matches above n/m with
too few looks. `prior`: all labels at (10000, 10) from calibrated models that are right 9 times in
10 (`MODELS`). `forecast`: a game's seconds, looks and gain, beside what forecasts take them for.
`vary`: looks for all labels with other values of a constant of
`holdfast.attacks.exact.lattice.tuning`, and how many more than with its own value for the same
labels. Every trial draws uniform hidden labels; a wrong label that was called certain stops
the script.
"""

from __future__ import annotations

import argparse
import ast
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from benchmarks.tables import Table, print_rows
from holdfast.attacks import Lattice
from holdfast.attacks.exact.lattice import tuning
from holdfast.planner.lattice_gain import CLUSTER_EFFORT, lattice_certain, seconds_from_model
from holdfast.planner.rehearsal import A_LABEL, remembered_share
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting

Ints = NDArray[np.int64]

ALL_LABELS = [
    (1000, 2),
    (10_000, 2),
    (10_000, 3),
    (14_042, 4),
    (10_000, 10),
    (10_000, 100),
    (1000, 1000),
    (50_000, 1000),
]

TOO_FEW = [(10_000, 10, 1000), (10_000, 10, 3000), (10_000, 10, 5000), (10_000, 2, 1000),
           (14_042, 4, 3000), (10_000, 100, 5000)]  # fmt: skip

UNLIMITED = 10**9

Floats = NDArray[np.float64]


def _spread(hidden: Ints, m: int, sure: Floats, rng: np.random.Generator) -> Floats:
    """Return probabilities of a model that is right with probability `sure`, else anything."""
    wrong = (hidden + rng.integers(1, m, size=hidden.size)) % m
    top = np.where(rng.random(hidden.size) < sure, hidden, wrong)
    out = np.repeat(((1.0 - sure) / (m - 1))[:, None], m, axis=1)
    out[np.arange(hidden.size), top] = sure
    return out


def constant(hidden: Ints, m: int, rng: np.random.Generator) -> Floats:
    """Be equally sure of all, at 0.9: the least that an accuracy of 0.9 can tell."""
    return _spread(hidden, m, np.full(hidden.size, 0.9), rng)


def two_levels(hidden: Ints, m: int, rng: np.random.Generator) -> Floats:
    """Be sure at 0.99 of three examples in five, at 0.765 of the others."""
    return _spread(hidden, m, np.where(rng.random(hidden.size) < 0.6, 0.99, 0.765), rng)


def beta(hidden: Ints, m: int, rng: np.random.Generator) -> Floats:
    """Draw how sure it is from Beta(1.8, 0.2): of most examples very, with some at a loss."""
    return _spread(hidden, m, np.maximum(rng.beta(1.8, 0.2, size=hidden.size), 1 / m), rng)


def evidence(hidden: Ints, m: int, rng: np.random.Generator) -> Floats:
    """Hear one normal number per label, of mean 2.98 for the true one and 0 else."""
    strength = 2.98
    heard = rng.normal(size=(hidden.size, m))
    heard[np.arange(hidden.size), hidden] += strength
    odds = np.exp(strength * (heard - heard.max(axis=1, keepdims=True)))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


Model = Callable[[Ints, int, np.random.Generator], Floats]

MODELS: tuple[Model, ...] = (constant, two_levels, beta, evidence)


def model_limit(prior: Floats) -> tuple[float, float]:
    """Return the bits that a model leaves open, and the looks that they take at least.

    The widest answer shows, on every example, the label whose probability is nearest 1/2; its
    count is close to normal, and no fixed query tells more than the count's entropy.
    """
    p = prior[prior > 0]
    bits = float(-(p * np.log2(p)).sum())
    variance = float((prior * (1.0 - prior)).max(axis=1).sum())
    return bits, bits / (0.5 * math.log2(2.0 * math.pi * math.e * variance))


def limit(n: int, m: int) -> float:
    """Return n log2(m) / H(Bin(n, 1/m)); for two classes all but one answer's parity is known."""
    p = binom.pmf(np.arange(n + 1), n, 1 / m)
    entropy = float(-(p[p > 0] * np.log2(p[p > 0])).sum())
    return n * math.log2(m) / (entropy - (m == 2))


class Game(NamedTuple):
    """Looks, certain labels, right labels; the model's right labels, its bits and its limit."""

    looks: int
    certain: int
    right: int
    began: int = 0
    bits: float = 0.0
    limit: float = 0.0


def game(
    n: int, m: int, k: int, sequence: np.random.SeedSequence, model: Model | None = None
) -> Game:
    """Play once."""
    rng = np.random.default_rng(sequence)
    hidden = rng.integers(m, size=n)
    prior = None if model is None else model(hidden, m, rng)
    attack = Lattice(Problem(n, m, k), rng=rng, prior=prior)
    labels = hidden.astype(attack.predict().dtype)
    while (query := attack.ask()) is not None:
        attack.tell(np.count_nonzero(query == labels) / n)
    sure, guess = attack.certain(), attack.predict()
    if (guess[sure] != hidden[sure]).any():
        raise AssertionError(f"a certain label was wrong at {(n, m, k)}, {sequence}")
    right = int(np.count_nonzero(guess == hidden))
    played = Game(attack.answered, int(sure.sum()), right)
    if prior is None:
        return played
    began = int(np.count_nonzero(prior.argmax(axis=1) == hidden))
    return Game(*played[:3], began, *model_limit(prior))


def games(n: int, m: int, k: int, trials: int, seed: int, model: Model | None = None) -> np.ndarray:
    """Return one row for each trial."""
    sequences = np.random.SeedSequence(seed).spawn(trials)
    return np.array([game(n, m, k, sequence, model) for sequence in sequences])


class Trials(NamedTuple):
    """How many games, and the seed of their labels."""

    trials: int
    seed: int


def _mean(values: np.ndarray) -> str:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.1f} ± {error:.1f}"


def looks_row(n: int, m: int, trials: int, seed: int) -> str:
    """Show the looks for all labels, and their ratio to the limit."""
    trials = trials if n * m < 10**7 else max(2, trials // 5)
    rows = games(n, m, UNLIMITED, trials, seed)
    if (rows[:, 1] < n).any():
        raise AssertionError(f"not all labels were recovered at {(n, m)}")
    bound = limit(n, m)
    return (
        f"| ({n}, {m}) | {trials} | {bound:.0f} | {_mean(rows[:, 0])} | "
        f"{rows[:, 0].mean() / bound:.3f} |"
    )


def looks(trials: int, seed: int) -> Table:
    """Return the looks for all labels."""
    head = ("| (n, m) | trials | limit | looks | ratio |", "|---|--:|--:|--:|--:|")
    rows = [partial(looks_row, n, m, trials, seed) for n, m in ALL_LABELS]
    return _table("looks", head, rows, trials, seed)


def budget_row(n: int, m: int, k: int, trials: int, seed: int) -> str:
    """Show what too few looks make certain."""
    rows = games(n, m, k, trials, seed)
    return f"| ({n}, {m}) | {k} | {trials} | {_mean(rows[:, 1])} | {_mean(rows[:, 2] - n / m)} |"


def budgets(trials: int, seed: int) -> Table:
    """Return certain labels and gains with too few looks."""
    head = (
        "| (n, m) | k | trials | certain labels | gain over n/m |",
        "|---|--:|--:|--:|--:|",
    )
    rows = [partial(budget_row, *sizes, trials, seed) for sizes in TOO_FEW]
    return _table("budgets", head, rows, trials, seed)


def prior_row(model: Model, trials: int, seed: int, n: int = 10_000) -> str:
    """Show the looks for all labels from one kind of model."""
    m = 10
    rows = games(n, m, UNLIMITED, trials, seed, model)
    if (rows[:, 1] < n).any():
        raise AssertionError(f"not all labels were recovered from {model.__name__}")
    taken, bound = rows[:, 0], rows[:, 5].mean()
    return (
        f"| {model.__name__} | {rows[:, 3].mean() / n:.3f} | {rows[:, 4].mean():.0f} "
        f"| {bound:.0f} | {_mean(taken)} | {taken.mean() / bound:.2f} |"
    )


def prior(trials: int, seed: int) -> Table:
    """Return the looks for all labels from calibrated models."""
    head = (
        "| model | right | bits left | limit | looks, zero errors | ratio |",
        "|---|--:|--:|--:|--:|--:|",
    )
    rows = [partial(prior_row, model, trials, seed) for model in MODELS]
    small = {model.__name__: partial(prior_row, model, 2, seed, 400) for model in MODELS}
    return _table("prior", head, rows, trials, seed, small)


def _table(
    name: str,
    head: tuple[str, str],
    rows: Sequence[Callable[[], str]],
    trials: int,
    seed: int,
    small: Mapping[str, Callable[[], str]] | None = None,
) -> Table:
    command = f"python -m benchmarks.lattice {name} --trials {trials} --seed {seed}"
    return Table(f"lattice-{name}", command, seed, head, rows, small)


def tables() -> list[Table]:
    """Return the tables of the page."""
    return [looks(10, 8104), budgets(10, 2025), prior(20, 31337)]


TABLES = {"looks": looks, "budgets": budgets, "prior": prior}


def vary(
    name: str, values: list[Any], problem: tuple[int, int], model: Model | None, options: Trials
) -> Iterator[str]:
    """Play the same labels with several values of a constant, its own one first."""
    own = getattr(tuning, name)
    yield f"| {name} | looks, zero errors | more than with {own} |"
    yield "|---|--:|--:|"
    usual = np.zeros(options.trials)
    for value in (own, *(v for v in values if v != own)):
        setattr(tuning, name, value)
        try:
            taken = games(*problem, UNLIMITED, *options, model)[:, 0]
        finally:
            setattr(tuning, name, own)
        usual = taken if value == own else usual
        yield f"| {value} | {_mean(taken)} | {_mean(taken - usual)} |"


def forecast(sizes: tuple[int, int, int], model: Model | None, options: Trials) -> Iterator[str]:
    """Play games, and show beside them what is promised of them without playing any."""
    n, m, k = problem = Problem(*sizes)
    rows = []
    first, *sequences = np.random.SeedSequence(options.seed).spawn(options.trials + 1)
    game(n, m, k, first, model)  # compiles, and plans what games have in common
    for sequence in sequences:
        start = time.process_time()
        played = game(n, m, k, sequence, model)
        seconds = time.process_time() - start
        # The same draws as in the game.
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        setting = Setting(problem, None if model is None else Prior.dense(model(hidden, m, rng)))
        sure, looks = lattice_certain(setting)
        gain = played.right - (n / m if model is None else played.began)
        rows.append([seconds, played.looks, gain, looks, setting.sure_gain(sure)])
    seconds, taken, gain, looks, promised = np.mean(rows, axis=0)
    usual = A_LABEL * n * k * remembered_share(k)
    effort = CLUSTER_EFFORT if m > tuning.FEW_CLASSES_AT_MOST else Lattice.effort
    expected = effort * usual if model is None else seconds_from_model(problem)
    yield "| | played | promised | ratio |"
    yield "|---|--:|--:|--:|"
    yield f"| seconds | {seconds:.2f} | {expected:.2f} | {seconds / expected:.2f} |"
    yield f"| looks | {taken:.0f} | {looks:.0f} | {taken / looks:.2f} |"
    yield f"| gain | {gain:.0f} | {promised:.0f} | {gain / promised:.2f} |"


def main() -> None:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--trials", type=int, default=10)
    common.add_argument("--seed", type=int, default=2025)
    parser = argparse.ArgumentParser(description=__doc__)
    tables = parser.add_subparsers(dest="table", required=True)
    for name in TABLES:
        tables.add_parser(name, parents=[common])
    sized = argparse.ArgumentParser(add_help=False)
    sized.add_argument("--problem", default="10000,10", help="n,m")
    sized.add_argument("--model", choices=[model.__name__ for model in MODELS])
    foreseen = tables.add_parser("forecast", parents=[common, sized])
    foreseen.add_argument("--looks", type=int, default=300)
    varied = tables.add_parser("vary", parents=[common, sized])
    varied.add_argument("name", help="a constant of lattice.tuning")
    varied.add_argument("values", nargs="+", type=ast.literal_eval, help="Python literals")
    options = parser.parse_args()
    trials = Trials(options.trials, options.seed)
    if options.table in TABLES:
        print_rows(TABLES[options.table](*trials))
        return
    n, m = map(int, options.problem.split(","))
    model = next((each for each in MODELS if each.__name__ == options.model), None)
    lines = (
        forecast((n, m, options.looks), model, trials)
        if options.table == "forecast"
        else vary(options.name, options.values, (n, m), model, trials)
    )
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
