"""Attacks through a metric by what they say of themselves: a reader is one class and one import."""

import numpy as np
import pytest

from holdfast import attacks, metrics, oracles, play
from holdfast.attacks import through_metrics
from holdfast.attacks.description import MOST_SUMMARY_WORDS
from holdfast.attacks.through_metrics.description import (
    LATTICE,
    AroundAttack,
    MetricBoard,
    OnCounts,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.registry import (
    AttackOnBoard,
    attacks_on,
    check_covered,
    metric_attacks,
    readers_of,
)
from holdfast.errors import NotSupported
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.planner import by_forecast, metric_plan
from holdfast.planner.metric_formulas import metric_estimate
from holdfast.problem import Problem
from holdfast.rules import parse_rule

EXACT = parse_rule("exact")
NAMED = metric_classes()


class OneScore(ThroughMetric):
    """A toy: it submits one example above all others, and keeps it there if that scored well."""

    summary = "tries one example"

    def __init__(self, problem):
        self.problem, self._asked, self._score = problem, False, 0.0

    @classmethod
    def reads_metric(cls, metric, n_classes):
        return isinstance(metric, metrics.AveragePrecision) and n_classes == 2

    @classmethod
    def on_board(cls, problem, board, *, rng):
        return cls(problem)

    def ask(self):
        if self._asked:
            return None
        self._asked = True
        return np.r_[1.0, np.zeros(self.problem.n_examples - 1)]

    def tell(self, answer):
        self._score = 1.0 if answer > 0.5 else -1.0

    def predict(self):
        return np.r_[self._score, np.zeros(self.problem.n_examples - 1)]


def test_every_attack_through_a_metric_has_a_name_and_six_words():
    every = metric_attacks()
    assert len(every) == len({cls.name for cls in every}) >= 13
    for cls in every:
        assert 1 <= len(cls.summary.split()) <= MOST_SUMMARY_WORDS, cls.name


def test_a_reader_is_covered_planned_and_played_by_what_its_class_says(monkeypatch):
    metric, problem = metrics.AveragePrecision(), Problem(40, 2, 3)
    with pytest.raises(NotSupported, match="no attack here reads"):
        check_covered(metric, problem)
    monkeypatch.setattr(through_metrics, "OneScore", OneScore, raising=False)
    check_covered(metric, problem)
    found = metric_plan(metric, EXACT, problem)
    assert (found.attack, found.certain) == ("one-score", 0)
    # No formula knows it: it was played.
    assert found.gain > 0.0
    assert found.error > 0.0
    assert "simulated" in found.reason
    hidden = np.random.default_rng(0).integers(2, size=40)
    board = oracles.MetricOracle(hidden, metric, n_queries=3)
    [reader] = readers_of(metric, 2)
    attack = reader.on_board(problem, MetricBoard(metric), rng=np.random.default_rng(1))
    assert play(attack, board).tolist() == attack.predict().tolist()
    assert board.looks == 1


def single_metrics():
    return [metrics.TopKAccuracy(5) if cls.name == "top_k_accuracy" else cls() for cls in NAMED]


def test_attacks_read_a_single_metric_unless_they_are_of_several_numbers():
    reading = {cls for each in single_metrics() for m in (2, 3, 10) for cls in readers_of(each, m)}
    others = set(metric_attacks()) - reading
    assert {cls.__name__ for cls in others} == {"ByGroup", "ClassPools"}
    with pytest.raises(TypeError, match="ByGroup reads no metric by itself"):
        through_metrics.ByGroup.on_board(Problem(9, 2, 1), MetricBoard(metrics.F1()), rng=None)
    by_group = AttackOnBoard(through_metrics.ByGroup, MetricBoard(metrics.F1()))
    with pytest.raises(NotSupported, match="no forecast for f1 of 2 classes: by-group has no"):
        metric_estimate(by_group, Problem(9, 2, 1), EXACT)


# Macro averages play several attacks, the joint reader of counts among them: one of them will do.
SEVERAL = {
    "f1_macro": pytest.mark.slow,
    "f1_weighted": pytest.mark.long,
    "precision_macro": pytest.mark.long,
}


@pytest.mark.parametrize(
    "metric",
    [
        pytest.param(name, marks=SEVERAL.get(name, []))
        for name in [*(cls.name for cls in NAMED), "log_loss[0,10]"]
    ],
)
def test_every_attack_that_reads_a_metric_plays_it(metric):
    shown, refused = parse_metric("top_k_accuracy:5" if metric == "top_k_accuracy" else metric), []
    for m in (2, 3, 10):
        hidden = np.arange(60) * 7 % 60 % m
        sizes = tuple(np.bincount(hidden).tolist())
        shares = tuple(size / 60 for size in sizes)
        board = MetricBoard(shown, high=m - 1, sizes=sizes, shares=shares)
        for each in attacks_on(board, m, from_nothing=[LATTICE]):
            board = oracles.MetricOracle(hidden, shown, n_queries=12, n_classes=m)
            try:
                attack = each.make(Problem(60, m, 12), rng=np.random.default_rng(1))
                assert np.isfinite(shown.score(hidden, play(attack, board)))
            except NotSupported as error:
                refused.append((each.name, m, error.reason))
    # Those for blurred values, and blocks of which there are too few, say so.
    assert all("made for" in reason or name == "top-k" for name, _, reason in refused)
    assert [m for name, m, _ in refused if name == "top-k"] in ([], [2, 3])  # one block, no choice


def test_an_attack_on_match_counts_is_told_what_a_value_belongs_to():
    hidden = (np.arange(60) % 7 == 0).astype(int)
    attack = through_metrics.CountReader.on_board(
        Problem(60, 2, 60), MetricBoard(metrics.F1()), rng=np.random.default_rng(0)
    )
    assert play(attack, oracles.MetricOracle(hidden, metrics.F1(), n_queries=60)).tolist() == (
        hidden.tolist()
    )
    assert isinstance(attack.inner, attacks.Lattice)  # unless another one is given


def test_rounded_areas_are_read_as_ranks_and_counts_where_the_positives_are_public():
    hidden = (np.random.default_rng(0).random(200) < 0.3).astype(int)
    sizes, problem = tuple(np.bincount(hidden).tolist()), Problem(200, 2, 30)
    rule = parse_rule("round:4")
    board = MetricBoard(metrics.RocAuc(), rounding=1e-4, sizes=sizes)
    areas = {}
    for each in attacks_on(board, 2):
        shown = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=30, mechanism=rule)
        found = play(each.make(problem, rng=np.random.default_rng(1)), shown)
        areas[each.name] = metrics.RocAuc().score(hidden, found)
    assert areas["graded"] > 0.9
    assert areas["level-counts"] > 0.75
    # A group's are not public.
    counts = next(each for each in attacks_on(board, 2) if each.name == "level-counts")
    known = [counts.make(Problem(n, 2, 30), rng=np.random.default_rng(1)) for n in (200, 150)]
    assert [attack.positives for attack in known] == [sizes[1], None]


def test_what_is_known_decides_who_plays():
    board = MetricBoard(metrics.RocAuc(), sizes=(60, 40))

    def names(**known):
        return [each.name for each in attacks_on(board, 2, **known)]

    told, other = LATTICE, LATTICE._replace(name="other")
    assert names(from_nothing=[told]) == [
        "graded",
        "count-reader, lattice",
        "count-reader, parts in turn",
        "linear-reader",
        "level-counts",
    ]
    assert "count-reader, other" in names(from_nothing=[told], informed=[other])
    assert names(informed=[other], from_model=True) == ["count-reader, other"]
    blocks = MetricBoard(metrics.TopKAccuracy(5))
    found = attacks_on(blocks, 10, from_nothing=[told], informed=[other])
    # Blocks are no classes.
    assert [(each.name, each.inner) for each in found] == [("top-k", told), ("linear-reader", None)]


def test_a_rule_that_changes_values_keeps_readers_from_playing_and_says_why():
    board = MetricBoard(
        metrics.F1(), sizes=(60, 40), shares=(0.6, 0.4), changed="it climbs.", noise=None
    )
    able = attacks_on(board, 2, from_nothing=[LATTICE])
    assert [each.name for each in able if each.climbs] == ["sparse-climb"]
    for each in able:
        if each.climbs:
            assert each.make(Problem(100, 2, 9), rng=np.random.default_rng(0)).ask() is not None
        else:
            with pytest.raises(NotSupported, match=r"it climbs|does not tell it"):
                each.make(Problem(100, 2, 9), rng=np.random.default_rng(0))


class Weaker(OneScore):
    """A second reader of what the toy reads, which learns nothing."""

    def tell(self, answer):
        """Keep nothing."""


class Silent(OneScore):
    """A third one, which can't play."""

    @classmethod
    def on_board(cls, problem, board, *, rng):
        raise NotSupported("it has no room.")


def test_of_several_readers_the_one_with_the_best_forecast_is_planned(monkeypatch):
    metric, problem = metrics.AveragePrecision(), Problem(40, 2, 3)
    for cls in (Silent, Weaker, OneScore):
        monkeypatch.setattr(through_metrics, cls.__name__, cls, raising=False)
    able = attacks_on(MetricBoard(metric), 2)
    assert [each.name for each in able] == ["silent", "weaker", "one-score"]
    ranked = by_forecast(able, problem, EXACT)
    assert [each.name for each, _ in ranked] == ["one-score", "weaker", "silent"]
    assert "it has no room" in str(ranked[-1][1])
    assert metric_plan(metric, EXACT, problem).attack == "one-score"


def test_attacks_around_another_one_say_so():
    around = [cls.name for cls in metric_attacks() if issubclass(cls, AroundAttack)]
    assert around == ["count-reader", "top-k", "two-levels", "two-targets"]
    mine = OnCounts("mine", "guesses", attacks.Lattice)
    reader = AttackOnBoard(through_metrics.CountReader, MetricBoard(metrics.F1()), mine)
    with pytest.raises(NotSupported, match="no formula tells what it gains"):
        metric_estimate(reader, Problem(40, 2, 3), EXACT)
