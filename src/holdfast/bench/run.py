"""Runs of the benchmark: grids played as sweeps, rows made into standings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from holdfast._version import __version__
from holdfast.bench.honest import HonestCost, honest_cost
from holdfast.bench.standings import Standings, attack_standings, rule_standings
from holdfast.bench.suite import BenchSuite
from holdfast.sweeps import Journal, run
from holdfast.sweeps.cells import RESULTS, Row
from holdfast.sweeps.references import find_attack, find_rule

__all__ = ["honest_costs", "n_rows", "run_bench", "standings_of"]


def n_rows(suite: BenchSuite, *, attacks: Sequence[str] = (), rules: Sequence[str] = ()) -> int:
    """Return how many plays there are, or raise why there can't be any."""
    return sum(len(grid) for grid in suite.grids(list(attacks), list(rules)))


def run_bench(
    suite: BenchSuite,
    *,
    attacks: Sequence[str] = (),
    rules: Sequence[str] = (),
    processes: int = 1,
    cluster: str | None = None,
    journal: Journal | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Standings:
    """Play a suite, and return the standings.

    Parameters
    ----------
    suite
        What to play.
    attacks, rules
        More of them, such as `path/to/file.py:Class`: they meet all that the suite's own do.
    processes
        How many processes to play on; 1: in this one.
    cluster
        The address of a Dask scheduler to play on instead.
    journal
        Where rows are kept as they come; plays that it holds are not played again.
    on_rows
        Called with how many more plays are done; there are `n_rows` in all.

    Examples
    --------
    >>> suite = BenchSuite("tiny", sizes=((60, 2),), looks=(8,), rules=("exact",), seeds=2,
    ...                    attacks=("block-majority", "constant"))
    >>> [each.attack for each in run_bench(suite).attacks]
    ['block-majority', 'constant']
    """
    rows: list[Row] = []
    for grid in suite.grids(list(attacks), list(rules)):
        rows += run(grid, processes=processes, cluster=cluster, journal=journal, on_rows=on_rows)
    return standings_of(suite, rows, honest_costs(suite, rules), attacks=attacks, rules=rules)


def honest_costs(suite: BenchSuite, rules: Sequence[str] = ()) -> dict[str, HonestCost]:
    """Return what each rule costs honest teams, one's own rules too."""
    first = suite.grids([], list(rules))[0]
    return {each: _cost(suite, each) for each in map(str, first.rules)}


def standings_of(
    suite: BenchSuite,
    rows: Sequence[Row],
    costs: Mapping[str, HonestCost],
    *,
    attacks: Sequence[str] = (),
    rules: Sequence[str] = (),
) -> Standings:
    """Return the standings of rows that were played, with what the rules cost honest teams."""
    first = suite.grids(list(attacks), list(rules))[0]
    mine = list(map(str, first.attacks))[len(suite.attacks) :]
    my_rules = list(map(str, first.rules))[len(suite.rules) :]
    attack_names = {each: find_attack(each).name for each in map(str, first.attacks)}
    rule_names = {each: _shown(each) for each in map(str, first.rules)}
    reference = str(first.rules[0])
    return Standings(
        suite=suite.version,
        digest=suite.digest,
        version=f"{__version__}, results {_results(attack_names)}",
        seeds=suite.seeds,
        sizes=suite.sizes,
        looks=suite.looks,
        attacks=tuple(attack_standings(rows, reference, attack_names, mine)),
        rules=tuple(
            rule_standings(rows, suite.looks[-1], rule_names, attack_names, costs, my_rules)
        ),
        failures=_failures(rows, {*mine, *my_rules}, {**attack_names, **rule_names}),
    )


def _results(names: Mapping[str, str]) -> str:
    """Return the version of results, and of the attacks whose plays changed since the first."""
    own = {name: find_attack(each).results for each, name in names.items()}
    changed = (f"{name} {version}" for name, version in sorted(own.items()) if version > 1)
    return ", ".join([str(RESULTS), *changed])


def _shown(reference: str) -> str:
    """Return what standings call a rule: of a file, the name in it."""
    place, _, name = reference.rpartition(":")
    return name if name.isidentifier() and "." in place else reference


def _cost(suite: BenchSuite, reference: str) -> HonestCost:
    """Return the mean of the costs over the suite's problems."""
    found = [honest_cost(find_rule(reference), n, m) for n, m in suite.sizes]
    off = [each.off for each in found if each.off is not None]
    return HonestCost(
        float(np.mean(off)) if off else None, float(np.mean([each.unseen for each in found]))
    )


def _failures(
    rows: Sequence[Row], own: Collection[str], names: Mapping[str, str]
) -> tuple[str, ...]:
    """Return why attacks or rules of one's own could not play, each reason once."""
    return tuple(
        dict.fromkeys(
            f"{names[row['attack']]} against {names[row['rule']]}: {row['error']}"
            for row in rows
            if row["error"] is not None and (row["attack"] in own or row["rule"] in own)
        )
    )
