"""Scenarios: an attack, the attacker's knowledge, and a number of accounts.

Who plays is selected from the registry, by what every attack says of itself, in three rounds that
differ in what they can afford:

- the suite against the policy (`suite_scenarios`): every attack of the matrix; those without
  features; with unequal classes, those that can start from the class shares; with models, those
  that can start from these;
- other rules (`compared_scenarios`): the few that are strongest on a board that shows so much, and
  those that a forecast finds near the best one (`by_forecast`);
- candidates for a fix: the same, with those from models (`model_scenarios`).

Accounts matter only where a rule remembers: there every account meets a fresh state, and an attack
may do better with many first looks than with one long history. Elsewhere k looks are k looks.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from holdfast.answers import RoundedAnswers
from holdfast.attacks.description import Described, Needs, Reads
from holdfast.attacks.registry import attack_type, attack_types, summary_of
from holdfast.audit.result import AS_IT_RISES, TOTAL, Knowledge
from holdfast.audit.scenarios.by_forecast import can_play, may_be_strongest
from holdfast.audit.scenarios.plays import Job
from holdfast.experiments.suite import IN_RUNS, SUITE
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["Scenario", "compared_scenarios", "model_scenarios", "suite_scenarios"]

Attacks: TypeAlias = list[type[Described]]


class Scenario(NamedTuple):
    """An attack, what it knows, and from how many accounts it looks.

    `first`: every account looks once, because a rule that remembers answers a stranger's first
    look best; else the accounts share the looks evenly.

    >>> Scenario("features", "block-majority", accounts=5, first=True).name
    'block-majority, first look of 5 accounts'
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
    def show(self) -> str:
        """What a look tells it: an accuracy of all examples."""
        return TOTAL

    @property
    def reads(self) -> str:
        """The number that it reads."""
        return f"accuracy{AS_IT_RISES}" if self.climbs else "accuracy"

    @property
    def kind(self) -> type[Described]:
        """The attack's class."""
        return attack_type(self.base, without_features=self.blind)

    @property
    def does(self) -> str:
        """What the attack does, in about six words."""
        return summary_of(self.base)

    @property
    def climbs(self) -> bool:
        """Whether it hears no more than which look was the best."""
        return self.kind.reads is Reads.NEW_BEST

    @property
    def effort(self) -> float:
        """Its time beside that of others."""
        return self.kind.effort

    @property
    def base(self) -> str:
        """The attack without its accounts."""
        return self.attack.partition(",")[0]

    @property
    def blind(self) -> bool:
        """Whether it sees no test examples."""
        return self.setting == "no features"

    def job(self, rule: Rule, looks: int, trial: int) -> Job:
        """Return one play with so many looks of all accounts together.

        >>> from holdfast.rules import Ladder
        >>> scenario = Scenario("features", "block-majority", accounts=5, first=True)
        >>> job = scenario.job(Ladder(0.01), looks=100, trial=0)
        >>> job.looks, job.accounts              # one look each: 95 are not taken
        (5, 5)
        """
        accounts = min(self.accounts, looks)
        played = accounts if self.first else looks
        return Job(self.setting, rule, self.attack, played, trial, accounts)


Scenarios: TypeAlias = list[Scenario]


def suite_scenarios(
    rule: Rule,
    problem: Problem,
    accounts: int,
    *,
    models: bool,
    shares: bool = False,
    in_runs: bool = False,
) -> list[Scenario]:
    """Return all scenarios against a policy whose rule meets so many separate accounts.

    Where the rule remembers nothing, accounts only add up their looks, and each attack plays as
    if from one. Else each plays from all accounts, and some once more with first looks alone.

    Parameters
    ----------
    rule, problem
        What is released, and the sizes with the looks of all accounts together.
    accounts
        Separate states of the rule that the attackers meet.
    models, shares
        Whether attacks may start from models' predictions, and from the class shares.
    in_runs
        Whether rows come in runs of one label, which some attacks use.

    Examples
    --------
    A Ladder answers with a state's best score so far: from five accounts there are five states, and
    three attacks play five first looks besides.

    >>> from holdfast.rules import Exact, Ladder
    >>> problem = Problem(1000, 10, 100)
    >>> exact = suite_scenarios(Exact(), problem, accounts=5, models=False)
    >>> ladder = suite_scenarios(Ladder(0.01), problem, accounts=5, models=False)
    >>> {scenario.accounts for scenario in exact}, {scenario.accounts for scenario in ladder}
    ({1}, {5})
    >>> sum(scenario.first for scenario in ladder)
    3
    """
    accounts = min(accounts, problem.n_queries) if rule.keeps_state else 1
    blind = [cls for cls in attack_types(without_features=True) if cls.strongest_on]
    scenarios = [_suited(cls, accounts, problem.n_queries) for cls in _suite()]
    scenarios += _each("no features", blind, accounts)
    if in_runs:
        scenarios += [
            Scenario(
                "class shares" if shares and entry.attack.takes_prior else "features",
                entry.name,
                accounts,
            )
            for entry in IN_RUNS
        ]
    if shares:
        scenarios += _from_shares(_from_prior(), accounts, problem)
    if models:
        scenarios += _each("model", _from_model(), accounts)
    if 1 < accounts < problem.n_queries:
        scenarios += _each("features", _first_looks(_suite()), accounts, first=True)
        if models:
            scenarios += _each("model", _from_model(), accounts, first=True)
    return scenarios


def model_scenarios(rule: Rule, problem: Problem, accounts: int) -> list[Scenario]:
    """Return the ways that start from models, against a rule that meets so many accounts."""
    accounts = min(accounts, problem.n_queries) if rule.keeps_state else 1
    scenarios = _each("model", _from_model(), accounts)
    if 1 < accounts < problem.n_queries:
        scenarios += _each("model", _from_model(), accounts, first=True)
    return scenarios


def compared_scenarios(
    rule: Rule,
    problem: Problem,
    accounts: int,
    *,
    shares: bool = False,
    head_start: float = 0.0,
) -> list[Scenario]:
    """Return the ways by which a rule is compared with the policy's, the slow ones first.

    `shares`: those that start from the class shares come before all others, and an attack that
    does is not played without them, too: the same attack that knows less gains less. `head_start`
    is then what the majority has above n/m, in matches: who starts from nothing must make it up.
    """
    accounts = min(accounts, problem.n_queries) if rule.keeps_state else 1
    board = Reads.NEW_BEST if rule.tells_best else Reads.SCORES
    rounded = any(stage.rounds_to is not None for stage in rule.stages)
    strongest = _strongest(_suite(), board, rounded)
    if board is Reads.SCORES:
        strongest += may_be_strongest(rule, problem, head_start)
    scenarios = [_suited(cls, accounts, problem.n_queries) for cls in strongest]
    if shares:
        informed = _strongest(_from_prior(), board, rounded)
        if rounded:  # what reads scores must live with rounded ones
            informed = [
                cls
                for cls in informed
                if cls.reads is not Reads.SCORES or RoundedAnswers in cls.tolerates
            ]
        if board is Reads.SCORES:
            here = [cls for cls in _from_prior() if cls.strongest_by_forecast]
            informed += [cls for cls in here if can_play(cls, rule, problem)]
        known = {cls.name for cls in informed}
        # One that is made for rounding plays better than the one it derives from.
        for cls in [each for each in informed if each.needs is Needs.ROUNDING]:
            informed = [each for each in informed if each is cls or not issubclass(cls, each)]
        scenarios = _from_shares(informed, accounts, problem) + [
            scenario for scenario in scenarios if scenario.attack not in known
        ]
    if 1 < accounts < problem.n_queries:
        scenarios += _each("features", _first_looks(_suite()), accounts, first=True)
    return scenarios


def _suite() -> Attacks:
    return [entry.attack for entry in SUITE if entry.accounts == 1]


def _from_prior() -> Attacks:
    """Return the attacks for whom knows something of the labels, the slow ones first."""
    found = [
        cls
        for cls in attack_types()
        if cls.takes_prior and (cls.strongest_on or cls.strongest_by_forecast)
    ]
    return sorted(found, key=lambda cls: -cls.effort)


def _from_model() -> Attacks:
    """Return those that read any scores, the ones that ask all at once first."""
    found = [cls for cls in _from_prior() if (cls.reads, cls.needs) == (Reads.SCORES, None)]
    return sorted(found, key=lambda cls: cls.adaptive)


def _strongest(attacks: Attacks, board: Reads, rounded: bool) -> Attacks:
    """Return the strongest on a board, the slow ones first; where bests show, climbers first."""
    found = [cls for cls in attacks if board in cls.strongest_on]
    if not rounded:  # one that is made for rounding plays as the one it derives from
        found = [cls for cls in found if cls.needs is not Needs.ROUNDING]
    showing_bests = board is Reads.NEW_BEST
    return sorted(found, key=lambda c: (showing_bests and c.reads is not board, -c.effort))


def _first_looks(attacks: Attacks) -> Attacks:
    """Return those for which the first look of each of many accounts is worth playing alone."""
    found = [cls for cls in attacks if cls.accounts is None and cls.needs is None]
    return sorted(found, key=lambda cls: -cls.effort)


def _each(setting: Knowledge, attacks: Attacks, accounts: int, *, first: bool = False) -> Scenarios:
    return [Scenario(setting, cls.name, accounts, first) for cls in attacks]


def _from_shares(attacks: Attacks, accounts: int, problem: Problem) -> Scenarios:
    """Return attacks that start from the class shares, some with first looks alone, too."""
    scenarios = _each("class shares", attacks, accounts)
    if 1 < accounts < problem.n_queries:
        scenarios += _each("class shares", _first_looks(_from_prior()), accounts, first=True)
    return scenarios


def _suited(cls: type[Described], accounts: int, looks: int) -> Scenario:
    """Return an attack of the suite from so many accounts: the suite's own entry if it has one."""
    for entry in SUITE:
        if accounts > 1 and entry.attack is cls and entry.n_accounts(looks) == accounts:
            return Scenario("features", entry.name, accounts)
    return Scenario("features", cls.name, accounts)
