"""Standings of the benchmark's suites: rows of every play in docs/data, tables made from them.

`python -m benchmarks.generated bench-quick` plays the quick suite. The full one goes on from the
rows of `holdfast bench --full`, in out/bench.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.generated_base import Generated
from benchmarks.tables import DATA, ROOT
from holdfast.bench import FULL, QUICK, BenchSuite, Standings, honest_costs, standings_of
from holdfast.bench.honest import HonestCost
from holdfast.bench.tables import attack_table, markdown_table, rule_table
from holdfast.cores import available_cores
from holdfast.sweeps import Experiment, Journal, run
from holdfast.sweeps.cells import Row

__all__ = ["BenchStandings", "tables"]

# Who plays again under every rule; all others with exact scores alone.
UNDER_RULES = "hill-climb"
COST = "honest cost of"
DIGITS = 6


class BenchStandings(Generated):
    """The standings of one suite."""

    seed = 0

    def __init__(self, suite: BenchSuite) -> None:
        self.suite, self.name = suite, f"bench-{suite.name}"
        self.command = f"python -m benchmarks.generated {self.name}"
        self.files = (DATA / f"{self.name}.json",)

    def content(self) -> dict[str, Any]:
        """Play the suite; a dear one goes on from rows that are there."""
        costs = honest_costs(self.suite)
        if self.suite is not FULL:
            return self.kept(list(self._played(None)), costs)
        path = ROOT / "out" / "bench" / f"{self.suite.name}.rows.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with Journal(path, resume=True) as journal:
            return self.kept(list(self._played(journal)), costs)

    def kept(self, rows: Sequence[Row], costs: Mapping[str, HonestCost]) -> dict[str, Any]:
        """Return what is kept: every place, its seeds' matches, and why one could not be played."""
        found: dict[tuple[Any, ...], list[Any]] = {}
        for row in rows:
            names = ("n_examples", "n_classes", "n_queries", "attack", "rule")
            place = tuple(row[name] for name in names)
            plays = found.setdefault(place, [[], None])
            plays[0].append(_matches(row))
            plays[1] = plays[1] or row["error"]
        standings = standings_of(self.suite, rows, costs)
        return {
            "suite": self.suite.version,
            "digest": self.suite.digest,
            "version": standings.version,
            "costs": {rule: _rounded_cost(cost) for rule, cost in costs.items()},
            "rows": [[*place, *plays] for place, plays in found.items()],
        }

    def standings(self, content: Mapping[str, Any]) -> Standings:
        """Return the standings of what is kept."""
        costs = {rule: HonestCost(*cost) for rule, cost in content["costs"].items()}
        found = standings_of(self.suite, list(_rows(content)), costs)
        assert (found.suite, found.digest) == (content["suite"], content["digest"])
        return found

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return matches with the fewest looks, those of one attack under all rules, and costs."""
        reference, few = self.suite.rules[0], self.suite.looks[0]
        found: dict[str, Any] = {}
        for n, m, k, attack, rule, matches, _ in content["rows"]:
            if rule == reference and k == few:
                found[f"{attack} {n} {m} {k}"] = matches
            elif rule != reference and attack == UNDER_RULES:
                found[f"{attack} {rule} {n} {m} {k}"] = matches
        return found | {f"{COST} {rule}": cost for rule, cost in content["costs"].items()}

    def measured(self, cell: str) -> Any:
        """Play one place again, or measure what a rule costs honest teams."""
        if cell.startswith(COST):
            rule = cell.removeprefix(f"{COST} ")
            return _rounded_cost(honest_costs(replace(self.suite, rules=(rule,)))[rule])
        *who, n, m, k = cell.split()
        rule = who[1] if len(who) > 1 else self.suite.rules[0]
        grid = Experiment(
            who[:1],
            rules=[rule],
            problems=[(int(n), int(m), int(k))],
            seeds=self.suite.seeds,
        )
        return [_matches(row) for row in run(grid)]

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return both tables, and what they are of."""
        found = self.standings(content)
        said = f"Suite {content['suite']} (digest {content['digest']}), Holdfast "
        return {
            f"{self.name}-of": f"{said}{content['version']}; seeds 0 to {found.seeds - 1}.\n",
            f"{self.name}-rules": f"{markdown_table(rule_table(found))}\n",
            f"{self.name}-attacks": f"{markdown_table(attack_table(found))}\n",
        }

    def _played(self, journal: Journal | None) -> Iterator[Row]:
        for grid in self.suite.grids([], []):
            yield from run(grid, processes=available_cores(), journal=journal)


def _rows(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows that standings are made of, as a sweep has them."""
    for n, m, k, attack, rule, matches, error in content["rows"]:
        place = {"attack": attack, "rule": rule, "n_examples": n, "n_classes": m, "n_queries": k}
        for seed, count in enumerate(matches):
            gain = None if count is None else (m * count - n) / m / n  # as a sweep has it
            failed = error if count is None else None
            yield {**place, "seed": seed, "gain": gain, "error": failed, "seconds": 0.0}


def _rounded_cost(cost: HonestCost) -> list[float | None]:
    return [None if cost.off is None else round(cost.off, DIGITS), round(cost.unseen, DIGITS)]


def _matches(row: Row) -> int | None:
    """Return how many labels were right: equal gains stay equal, whatever a decimal would do."""
    return None if row["error"] is not None else int(row["matches"])


def tables() -> list[Generated]:
    """Return the standings that are kept."""
    kept = [BenchStandings(suite) for suite in (QUICK, FULL)]
    return [each for each in kept if each.suite is QUICK or each.files[0].exists()]
