"""Leakage of other numbers than one accuracy: looks for all labels, and gains on real sets.

    python -m benchmarks.metrics looks               losses, errors of numbers and areas: all labels
    python -m benchmarks.metrics counts              several counts from one value, against one
    python -m benchmarks.metrics skewed              1 % positives: F1 and its kin
    python -m benchmarks.metrics real --data DIR     breakdowns of real test sets, top-5

Labels of the first three are drawn anew for each seed. DIR has a folder per test set, with `y.npy`;
what `real` measures is kept at once, and `make docs` puts it into the page.
A ratio is looks over the information limit: the labels' entropy over the largest that an answer
can have. Every decoded label is compared with the hidden one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.metric_limits import absolute_limit, information_limit, target_limit
from benchmarks.tables import Table, print_rows, timed
from holdfast import attacks, metrics
from holdfast.attacks.through_metrics import (
    ByGroup,
    ClassPools,
    Digits,
    Graded,
    JointCounts,
    LevelCounts,
    TargetBisection,
    TargetDigits,
    TopK,
)
from holdfast.audit import (
    Audit,
    Request,
    audit,
    parse_looks,
    parts_of,
)
from holdfast.audit.metrics.scenarios import MetricJob, metric_scenarios, play_metric_job
from holdfast.audit.metrics.units import constant_value
from holdfast.audit.result import TOTAL
from holdfast.files.label_files import LabelFile
from holdfast.loop import play
from holdfast.metrics.display import Display
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.oracles import LabelOracle, MetricOracle
from holdfast.planner import Auto
from holdfast.problem import Problem
from holdfast.rules import Rule, parse_rule

N_EXAMPLES = 10_000
SEEDS = 3
SKEWED_SEEDS = 16  # gains from rare positives differ much from one labelling to the next
SEED = 20261117
PLENTY = 20_000
LOOKS = (30, 100, 300)
REAL_SEEDS, TOP_K_LOOKS = 2, (100, 300, 1000)
ALL_SEEDS = 8  # games until all labels are certain, which are quick
# Sizes that take a second, on which what takes minutes is tried by the tests: of an audit, and of
# real test sets (examples, classes), each in so many groups.
SMALL_LOOKS, SMALL_EXAMPLES = 30, 1000
SMALL_AUDIT = 8, 300
SKEWED_METRICS = ("f1", "f1_macro", "balanced_accuracy", "matthews_corrcoef")
MADE_UP = {"mmlu": (300, 4), "mmlu_pro": (200, 5), "cifar10": (1200, 5), "imagenet_val": (200, 10)}
GROUPS = 4


def rounding(decimals: int | None) -> Rule | None:
    """Return the rule that releases so many decimals."""
    return None if decimals is None else parse_rule(f"round:{decimals}")


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
        play(attack, board)
        looks.append(board.looks)
        targets = isinstance(attack, TargetDigits | TargetBisection)
        found = attack.targets() if targets else attack.labels()
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


def with_targets(metric: metrics.Metric, decimals: int | None) -> Callable[[], str]:
    """Return the row of squared or absolute errors of targets 0 .. 100."""
    squared = isinstance(metric, metrics.MeanSquaredError)

    def make(rng: np.random.Generator, seed: int) -> tuple[Any, MetricOracle, Any]:
        hidden = rng.integers(101, size=N_EXAMPLES)
        board = MetricOracle(hidden, metric, n_queries=PLENTY, mechanism=rounding(decimals))
        generator = np.random.default_rng(seed)
        cls = TargetDigits if squared else TargetBisection
        attack = cls(N_EXAMPLES, PLENTY, low=0, high=100, rng=generator, decimals=decimals)
        return attack, board, hidden

    limit = partial(target_limit if squared else absolute_limit, N_EXAMPLES, 101, decimals)
    return partial(looks_row, f"{metric}, targets 0 to 100", 101, decimals, make, limit)


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
    rows += [
        with_targets(metric, decimals)
        for metric in (metrics.MeanSquaredError(), metrics.MeanAbsoluteError())
        for decimals in (None, 5, 4)
    ]
    rows += [with_ranks(), accuracy_row]
    return Table(
        "metric-looks", "python -m benchmarks.metrics looks", SEED, head, rows, trials=SEEDS
    )


# Class sizes without common divisors, by which recalls tell counts apart.
COPRIME = (3331, 3343, 3326)


def all_counts(
    metric: metrics.Metric,
    m: int,
    seed: int,
    at_once: int | None,
    sizes: tuple[int, ...] | None,
    n: int = N_EXAMPLES,
) -> int:
    """Let counts be read from a metric until all labels are proved; return the looks taken."""
    rng, problem = np.random.default_rng([SEED, seed]), Problem(n, m, PLENTY)
    attack: JointCounts | LevelCounts
    if isinstance(metric, metrics.RocAuc):
        hidden = (rng.random(n) < 0.3).astype(np.int64)
        levels = 2 if at_once is None else at_once
        attack = LevelCounts(problem, rng=np.random.default_rng(seed), levels=levels)
    else:
        assert isinstance(metric, metrics.LabelMetric)
        hidden = rng.integers(m, size=n)
        if sizes is not None:
            hidden = rng.permutation(np.repeat(np.arange(m), sizes))
        generator = np.random.default_rng(seed)
        attack = JointCounts(problem, rng=generator, metric=metric, sizes=sizes, at_once=at_once)
    board = MetricOracle(hidden, metric, n_queries=PLENTY, n_classes=m)
    play(attack, board)
    found = attack.labels() if isinstance(attack, LevelCounts) else attack.predict()
    if not (attack.certain().all() and (found == hidden).all()):
        raise RuntimeError(f"{metric}: not all labels were recovered.")
    return board.looks


def counts_row(
    metric: metrics.Metric,
    m: int,
    words: str = "",
    sizes: tuple[int, ...] | None = None,
    n: int = N_EXAMPLES,
) -> str:
    """Measure looks with as many counts per look as are proved, and with one."""
    cells = []
    for at_once in (None, 1):
        looks = [all_counts(metric, m, seed, at_once, sizes, n) for seed in range(SEEDS)]
        cells.append((np.mean(looks), np.std(looks, ddof=1) / np.sqrt(SEEDS)))
    shown = [f"{mean:,.0f} ± {error:.1f}" for mean, error in cells]
    return f"| {metric}{words} | {m} | {shown[0]} | {shown[1]} | {cells[0][0] / cells[1][0]:.2f} |"


def counts_table() -> Table:
    """Return the table of several counts from one value against one."""
    head = (
        f"| metric, {N_EXAMPLES:,} examples | classes | several counts a look | one count a look | "
        "ratio |",
        "|---|--:|--:|--:|--:|",
    )
    rows = [partial(counts_row, metrics.F1Macro(), m) for m in (3, 4, 10)]
    rows += [
        partial(counts_row, metrics.F1Weighted(), 3),
        partial(counts_row, metrics.PrecisionMacro(), 3),
        partial(counts_row, metrics.BalancedAccuracy(), 3, ", sizes without divisors", COPRIME),
        partial(counts_row, metrics.RocAuc(), 2, ", 30 % positives"),
        partial(counts_row, metrics.F1Macro(), 3, ", 1,000 examples", None, 1000),
    ]
    return Table(
        "metric-counts", "python -m benchmarks.metrics counts", SEED, head, rows, trials=SEEDS
    )


def skewed_request(metric: str, looks: int, seed: int, n: int = N_EXAMPLES) -> Request:
    """Return the audit's request for fresh labels with 1 % positives."""
    hidden = np.zeros(n, dtype=np.uint8)
    hidden[np.random.default_rng([SEED, seed]).permutation(n)[: n // 100]] = 1
    file = LabelFile(hidden, ("0", "1"))
    request = Request(
        name="skewed",
        file=file,
        parts=parts_of(file),
        rule=parse_rule("exact"),
        looks=parse_looks(str(looks)),
        seed=SEED,
    )
    return replace(request, display=Display.of(metric))


def skewed_gains(
    metric: str, looks: int, player: int, seeds: range, n: int = N_EXAMPLES
) -> list[float]:
    """Measure what one of the audit's attacks gains over the best constant submission."""
    found = []
    for seed in seeds:
        asked = skewed_request(metric, looks, seed, n)
        job = MetricJob(TOTAL, player, asked.rule, looks, 0)
        found.append(max(0.0, 100.0 * play_metric_job(asked, job).bias))
    return found


def skewed_row(metric: str) -> str:
    """Measure the strongest of the audit's attacks; it is chosen by other labels than reported."""
    cells = []
    for looks in LOOKS:
        able = metric_scenarios(skewed_request(metric, looks, 0), TOTAL)
        means = [
            float(np.mean(skewed_gains(metric, looks, at, range(SKEWED_SEEDS))))
            for at in range(len(able))
        ]
        best = int(np.argmax(means))
        gains = skewed_gains(metric, looks, best, range(SKEWED_SEEDS, 2 * SKEWED_SEEDS))
        error = np.std(gains, ddof=1) / np.sqrt(SKEWED_SEEDS)
        by = f" ({able[best].name})" if np.mean(gains) > 0.0 else ""
        cells.append(f"{np.mean(gains):.1f} ± {error:.1f}{by}")
    constant = 100.0 * constant_value(skewed_request(metric, 1, 0))
    return f"| {metric} | {constant:.1f} | " + " | ".join(cells) + " |"


def small_skewed_games() -> str:
    """Measure what each of the audit's attacks gains in one small game, metric by metric."""
    looks, n = SMALL_LOOKS, SMALL_EXAMPLES
    found = []
    for metric in SKEWED_METRICS:
        able = metric_scenarios(skewed_request(metric, looks, 0, n), TOTAL)
        gains = [skewed_gains(metric, looks, at, range(1), n)[0] for at in range(len(able))]
        found.append(f"{metric}: " + " ".join(f"{gain:.1f}" for gain in gains))
    return "; ".join(found)


def skewed_table() -> Table:
    """Return the table of gains with 1 % positives."""
    head = (
        f"| metric, {N_EXAMPLES:,} examples, 1 % positives | best constant, points | "
        + " | ".join(f"gain at {looks} looks, points" for looks in LOOKS)
        + " |",
        "|---|--:" + "|--:" * len(LOOKS) + "|",
    )
    rows = [partial(skewed_row, name) for name in SKEWED_METRICS]
    small = {"few-looks": small_skewed_games}
    command = "python -m benchmarks.metrics skewed"
    return Table("metric-skewed", command, SEED, head, rows, small, trials=SKEWED_SEEDS)


class VerdictTable(Table):
    """The audit's table of rules for F1 with 1 % positives: one audit gives all rows.

    What is computed again is an audit, too, of a few labels: it plays fixes and measures anew.
    """

    quick = 30.0

    def __init__(self) -> None:
        head = (
            "| F1, 1 % positives, 300 looks | strongest attack | "
            "gain, points of F1 (95 % interval) | verdict |",
            "|---|---|--:|---|",
        )
        command = "python -m benchmarks.generated metric-verdict"
        small = {"few-looks": lambda: "\n".join(verdict_rows(audited(*SMALL_AUDIT)))}
        super().__init__("metric-verdict", command, SEED, head, (), small)

    def content(self) -> dict[str, Any]:
        """Audit the board, and return a row for each rule."""
        found = audited(300, N_EXAMPLES)
        rows = [[row, None] for row in verdict_rows(found)]
        return {"trials": found.reproduce.trials, "rows": rows, **self.measured_small()}


def audited(looks: int, n: int) -> Audit:
    """Audit a board of F1 with 1 % positives."""
    return audit(skewed_request("f1", looks, 0, n))


def verdict_rows(found: Audit) -> list[str]:
    """Return a line for each rule that an audit compares."""
    rows = []
    for row in found.rules:
        best = row.strongest[0]
        word = found.verdict.word if row.is_policy else ""
        gain = best.points
        assert gain is not None
        interval = "" if gain.low is None else f" ({gain.low:g} to {gain.high:g})"
        rows.append(f"| {row.rule} | {best.attack} | {gain.mean:g}{interval} | {word} |")
    return rows


class RealTable(Table):
    """A table of real test sets, which are not part of the project: kept rows stand until measured.

    A row belongs to a set, whose folder lies in the one that `--data` names. Beside the rows of a
    set stands what they come to on a made-up set, which the tests measure again without the data.
    """

    def __init__(
        self, name: str, head: tuple[str, str], rows: dict[str, Sequence[Callable[[Path], str]]]
    ) -> None:
        small = {each: partial(on_made_up_sets, measures) for each, measures in rows.items()}
        command = "python -m benchmarks.metrics real --data DIR"
        super().__init__(name, command, SEED, head, (), small)
        self.sets = rows

    def content(self) -> dict[str, Any]:
        """Return what is kept: what the rows come to today is unknown without the data."""
        kept = self.load() if self.files[0].exists() else {}
        return self._with(kept.get("sets", {}), kept.get("small", {}))

    def measure(self, data: Path, sets: Sequence[str]) -> None:
        """Measure the rows of some sets, and keep them with those of the others."""
        kept = self.content()
        found, small = kept["sets"], kept["small"]
        for name, measures in self.sets.items():
            if name in sets:
                found[name] = [timed(partial(measure, data)) for measure in measures]
                small[name] = timed(self.small[name])
        self.keep(self._with(found, small))

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table, whose games until all labels are certain are more."""
        text = super().blocks(content)[self.name]
        if "trials_until_certain" in content:
            until = f"per cell, {content['trials_until_certain']} until all labels are certain."
            text = text.replace("per cell.", until)
        return {self.name: text}

    def _with(self, found: dict[str, list[Any]], small: dict[str, list[Any]]) -> dict[str, Any]:
        """Return the content: rows by set, and all of them for the page, in their order."""
        rows = [[row, None] for name in self.sets for row, _ in found.get(name, [])]
        games = {"trials": REAL_SEEDS}
        if "all labels certain" in self.head[0]:
            games["trials_until_certain"] = ALL_SEEDS
        return {**games, "sets": found, "rows": rows, "small": small}


def on_made_up_sets(measures: Sequence[Callable[[Path], str]]) -> str:
    """Measure rows on a few random labels, in a folder such as `--data` names."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (n, m) in MADE_UP.items():
            (Path(folder) / name).mkdir()
            hidden = np.random.default_rng([SEED, n, m]).integers(m, size=n)
            np.save(Path(folder) / name / "y.npy", hidden)
            for column in ("subject", "category"):
                np.save(Path(folder) / name / f"{column}.npy", np.arange(n) * GROUPS // n)
        return "\n".join(measure(Path(folder)) for measure in measures)


def real_row(
    name: str,
    released: str,
    hidden: NDArray[np.int64],
    n_classes: int,
    show: metrics.Show,
    make: Callable[[Problem, np.random.Generator, Rule], Any],
    rule: Rule,
    all_labels: str = "",
) -> str:
    """Measure the points of accuracy gained above guessing after some looks."""
    cells = []
    for looks in LOOKS:
        gained = []
        for seed in range(REAL_SEEDS):
            problem = Problem(hidden.size, n_classes, looks)
            board = MetricOracle(hidden, show, n_queries=looks, mechanism=rule)
            attack = make(problem, np.random.default_rng([SEED, seed]), rule)
            play(attack, board)
            right = float(np.mean(attack.predict() == hidden))
            gained.append(100.0 * (right - 1.0 / n_classes))
        error = np.std(gained, ddof=1) / np.sqrt(REAL_SEEDS)
        cells.append(f"{np.mean(gained):.1f} ± {error:.1f}")
    return f"| {name} | {released} | " + " | ".join(cells) + f" | {all_labels} |"


def planned(problem: Problem, rng: np.random.Generator, rule: Rule) -> Any:
    """Make what the planner chooses for the rule's answers."""
    return Auto(problem, rng=rng, answers=rule.board_model(problem))


def grouped(
    problem: Problem, rng: np.random.Generator, rule: Rule, groups: NDArray[Any]
) -> ByGroup:
    """Make one planned attack per group."""
    return ByGroup(problem, groups, lambda each, rng: planned(each, rng, rule), rng=rng)


def labels_of(data: Path, name: str) -> tuple[NDArray[np.int64], int]:
    """Return a test set's labels and its number of classes."""
    hidden = np.load(data / name / "y.npy", allow_pickle=False).astype(np.int64)
    return hidden, int(hidden.max()) + 1


def looks_by_group(
    hidden: NDArray[np.int64], m: int, show: metrics.Show, groups: NDArray[Any], seed: int
) -> int:
    """Let scores per group be read until all labels are proved; return the looks taken."""
    board = MetricOracle(hidden, show, n_queries=PLENTY)
    rng = np.random.default_rng([SEED, seed])
    attack = ByGroup(Problem(hidden.size, m, PLENTY), groups, attacks.Lattice, rng=rng)
    if not (np.array_equal(play(attack, board), hidden) and attack.certain().all()):
        raise RuntimeError("not all labels were recovered.")
    return board.looks


def breakdown_row(
    data: Path, name: str, title: str, column: str, *, by_group: bool, decimals: int | None
) -> str:
    """Measure what the total gives away, or what scores per group do."""
    hidden, m = labels_of(data, name)
    groups = np.load(data / name / f"{column}.npy", allow_pickle=False)
    rule = rounding(decimals) or parse_rule("exact")
    released = "exact" if decimals is None else "one decimal of a percent"
    if not by_group:
        return real_row(f"{title}, total", released, hidden, m, metrics.Accuracy(), planned, rule)
    show = metrics.Breakdown(groups)
    make = partial(grouped, groups=groups)
    looks = ""
    if decimals is None:
        taken = [looks_by_group(hidden, m, show, groups, seed) for seed in range(ALL_SEEDS)]
        error = np.std(taken, ddof=1) / np.sqrt(ALL_SEEDS)
        looks = f"{np.mean(taken):,.0f} ± {error:.1f} looks"
    shown = f"{title}, {len(show.names)} {'subjects' if column == 'subject' else 'categories'}"
    return real_row(shown, released, hidden, m, show, make, rule, looks)


def per_class_row(data: Path, *, whole: bool) -> str:
    """Measure what recalls of each class, or the confusion matrix, of CIFAR-10 give away."""
    hidden, m = labels_of(data, "cifar10")
    sizes = np.bincount(hidden, minlength=m).tolist()  # as published

    def make(problem: Problem, rng: np.random.Generator, rule: Rule) -> ClassPools:
        del rule
        return ClassPools(problem, rng=rng, class_sizes=sizes)

    show = metrics.ConfusionMatrix(m) if whole else metrics.PerClassRecall(m)
    title = "confusion matrix" if whole else "recall per class"
    released = "exact, or counts" if whole else "exact, or one decimal of a percent"
    return real_row(f"CIFAR-10, {title}", released, hidden, m, show, make, parse_rule("round:3"))


class CountsOfShares:
    """An attack on counts that is told shares of all examples."""

    def __init__(self, attack: ClassPools) -> None:
        self._attack, self.problem = attack, attack.problem
        self.ask, self.predict = attack.ask, attack.predict

    def tell(self, answer: Any) -> None:
        """Tell the counts behind the shares."""
        n = self.problem.n_examples
        self._attack.tell(tuple(float(round(share * n)) for share in answer))


def shares_row(data: Path) -> str:
    """Measure what the confusion matrix of CIFAR-10 gives away in rounded shares, as guards do.

    Of 10,000 examples a share of one decimal of a percent is a count rounded to tens.
    """
    hidden, m = labels_of(data, "cifar10")
    sizes = np.bincount(hidden, minlength=m).tolist()  # as published

    def make(problem: Problem, rng: np.random.Generator, rule: Rule) -> CountsOfShares:
        del rule
        return CountsOfShares(ClassPools(problem, rng=rng, class_sizes=sizes))

    show = metrics.ConfusionMatrix(m, shares=True)
    name, released = "CIFAR-10, confusion matrix", "shares, one decimal of a percent"
    return real_row(name, released, hidden, m, show, make, parse_rule("round:3"))


def total_row(data: Path, decimals: int | None) -> str:
    """Measure what the accuracy of CIFAR-10 gives away."""
    hidden, m = labels_of(data, "cifar10")
    rule = rounding(decimals) or parse_rule("exact")
    released = "exact" if decimals is None else "one decimal of a percent"
    return real_row("CIFAR-10, total", released, hidden, m, metrics.Accuracy(), planned, rule)


def real_table() -> RealTable:
    """Return the table of what breakdowns of real test sets give away."""
    head = (
        "| test set, shown | released | "
        + " | ".join(f"{looks} looks" for looks in LOOKS)
        + " | all labels certain |",
        "|---|---" + "|--:" * len(LOOKS) + "|--:|",
    )
    rows: dict[str, Sequence[Callable[[Path], str]]] = {
        name: [
            partial(
                breakdown_row,
                name=name,
                title=title,
                column=column,
                by_group=by_group,
                decimals=decimals,
            )
            for decimals in (None, 3)
            for by_group in (False, True)
        ]
        for name, title, column in (
            ("mmlu", "MMLU", "subject"),
            ("mmlu_pro", "MMLU-Pro", "category"),
        )
    }
    rows["cifar10"] = [
        partial(total_row, decimals=None),
        partial(total_row, decimals=3),
        partial(per_class_row, whole=False),
        partial(per_class_row, whole=True),
        shares_row,
    ]
    return RealTable("metric-real", head, rows)


def top_k_row(data: Path, k: int) -> str:
    """Measure gains on a board of top-K accuracies of ImageNet's labels."""
    hidden, m = labels_of(data, "imagenet_val")
    metric, cells = metrics.TopKAccuracy(k), []
    for looks in TOP_K_LOOKS:
        gained = []
        for seed in range(REAL_SEEDS):
            board = MetricOracle(hidden, metric, n_queries=looks)
            rng = np.random.default_rng([SEED, seed])
            attack = TopK(Problem(hidden.size, m, looks), k, Auto, rng=rng)
            play(attack, board)
            gained.append(100.0 * (metric.score(hidden, attack.predict()) - k / m))
        error = np.std(gained, ddof=1) / np.sqrt(REAL_SEEDS)
        cells.append(f"{np.mean(gained):.2f} ± {error:.2f}")
    return f"| top-{k} | " + " | ".join(cells) + " |"


def top_k_table() -> RealTable:
    """Return the table of top-1 and top-5 boards."""
    head = (
        "| ImageNet, 50,000 labels | "
        + " | ".join(f"{looks:,} looks" for looks in TOP_K_LOOKS)
        + " |",
        "|---" + "|--:" * len(TOP_K_LOOKS) + "|",
    )
    rows: dict[str, Sequence[Callable[[Path], str]]] = {
        "imagenet": [partial(top_k_row, k=1), partial(top_k_row, k=5)]
    }
    return RealTable("metric-top-k", head, rows)


def tables() -> list[Table]:
    """Return the tables of the page."""
    return [
        looks_table(),
        counts_table(),
        skewed_table(),
        VerdictTable(),
        real_table(),
        top_k_table(),
    ]


MEASURED = {"looks": looks_table, "counts": counts_table, "skewed": skewed_table}


def main() -> None:
    """Print one part; keep it if it is of real test sets."""
    sets = [*real_table().sets, *top_k_table().sets]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*MEASURED, "real"])
    parser.add_argument("--data", type=Path, help="folder with a folder per real test set")
    parser.add_argument("--sets", nargs="*", choices=sets, default=sets)
    given = parser.parse_args()
    if given.part != "real":
        print_rows(MEASURED[given.part]())
        return
    if given.data is None:
        parser.error("real needs --data DIR")
    for table in (real_table(), top_k_table()):
        if set(given.sets) & set(table.sets):
            table.measure(given.data, given.sets)


if __name__ == "__main__":
    main()
