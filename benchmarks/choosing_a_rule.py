"""Release rules by size and number of looks: the table in docs/choosing_a_rule.md.

    python -m benchmarks.choosing_a_rule --seed 12

Labels are uniform. What exact and rounded scores leave is forecast; what a Ladder leaves is
measured with the attacks by which the audit compares Ladders, the strongest of them once more with
fresh randomness: 4 to 64 plays of each, the fewer the larger the problem. For each gap the table
names the rule that costs honest teams least among those that would be called SAFE, because twice
the upper end of the gain's 95 % interval is below the gap, and that are no coarser than it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.tables import Table, print_rows
from holdfast.audit import Request, parse_looks, parts_of
from holdfast.audit.formulas import forecast
from holdfast.audit.judgement.fixes import loss
from holdfast.audit.judgement.verdict import RESERVE
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.scenarios.measurer import Measurer, PlayBudget, strongest_first
from holdfast.audit.scenarios.plays import players
from holdfast.audit.scenarios.suite import compared
from holdfast.experiments.summary import Mean
from holdfast.files.label_files import LabelFile
from holdfast.problem import Problem
from holdfast.rules import Exact, Ladder, Rounding, Rule

SIZES = [
    (n, m, k)
    for n in (1_000, 10_000, 100_000)
    for m in (2, 10)
    for k in (10, 100, 1_000)
    if n * k <= 10**7
]
FORECAST: tuple[Rule, ...] = (Exact(), Rounding(decimals=3), Rounding(decimals=2))
STEPS = (0.002, 0.005, 0.01, 0.02)
GAPS = (0.5, 1.0, 2.0)
# Labels scored in all plays of one attack, and the fewest and the most of these plays.
WORK, LEAST, MOST = 16 * 10**6, 4, 64


def _request(problem: Problem, seed: int) -> Request:
    n, m, k = problem
    labels = np.random.default_rng([seed, *problem]).integers(m, size=n).astype(np.uint8)
    file = LabelFile(labels, tuple(str(name) for name in range(m)))
    looks = parse_looks(str(k))
    return Request(name="", file=file, parts=parts_of(file), rule=Exact(), looks=looks, seed=seed)


def worst_gains(problem: Problem, seed: int) -> dict[Rule, Mean]:
    """Return the worst gain known under each rule, in points; a forecast has no error."""
    trials = max(LEAST, min(MOST, WORK // (problem.n_examples * problem.n_queries)))
    board = _request(problem, seed)
    budget = PlayBudget(trials, trials, problem.n_queries)
    found = {rule: Mean(forecast(rule, problem) or 0.0, 0.0) for rule in FORECAST}
    with players(None, board, processes=1) as play:
        measurer = Measurer(board, unit_for(board), 1.0, budget, play)
        for step in STEPS:
            rule, k = Ladder(step), problem.n_queries
            asked = [(scenario, rule, k) for scenario in compared(board, rule, k)]
            measured = measurer.measure(asked, range(trials))
            gain = measurer.again(strongest_first(measured)[:1], trials).measured.gain
            assert gain is not None
            found[rule] = Mean(100.0 * gain.mean, 100.0 * gain.stderr)
    return found


def chosen(problem: Problem, gains: dict[Rule, Mean], gap: float, seed: int) -> str:
    """Return the rule for a gap that costs honest teams least; a dash if none is enough."""
    request = _request(problem, seed)
    able = [
        rule
        for rule, gain in gains.items()
        if RESERVE * (gain.mean + 1.96 * gain.stderr) < gap
        and 100.0 * rule.resolution(problem) <= gap
    ]
    if not able:
        return "–"
    return f"`{min(able, key=lambda rule: loss(rule, problem.n_queries, request))}`"


def row(problem: Problem, seed: int) -> str:
    """Return one line: sizes, gains, and a rule for each gap."""
    n, m, k = problem
    gains = worst_gains(problem, seed)
    numbers = " | ".join(
        f"{gain.mean:.2f}" + (f" ± {gain.stderr:.2f}" if gain.stderr else "")
        for gain in gains.values()
    )
    rules = " | ".join(chosen(problem, gains, gap, seed) for gap in GAPS)
    return f"| {n:,} | {m} | {k:,} | {numbers} | {rules} |"


def table(seed: int) -> Table:
    """Return the table."""
    rules = [f"`{rule}`" for rule in (*FORECAST, *(Ladder(step) for step in STEPS))]
    gaps = [f"rule for gaps of {gap:g}" for gap in GAPS]
    titles = ["n_examples", "n_classes", "looks", *rules, *gaps]
    head = (
        "| " + " | ".join(titles) + " |",
        "|" + "--:|" * (3 + len(rules)) + "---|" * len(gaps),
    )
    command = f"python -m benchmarks.choosing_a_rule --seed {seed}"
    rows: list[Callable[[], str]] = [partial(row, Problem(*each), seed) for each in SIZES]
    return Table("choosing-a-rule", command, seed, head, rows)


def tables() -> list[Table]:
    """Return the table of the page."""
    return [table(12)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=12)
    options = parser.parse_args()
    print_rows(table(options.seed))


if __name__ == "__main__":
    main()
