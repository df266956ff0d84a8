"""Many small games: what a game of every attack takes, beside the time of its own kernel.

A game is a whole trial: labels, attack, looks, guess, score. Its kernel is what can't be left out:
the match counts of its looks, bare, on ready-made arrays of this size, and the attack's own work on
examples, which is what a game of twenty times as many takes more than one of ten times as many, for
each example, without their counts. All else is overhead: it does not grow with the examples. Of
`exhaustive` the search of all labelings is its kernel, too.

Processor time, games of all sizes in turn, the shortest of several rounds. Other searches that are
an attack's own work but do not grow with the examples (the lattice's) count as overhead here.

    python -m benchmarks.small_games          print all lines, in about four minutes
    python -m benchmarks.small_games --keep   and put them into docs/performance.md
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from benchmarks.generated_base import Generated
from benchmarks.made import fingerprint
from benchmarks.performance.record import commit_of
from benchmarks.tables import DATA, ROOT, filled
from benchmarks.timing import Comparison, show
from holdfast import Problem, attacks, oracles, play
from holdfast.attacks.paper.exhaustive import _best_labeling
from holdfast.attacks.registry import attack_names
from holdfast.errors import HoldfastError
from holdfast.experiments.trials import Experiment, run, run_trial
from holdfast.kernels.matches import matches_and_largest

__all__ = ["SmallGames"]

SIZES = Problem(2000, 10, 100)
# Where those play that can't play there: for two classes, and for a search over few labelings.
ELSEWHERE = {"boosting": Problem(2000, 2, 100), "exhaustive": Problem(2000, 10, 20)}
GAMES = 1000
# Seconds for the games of one size in one round; a dear game is played less often.
SECONDS_A_ROUND = 0.25
ROUNDS = 3
COUNTS = 20_000
# How many times its kernel a game may take, and 1,000 of the simplest their bare counts.
GOAL, GOAL_OF_MANY = 10.0, 2.0
PAGE = ROOT / "docs" / "performance.md"


class Line(NamedTuple):
    """A game of one attack: how often it was timed, and milliseconds of it and of its kernel."""

    attack: str
    games: int
    milliseconds: float
    kernel: float

    @property
    def ratio(self) -> float:
        """How many times its kernel a game takes."""
        return self.milliseconds / self.kernel if self.kernel > 0 else float("nan")


class SmallGames(Generated):
    """Ratios of one run, which another machine gives about the same."""

    name, seed = "small-games", 16
    command = "python -m benchmarks.small_games --keep"
    files = (DATA / "small-games.json",)

    def content(self) -> dict[str, Any]:
        """Return what is kept."""
        return self.load()

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return no cell: times are not measured by tests."""
        del content
        return {}

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a digest of all rows."""
        return {"rows": fingerprint({"rows": content["rows"]})}

    def measured(self, cell: str) -> Any:
        """Return what is kept."""
        return self.probes(self.load())[cell]

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table, and where it was measured."""
        rows, many = content["rows"], content["many_games"]
        over = [name for name, *_, ratio in rows if ratio > GOAL]
        said = (
            f"Measured at commit {content['commit']}, load {content['load']}. 1,000 games of "
            f"block-majority at (10000, 10, 500) on two processes took {many:g} times their "
            f"500,000 bare match counts on one core (goal: at most {GOAL_OF_MANY:g}). A game at "
            "(2000, 10, 100), or at the sizes given, takes of its own kernel's time (goal: at most "
            f"{GOAL:g} times; above it: {', '.join(over) or 'none'}):"
        )
        lines = [f"| {name} | {game:g} | {ratio:g} |" for name, game, ratio in rows]
        table = ["| attack | game, ms | times its kernel |", "|---|--:|--:|", *lines]
        return {self.name: "\n".join([said, "", *table, ""])}


def main() -> int:
    """Print a line per attack, and the comparison of 1,000 games with bare counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attack", nargs="*", default=attack_names(), help="which; default: all")
    parser.add_argument("--seed", type=int, default=SmallGames.seed)
    parser.add_argument("--keep", action="store_true", help="put the ratios into the page")
    parser.add_argument("--busy", action="store_true", help="though the machine has more to do")
    asked = parser.parse_args()
    if asked.keep and (set(asked.attack), asked.seed) != (set(attack_names()), SmallGames.seed):
        parser.error("--keep is for all attacks, with the seed that the page names.")
    many = many_games(asked.seed)
    show(many)
    print(f"{'attack':28} {'games':>6} {'game, ms':>9} {'kernel, ms':>10} {'ratio':>6}")
    found = [line for name in asked.attack if (line := told(name, asked.seed)) is not None]
    load = round(os.getloadavg()[0], 1)
    if not asked.keep:
        return 0
    if load > (os.cpu_count() or 1) and not asked.busy:
        print(f"not kept: the load is {load}, more than the cores; --busy keeps it all the same.")
        return 1
    rows = [[each.attack, _digits(each.milliseconds), _digits(each.ratio)] for each in found]
    table = SmallGames()
    table.keep(
        {
            "commit": commit_of(ROOT),
            "load": load,
            "many_games": _digits(many.ratio),
            "rows": rows,
        }
    )
    PAGE.write_text(filled(PAGE, _texts(table)), encoding="utf-8")
    return 0


def _texts(table: SmallGames) -> dict[str, str]:
    """Return what the page's blocks show, those of others as well."""
    from benchmarks.generated import texts

    return {**texts(), **table.blocks(table.load())}


def told(name: str, seed: int) -> Line | None:
    """Print what a game takes, its kernel, and their ratio; None: it can't be played there."""
    n, m, k = ELSEWHERE.get(name, SIZES)
    said = name if name not in ELSEWHERE else f"{name} ({n}, {m}, {k})"
    sizes = [Problem(n * times, m, k) for times in (1, 10, 20)]
    try:
        games = [Experiment(name, each, trials=1, seed=seed) for each in sizes]
        looks = [run_trial(game, 0)["looks"] for game in games]
    except HoldfastError as error:
        print(f"{said:28} not played: {error}")
        return None
    first = processor_seconds(lambda: run_trial(games[0], 1), 1)
    number = int(np.clip(SECONDS_A_ROUND / max(first, 1e-6), 2, GAMES))
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        for at, game in enumerate(games):
            repeats = max(2, number // (1, 10, 20)[at])
            best[at] = min(best[at], mean_seconds(game, repeats))
    counts = [looks[at] * bare_count(each.n_examples, m) for at, each in enumerate(sizes)]
    own = ((best[2] - counts[2]) - (best[1] - counts[1])) / 10
    kernel = counts[0] + max(own, 0.0)
    if name == "exhaustive":
        kernel += search_seconds(sizes[0], seed)
    line = Line(said, number, 1e3 * best[0], 1e3 * kernel)
    print(
        f"{said:28} {number:6,} {line.milliseconds:9.3f} {line.kernel:10.3f} {line.ratio:6.1f}",
        flush=True,
    )
    return line


def search_seconds(problem: Problem, seed: int) -> float:
    """Return the processor seconds of a search of all labelings, at best."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(problem.n_classes, size=problem.n_examples)
    attack = attacks.Exhaustive(problem, rng=rng)
    play(attack, oracles.LabelOracle(hidden, problem=problem))
    rows, counts = attack._rows(), attack._counts[: attack.answered]

    def search() -> None:
        _best_labeling(rows, counts, problem.n_classes, False, np.uint64(seed))

    return min(processor_seconds(search, 200) for _ in range(5))


def mean_seconds(game: Experiment, repeats: int) -> float:
    """Return the processor seconds of a game, the mean of several."""
    start = time.process_time()
    for trial in range(repeats):
        run_trial(game, trial)
    return (time.process_time() - start) / repeats


def processor_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the processor seconds of a call, the mean of several."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def bare_count(n: int, m: int) -> float:
    """Return the processor seconds of one match count, by the oracle's kernel, at best."""
    rng = np.random.default_rng(n)
    query, hidden = (rng.integers(m, size=n).astype(np.uint8) for _ in range(2))
    matches_and_largest(query, hidden)
    repeats = max(200, COUNTS * SIZES.n_examples // n)
    return min(
        processor_seconds(lambda: matches_and_largest(query, hidden), repeats) for _ in range(5)
    )


def many_games(seed: int) -> Comparison:
    """Time 1,000 games of the simplest attack on two processes against their bare counts on one."""
    problem = Problem(10_000, 10, 500)
    games = Experiment("block-majority", problem, trials=GAMES, seed=seed)
    run_trial(games, 0)
    best = counts = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run([games], processes=2)
        best = min(best, time.perf_counter() - start)
        counts = min(counts, GAMES * problem.n_queries * bare_count(10_000, 10))
    return Comparison(
        "1,000 games of block-majority at (10000, 10, 500), two processes",
        best,
        "500,000 bare match counts on one core",
        counts,
        f"at most {GOAL_OF_MANY:g} times",
    )


def _digits(value: float) -> float:
    """Return a number with three digits: more would be noise."""
    return float(f"{value:.3g}")


if __name__ == "__main__":
    sys.exit(main())
