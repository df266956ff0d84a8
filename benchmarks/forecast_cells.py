"""Forecasts against games on random cells: sizes, release rule and prior drawn at random.

    python -m benchmarks.forecast_cells --cells 200 --seed 8101 > cells.txt

Every cell is planned, and the chosen attack and its three rivals, those with the next highest
forecasts, play under the rule on the same hidden labels. Attacks come from the registry.

n is log-uniform from 20 to 3,000, m from 2 to 1,000, k from 1 to n. Half of the cells have no
prior; the others a model that is equally sure of every example, one that is surer of some, two
equally likely candidates per example, or the shares of unequal classes. Trials: as many as the work
allows, the same number on every machine.

Three numbers are printed below the table. `forecasts`: the share of cells whose chosen attack's
forecast is within the tolerance, or within four standard errors, of what it gained. `all`: the same
over every attack that played. `choices`: the share of cells where no rival gained more than the
tolerance above the chosen attack, beyond four standard errors of their difference. A forecast that
was not made (None, with its reason) is neither right nor wrong, and is counted apart.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Needs
from holdfast.attacks.registry import attack_type
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import Forecast, Plan, plan_under
from holdfast.planner.auto import made
from holdfast.planner.plan import MIXTURE
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import parse_rule

__all__ = ["Cell", "CellResult", "Played", "cell_result", "random_cells"]

RULES: dict[str, float] = {
    "exact": 8, "round:2": 2, "round:3": 2, "round:4": 2, "ladder": 2, "ladder:0.01": 1,
    "gaussian:0.01": 2, "gaussian:0.001": 1, "laplace:0.003": 2, "improved": 2, "rank": 2,
    "subsample:0.5": 2, "fresh:0.3": 1, "split:5": 0.5, "shaky:step=0.01,scale=0.002": 0.5,
    "thresholdout:threshold=0.01,scale=0.002,budget=50": 0.5, "batch:7": 0.5,
    "subsample:0.5+round:3": 0.5,
}  # fmt: skip
PRIORS: dict[str, float] = {"none": 5, "flat": 2, "spread": 1, "pairs": 1, "shares": 1}
RIVALS = 3
FEWEST, MOST = 6, 60


class Cell(NamedTuple):
    """What is drawn at random; `level` is the accuracy of the model, or the skew of the shares."""

    problem: Problem
    rule: str
    prior: str
    level: float
    seed: int

    def labels(self, rng: np.random.Generator) -> tuple[Labels, Prior | None]:
        """Return hidden labels and what is known of them."""
        n, m, _ = self.problem
        if self.prior == "none":
            return rng.integers(m, size=n), None
        if self.prior == "shares":
            shares = np.arange(1, m + 1) ** -self.level
            shares /= shares.sum()
            return rng.choice(m, size=n, p=shares), Prior.dense(np.tile(shares, (n, 1)))
        sure: NDArray[np.float64] = np.full(n, self.level)
        if self.prior == "spread":  # the model is surer of some than of others, and rightly so
            least = 1.0 / m + 1e-6
            sure = np.clip(self.level + (np.arange(n) / n - 0.5), least, 1.0 - 1e-6)
        hidden = rng.integers(m, size=n)
        wrong = (hidden + rng.integers(1, m, size=n)) % m
        if self.prior == "pairs":
            pair = np.stack([hidden, wrong], axis=1)
            return hidden, Prior.candidates(rng.permuted(pair, axis=1), np.full((n, 2), 0.5), m)
        top = np.where(rng.random(n) < sure, hidden, wrong)
        return hidden, Prior.candidates(top[:, None], sure[:, None], m)


class Played(NamedTuple):
    """What one attack was said to gain in a cell, and did gain."""

    attack: str
    told: float | None
    mean: float
    error: float
    trials: int

    def within(self, tolerance: float) -> bool | None:
        """Tell whether the forecast was right; None: there was none."""
        if self.told is None:
            return None
        # Gains are whole matches: if they are rare, their mean is known no better than this,
        # even if no trial had one.
        rare = min(abs(self.told), 0.5)
        error = max(self.error, math.sqrt(rare * (1.0 - rare) / self.trials))
        return abs(self.told - self.mean) <= max(tolerance * abs(self.mean), 4.0 * error)


class CellResult(NamedTuple):
    """The chosen attack and its rivals, and their gains trial by trial."""

    cell: Cell
    played: list[Played]
    gains: NDArray[np.float64]

    def chosen_well(self, tolerance: float) -> bool:
        """Tell whether no rival was better than the chosen attack by more than the tolerance."""
        chosen = self.gains[0]
        for other in self.gains[1:]:
            lead = other - chosen
            error = lead.std(ddof=1) / math.sqrt(lead.size)
            if lead.mean() > max(tolerance * abs(other.mean()), 4.0 * error):
                return False
        return True


def log_uniform(rng: np.random.Generator, low: float, high: float) -> int:
    """Return a whole number whose logarithm is about uniform."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def random_cells(seed: int, count: int, *, most: int = 3000) -> Iterator[Cell]:
    """Yield cells; the first ones do not depend on how many there are."""
    for at in range(count):
        rng = np.random.default_rng([seed, at])
        n = log_uniform(rng, 20, most)
        m = log_uniform(rng, 2, 1000)
        k = log_uniform(rng, 1, n)
        rule, prior = (_drawn(rng, weights) for weights in (RULES, PRIORS))
        level = rng.uniform(0.3, 1.5) if prior == "shares" else 1 / m + (1 - 1 / m) * rng.random()
        yield Cell(Problem(n, m, k), rule, prior, level, seed + at)


def _drawn(rng: np.random.Generator, weights: dict[str, float]) -> str:
    chances = np.array(list(weights.values()), dtype=float)
    return str(rng.choice(list(weights), p=chances / chances.sum()))


def cell_result(cell: Cell, *, work: float = 1.5e8, fewest: int = FEWEST) -> CellResult:
    """Plan a cell and play what was chosen and its rivals, on the same labels."""
    rule = parse_rule(cell.rule)
    _, prior = cell.labels(np.random.default_rng([cell.seed, 0]))
    found = plan_under(rule, cell.problem, prior=prior)
    rivals = [
        each
        for each in found.forecasts[1:]
        if _is_rival(each, found) and not (rule.waits and each.adaptive)
    ]
    entries = [found.chosen, *rivals[:RIVALS]]
    trials = _trials(cell.problem, entries, work, fewest)
    gains = np.empty((len(entries), trials))
    for trial in range(trials):
        for at, each in enumerate(entries):
            # The same labels for all, and the same model.
            hidden, prior = cell.labels(np.random.default_rng([cell.seed, 1 + trial]))
            setting = replace(found.setting, prior=prior)
            rng = np.random.default_rng([cell.seed, 1 + trial, 1])
            oracle = LabelOracle(hidden, problem=cell.problem, mechanism=rule, rng=rng)
            guess = play(made(each, setting, rng), oracle, until_refused=True)
            n, m, _ = cell.problem
            start = n / m if prior is None else np.count_nonzero(prior.top() == hidden)
            gains[at, trial] = np.count_nonzero(guess == hidden) - start
    # Gains are whole matches: a rare one that no trial had is still possible.
    floor = 1.0 / trials
    errors = np.maximum(gains.std(axis=1, ddof=1) / math.sqrt(trials), floor if prior else 0.0)
    played = [
        Played(each.attack, each.gain, float(row.mean()), float(error), trials)
        for each, row, error in zip(entries, gains, errors, strict=True)
    ]
    return CellResult(cell, played, gains)


def _is_rival(each: Forecast, found: Plan) -> bool:
    """Tell whether an attack can play, and plays otherwise than the chosen one."""
    if each.rank is None or each.attack == MIXTURE:
        return each.rank is not None
    needs = attack_type(each.attack).needs
    same = {Needs.OPEN_END, Needs.TINY_PROBLEM} | (
        {Needs.ROUNDING} if found.setting.exact else set()
    )
    return needs not in same


def _trials(problem: Problem, entries: list[Forecast], work: float, fewest: int) -> int:
    """Return as many trials as the work allows, the same for all attacks."""
    n, _, k = problem
    dearest = n * k * 20.0 + 2.5e5
    for each in entries:
        if each.attack != MIXTURE:
            cls = attack_type(each.attack)
            dearest = max(dearest, cls.work(problem) * cls.effort * min(1.0, (k + 30) / 300))
    return int(min(MOST, max(fewest, work / dearest)))


def main() -> None:
    """Play all cells and print them and the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=8101)
    parser.add_argument("--work", type=float, default=1.5e8)
    parser.add_argument("--tolerance", type=float, default=0.15)
    parser.add_argument("--choice", type=float, default=0.10)
    parser.add_argument("--rule", default=None, help="Only cells with this release rule.")
    parser.add_argument("--prior", default=None, help="Only cells with this kind of prior.")
    args = parser.parse_args()
    results: list[CellResult] = []
    for at, cell in enumerate(random_cells(args.seed, args.cells)):
        if at < args.first or (args.rule or cell.rule) != cell.rule:
            continue
        if (args.prior or cell.prior) != cell.prior:
            continue
        results.append(cell_result(cell, work=args.work))
        print_line(at, results[-1], args.tolerance, args.choice)
    for line in shares(results, args.tolerance, args.choice):
        print(line)


def print_line(at: int, result: CellResult, tolerance: float, choice: float) -> None:
    """Print one cell as it is done."""
    cell, marks = result.cell, []
    for each in result.played:
        told = "-" if each.told is None else f"{each.told:.2f}"
        wrong = "" if each.within(tolerance) in (True, None) else "!"
        marks.append(f"{each.attack} {told}/{each.mean:.2f}±{each.error:.2f}{wrong}")
    n, m, k = cell.problem
    prior = cell.prior if cell.prior == "none" else f"{cell.prior} {cell.level:.2f}"
    bad = "" if result.chosen_well(choice) else "CHOICE! "
    trials = result.played[0].trials
    print(
        f"{at:3d} ({n},{m},{k}) {cell.rule} [{prior}] x{trials} {bad}" + "; ".join(marks),
        flush=True,
    )


def shares(results: list[CellResult], tolerance: float, choice: float) -> list[str]:
    """Return the three shares in words."""
    chosen = [result.played[0].within(tolerance) for result in results]
    every = [each.within(tolerance) for result in results for each in result.played]
    good: list[bool | None] = [result.chosen_well(choice) for result in results]
    lines = []
    for what, verdicts in (("forecasts", chosen), ("all", every), ("choices", good)):
        known = [verdict for verdict in verdicts if verdict is not None]
        share = sum(known) / max(1, len(known))
        none = f", {len(verdicts) - len(known)} not made" if None in verdicts else ""
        lines.append(f"{what}: {sum(known)} of {len(known)} right ({share:.1%}){none}")
    return lines


if __name__ == "__main__":
    main()
