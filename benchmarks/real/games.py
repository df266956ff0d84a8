"""Games on real test sets: what the planner chooses, what starts from models, and breakdowns.

Attacks that any sweep can play go through `holdfast.sweeps`. What that can't express is here: the
planner's choice for the board's rule, real models' votes as a prior, and scores by group.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.real.sets import RealSet
from benchmarks.real.versions import versions_of
from holdfast import metrics, play
from holdfast.attacks.registry import attack_type
from holdfast.attacks.through_metrics import ByGroup
from holdfast.errors import HoldfastError, NotSupported
from holdfast.experiments.suite import attack_on
from holdfast.oracles import LabelOracle, MetricOracle
from holdfast.planner.auto import made
from holdfast.planner.plan import MIXTURE, Plan, plan_under
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import Rule, parse_rule

__all__ = ["BY_GROUP", "MODELS", "NOTHING", "PLANNED", "TOTAL", "Game", "Player"]

TOTAL, BY_GROUP = "total", "by group"
NOTHING, MODELS = "nothing", "models"
# Whatever the planner chooses; any other text is an attack's name.
PLANNED = "planned"
# Raised when the same game would be played otherwise.
RESULTS = 1


class Game(NamedTuple):
    """One game: on which set, what is shown of it, who attacks, and what he knows."""

    set: str
    shown: str
    knows: str
    asked: str
    rule: str
    looks: int
    seed: int

    @property
    def address(self) -> str:
        """What tells it apart in a journal."""
        text = json.dumps(["real", RESULTS, *self])
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def generator(self) -> np.random.Generator:
        """Where its randomness comes from."""
        return np.random.default_rng(int(self.address, 16))


class Player:
    """Plays the games of one test set, and remembers plans."""

    def __init__(self, real: RealSet) -> None:
        self._real = real
        self._planned: Callable[[str, Problem], Plan] = lru_cache(maxsize=None)(_plan)
        self._planned_alone: Callable[[str, Problem], list[str]] = lru_cache(maxsize=None)(
            _plan_alone
        )

    def play(self, game: Game) -> dict[str, Any]:
        """Return the row of one game; one that can't be played has its reason in `error`."""
        row = {**game._asdict(), "address": game.address, "attack": None, "gain_examples": None}
        row |= {"taken": 0, "forecast": None, "error": None}
        start = time.process_time()
        try:
            row |= self._outcome(game)
        except HoldfastError as error:
            row["error"] = str(error)
        seconds = round(time.process_time() - start, 3)
        return {**row, "versions": versions_of(row["attack"]), "seconds": seconds}

    def _outcome(self, game: Game) -> dict[str, Any]:
        real, rule = self._real, parse_rule(game.rule)
        problem = Problem(real.labels.size, real.n_classes, game.looks)
        for_attack, for_rule = game.generator.spawn(2)
        if game.shown == BY_GROUP:
            return self._by_group(game, rule, problem, for_attack, for_rule)
        row: dict[str, Any] = {"attack": game.asked}
        if game.asked == PLANNED:
            plan = self._planned(game.rule, problem)
            row = {"attack": plan.chosen.attack, "forecast": plan.chosen.gain}
            attack = made(plan.chosen, plan.setting, for_attack)
        else:
            prior = real.prior if game.knows == MODELS else None
            attack = attack_on(attack_type(game.asked), problem, for_attack, rule, prior=prior)
        oracle = LabelOracle(real.labels, problem=problem, mechanism=rule, rng=for_rule)
        guess = play(attack, oracle, until_refused=True)
        matches = int(np.count_nonzero(guess == real.labels))
        start = real.model_matches if game.knows == MODELS else problem.n_examples / real.n_classes
        return {**row, "gain_examples": matches - start, "taken": oracle.looks}

    def _by_group(
        self,
        game: Game,
        rule: Rule,
        problem: Problem,
        for_attack: np.random.Generator,
        for_rule: np.random.Generator,
    ) -> dict[str, Any]:
        real = self._real
        show = metrics.Breakdown(real.groups)
        board = MetricOracle(
            real.labels.astype(np.int64),
            show,
            n_queries=game.looks,
            mechanism=rule,
            rng=for_rule,
        )
        chosen: set[str] = set()
        sizes = np.bincount(real.groups)

        def of_group(part: Problem, rng: np.random.Generator) -> Attack[Any]:
            for name in self._planned_alone(game.rule, _like(part, sizes[sizes > 0])):
                with suppress(HoldfastError):
                    attack = attack_on(attack_type(name), part, rng, rule)
                    chosen.add(name)
                    return attack
            raise NotSupported("no attack plays all groups.")

        attack = ByGroup(problem, real.groups, of_group, rng=for_attack)
        while (query := attack.ask()) is not None:
            attack.tell(board.query(query))
        matches = int(np.count_nonzero(attack.predict() == real.labels))
        return {
            "attack": ", ".join(sorted(chosen)),
            "gain_examples": matches - problem.n_examples / real.n_classes,
            "taken": board.looks,
        }


def _plan(rule: str, problem: Problem) -> Plan:
    return plan_under(parse_rule(rule), problem)


def _plan_alone(rule: str, problem: Problem) -> list[str]:
    """Return the attacks that play by themselves, the best forecast first: no mixture.

    Where rounding hides nothing of a small group, it may of one that is a little larger: then the
    next one plays.
    """
    plan = plan_under(parse_rule(rule), problem)
    able = [each for each in plan.forecasts if each.rank is not None and each.attack != MIXTURE]
    return [each.attack for each in able]


def _like(part: Problem, sizes: NDArray[np.int64]) -> Problem:
    """Return the problem of a group that is alike: a plan for every size takes longer than games.

    Groups are small, middle or large; each third is planned for by its middle size.
    """
    thirds = np.array_split(np.sort(sizes), 3)
    third = next(each for each in thirds if part.n_examples <= each[-1])
    return Problem(int(third[third.size // 2]), part.n_classes, part.n_queries)
