"""Fixed queries counted together: the same games, look for look, as asking one by one."""

from itertools import product

import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.errors import NotSupported, OutOfTurn
from holdfast.evaluate import evaluate
from holdfast.kernels.fixed_queries import Staircase
from holdfast.kernels.matches import MATCHES_AT_A_TIME
from holdfast.oracles import LabelOracle
from holdfast.rules import Rounding

SIZES = [(50, 3, 1), (50, 3, 2), (51, 3, 52), (300, 2, 40), (60, 70_000, 20), (2000, 10, 100)]
AT_ONCE = ["BlockMajority", "ColumnVote", "UniformVote"]


# With more looks than examples, and than labels to try.
GAMES = [*product(AT_ONCE, SIZES), *product(AT_ONCE[-2:], [(20, 3, 35), (20, 3, 90)])]


def one_by_one(attack, oracle):
    return play(attack, oracle, on_look=lambda look: None)


@pytest.mark.parametrize(("name", "sizes"), GAMES)
@pytest.mark.parametrize("permuted", [True, False])
def test_a_play_at_once_is_the_play_look_by_look(name, sizes, permuted):
    problem = Problem(*sizes)
    hidden = np.random.default_rng(5).integers(problem.n_classes, size=problem.n_examples)
    guesses, oracles = [], []
    for way in (play, one_by_one):
        attack = getattr(attacks, name)(problem, rng=np.random.default_rng(3), permuted=permuted)
        oracles.append(LabelOracle(hidden, problem=problem))
        guesses.append(way(attack, oracles[-1]))
        assert attack.ask() is None
    assert guesses[0].dtype == guesses[1].dtype
    assert (guesses[0] == guesses[1]).all()
    assert oracles[0].looks == oracles[1].looks
    if not getattr(attacks, name).adaptive:
        assert oracles[0].looks == problem.n_queries


def test_stretches_add_up_and_are_what_a_count_of_each_query_gives():
    problem = Problem(1000, 4, 31)
    attack = attacks.BlockMajority(problem, rng=np.random.default_rng(1))
    hidden = np.random.default_rng(2).integers(4, size=1000).astype(np.uint8)
    queries = attack.fixed_queries()
    parts = [queries.matches(hidden[at : at + 130], at) for at in range(0, 1000, 130)]
    counted = []
    while (query := attack.ask()) is not None:
        counted.append(int(np.count_nonzero(query == hidden)))
        attack.tell(counted[-1] / 1000)
    assert np.sum(parts, axis=0).tolist() == queries.matches(hidden).tolist() == counted
    whole = attack.predict()
    assert (
        np.concatenate([attack.predict_on(at, at + 250) for at in range(0, 1000, 250)]) == whole
    ).all()


def test_rules_budgets_and_subclasses_are_asked_one_by_one():
    problem = Problem(100, 3, 11)
    hidden = np.arange(100) % 3
    queries = attacks.BlockMajority(problem, rng=np.random.default_rng(1)).fixed_queries()
    with pytest.raises(NotSupported, match="one by one"):
        LabelOracle(hidden, problem=problem, mechanism=Rounding(1)).query_all(queries)
    small = LabelOracle(hidden, problem=Problem(100, 3, 10))
    with pytest.raises(NotSupported, match="one by one"):
        small.query_all(queries)
    assert small.looks == 0

    class Own(attacks.BlockMajority):
        asked = 0

        def _query(self, index):
            self.asked += 1
            return super()._query(index)

    class Watched(LabelOracle):
        seen = 0

        def query(self, query):
            self.seen += 1
            return super().query(query)

    own, watched = Own(problem, rng=np.random.default_rng(1)), Watched(hidden, problem=problem)
    play(own, LabelOracle(hidden, problem=problem))
    play(attacks.BlockMajority(problem, rng=np.random.default_rng(1)), watched)
    assert own.asked == watched.seen == 11


def test_a_play_that_has_begun_is_not_answered_at_once():
    attack = attacks.BlockMajority(Problem(100, 3, 11), rng=np.random.default_rng(1))
    attack.ask()
    attack.tell(0.3)
    assert attack.fixed_queries() is None
    with pytest.raises(OutOfTurn, match="looks were taken already"):
        attack.tell_all(np.full(11, 0.3))


def test_edges_may_lie_together_and_at_both_ends():
    rows = np.array([1, 1, 0, 2], np.uint8), np.array([0, 2, 0, 1], np.uint8)
    stairs = Staircase(
        np.array([0, 0, 2, 4, 4]), lambda start, stop: tuple(r[start:stop] for r in rows)
    )
    hidden = np.array([1, 2, 0, 2], np.uint8)
    expected = [np.count_nonzero(np.r_[rows[0][:e], rows[1][e:]] == hidden) for e in stairs.edges]
    assert stairs.matches(hidden).tolist() == expected


def test_counts_go_on_beyond_what_is_counted_at_a_time():
    n = MATCHES_AT_A_TIME + 5
    labels = np.zeros(n, np.uint8)
    query = labels.copy()
    query[-3:] = 1
    query[0] = 1
    assert evaluate(query, labels, 2).matches == n - 4
