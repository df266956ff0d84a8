"""Scenarios of an audit of a metric: attacks through what a board shows, made for its rule.

A *show* is a name for what a look tells: "total only", or the total with groups, with other
metrics, or with numbers of each class. Through each show play

- the total: the attacks that read its values as counts, then those that climb, then those on
  accuracies put on losses that are blurred;
- groups: each of the attacks on the total, once per group, all groups in the same look;
- another metric: each of the attacks on that metric, whose finding is then submitted as the metric
  that ranks takes it (`beside`);
- numbers of each class: message passing over pools (`ClassPools`).

A scenario's place in the list is its name in jobs, so the list must be the same under every rule:
who plays follows from the metric and from what is known, and an attack that a rule stops is listed,
and refuses when it is made.

A play is a pure function of the board and the job. Its two generators, of the board's rule and of
the attack, are seeded by the audit's seed, the trial, the looks, and a checksum of what is played
against what: attack, show and rule. So the same job plays alike whatever else an audit plays, in
any order, and its outcome can be kept for the next one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np

from holdfast.attacks.outer import Outer
from holdfast.attacks.through_metrics import ByGroup, ClassPools, LinearReader
from holdfast.attacks.through_metrics.affine_forms import has_affine_form
from holdfast.attacks.through_metrics.beside import Beside
from holdfast.attacks.through_metrics.description import MetricBoard, Told
from holdfast.attacks.through_metrics.registry import AttackOnBoard, attacks_on
from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.climbers import climbers
from holdfast.audit.metrics.match_counts import (
    climbing_on_counts,
    from_nothing_on_counts,
    informed_on_counts,
    on_counts,
)
from holdfast.audit.metrics.starts import Start, group_rows, starts_of
from holdfast.audit.metrics.units import start_value
from holdfast.audit.result import AS_IT_RISES, TOTAL, Knowledge
from holdfast.audit.scenarios.plays import told_reason
from holdfast.errors import HoldfastError, NotSupported
from holdfast.experiments.matrix_plays import Played
from holdfast.loop import play
from holdfast.metrics import Accuracy, Clipped, Metric, Submission
from holdfast.metrics.by_class import ByClass
from holdfast.metrics.in_steps import InSteps
from holdfast.metrics.one_submission import taker_for
from holdfast.oracles import MetricOracle
from holdfast.planner import board_under
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number
from holdfast.rules import Exact, Rule

__all__ = ["MetricJob", "MetricScenario", "metric_scenarios", "only_climbed", "play_metric_job"]

Make: TypeAlias = Callable[..., Any]

# The time of attacks through metrics beside others: as of one that steers.
EFFORT = 50.0


class MetricJob(NamedTuple):
    """One play: which attack, through which show, against which rule, with how many looks.

    `scenario` is the attack's place in `metric_scenarios(asked, show)`; `trial` is its seed.
    """

    show: str
    scenario: int
    rule: Rule
    looks: int
    trial: int

    @property
    def accounts(self) -> int:
        """One: a board shares the looks among the accounts that its rule tells apart."""
        return 1

    @property
    def effort(self) -> float:
        """The attack's time beside that of others."""
        return EFFORT

    def who(self, board: Request) -> tuple[str, str]:
        """Return the attack's name, with what is shown, and what it knows."""
        each = metric_scenarios(board, self.show)[self.scenario]
        return f"{each.name} ({self.show})", each.setting

    def played(self, board: Request) -> Played:
        """Play it on a board."""
        return play_metric_job(board, self)


class MetricScenario(NamedTuple):
    """An attack through one of the numbers that a board shows.

    `make(problem, rng=, rule=)` returns what asks, is told and predicts; `hears` is the place of
    the number that it is told, None for all of them; `does` says in about six words what it does,
    and `start` is what it knows beforehand.
    """

    name: str
    reads: str
    does: str
    make: Make
    hears: int | None
    start: Start
    show: str
    place: int

    @property
    def effort(self) -> float:
        """The attack's time beside that of others."""
        return EFFORT

    @property
    def setting(self) -> Knowledge:
        """What it knows."""
        return self.start.setting

    @property
    def climbs(self) -> bool:
        """Whether it hears no more than which look was the best."""
        return self.reads.endswith(AS_IT_RISES)

    def job(self, rule: Rule, looks: int, trial: int) -> MetricJob:
        """Return one play with so many looks of all accounts together."""
        return MetricJob(self.show, self.place, rule, looks, trial)


def metric_scenarios(asked: Request, show: str) -> list[MetricScenario]:
    """Return the attacks through a show, from everything that may be known beforehand.

    First those who know the class shares, or nothing where classes are equal; then, if models were
    given, those who start from their predictions. Both lists are in a fixed order: a job says a
    scenario by its place.

    Parameters
    ----------
    asked
        What is audited.
    show
        One of `asked.shows`.
    """
    found = [(each, start) for start in starts_of(asked) for each in _unstarted(asked, show, start)]
    return [MetricScenario(*each, start, show, at) for at, (each, start) in enumerate(found)]


class _Unstarted(NamedTuple):
    """A scenario but for what the attacker knows."""

    name: str
    reads: str
    does: str
    make: Make
    hears: int | None = 0


def _unstarted(asked: Request, show: str, start: Start) -> list[_Unstarted]:
    """Return the attacks through the metric, its groups, or a column beside it."""
    metric = asked.metric
    if show == TOTAL:
        return _through(asked, metric, start)
    if asked.groups is not None and show == list(asked.shows)[1]:
        reads = f"{metric} of each {asked.breakdown}"
        return [
            _Unstarted(
                f"{each.name}, by group",
                reads,
                each.does,
                partial(_by_group, asked=asked, start=start, at=at),
                None,
            )
            for at, each in enumerate(_through(asked, metric, start))
        ]
    for by_class in asked.display.by_class:
        if show == f"with {by_class}":
            return _through_classes(asked, by_class, start)
    return _through_columns(asked, start) + [
        each._replace(
            make=partial(_beside, make=each.make, asked=asked, column=other, place=1 + at),
            hears=None,
        )
        for at, other in enumerate(asked.also)
        for each in _through(asked, other, start)
    ]


def _through_columns(asked: Request, start: Start) -> list[_Unstarted]:
    """Return the attack that reads all columns at once, if it reads each of them."""
    metrics, m = [each.inside for each in (asked.metric, *asked.also)], len(asked.class_sizes)
    if start.model or not all(has_affine_form(each, m) for each in metrics):
        return []
    make = partial(_columns, asked=asked)
    reads = " and ".join(map(str, (asked.metric, *asked.also)))
    return [
        _Unstarted(f"{LinearReader.name}, all columns", reads, LinearReader.summary, make, None)
    ]


def _columns(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, asked: Request
) -> LinearReader:
    """Make the attack that reads all columns at once."""
    columns = (asked.metric, *asked.also)
    board = board_under(rule, MetricBoard(asked.metric, sizes=asked.class_sizes))
    highest = min((each.high for each in columns if isinstance(each, Clipped)), default=math.inf)
    return LinearReader.on_columns(
        problem, board._replace(highest=highest), [each.inside for each in columns], rng=rng
    )


def _beside(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    make: Make,
    asked: Request,
    column: Metric,
    place: int,
) -> Any:
    """Make an attack on a column beside the metric that ranks.

    The board takes one submission for all columns: that of the richest metric (probabilities for a
    log-loss beside an accuracy), into which the attack's queries are put.
    """
    return Beside(
        partial(make, rule=rule),
        problem,
        rng=rng,
        column=column,
        ranks=asked.metric,
        taker=taker_for((asked.metric, *asked.also)),
        heard=itemgetter(place),
        constant=asked.best_constant_label,
    )


def _through_classes(asked: Request, by_class: ByClass, start: Start) -> list[_Unstarted]:
    """Return the attack through numbers of each class, which starts from no model.

    There is one: message passing weighs all labels alike at the start, and a model's belief would
    have to be worth some counts, which nobody has measured.
    """
    if start.model:
        return []
    make = partial(_class_pools, asked=asked, shown=by_class)
    return [_Unstarted(ClassPools.name, str(by_class), ClassPools.summary, make, None)]


def _class_pools(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, asked: Request, shown: ByClass
) -> Beside:
    """Make the attack that reads numbers of each class."""
    board = board_under(rule, MetricBoard(asked.metric, sizes=asked.class_sizes))
    return ClassPools.on_columns(problem, board, shown, rng=rng)


def _through(asked: Request, metric: Metric, start: Start) -> list[_Unstarted]:
    """Return the attacks through one value of a metric: those that read it, then those that climb.

    All follow from what attacks say of themselves; accuracies are read by attacks on match counts.
    """
    inside = metric.inside
    reading = _scored(start) if isinstance(inside, Accuracy) else []
    climbing = [
        _Unstarted(cls.name, f"{metric}{AS_IT_RISES}", cls.summary, make)
        for cls, make in climbers(inside, start, asked.problem.n_classes)
    ]
    for at, each in enumerate(_attacks(asked, metric, start, Exact())):
        make = partial(_made, asked=asked, metric=metric, start=start, at=at)
        if each.climbs:
            climbing.append(_Unstarted(each.name, f"{metric}{AS_IT_RISES}", each.does, make))
        else:
            reading.append(_Unstarted(each.name, str(metric), each.does, make))
    return reading + climbing


def _attacks(asked: Request, metric: Metric, start: Start, rule: Rule) -> list[AttackOnBoard]:
    """Return the attacks that say that they read a metric, for what a rule releases of it.

    What is public goes into the `MetricBoard`: class sizes and shares, and the limits of targets.
    Attacks that hand match counts to another one are listed with each of those that may be handed
    them: from nothing, or from what is known.
    """
    hidden, inside = asked.hidden, metric.inside
    climbing = [cls for cls, _ in climbers(Accuracy(), start, 2)]
    read, factor = InSteps.undone(metric)
    board = MetricBoard(
        read,
        low=int(hidden.min()),
        high=int(hidden.max()),
        sizes=asked.class_sizes,
        shares=start.shares,
        targets=hidden if metric.takes is Submission.NUMBERS else None,
        in_runs=asked.in_runs,
    )
    return attacks_on(
        _heard_in_steps(board_under(rule, board), factor),
        asked.problem.n_classes,
        from_nothing=[] if start.model else from_nothing_on_counts(inside, rule),
        informed=informed_on_counts(start, rule),
        climbing=climbing_on_counts(climbing, start, rule),
        from_model=start.model,
        ranks=asked.metric,
    )


def _heard_in_steps(board: MetricBoard, factor: float) -> MetricBoard:
    """Return a board whose values are told so many times as large."""
    if factor == 1.0:
        return board
    board = board._replace(
        step=factor * board.step,
        rounding=float(f"{factor * board.rounding:.12g}"),  # a power of ten stays one
        noise=None if board.noise is None else factor * board.noise,
    )
    if board.rounding and board.decimals is None and board.changed is None:
        return board._replace(changed="it reads decimals of whole targets, and these are rounded.")
    return board


class _InSteps(Outer):
    """Plays an attack on whole targets, and tells it the values that they have."""

    def __init__(self, attack: Any, factor: float) -> None:
        super().__init__(attack)
        self._factor = factor

    def tell(self, answer: Answer) -> None:
        """Pass a value on, as one of the steps themselves."""
        super().tell(self._factor * one_number(answer))


def _made(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    asked: Request,
    metric: Metric,
    start: Start,
    at: int,
) -> Any:
    """Make the attack at a place for what a rule releases of a metric.

    It is looked up again here, under the rule that is played: the scenario was listed under exact
    values, and what an attack reads of rounded ones is another attack with the same name.
    """
    attack = _attacks(asked, metric, start, rule)[at].make(problem, rng=rng)
    _, factor = InSteps.undone(metric)
    return attack if factor == 1.0 else _InSteps(attack, factor)


def _scored(start: Start) -> list[_Unstarted]:
    """Return the attacks on accuracies."""
    return [
        _Unstarted(each.name, str(Accuracy()), each.summary, partial(_counted, start=start, at=at))
        for at, each in enumerate(on_counts(start, Exact()))
    ]


def _counted(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, start: Start, at: int
) -> Any:
    """Make the attack on accuracies at a place, which is told them as the rule releases them."""
    return on_counts(start, rule)[at].make(problem, rng=rng, told=Told())


def only_climbed(asked: Request, metric: Metric) -> bool:
    """Tell whether no attack reads counts from values of this metric as the rule releases them.

    Then gains rest on climbers, which use one bit per look, and more may be possible. An attack
    reads if it can ask its first query: some are made and refuse only when they see that rounding
    hides what they need.
    """
    if isinstance(metric, Accuracy):
        return False
    reading = [
        each for each in _attacks(asked, metric, starts_of(asked)[0], asked.rule) if not each.climbs
    ]
    # What puts an attack on match counts reads them, whatever that attack makes of a rule.
    if any(each.inner is not None for each in reading):
        return False
    return not any(_can_ask(each, asked.problem) for each in reading)


def _can_ask(attack: AttackOnBoard, problem: Problem) -> bool:
    """Tell whether an attack can be made and asks something; the seed does not matter here."""
    try:
        attack.make(problem, rng=np.random.default_rng(0)).ask()
    except NotSupported:
        return False
    return True


def _by_group(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    asked: Request,
    start: Start,
    at: int,
) -> Any:
    """Make one attack per group, each from what is known of the group's own examples.

    All groups ask in the same look and are told their own number. Where the attack at this place
    can't play a small group, the others on accuracies stand in, from the last to the first.
    """
    rows = iter(group_rows(asked.groups))

    def make(problem: Problem, *, rng: np.random.Generator) -> Any:
        own = start.of(next(rows))
        able = [_through(asked, asked.metric, own)[at].make]
        if isinstance(asked.metric, Accuracy):
            able += [each.make for each in reversed(_scored(own))]
        return _first_able(problem, rng=rng, rule=rule, able=able)

    return ByGroup(problem, asked.groups, make, rng=rng)


def _first_able(problem: Problem, *, rng: np.random.Generator, rule: Rule, able: list[Make]) -> Any:
    """Make the first attack that can play a group: what rounding hides depends on its size.

    Two decimals of an accuracy of 80 examples tell the matches, and of 800 they don't. If none can,
    the first one's reason is raised, which is that of the attack that was asked for.
    """
    refused = None
    for make in able:
        try:
            return make(problem, rng=rng, rule=rule)
        except NotSupported as error:
            refused = refused or error
    assert refused is not None
    raise refused


def play_metric_job(asked: Request, job: MetricJob) -> Played:
    """Play one job.

    Returns
    -------
    Played
        `bias` is the gain in the metric's own values, above what the scenario starts from (the best
        constant, or a model if that is better), larger being better for losses, too; it may be
        negative. An attack that can't play this board gains nothing, with the reason.
    """
    scenario = metric_scenarios(asked, job.show)[job.scenario]
    metric, hidden, setting = asked.metric, asked.hidden, scenario.start.setting
    named = f"{scenario.name} {scenario.reads} {job.show} {job.rule}"
    key = crc32(f"{named}{' model' if setting == 'model' else ''}".encode())
    own = [asked.seed, job.trial, job.looks, key]
    try:
        board = board_of(asked, job, np.random.default_rng([*own, 1]))
        attack = scenario.make(board.problem, rng=np.random.default_rng([*own, 2]), rule=job.rule)
        heard = board if scenario.hears is None else _Heard(board, scenario.hears)
        value = metric.score(hidden, play(attack, heard))
    except HoldfastError as error:
        return Played(0.0, 0, told_reason(error))
    better = value - start_value(asked, setting)
    return Played(better if metric.higher_is_better else -better, board.looks)


class _Heard:
    """A board of several numbers of which the scenario is told one."""

    def __init__(self, board: MetricOracle, place: int) -> None:
        self._board, self._place = board, place

    @property
    def problem(self) -> Problem:
        return self._board.problem

    def query(self, submission: object) -> Answer:
        answer = self._board.query(submission)
        return answer[self._place] if isinstance(answer, tuple) else answer


def board_of(asked: Request, job: MetricJob, rng: np.random.Generator) -> MetricOracle:
    """Return the board of one play.

    Accounts that work together share its looks, one account after the other. A rule that keeps
    something between looks meets each account afresh; any other can't tell them apart, and one
    account stands for all.
    """
    return MetricOracle(
        asked.hidden,
        asked.shows[job.show],
        n_queries=job.looks,
        mechanism=job.rule,
        rng=rng,
        n_classes=asked.problem.n_classes,
        accounts=asked.histories if job.rule.keeps_state else 1,
    )
