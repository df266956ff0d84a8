"""Ways to attack a policy: which attack, with what knowledge, from how many accounts."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.audit.result import Knowledge
from holdfast.audit.scenarios.from_class_shares import SHARE_ATTACKS
from holdfast.audit.scenarios.plays import MODEL_ATTACKS, NO_FEATURES_ATTACKS, Job
from holdfast.experiments.suite import SUITE
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["Scenario", "compared_scenarios", "suite_scenarios"]

# Attacks that between them are the strongest of the suite: where every look is answered with a
# score of its own, and where most are answered with what was shown before, or with a bit.
ON_SCORES = (
    "champion-challenger",
    "boundary-challenger",
    "random-climb",
    "lattice",
    "naive-bayes",
    "hadamard-blocks",
    "block-majority",
    "hill-climb",
)
ON_IMPROVEMENTS = (
    "random-climb",
    "block-climb",
    "hill-climb",
    "hadamard-blocks",
    "block-majority",
)
# The same for those that start from class shares, the strongest first.
FROM_SHARES = {
    "scores": ("champion-challenger", "lattice", "hadamard-blocks", "prior-climb"),
    "rounded": ("boundary-challenger", "hadamard-blocks", "prior-climb"),
    "improvements": ("prior-climb", "hadamard-blocks"),
}
# Attacks for which the first look of each of many accounts is worth playing alone.
FIRST_LOOKS = ("champion-challenger", "hadamard-blocks", "block-majority")
FIRST_LOOKS_FROM_SHARES = ("champion-challenger", "hadamard-blocks")


class Scenario(NamedTuple):
    """An attack, what it knows, and from how many accounts it looks.

    `first`: every account looks once, because a rule that remembers answers a stranger's first
    look best; else the accounts share the looks evenly.
    """

    setting: Knowledge
    attack: str
    accounts: int = 1
    first: bool = False

    @property
    def name(self) -> str:
        """What tables call it; the suite's own entries for several accounts name them already."""
        if self.accounts == 1 or "," in self.attack:
            return self.attack
        if self.first:
            return f"{self.attack}, first look of {self.accounts:,} accounts"
        return f"{self.attack}, {self.accounts:,} accounts"

    @property
    def base(self) -> str:
        """The attack without its accounts."""
        return self.attack.partition(",")[0]

    def job(self, rule: str, looks: int, trial: int) -> Job:
        """Return one play with so many looks of all accounts together."""
        accounts = min(self.accounts, looks)
        played = accounts if self.first else looks
        return Job(self.setting, rule, self.attack, played, trial, accounts)


def suite_scenarios(
    rule: Rule, problem: Problem, accounts: int, *, models: bool, shares: bool = False
) -> list[Scenario]:
    """Return all ways against a policy whose rule meets so many separate accounts.

    `models`: attacks may start from models' predictions; `shares`: from the class shares.

    Where the rule remembers nothing, accounts only add up their looks, and each attack plays as
    if from one. Else each plays from all accounts, and some once more with first looks alone.
    """
    accounts = min(accounts, problem.n_queries) if rule.keeps_state else 1
    alone = [entry.name for entry in SUITE if entry.accounts == 1]
    scenarios = [_suited(name, accounts, problem.n_queries) for name in alone]
    scenarios += [Scenario("no features", name, accounts) for name in NO_FEATURES_ATTACKS]
    if shares:
        scenarios += _from_shares(tuple(SHARE_ATTACKS), accounts, problem)
    if models:
        scenarios += [Scenario("model", name, accounts) for name in MODEL_ATTACKS]
    if 1 < accounts < problem.n_queries:
        scenarios += [Scenario("features", name, accounts, first=True) for name in FIRST_LOOKS]
        if models:
            scenarios += [Scenario("model", name, accounts, first=True) for name in MODEL_ATTACKS]
    return scenarios


def compared_scenarios(
    rule: Rule, problem: Problem, accounts: int, *, shares: bool = False
) -> list[Scenario]:
    """Return the ways by which a rule is compared with the policy's, the slow ones first.

    `shares`: those that start from the class shares come before all others, and an attack that
    does is not played without them, too: the same attack that knows less gains less.
    """
    accounts = min(accounts, problem.n_queries) if rule.keeps_state else 1
    names: tuple[str, ...] = ON_IMPROVEMENTS if rule.tells_best else ON_SCORES
    rounded = any(stage.rounds_to is not None for stage in rule.stages)
    if not rounded:
        # Unless answers are rounded it plays as champion-challenger, move for move.
        names = tuple(name for name in names if name != "boundary-challenger")
    scenarios = [_suited(name, accounts, problem.n_queries) for name in names]
    if shares:
        kind = "improvements" if rule.tells_best else "rounded" if rounded else "scores"
        informed = FROM_SHARES[kind]
        known = {*informed, *(("champion-challenger",) if rounded else ())}
        scenarios = _from_shares(informed, accounts, problem) + [
            scenario for scenario in scenarios if scenario.attack not in known
        ]
    if 1 < accounts < problem.n_queries:
        scenarios += [Scenario("features", name, accounts, first=True) for name in FIRST_LOOKS]
    return scenarios


def _from_shares(names: tuple[str, ...], accounts: int, problem: Problem) -> list[Scenario]:
    """Return attacks that start from the class shares, some with first looks alone, too."""
    scenarios = [Scenario("class shares", name, accounts) for name in names]
    if 1 < accounts < problem.n_queries:
        first = FIRST_LOOKS_FROM_SHARES
        scenarios += [Scenario("class shares", name, accounts, first=True) for name in first]
    return scenarios


def _suited(name: str, accounts: int, looks: int) -> Scenario:
    """Return an attack of the suite from so many accounts: the suite's own entry if it has one."""
    for entry in SUITE:
        own = entry.name.partition(",")[0] == name and entry.n_accounts(looks) == accounts
        if own and accounts > 1:
            return Scenario("features", entry.name, accounts)
    return Scenario("features", name, accounts)
