"""What other numbers than one accuracy give away: looks for all labels, and gains on real sets.

    python -m benchmarks.metrics looks               losses, squared errors and areas: all labels
    python -m benchmarks.metrics skewed              1 % positives: F1 and its kin
    python -m benchmarks.metrics real --data DIR     breakdowns of real test sets, top-5

Labels of the first two are drawn anew for each seed. DIR has a folder per test set, with `y.npy`.
A ratio is looks over the information limit: the labels' entropy over the largest that an answer
can have. Every decoded label is compared with the hidden one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import Table, print_rows
from holdfast import attacks, metrics
from holdfast.attacks.through_metrics import (
    ByGroup,
    CountReader,
    Digits,
    Graded,
    TargetDigits,
    TopK,
)
from holdfast.attacks.through_metrics.digits import information_limit
from holdfast.attacks.through_metrics.target_digits import target_limit
from holdfast.loop import play
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.metrics import Metric
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import LabelOracle, MetricOracle
from holdfast.planner import Auto
from holdfast.problem import Problem

N_EXAMPLES = 10_000
SEEDS = 3
SEED = 20261117
PLENTY = 20_000
LOOKS = (30, 100, 300)


def rounding(decimals: int | None) -> Rule | None:
    """Return the rule that releases so many decimals."""
    return None if decimals is None else parse_mechanism(f"round:{decimals}")


def taken(attack: Any, board: MetricOracle) -> int:
    """Let an attack ask until it has nothing left to ask; return the looks that it took."""
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return board.looks


def looks_row(
    metric: str,
    n_classes: int,
    decimals: int | None,
    make: Callable[[np.random.Generator, int], tuple[Any, MetricOracle, Any]],
    limit: Callable[[], float] | None,
) -> str:
    """Measure the looks that all labels take."""
    looks = []
    for seed in range(SEEDS):
        attack, board, hidden = make(np.random.default_rng([SEED, seed]), seed)
        looks.append(taken(attack, board))
        found = attack.targets() if isinstance(attack, TargetDigits) else attack.labels()
        if not (attack.certain().all() and (found == hidden).all()):
            raise RuntimeError(f"{metric}: not all labels were recovered.")
    mean, error = np.mean(looks), np.std(looks, ddof=1) / np.sqrt(SEEDS)
    released = "float64" if decimals is None else f"{decimals} decimals"
    shown = "" if limit is None else f"{limit():,.0f}"
    ratio = "" if limit is None else f"{mean / limit():.2f}"
    row = [metric, str(n_classes), released, f"{mean:,.0f} ± {error:.1f}", shown, ratio]
    return f"| {' | '.join(row)} |"


def with_digits(
    metric: ProbabilityMetric, n_classes: int, decimals: int | None
) -> Callable[[], str]:
    """Return the row of a metric of probabilities."""
    problem = Problem(N_EXAMPLES, n_classes, PLENTY)

    def make(rng: np.random.Generator, seed: int) -> tuple[Any, MetricOracle, Any]:
        hidden = rng.integers(n_classes, size=N_EXAMPLES)
        board = MetricOracle(hidden, metric, n_queries=PLENTY, mechanism=rounding(decimals))
        generator = np.random.default_rng(seed)
        return Digits(problem, rng=generator, metric=metric, decimals=decimals), board, hidden

    limit = partial(information_limit, problem, metric, decimals)
    return partial(looks_row, str(metric), n_classes, decimals, make, limit)


def with_targets(decimals: int | None) -> Callable[[], str]:
    """Return the row of squared errors of targets 0 .. 100."""
    metric = metrics.MeanSquaredError()

    def make(rng: np.random.Generator, seed: int) -> tuple[Any, MetricOracle, Any]:
        hidden = rng.integers(101, size=N_EXAMPLES)
        board = MetricOracle(hidden, metric, n_queries=PLENTY, mechanism=rounding(decimals))
        generator = np.random.default_rng(seed)
        attack = TargetDigits(N_EXAMPLES, PLENTY, low=0, high=100, rng=generator, decimals=decimals)
        return attack, board, hidden

    limit = partial(target_limit, N_EXAMPLES, 101, decimals)
    return partial(looks_row, "mse, targets 0 to 100", 101, decimals, make, limit)


def with_ranks() -> Callable[[], str]:
    """Return the row of areas, 30 % positives."""

    def make(rng: np.random.Generator, seed: int) -> tuple[Any, MetricOracle, Any]:
        hidden = (rng.random(N_EXAMPLES) < 0.3).astype(np.int64)
        board = MetricOracle(hidden, metrics.RocAuc(), n_queries=PLENTY)
        problem = Problem(N_EXAMPLES, 2, PLENTY)
        return Graded(problem, rng=np.random.default_rng(seed)), board, hidden

    return partial(looks_row, "roc_auc, 30 % positives", 2, None, make, None)


def accuracy_row() -> str:
    """Measure what accuracies of the same labels take."""
    looks, problem = [], Problem(N_EXAMPLES, 2, PLENTY)
    for seed in range(SEEDS):
        hidden = (np.random.default_rng([SEED, seed]).random(N_EXAMPLES) < 0.3).astype(np.int64)
        board = LabelOracle(hidden, problem=problem)
        play(attacks.Lattice(problem, rng=np.random.default_rng(seed)), board)
        looks.append(board.looks)
    mean, error = np.mean(looks), np.std(looks, ddof=1) / np.sqrt(SEEDS)
    return f"| accuracy, 30 % positives | 2 | float64 | {mean:,.0f} ± {error:.1f} | | |"


def looks_table() -> Table:
    """Return the table of looks for all labels."""
    head = (
        f"| metric, {N_EXAMPLES:,} examples | classes | released | looks for all labels | limit "
        "| ratio |",
        "|---|--:|---|--:|--:|--:|",
    )
    log_loss, brier = metrics.LogLoss(), metrics.Brier()
    rows = [with_digits(log_loss, m, decimals) for m in (2, 10) for decimals in (None, 5, 4)]
    rows += [with_digits(brier, 2, decimals) for decimals in (None, 5)]
    rows += [with_targets(None), with_targets(5), with_ranks(), accuracy_row]
    return Table("metric-looks", "python -m benchmarks.metrics looks", SEED, head, rows)


def shares(problem: Problem, rng: np.random.Generator, positives: int) -> attacks.Lattice:
    """Make the attack that starts from the share of positives."""
    share = positives / problem.n_examples
    prior = np.tile([1.0 - share, share], (problem.n_examples, 1))
    return attacks.Lattice(problem, rng=rng, prior=prior)


def skewed_row(name: str) -> str:
    """Measure what looks at a metric gain in that metric, 1 % positives."""
    metric: Any = parse_metric(name)
    cells, positives = [], N_EXAMPLES // 100
    for looks in LOOKS:
        values = []
        for seed in range(SEEDS):
            rng = np.random.default_rng([SEED, seed])
            hidden = np.zeros(N_EXAMPLES, dtype=np.int64)
            hidden[rng.permutation(N_EXAMPLES)[:positives]] = 1
            board = MetricOracle(hidden, metric, n_queries=looks)
            attack = CountReader(
                Problem(N_EXAMPLES, 2, looks),
                partial(shares, positives=positives),
                rng=np.random.default_rng(seed),
                metric=metric,
            )
            taken(attack, board)
            values.append(metric.score(hidden, attack.predict()))
        error = np.std(values, ddof=1) / np.sqrt(SEEDS)
        cells.append(f"{np.mean(values):.3f} ± {error:.3f}")
    truth = np.zeros(N_EXAMPLES, dtype=np.int64)
    truth[:positives] = 1
    blind = max(metric.score(truth, np.full(N_EXAMPLES, label)) for label in (0, 1))
    return f"| {name} | {blind:.3f} | " + " | ".join(cells) + " |"


def skewed_table() -> Table:
    """Return the table of gains with 1 % positives."""
    head = (
        f"| metric, {N_EXAMPLES:,} examples, 1 % positives | best constant | "
        + " | ".join(f"{looks} looks" for looks in LOOKS)
        + " |",
        "|---|--:" + "|--:" * len(LOOKS) + "|",
    )
    names = ("f1", "f1_macro", "balanced_accuracy", "matthews_corrcoef")
    rows = [partial(skewed_row, name) for name in names]
    return Table("metric-skewed", "python -m benchmarks.metrics skewed", SEED, head, rows)


def tables() -> list[Table]:
    """Return the tables of the page."""
    return [looks_table(), skewed_table()]


# Real test sets.


def gains(
    name: str,
    hidden: NDArray[np.int64],
    n_classes: int,
    show: metrics.Show,
    make: Callable[[Problem, np.random.Generator], Any],
    decimals: int | None,
    seeds: int,
) -> str:
    """Return the points gained above guessing after some looks, and when all labels are known."""
    gained: list[list[float]] = [[] for _ in LOOKS]
    for seed in range(seeds):
        for place, looks in enumerate(LOOKS):
            problem = Problem(hidden.size, n_classes, looks)
            board = MetricOracle(hidden, show, n_queries=looks, mechanism=rounding(decimals))
            attack = make(problem, np.random.default_rng(seed))
            taken(attack, board)
            right = float(np.mean(attack.predict() == hidden))
            gained[place].append(100.0 * (right - 1.0 / n_classes))
    released = "exact" if decimals is None else f"{decimals} decimals"
    cells = [f"{np.mean(g):.1f} ± {np.std(g, ddof=1) / np.sqrt(seeds):.1f}" for g in gained]
    return f"| {name} | {released} | " + " | ".join(cells) + " |"


def best_attack(problem: Problem, *, rng: np.random.Generator) -> Any:
    """Make what the planner chooses."""
    return Auto(problem, rng=rng)


def grouped(groups: NDArray[Any]) -> Callable[[Problem, np.random.Generator], Any]:
    """Return what makes one planned attack per group."""
    return lambda problem, rng: ByGroup(problem, groups, best_attack, rng=rng)


def planned(problem: Problem, rng: np.random.Generator) -> Any:
    """Make the planned attack on the total."""
    return Auto(problem, rng=rng)


def breakdown_rows(data: Path, name: str, column: str, seeds: int) -> None:
    """Print what subjects or categories add, and when every label is known."""
    hidden = np.load(data / name / "y.npy", allow_pickle=False).astype(np.int64)
    groups = np.load(data / name / f"{column}.npy", allow_pickle=False)
    m = int(hidden.max()) + 1
    total: Metric = metrics.Accuracy()
    show = metrics.Breakdown(groups)
    for decimals in (None, 3):
        print(gains(f"{name}, total", hidden, m, total, planned, decimals, seeds), flush=True)
        label = f"{name}, {len(show.names)} groups"
        print(gains(label, hidden, m, show, grouped(groups), decimals, seeds), flush=True)
    board = MetricOracle(hidden, show, n_queries=PLENTY)
    problem = Problem(hidden.size, m, PLENTY)
    attack = ByGroup(problem, groups, attacks.Lattice, rng=np.random.default_rng(SEED))
    looks = taken(attack, board)
    right = attack.certain().all() and (attack.predict() == hidden).all()
    print(f"{name}: all labels certain after {looks:,} looks at the groups: {bool(right)}")


def top_k_rows(data: Path, seeds: int) -> None:
    """Print gains on boards of top-1 and top-5 accuracies."""
    hidden = np.load(data / "imagenet_val" / "y.npy", allow_pickle=False).astype(np.int64)
    for k in (1, 5):
        metric, cells = metrics.TopKAccuracy(k), []
        for looks in (100, 300, 1000):
            gained = []
            for seed in range(seeds):
                board = MetricOracle(hidden, metric, n_queries=looks)
                problem = Problem(hidden.size, 1000, looks)
                attack = TopK(problem, k, best_attack, rng=np.random.default_rng(seed))
                taken(attack, board)
                gained.append(100.0 * (metric.score(hidden, attack.predict()) - k / 1000))
            error = np.std(gained, ddof=1) / np.sqrt(seeds)
            cells.append(f"{np.mean(gained):.2f} ± {error:.2f}")
        print(f"| imagenet, top-{k} | " + " | ".join(cells) + " |", flush=True)


def real(data: Path, names: Sequence[str], seeds: int) -> None:
    """Print all tables of real test sets."""
    print("| test set | released | " + " | ".join(f"{k} looks" for k in LOOKS) + " |")
    print("|---|---" + "|--:" * len(LOOKS) + "|")
    if "mmlu" in names:
        breakdown_rows(data, "mmlu", "subject", seeds)
    if "mmlu_pro" in names:
        breakdown_rows(data, "mmlu_pro", "category", seeds)
    if "imagenet" in names:
        top_k_rows(data, seeds)


def main() -> None:
    """Print one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["looks", "skewed", "real"])
    parser.add_argument("--data", type=Path, help="folder with a folder per real test set")
    parser.add_argument("--sets", nargs="*", default=["mmlu", "mmlu_pro", "imagenet"])
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    if given.part == "real":
        if given.data is None:
            parser.error("real needs --data DIR")
        real(given.data, given.sets, given.seeds)
        return
    print_rows(looks_table() if given.part == "looks" else skewed_table())


if __name__ == "__main__":
    main()
