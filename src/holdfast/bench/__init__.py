"""The benchmark: a versioned suite of fixed problems, and standings of attacks and rules on it."""

from holdfast.bench.page import as_page
from holdfast.bench.run import honest_costs, n_rows, run_bench, standings_of
from holdfast.bench.standings import AttackStanding, RuleStanding, Standings
from holdfast.bench.suite import FULL, QUICK, BenchSuite
from holdfast.bench.tables import as_markdown

__all__ = [
    "FULL",
    "QUICK",
    "AttackStanding",
    "BenchSuite",
    "RuleStanding",
    "Standings",
    "as_markdown",
    "as_page",
    "honest_costs",
    "n_rows",
    "run_bench",
    "standings_of",
]
