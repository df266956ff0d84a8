"""Whole games against bare match counts, exponents in n, m and k, and one core against two.

The limit of any black-box attack is to count the matches of its queries: what a game takes beyond
is the attack's own. Kernels that have no row of their own are measured here, in the games of the
attacks that use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.performance.rows import Row, exponent, in_turns, ratio_row
from holdfast import Problem, attacks, oracles, play
from holdfast.attacks.description import Described, Needs, Reads
from holdfast.attacks.registry import attack_types
from holdfast.experiments.pool import pool
from holdfast.experiments.suite import attack_on
from holdfast.kernels.matches import matches_and_largest
from holdfast.rules import parse_rule

__all__ = ["GAME_KERNELS", "core_row", "game_rows", "scaling_rows"]

GAME = Problem(5000, 10, 200)
# Smaller games hide nothing by rounding, and the attack plays as another does.
ROUNDING_SCALE = 0.3
TINY_GAME = Problem(12, 2, 8)
# A game of some fifty milliseconds, on one core.
CORE_GAME = Problem(10_000, 10, 300)
UNIT = "times the bare match counts"
# Kernels by the games that run them: the attacks' module, and a kernel's module below it.
GAME_KERNELS = (
    "holdfast.attacks.exact.subset_lattice",
    "holdfast.attacks.exact.hit_pools.kernels",
    "holdfast.attacks.exact.rounds.kernels",
    "holdfast.attacks.exact.rounds.packing",
    "holdfast.attacks.paper.exhaustive",
    "holdfast.attacks.steering.multiclass_pairing",
    "holdfast.attacks.steering.query_variants",
    "holdfast.attacks.steering.water_filling",
)


class Axis(NamedTuple):
    """Sizes of which one grows."""

    name: str
    problems: tuple[Problem, ...]


AXES = (
    Axis("n", tuple(Problem(n, 10, 100) for n in (10_000, 20_000, 40_000))),
    Axis("m", tuple(Problem(10_000, m, 100) for m in (5, 20, 80))),
    Axis("k", tuple(Problem(10_000, 10, k) for k in (100, 200, 400))),
)


def _played() -> list[type[Described]]:
    """Return the attacks that can be played alone, and the one for tiny problems."""
    alone = (None, Needs.ROUNDING, Needs.TINY_PROBLEM)
    return [cls for cls in attack_types() if cls.needs in alone and cls.reads is not Reads.NOTHING]


def _problem(cls: type[Described], scale: float) -> Problem:
    if cls.needs is Needs.TINY_PROBLEM:
        return TINY_GAME
    n, m, k = GAME
    if cls.needs is Needs.ROUNDING:
        scale = max(scale, ROUNDING_SCALE)
    return Problem(max(60, int(n * scale)), m if _takes_classes(cls) else 2, max(8, int(k * scale)))


def _takes_classes(cls: type[Described]) -> bool:
    """Tell whether an attack plays more than two classes."""
    try:
        attack_on(cls, Problem(60, 3, 8), np.random.default_rng(0), _rule(cls))
    except ValueError:
        return False
    return True


def _rule(cls: type[Described]) -> Any:
    return parse_rule("round:2" if cls.needs is Needs.ROUNDING else "exact")


def _game(cls: type[Described], problem: Problem) -> Callable[[], object]:
    hidden = np.random.default_rng(1).integers(problem.n_classes, size=problem.n_examples)
    labels = hidden.astype(np.uint8 if problem.n_classes <= 256 else np.uint16)
    rule = _rule(cls)

    def game() -> None:
        attack = attack_on(cls, problem, np.random.default_rng(2), rule)
        play(attack, oracles.LabelOracle(labels, problem=problem, mechanism=rule))

    return game


def _bare(problem: Problem) -> Callable[[], object]:
    """Return what counts the matches of k queries, which are there already."""
    n, m, k = problem
    query, hidden = np.random.default_rng(3).integers(m, size=(2, n)).astype(np.uint8)

    def bare() -> None:
        for _ in range(k):
            matches_and_largest(query, hidden)

    return bare


def game_rows(scale: float = 1.0, repeats: int = 3) -> Iterator[Callable[[], Row]]:
    """Yield what measures the game of each attack."""
    for cls in _played():
        yield lambda cls=cls: _game_row(cls, scale, repeats)  # type: ignore[misc]


def _game_row(cls: type[Described], scale: float, repeats: int) -> Row:
    problem = _problem(cls, scale)
    name = f"{cls.name} {tuple(problem)}"
    return ratio_row(name, "game", UNIT, _game(cls, problem), _bare(problem), repeats=repeats)


def scaling_rows(repeats: int = 3) -> Iterator[Callable[[], Row]]:
    """Yield what measures how the time of some attacks grows: one of each family."""
    families: dict[str, type[Described]] = {}
    for cls in _played():
        if cls.needs is None and cls.strongest_on:
            families.setdefault(cls.family, cls)
    for cls in families.values():
        for axis in AXES:
            yield lambda cls=cls, axis=axis: _scaling_row(cls, axis, repeats)  # type: ignore[misc]


def _scaling_row(cls: type[Described], axis: Axis, repeats: int) -> Row:
    taken = in_turns(*(_game(cls, problem) for problem in axis.problems), repeats=repeats)
    sizes = [getattr(problem, _FIELDS[axis.name]) for problem in axis.problems]
    # Halves of the turns tell the noise: single turns are disturbed too often.
    halves = [[min(seconds[at::2]) for seconds in taken] for at in (0, 1) if len(taken[0]) > at]
    each = [exponent(sizes, half) for half in halves]
    best = exponent(sizes, [min(seconds) for seconds in taken])
    return Row(
        f"{cls.name}, exponent of {axis.name}",
        "scaling",
        best,
        "exponent",
        spread=max(each) - min(each),
        seconds=min(taken[-1]),
    )


_FIELDS = {"n": "n_examples", "m": "n_classes", "k": "n_queries"}


def core_row(trials: int = 40, repeats: int = 3) -> Row:
    """Time games on two processes, which are there already, against one; 0.5 is twice as fast."""
    with (
        pool(_one_game, CORE_GAME, processes=1) as alone,
        pool(_one_game, CORE_GAME, processes=2) as both,
    ):
        return ratio_row(
            f"{trials} games on two processes",
            "cores",
            "times one process",
            lambda: sum(both(range(trials))),
            lambda: sum(alone(range(trials))),
            repeats=repeats,
        )


def _one_game(problem: Problem, trial: int) -> int:
    """Play one game, and return its matches."""
    hidden = np.random.default_rng([trial, 1]).integers(problem.n_classes, size=problem.n_examples)
    attack = attacks.HadamardBlocks(problem, rng=np.random.default_rng([trial, 2]))
    guess = play(attack, oracles.LabelOracle(hidden, problem=problem))
    return int(np.count_nonzero(guess == hidden))
