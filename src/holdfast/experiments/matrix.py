"""The matrix: the gain of every attack of the suite against every release rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from holdfast.certificates import certify
from holdfast.experiments.matrix_plays import Matrix, Played, Task, play_once
from holdfast.experiments.pool import Map, pool
from holdfast.experiments.rehearsals import suite_rehearsals
from holdfast.experiments.suite import SUITE, VERSION, entry_named
from holdfast.experiments.summary import Mean, mean_of
from holdfast.rules import Rule

__all__ = ["Cell", "RuleSummary", "n_plays", "run_matrix"]

# A measured mean may lie this many standard errors above the bound on its expectation.
ERRORS_ABOVE_BOUND = 4.0


class Cell(NamedTuple):
    """What one attack gained against one rule, or why it can't play."""

    rule: str
    attack: str
    accounts: int
    bias: Mean | None
    looks: float
    certified: float
    reason: str | None


class RuleSummary(NamedTuple):
    """One rule: its strongest attack with one account and with several, its bound, its price.

    `bias` of the strongest attack is measured again on fresh labels, so that choosing the
    maximum does not flatter it. `holds`: it is at or below the certified bound.
    """

    rule: str
    source: str
    resolution: float
    bits_per_look: float
    certified: float
    strongest: str
    bias: Mean
    strongest_with_accounts: str
    bias_with_accounts: Mean
    certified_with_accounts: float
    holds: bool


def run_matrix(
    matrix: Matrix,
    *,
    processes: int = 1,
    cluster: str | None = None,
    on_plays: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play the whole suite against every rule.

    Parameters
    ----------
    matrix
        What to measure.
    processes
        How many processes to play on; 1: in this one.
    cluster
        The address of a Dask scheduler to play on instead.
    on_plays
        Called with how many more plays are done; there are `n_plays(matrix)` in all.

    Returns
    -------
    suite (its version and attacks), problem, trials, seed, `rules` (`RuleSummary`) and `cells`
    (`Cell`).
    """
    m = matrix.problem.n_classes
    small = [each for rule in matrix.release_rules for each in suite_rehearsals(rule, m)]
    with pool(play_once, matrix, processes=processes, cluster=cluster, rehearsals=small) as play:
        tasks = [
            Task(rule, entry.name, trial)
            for entry in SUITE
            for rule in matrix.release_rules
            for trial in range(matrix.trials)
        ]
        cells = _cells(matrix, tasks, play, on_plays)
        again = [
            Task(rule, name, trial)
            for rule in matrix.release_rules
            for name in sorted({_strongest(cells, rule, alone).attack for alone in (True, False)})
            for trial in range(matrix.trials, 2 * matrix.trials)
        ]
        fresh = _cells(matrix, again, play, on_plays)
    return {
        "suite": {"version": VERSION, "attacks": [entry.name for entry in SUITE]},
        "problem": matrix.problem,
        "trials": matrix.trials,
        "seed": matrix.seed,
        "rules": [_summary(matrix, cells, fresh, rule) for rule in matrix.release_rules],
        "cells": cells,
    }


def n_plays(matrix: Matrix) -> int:
    """Return about how many plays `run_matrix` takes; the second measurement is counted fully."""
    return (len(SUITE) + 2) * len(matrix.release_rules) * matrix.trials


def _cells(
    matrix: Matrix,
    tasks: Sequence[Task],
    play: Map[Task, Played],
    on_plays: Callable[[int], None] | None,
) -> list[Cell]:
    """Play the tasks and gather those of one rule and attack into a cell."""
    found: dict[tuple[Rule, str], list[Played]] = {}
    for task, played in zip(tasks, play(tasks), strict=True):
        found.setdefault((task.rule, task.entry), []).append(played)
        if on_plays is not None:
            on_plays(1)
    return [_cell(matrix, rule, name, plays) for (rule, name), plays in found.items()]


def _cell(matrix: Matrix, rule: Rule, name: str, plays: Sequence[Played]) -> Cell:
    accounts = entry_named(name).n_accounts(matrix.problem.n_queries)
    reason = next((each.reason for each in plays if each.reason is not None), None)
    return Cell(
        rule=str(rule),
        attack=name,
        accounts=accounts,
        bias=None if reason else mean_of(each.bias for each in plays),
        looks=float(np.mean([each.looks for each in plays])),
        certified=certify(matrix.problem, rule, accounts=accounts).gain,
        reason=reason,
    )


def _strongest(cells: Sequence[Cell], rule: Rule, alone: bool) -> Cell:
    """Return the cell with the largest mean, among those with one account or among all."""
    able = [
        cell
        for cell in cells
        if cell.rule == str(rule) and cell.bias is not None and (cell.accounts == 1 or not alone)
    ]
    return max(able, key=lambda cell: -math.inf if cell.bias is None else cell.bias.mean)


def _summary(
    matrix: Matrix, cells: Sequence[Cell], fresh: Sequence[Cell], rule: Rule
) -> RuleSummary:
    text = str(rule)
    measured = {(cell.rule, cell.attack): cell for cell in fresh}
    one, many = (measured[text, _strongest(cells, rule, alone).attack] for alone in (True, False))
    assert one.bias is not None
    assert many.bias is not None
    return RuleSummary(
        rule=text,
        source=rule.source,
        resolution=rule.resolution(matrix.problem),
        bits_per_look=certify(matrix.problem, rule).bits_per_look,
        certified=one.certified,
        strongest=one.attack,
        bias=one.bias,
        strongest_with_accounts=many.attack,
        bias_with_accounts=many.bias,
        certified_with_accounts=many.certified,
        holds=all(
            cell.bias is None
            or cell.bias.mean <= cell.certified + ERRORS_ABOVE_BOUND * cell.bias.stderr
            for cell in (*cells, *fresh)
            if cell.rule == text
        ),
    )
